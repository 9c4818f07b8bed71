#!/usr/bin/env python3
"""Measures the results of docs/benchmarks again.

The tables at the head of these pages end each row with the command that made it. This runs them one after another,
keeps what each prints in a folder, and makes a table of what the page says beside what came out now. Rows whose command
needs a file that is not there are named and skipped, and so is what the folder has already, so that an interrupted
measurement can be continued. Accuracies take days on two cores, speeds hours.

    python apps/bench/all.py --out results speed                # or accuracy, or both
    python apps/bench/all.py --out results --rows hetero        # the rows with this in their text

Files that the commands write, and those that they read by name alone, are in the folder, too. Programs of Edgewise are
taken from --build; its peers need apps/bench/peers/requirements.txt.
"""

import argparse
import json
import re
import shlex
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def rows_of(page):
    """(name, what the page says, command) of the tables before the first section on how it was measured."""
    head = (ROOT / f"docs/benchmarks/{page}.md").read_text().split("## How it was measured")[0]
    for line in head.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        command = re.fullmatch(r"`(.+)`", cells[-1].strip(" |"))
        if line.startswith("| ") and command:
            yield re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", cells[0].strip("| ")), cells[1], command[1]


def absolute(word, build):
    """A path in a checkout or of a build, as the commands name them."""
    if word.startswith(("build/", "bench_")):
        return str(build / word.removeprefix("build/"))
    return str(ROOT / word) if "/" in word and (ROOT / word).exists() else word


def command_line(command, build):
    """The words to run in another folder; `edgewise` also prints JSON."""
    words = [absolute(word, build) for word in shlex.split(command)]
    if words[0] == "edgewise":
        return [str(build / "edgewise"), *words[1:], *([] if "--json" in words else ["--json"])]
    return [sys.executable if words[0] == "python" else words[0], *words[1:]]


def missing_file(words, folder):
    """The first file that the command reads and that neither the checkout nor the folder has."""
    for flag, word in zip(words, words[1:]):
        if flag != "--out" and re.fullmatch(r"\w+\.(csv|safetensors)", word) and not (folder / word).exists():
            return word
    return None


def summary(text):
    """The metric of a training, with its spread; of anything else that it was measured."""
    try:
        result = json.loads(text)
        metric = result["metric"]
        test = result["test"][metric]
    except (ValueError, KeyError, TypeError):
        return "see the file"
    spread = f" ± {test['std']:.4f}" if len(test["values"]) > 1 else ""
    return f"{metric} {test['mean']:.4f}{spread}"


def measure(name, command, build, folder):
    """Runs the command unless its result is there. Returns what came out, in a few words."""
    file = folder / (re.sub(r"\W+", "-", name.lower()).strip("-")[:80] + ".json")
    if not file.exists():
        words = command_line(command, build)
        if missing := missing_file(words, folder):
            return f"skipped: there is no {missing}"
        start = time.monotonic()
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True)
        if done.returncode != 0:
            return f"failed: {(done.stderr.strip().splitlines() or ['?'])[-1]}"
        result = {"command": command, "seconds": time.monotonic() - start, "output": done.stdout}
        file.write_text(json.dumps(result, indent=1))
    return summary(json.loads(file.read_text())["output"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pages", nargs="*", default=["accuracy", "speed"], metavar="accuracy|speed")
    parser.add_argument("--out", required=True, type=Path, help="folder for the results")
    parser.add_argument("--build", type=Path, default=Path("build"), help="where the programs are")
    parser.add_argument("--rows", default="", help="only rows with this text")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    print("| what | the page says | now |\n|---|---|---|")
    for page in arguments.pages:
        for name, said, command in rows_of(page):
            if arguments.rows in name + command:
                now = measure(name, command, arguments.build.resolve(), arguments.out)
                print(f"| {name} | {said} | {now} |", flush=True)


if __name__ == "__main__":
    main()
