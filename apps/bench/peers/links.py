"""Ties of a network, beside PyTorch Geometric and heuristics: splits that both sides read, and what Edgewise reaches.

    EDGEWISE_DATA=... python3 apps/bench/peers/links.py --edgewise build/edgewise --data cora --seeds 5
    EDGEWISE_DATA=... python3 apps/bench/peers/links.py --splits FOLDER   # only writes the splits

For each seed, ties are cut 85/5/10 by NumPy's default_rng(seed) into SEED.csv (source,target,split). The model is chosen
and trained on the first two parts; the test ties are judged once: the mean reciprocal rank of each end among 100 drawn
nodes that have no tie there, ties in rank in the middle. `--model NAME` trains one model in place of the choice.
"""

import argparse
import csv
import gzip
import json
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

import numpy

SETS = {
    "cora": ("cora", "cora/edges.csv"),
    "citeseer": ("citeseer", "citeseer/edges.csv"),
    "pubmed": ("pubmed", "pubmed/edges.csv"),
    "musae-facebook": ("musae-facebook", "musae-facebook/*edges*"),
}


def open_text(path):
    return gzip.open(path, "rt") if str(path).endswith(".gz") else open(path)


def ties_of(pattern):
    """The ties as the file names them, without loops; a tie and its reverse are one."""
    root = pathlib.Path(os.environ["EDGEWISE_DATA"])
    path = sorted(root.glob(pattern + "*" if not pattern.endswith("*") else pattern))[0]
    with open_text(path) as file:
        rows = list(csv.reader(file))[1:]
    edges = numpy.unique(numpy.sort(numpy.array([row[:2] for row in rows], dtype=int), axis=1), axis=0)
    return edges[edges[:, 0] != edges[:, 1]]


def write_split(ties, seed, path):
    order = numpy.random.default_rng(seed).permutation(len(ties))
    test, validation = int(0.1 * len(ties)), int(0.05 * len(ties))
    roles = numpy.full(len(ties), "train", dtype=object)
    roles[order[:test]] = "test"
    roles[order[test:test + validation]] = "validation"
    with open(path, "w") as file:
        file.write("source,target,split\n")
        for (source, target), role in zip(ties, roles):
            file.write(f"{source},{target},{role}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--edgewise", default="build/edgewise")
    parser.add_argument("--data", nargs="+", default=list(SETS))
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--model", default="")
    parser.add_argument("--threads", default="2")
    parser.add_argument("--splits", default="")
    arguments = parser.parse_args()
    folder = pathlib.Path(arguments.splits or tempfile.mkdtemp())
    folder.mkdir(parents=True, exist_ok=True)
    for name in arguments.data:
        dataset, pattern = SETS[name]
        ties = ties_of(pattern)
        values, seconds = [], []
        for seed in range(arguments.seeds):
            split = folder / f"{name}-{seed}.csv"
            write_split(ties, seed, split)
            if arguments.splits:
                continue
            command = [arguments.edgewise, "train", dataset, "--task", "links", "--split-file", str(split), "--seed",
                       str(seed), "--threads", arguments.threads, "--json"]
            if arguments.model:
                command += ["--model", arguments.model]
            start = time.monotonic()
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode != 0:
                raise SystemExit(done.stderr)
            result = json.loads(done.stdout.strip().splitlines()[-1])
            values.append(result["test"]["mrr"]["mean"])
            seconds.append(time.monotonic() - start)
            print(f"{name} seed {seed}: MRR {values[-1]:.4f} ({seconds[-1]:.0f} s) {result.get('choice', '')}", flush=True)
        if len(values) > 1:
            print(f"{name}: MRR {statistics.mean(values):.4f} ± {statistics.stdev(values):.4f}, "
                  f"{statistics.median(seconds):.0f} s", flush=True)


if __name__ == "__main__":
    main()
