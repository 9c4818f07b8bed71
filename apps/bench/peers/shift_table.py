"""Writes 13C shifts (ppm, measured) of CASCADE's set Exp5K (Guan et al. 2021) as a table of molecules and one of atoms.

    git clone https://github.com/patonlab/CASCADE
    python3 shift_table.py CASCADE/data/Exp5K

writes molecules.csv (name,smiles,split), shifts.csv (molecule,atom,shift; atoms in the order of the SMILES, from 0) and
lists.csv (smiles,shift,split), with the same shifts as lists. Eight, one and one tenth of the molecules are for
training, validation and test. Molecules that RDKit cannot read, or that have hydrogens that stay atoms, are left out.
"""

import collections
import csv
import gzip
import pathlib
import random
import sys

from rdkit import Chem, RDLogger

RDLogger.DisableLog("rdApp.*")
folder = pathlib.Path(sys.argv[1])
shifts = collections.defaultdict(dict)
with gzip.open(folder / "Exp5K.csv.gz", "rt", newline="") as file:
    for row in csv.DictReader(file):
        if row["atom_type"] == "6":
            shifts[row["mol_id"]][int(row["atom_index"])] = float(row["Shift"])
draw = random.Random(1)
tables = {name: csv.writer(open(name, "w", newline=""), lineterminator="\n")
          for name in ("molecules.csv", "shifts.csv", "lists.csv")}
tables["molecules.csv"].writerow(["name", "smiles", "split"])
tables["shifts.csv"].writerow(["molecule", "atom", "shift"])
tables["lists.csv"].writerow(["smiles", "shift", "split"])
with gzip.open(folder / "DFT.sdf.gz") as file:
    for block in Chem.ForwardSDMolSupplier(file, removeHs=False):
        if block is None or block.GetProp("_Name") not in shifts:
            continue
        name = block.GetProp("_Name")
        for atom in block.GetAtoms():
            atom.SetIntProp("place", atom.GetIdx())
        molecule = Chem.RemoveHs(block)
        smiles = Chem.MolToSmiles(molecule)
        read = Chem.MolFromSmiles(smiles)
        written = molecule.GetPropsAsDict(True, True)["_smilesAtomOutputOrder"]
        order = [molecule.GetAtomWithIdx(i).GetIntProp("place") for i in written]
        has_hydrogens = any(atom.GetAtomicNum() == 1 for atom in molecule.GetAtoms())
        if read is None or has_hydrogens:
            continue
        share = draw.random()
        part = "train" if share < 0.8 else "validation" if share < 0.9 else "test"
        values = [shifts[name].get(place) for place in order]
        tables["molecules.csv"].writerow([name, smiles, part])
        tables["lists.csv"].writerow([smiles, values, part])
        for atom, value in enumerate(values):
            if value is not None:
                tables["shifts.csv"].writerow([name, atom, value])
