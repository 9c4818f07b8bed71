"""A random forest of scikit-learn on difference fingerprints of reactions, on each table of a set of folds.

Features are the count-based Morgan fingerprint of the products minus that of the reactants, and the latter (radius 2,
2048 columns each), with hydrogens as atoms where they are written as such, then further columns of numbers. 500 trees;
each split considers a third of the columns. Prints RMSE and MAE of the test part of each table and of all together.

    pip install -r apps/bench/peers/requirements.txt
    python apps/bench/peers/reaction_forest.py --reaction reaction --target ea fold0.csv fold1.csv

The column `split` says train, val (which is not used) or test.
"""

import csv

from turns import Parser, fail, require


def features(row, arguments):
    import numpy as np
    from rdkit import Chem
    from rdkit.Chem import rdFingerprintGenerator

    generator = rdFingerprintGenerator.GetMorganGenerator(radius=2, fpSize=2048)
    reading = Chem.SmilesParserParams()
    reading.removeHs = False
    sides = []
    for smiles in row[arguments.reaction].split(">")[::2]:
        molecule = Chem.MolFromSmiles(smiles, reading)
        if molecule is None:
            fail(f"RDKit cannot read {smiles}")
        for atom in molecule.GetAtoms():
            atom.SetAtomMapNum(0)
        sides.append(generator.GetCountFingerprintAsNumPy(molecule).astype(np.float32))
    numbers = [float(row[name]) for name in arguments.descriptor]
    return np.concatenate([sides[1] - sides[0], sides[0], numbers])


def errors_of(path, arguments):
    import numpy as np
    from sklearn.ensemble import RandomForestRegressor

    rows = list(csv.DictReader(open(path, newline="")))
    table = np.array([features(row, arguments) for row in rows])
    truth = np.array([float(row[arguments.target]) for row in rows])
    train, test = (np.array([row["split"] == part for row in rows]) for part in ("train", "test"))
    forest = RandomForestRegressor(500, max_features=1 / 3, random_state=0).fit(table[train], truth[train])
    return forest.predict(table[test]) - truth[test]


def show(name, errors):
    print(f"{name}: RMSE {(errors ** 2).mean() ** 0.5:.3f}, MAE {abs(errors).mean():.3f}", flush=True)


def main():
    parser = Parser(description=__doc__.splitlines()[0])
    parser.add_argument("tables", nargs="+")
    parser.add_argument("--reaction", default="reaction", help="the column of reactions")
    parser.add_argument("--target", required=True)
    parser.add_argument("--descriptor", action="append", default=[], help="a column of numbers; may be repeated")
    arguments = parser.parse_args()
    require("numpy", "rdkit", "sklearn")

    import numpy as np

    errors = []
    for path in arguments.tables:
        errors.append(errors_of(path, arguments))
        show(path, errors[-1])
    show("all", np.concatenate(errors))


if __name__ == "__main__":
    main()
