"""Processor time of an epoch of reactions, or of two molecules a row: Edgewise and Chemprop, in turns, on one thread.

An epoch is one pass over the training part and one over the validation part, by the default network of each: `gatv2`
there, directed messages along bonds (width 300, depth 3) here. Each program trains for 3 and for 3 + EPOCHS epochs, and
the difference is divided by EPOCHS, so that reading tables and imports do not count. The table has a column `split`
with train, validation and test.

    pip install -r apps/bench/peers/requirements.txt
    python apps/bench/peers/chemistry_epoch.py --table fold0.csv --target ea --reactions reaction
    python apps/bench/peers/chemistry_epoch.py --table solvents.csv --target peak --smiles dye,solvent
"""

import csv
import os
import pathlib
import statistics
import subprocess
import tempfile

from turns import Parser, count, fail, integer, require_program

FIRST = 3  # more than Chemprop's epochs of warm-up


def processor_seconds(command, folder):
    """Of a program that must succeed, with its children."""
    environment = {**os.environ, **dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")}
    with open(folder / "log", "w") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, env=environment)
        _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        fail(f"'{' '.join(command)}' failed: {(folder / 'log').read_text()[-300:]}")
    return usage.ru_utime + usage.ru_stime


def write_peer_table(path, peer):
    """Chemprop calls the validation part val."""
    with open(path, newline="") as source, open(peer, "w", newline="") as target:
        rows = csv.DictReader(source)
        out = csv.DictWriter(target, rows.fieldnames, lineterminator="\n")
        out.writeheader()
        for row in rows:
            out.writerow({**row, "split": "val" if row["split"] == "validation" else row["split"]})


def commands(arguments, peer, folder):
    """Of each program, without the number of epochs."""
    if arguments.reactions:
        ours = ["--reactions", arguments.table, "--smiles", arguments.reactions]
        theirs = ["--reaction-columns", arguments.reactions, "--keep-h"]
    else:
        columns = arguments.smiles.split(",")
        ours = ["--molecules", arguments.table, *(part for column in columns for part in ("--smiles", column))]
        theirs = ["--smiles-columns", *columns]
    return {
        "Edgewise": [arguments.edgewise, "train", *ours, "--target", arguments.target, "--task", "regression",
                     "--split-column", "split", "--model", "gatv2", "--threads", "1", "--patience", "1000",
                     "--out", str(folder / "model.safetensors")],
        "Chemprop": [arguments.chemprop, "train", "-i", str(peer), *theirs, "--target-columns", arguments.target,
                     "--splits-column", "split", "--task-type", "regression", "--accelerator", "cpu",
                     "-o", str(folder / "chemprop")]}


def main():
    parser = Parser(description=__doc__.splitlines()[0])
    parser.add_argument("--table", required=True)
    parser.add_argument("--target", required=True)
    parser.add_argument("--reactions", metavar="COLUMN")
    parser.add_argument("--smiles", metavar="COLUMNS")
    parser.add_argument("--epochs", type=integer(1), default=3)
    parser.add_argument("--rounds", type=integer(1), default=3)
    parser.add_argument("--edgewise", default="build/edgewise")
    parser.add_argument("--chemprop", default="chemprop")
    arguments = parser.parse_args()
    if bool(arguments.reactions) == bool(arguments.smiles):
        fail("expected one of --reactions and --smiles", 2)
    require_program(arguments.edgewise, "--edgewise")
    require_program(arguments.chemprop, "--chemprop")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        peer = folder / "peer.csv"
        write_peer_table(arguments.table, peer)
        seconds = {}
        for _ in range(arguments.rounds):
            for program, command in commands(arguments, peer, folder).items():
                took = [processor_seconds([*command, "--epochs", str(epochs)], folder)
                        for epochs in (FIRST, FIRST + arguments.epochs)]
                seconds.setdefault(program, []).append((took[1] - took[0]) / arguments.epochs)
    print(f"{count(arguments.rounds, 'round')} of {count(arguments.epochs, 'epoch')}, one thread; seconds an epoch:")
    for program, times in seconds.items():
        print(f"{program:10} median {statistics.median(times):.2f}, " + ", ".join(f"{time:.2f}" for time in times))


if __name__ == "__main__":
    main()
