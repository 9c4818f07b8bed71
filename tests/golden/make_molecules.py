"""Writes molecules.json: the properties of the molecules below by RDKit's Python package (pip install rdkit).

Usage: python make_molecules.py > molecules.json
"""

import json

from rdkit import Chem, RDLogger, rdBase
from rdkit.Chem import Crippen, rdFingerprintGenerator, rdMolDescriptors
from rdkit.Chem.Scaffolds import MurckoScaffold

RDLogger.DisableLog("rdApp.*")

SMILES = [
    "CCO",
    "CC(=O)Oc1ccccc1C(=O)O",
    "CN1C=NC2=C1C(=O)N(C(=O)N2C)C",
    "C[C@H](N)C(=O)O",
    "C[C@@H](N)C(=O)O",
    "F/C=C/F",
    "F/C=C\\F",
    "FC=CF",
    "[Na+].[Cl-]",
    "[2H]C([2H])([2H])O",
    "[13CH4]",
    "*c1ccccc1",
    "[O-][N+](=O)c1ccc(cc1)S(=O)(=O)N",
    "C1CC1C2CCCC2C3CCCCCCC3",
    "c1ccc2[nH]ccc2c1",
    "[H][H]",
    "C([H])([H])([H])[H]",
    "O=C1c2ccccc2C(=O)N1CCP(=O)(O)O",
    "FS(F)(F)(F)(F)F",
    "C#CB(O)O",
    "[CH3]",
    "[Fe+2]",
    "Cl[Pt](Cl)(N)N",
    "C[Si](C)(C)I",
    "N[C@@H](CS)C(=O)N[C@@H](Cc1ccc(Br)cc1)C(=O)O",
    "C1=CC=CC=C1",
    "c1ccccc1-c1ccncc1",
    "CC(C)(C)c1ccc2occ(CC(=O)Nc3ccccc3F)c2c1",
    "C12C3C4C1C5C2C3C45",
    "[Se]1C=CC=C1",
]


def describe(smiles):
    molecule = Chem.MolFromSmiles(smiles)
    rings = molecule.GetRingInfo()
    atoms = [
        {
            "element": a.GetSymbol(),
            "neighbours": a.GetDegree(),
            "charge": a.GetFormalCharge(),
            "hybridisation": str(a.GetHybridization()),
            "hydrogens": a.GetTotalNumHs(True),
            "aromatic": a.GetIsAromatic(),
            "ring": rings.MinAtomRingSize(a.GetIdx()),
            "tag": str(a.GetChiralTag()),
            "cip": a.GetProp("_CIPCode") if a.HasProp("_CIPCode") else "",
            "radicals": a.GetNumRadicalElectrons(),
            "mass": a.GetMass(),
        }
        for a in molecule.GetAtoms()
    ]
    bonds = [
        {
            "atoms": [b.GetBeginAtomIdx(), b.GetEndAtomIdx()],
            "order": str(b.GetBondType()),
            "conjugated": b.GetIsConjugated(),
            "ring": b.IsInRing(),
            "stereo": str(b.GetStereo()),
        }
        for b in molecule.GetBonds()
    ]
    morgan = rdFingerprintGenerator.GetMorganGenerator(radius=2, fpSize=2048)
    return {
        "smiles": smiles,
        "canonical": Chem.MolToSmiles(molecule),
        "atoms": atoms,
        "bonds": bonds,
        "atoms_with_hydrogens": Chem.AddHs(molecule).GetNumAtoms(),
        "scaffold": MurckoScaffold.MurckoScaffoldSmiles(mol=molecule, includeChirality=False),
        "morgan": list(morgan.GetFingerprint(molecule).GetOnBits()),
        "logp": Crippen.MolLogP(molecule),
        "tpsa": rdMolDescriptors.CalcTPSA(molecule),
    }


rows = ",\n".join(json.dumps(describe(smiles)) for smiles in SMILES)
print('{"rdkit": "%s", "molecules": [\n%s\n]}' % (rdBase.rdkitVersion, rows))
