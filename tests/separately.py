#!/usr/bin/env python3
"""Compiles each source of a unity build by itself, up to the code: what a batch hides is an include that a source lacks.
That is what the default build (EDGEWISE_UNITY=OFF) would find, for half of its work: flags and precompiled headers are
those of the batches, and what is compiled alone anyway is left out.

Usage: separately.py BUILD [PART]   (a unity build with Ninja, already built; only sources whose path has PART)
"""

import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys


def commands(build, part):
    """For each source in a batch: its path, and the command that checks it."""
    listed = json.loads(subprocess.run(["ninja", "-C", build, "-t", "compdb"], check=True, capture_output=True).stdout)
    for batch in listed:
        file = pathlib.Path(batch["directory"], batch["file"])
        if not (file.name.startswith("unity_") and file.suffix == ".cxx"):
            continue
        words = shlex.split(batch["command"])
        words = words[next(i for i, word in enumerate(words) if re.search(r"(\+\+|g?cc|clang)[-.\d]*$", word)) :]
        for option in ("-o", "-MT", "-MF"):
            at = words.index(option)
            del words[at : at + 2]
        flags = [word for word in words if word not in ("-c", "-MD", batch["file"])]
        for source in re.findall(r'^#include "(.+)"', file.read_text(), re.MULTILINE):
            if part in source:
                yield source, [*flags, "-fsyntax-only", source], batch["directory"]


def check(job):
    source, command, folder = job
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if result.returncode != 0:
        print(f"{source} does not compile by itself:\n{result.stderr}", flush=True)
    return result.returncode == 0


def main(build, part=""):
    jobs = sorted(commands(build, part))
    if not jobs:
        sys.exit(f"{build} has no batches{' of ' + part if part else ''}: expected a build with EDGEWISE_UNITY=ON")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        passed = list(pool.map(check, jobs))
    if not all(passed):
        sys.exit(f"{passed.count(False)} of {len(jobs)} sources do not compile by themselves")
    print(f"{len(jobs)} sources compile by themselves")


if __name__ == "__main__":
    main(*sys.argv[1:])
