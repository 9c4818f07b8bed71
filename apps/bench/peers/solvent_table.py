"""Writes a table of dyes in solvents with the peaks of their absorption in nm, measured (Joung et al. 2020).

    git clone https://github.com/learningmatter-mit/uvvisml
    python3 solvent_table.py uvvisml/uvvisml/data/splits/lambda_max_abs/deep4chem/group_by_smiles [SHARE] > solvents.csv

The folder has the published parts (Greenman et al. 2022), here those that keep a dye within one part. With a SHARE of
4, every fourth dye is kept, of all in alphabetical order.
"""

import csv
import pathlib
import sys

folder = pathlib.Path(sys.argv[1])
share = int(sys.argv[2]) if len(sys.argv) > 2 else 1
parts = {"train": "train", "validation": "val", "test": "test"}
rows = [(part, row) for part, name in parts.items()
        for row in csv.DictReader(open(folder / f"smiles_target_{name}.csv", newline=""))]
dyes = set(sorted({row["smiles"] for _, row in rows})[::share])
out = csv.writer(sys.stdout, lineterminator="\n")
out.writerow(["dye", "solvent", "peak", "split"])
for part, row in rows:
    if row["smiles"] in dyes:
        out.writerow([row["smiles"], row["solvent"], row["peakwavs_max"], part])
