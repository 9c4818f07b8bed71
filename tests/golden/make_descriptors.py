"""Writes descriptors.json: RDKit descriptors of the molecules in molecules.json (pip install rdkit).

    python tests/golden/make_descriptors.py
"""

import json
import pathlib

from rdkit import Chem
from rdkit.Chem import rdMolDescriptors

SERIES = [("SlogP_VSA", rdMolDescriptors.SlogP_VSA_), ("SMR_VSA", rdMolDescriptors.SMR_VSA_),
          ("PEOE_VSA", rdMolDescriptors.PEOE_VSA_), ("MQN", rdMolDescriptors.MQNs_)]


def describe(molecule):
    properties = rdMolDescriptors.Properties()
    values = dict(zip(properties.GetPropertyNames(), properties.ComputeProperties(molecule)))
    for name, function in SERIES:
        values.update({f"{name}{i}": value for i, value in enumerate(function(molecule), 1)})
    return {name: round(value, 5) for name, value in values.items()}


folder = pathlib.Path(__file__).parent
smiles = [molecule["smiles"] for molecule in json.loads((folder / "molecules.json").read_text())["molecules"]]
rows = [{"smiles": text, "descriptors": describe(Chem.MolFromSmiles(text))} for text in smiles]
(folder / "descriptors.json").write_text(json.dumps({"molecules": rows}, indent=1) + "\n")
