"""Random forests of scikit-learn on a table of molecules, with the split that Edgewise drew.

By counted Morgan fingerprints (radius 2, 2048 columns), and by the descriptors of RDKit's Python package. 500 trees, a third
of the columns at each split for numbers, the root of their number for yes and no; else scikit-learn's defaults. Of
several targets each has a forest of its own; the metric is their mean.

    pip install -r apps/bench/peers/requirements.txt
    edgewise train esol --model descriptors --split scaffold --save-splits splits
    python apps/bench/peers/molecule_forest.py --molecules esol/delaney-processed.csv --split splits/split-0.csv \
        --target "measured log solubility in mols per litre" --seeds 0,1,2
"""

import csv
import gzip
import os
import statistics
import time

from turns import Parser, count, fail, list_of, require


def read_table(path):
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rt", newline="") as file:
        return list(csv.DictReader(file))


def columns(rows, names):
    import numpy as np

    def number(text):
        try:
            return float(text)
        except ValueError:
            return np.nan

    for name in names:
        if name not in rows[0]:
            fail(f"there is no column {name}; there are {', '.join(rows[0])}")
    return np.array([[number(row[name]) for name in names] for row in rows])


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


def predict(features, targets, train, is_regression, trees, seed):
    import numpy as np
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    predictions = np.zeros_like(targets)
    for column in range(targets.shape[1]):
        known = [row for row in train if not np.isnan(targets[row, column])]
        if is_regression:
            forest = RandomForestRegressor(trees, max_features=1 / 3, random_state=seed)
            predictions[:, column] = forest.fit(features[known], targets[known, column]).predict(features)
        else:
            forest = RandomForestClassifier(trees, random_state=seed).fit(features[known], targets[known, column])
            predictions[:, column] = forest.predict_proba(features)[:, -1]
    return predictions


def metric(targets, predictions, rows, is_regression):
    import numpy as np
    from sklearn.metrics import roc_auc_score

    values = []
    for column in range(targets.shape[1]):
        known = [row for row in rows if not np.isnan(targets[row, column])]
        truth, answer = targets[known, column], predictions[known, column]
        if is_regression:
            values.append(np.sqrt(np.mean((truth - answer) ** 2)))
        elif len(set(truth)) == 2:
            values.append(roc_auc_score(truth, answer))
    return float(np.mean(values))


def spread(values):
    return f"{statistics.mean(values):.4f} ± {statistics.stdev(values) if len(values) > 1 else 0:.4f}"


def main():
    parser = Parser(description=__doc__.splitlines()[0])
    parser.add_argument("--molecules", required=True, help="the table, CSV with a header, also .gz")
    parser.add_argument("--smiles", default="smiles", help="its column of SMILES")
    parser.add_argument("--target", required=True, action="append", help="a column to be learnt; may be repeated")
    parser.add_argument("--split", required=True, help="rows and their parts, as train --save-splits writes them")
    parser.add_argument("--seeds", type=list_of(int, 0), default=[0, 1, 2])
    parser.add_argument("--trees", type=int, default=500)
    arguments = parser.parse_args()
    require("numpy", "rdkit", "sklearn")
    for path in (arguments.molecules, arguments.split):
        if not os.path.exists(path):
            fail(f"{path}: no such file")

    from rdkit import Chem, RDLogger

    RDLogger.DisableLog("rdApp.*")
    rows = read_table(arguments.molecules)
    targets = columns(rows, arguments.target)
    is_regression = not set(targets[targets == targets]) <= {0.0, 1.0}
    molecules = [Chem.MolFromSmiles(row[arguments.smiles]) for row in rows]
    parts = {part: [] for part in ("train", "validation", "test", "none")}
    for row in read_table(arguments.split):
        index = int(next(iter(row.values()))) - 1
        if molecules[index] is not None:
            parts[row["split"]].append(index)
    empty = Chem.MolFromSmiles("")
    molecules = [molecule or empty for molecule in molecules]

    name = "RMSE" if is_regression else "ROC-AUC"
    print(f"{arguments.molecules}: {name} of {count(len(arguments.target), 'target')}, {count(arguments.trees, 'tree')}, "
          f"{count(len(arguments.seeds), 'seed')}")
    for kind in (fingerprints, descriptors):
        features = kind(molecules)
        start = time.perf_counter()
        results = {"validation": [], "test": []}
        for seed in arguments.seeds:
            predictions = predict(features, targets, parts["train"], is_regression, arguments.trees, seed)
            for part, values in results.items():
                values.append(metric(targets, predictions, parts[part], is_regression))
        print(f"forest on {kind.__name__:14} validation {spread(results['validation'])}   test {spread(results['test'])}"
              f"   {time.perf_counter() - start:.0f} s", flush=True)


if __name__ == "__main__":
    main()
