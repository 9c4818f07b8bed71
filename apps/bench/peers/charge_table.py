"""Writes a table of molecules with Gasteiger's partial charges of their atoms, by RDKit, and the rings of their bonds.

    python3 charge_table.py MOLECULES.csv[.gz] [COUNT] > charges.csv

`charge` is that of each atom and the hydrogens that it has, which add up to the formal charge of the molecule; `ring`
says of each bond the size of the smallest ring that it is in, 0 outside of rings. Eight, one and one tenth of the
molecules are for training, validation and test. Molecules for which RDKit has no charge are left out.
"""

import csv
import gzip
import json
import math
import random
import sys

from rdkit import Chem, RDLogger
from rdkit.Chem.rdPartialCharges import ComputeGasteigerCharges

RDLogger.DisableLog("rdApp.*")
path = sys.argv[1]
count = int(sys.argv[2]) if len(sys.argv) > 2 else 3000
with gzip.open(path, "rt", newline="") if path.endswith(".gz") else open(path, newline="") as file:
    rows = list(csv.DictReader(file))
column = next(name for name in rows[0] if name.lower() == "smiles")
draw = random.Random(1)
out = csv.writer(sys.stdout, lineterminator="\n")
out.writerow(["smiles", "charge", "ring", "split"])
written = 0
for row in rows:
    molecule = Chem.MolFromSmiles(row[column])
    if molecule is None or written == count:
        continue
    ComputeGasteigerCharges(molecule)
    properties = ("_GasteigerCharge", "_GasteigerHCharge")
    charges = [sum(map(atom.GetDoubleProp, properties)) for atom in molecule.GetAtoms()]
    if not all(map(math.isfinite, charges)):
        continue
    rings = [next((size for size in range(3, 40) if bond.IsInRingSize(size)), 0) for bond in molecule.GetBonds()]
    share = draw.random()
    part = "train" if share < 0.8 else "validation" if share < 0.9 else "test"
    out.writerow([row[column], json.dumps([round(charge, 5) for charge in charges]), json.dumps(rings), part])
    written += 1
