"""Whether `edgewise explain` shows the side group first that matters most to the prediction.

Of up to N molecules of a table with two or more side groups, the truth is the group without which the prediction moves
farthest, with a hydrogen in its place: `edgewise predict` says so for the SMILES of what is left. The group shown first is
the one with the largest effect by deletion, or whose atoms have the most attention. Also prints what chance gives.

    edgewise train esol --model gatv2 --split scaffold --hidden 32 --epochs 40 --out esol.safetensors
    python apps/bench/side_groups.py --edgewise build/edgewise --model esol.safetensors --molecules molecules.csv \\
        --smiles smiles --count 200
"""

import argparse
import csv
import json
import pathlib
import tempfile

from coverage import run


def explain(edgewise, model, table, smiles, row, by):
    command = [edgewise, "explain", model, "--molecules", table, "--smiles", smiles, "--row", str(row), "--by", by, "--json",
               "--top", "1"]
    return json.loads(run(command))


def groups_of(explanation):
    return [part for part in explanation["parts"] if part["kind"] == "side group"]


def predict(edgewise, model, smiles, folder):
    table, out = folder / "rest.csv", folder / "predictions.csv"
    with open(table, "w", newline="") as file:
        csv.writer(file).writerows([["smiles"], *([text] for text in smiles)])
    run([edgewise, "predict", model, "--molecules", str(table), "--smiles", "smiles", "--out", str(out), "--quiet"])
    with open(out, newline="") as file:
        return [float(row[2]) for row in csv.reader(file) if row[0] != "row"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--edgewise", default="edgewise")
    parser.add_argument("--model", required=True, help="of one number")
    parser.add_argument("--molecules", required=True)
    parser.add_argument("--smiles", default="smiles")
    parser.add_argument("--count", type=int, default=200)
    arguments = parser.parse_args()
    with open(arguments.molecules, newline="") as file:
        rows = len(list(csv.reader(file))) - 1
    right = {"deletion": 0, "attention": 0}
    chance, seen = 0.0, 0
    with tempfile.TemporaryDirectory() as folder:
        for row in range(1, rows + 1):
            if seen == arguments.count:
                break
            try:
                by_deletion = explain(arguments.edgewise, arguments.model, arguments.molecules, arguments.smiles, row, "deletion")
            except SystemExit:  # a molecule that cannot be read
                continue
            groups = groups_of(by_deletion)
            if len(groups) < 2:
                continue
            by_attention = explain(arguments.edgewise, arguments.model, arguments.molecules, arguments.smiles, row, "attention")
            without = predict(arguments.edgewise, arguments.model, [group["rest"] for group in groups], pathlib.Path(folder))
            moves = [abs(by_deletion["value"] - value) for value in without]
            attention = by_attention["attention"]["nodes"]
            shares = [sum(attention[node] for node in group["nodes"]) for group in groups]
            effects = [abs(group["effect"]) for group in groups]
            for by, sizes in (("deletion", effects), ("attention", shares)):
                right[by] += moves[sizes.index(max(sizes))] >= max(moves) - 1e-6
            chance += sum(move >= max(moves) - 1e-6 for move in moves) / len(moves)
            seen += 1
    print(f"{seen} molecules: the group shown first is the one that matters most")
    for by, count in right.items():
        print(f"  by {by}: {100 * count / seen:.1f} %")
    print(f"  at random: {100 * chance / seen:.1f} %")


if __name__ == "__main__":
    main()
