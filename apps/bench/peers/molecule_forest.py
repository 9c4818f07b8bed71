"""Random forests of scikit-learn on a table of molecules, with the split that Edgewise drew.

Features are count-based Morgan fingerprints (radius 2, 2048 columns), or the descriptors of RDKit's Python package. 500
trees; each split considers a third of the columns for regression and the square root of their number for
classification; otherwise scikit-learn's defaults. Each of several targets has its own forest, and the metric is their
mean. CPU time includes the features, but not reading the table.

    pip install -r apps/bench/peers/requirements.txt
    edgewise train esol --model descriptors --split scaffold --save-splits splits
    python apps/bench/peers/molecule_forest.py --molecules esol/delaney-processed.csv --split splits/split-0.csv \
        --target "measured log solubility in mols per litre" --seeds 0,1,2
"""

from molecule_table import add_flags, measure, print_heading, read_table
from turns import Parser, count, integer, require


def fingerprints(molecules):
    import numpy as np
    from rdkit.Chem import rdFingerprintGenerator

    generator = rdFingerprintGenerator.GetMorganGenerator(radius=2, fpSize=2048)
    return np.array([generator.GetCountFingerprintAsNumPy(molecule) for molecule in molecules], dtype=np.float32)


def descriptors(molecules):
    import numpy as np
    from rdkit.Chem import Descriptors

    values = np.array([[function(molecule) for _, function in Descriptors.descList] for molecule in molecules])
    return np.nan_to_num(np.clip(values, -1e30, 1e30)).astype(np.float32)


def predict(table, features, trees, seed):
    import numpy as np
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    targets = table.targets
    predictions = np.zeros_like(targets)
    for column in range(targets.shape[1]):
        known = [row for row in table.parts["train"] if not np.isnan(targets[row, column])]
        if table.is_regression:
            forest = RandomForestRegressor(trees, max_features=1 / 3, random_state=seed)
            predictions[:, column] = forest.fit(features[known], targets[known, column]).predict(features)
        else:
            forest = RandomForestClassifier(trees, random_state=seed).fit(features[known], targets[known, column])
            predictions[:, column] = forest.predict_proba(features)[:, -1]
    return predictions


def main():
    parser = Parser(description=__doc__.splitlines()[0])
    add_flags(parser)
    parser.add_argument("--trees", type=integer(1), default=500)
    arguments = parser.parse_args()
    require("numpy", "rdkit", "sklearn")

    table = read_table(arguments)
    print_heading(arguments, table, count(arguments.trees, "tree"))
    for featurise in (fingerprints, descriptors):
        measure(f"forest on {featurise.__name__}", table, arguments.seeds, lambda: featurise(table.molecules),
                lambda features, seed: predict(table, features, arguments.trees, seed))


if __name__ == "__main__":
    main()
