"""How often the truth lies in the sets and intervals of `edgewise predict --intervals 0.9`, over sets and seeds.

For each set of the catalogue and each seed, trains one model on a split of its own and evaluates it on the test part.
Prints the mean ± standard deviation over the seeds of: the share of truths held (mean over labels or targets), the mean
size of a set or width of an interval, the expected calibration error, and the rank correlation of deviations and errors.

    python apps/bench/coverage.py --edgewise build/edgewise --sets cora,citeseer,esol --splits random,scaffold --seeds 10
"""

import argparse
import json
import math
import pathlib
import statistics
import subprocess
import tempfile


def run(command):
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        raise SystemExit(f"{' '.join(command)}: {result.stderr.strip()}")
    return result.stdout


def read_arguments(description, kind="", seeds=10, flags=()):
    """Of a script that trains on sets of a kind, with splits, seeds and flags."""
    parser = argparse.ArgumentParser(description=description.split("\n", 1)[0])
    parser.add_argument("--edgewise", default="edgewise")
    parser.add_argument("--sets", required=True, help="comma-separated" + kind)
    parser.add_argument("--splits", default="random")
    parser.add_argument("--seeds", type=int, default=seeds)
    parser.add_argument("flags", nargs="*", default=flags, help="flags of train, after --")
    return parser.parse_args()


def measure_all(arguments, measure):
    """Each set and split with the results of `measure` for all seeds."""
    for name in arguments.sets.split(","):
        for split in arguments.splits.split(","):
            with tempfile.TemporaryDirectory() as folder:
                yield name, split, [
                    measure(arguments.edgewise, name, split, seed, arguments.flags, pathlib.Path(folder))
                    for seed in range(arguments.seeds)
                ]


def measure(edgewise, name, split, seed, flags, folder):
    model = str(folder / "model.safetensors")
    run([edgewise, "train", name, "--split", split, "--seed", str(seed), "--out", model, "--quiet", *flags])
    return json.loads(run([edgewise, "evaluate", model, "--part", "test", "--json"]))


def numbers(results, read):
    values = [read(result) for result in results]
    return [value for value in values if value is not None and not math.isnan(value)]


def mean_of(member, key):
    def read(result):
        known = [one[key] for one in result.get(member, []) if one.get(key) is not None]
        return statistics.mean(known) if known else None

    return read


def cell(values, digits=3):
    if not values:
        return "–"
    spread = statistics.stdev(values) if len(values) > 1 else 0.0
    return f"{statistics.mean(values):.{digits}f} ± {spread:.{digits}f}"


def main():
    arguments = read_arguments(__doc__)
    print("| set | split | held of 0.9 | size or width | calibration error | rank correlation |")
    print("|---|---|---|---|---|---|")
    for name, split, results in measure_all(arguments, measure):
        cells = [
            cell(numbers(results, mean_of("coverage", "held"))),
            cell(numbers(results, mean_of("coverage", "size"))),
            cell(numbers(results, lambda result: result.get("expected_calibration_error"))),
            cell(numbers(results, mean_of("coverage", "error_correlation"))),
        ]
        print(f"| {name} | {split} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
