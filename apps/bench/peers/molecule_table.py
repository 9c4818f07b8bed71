"""Shared by the scripts that learn from a table of molecules: flags, the table, the split, the metric."""

import csv
import gzip
import resource
import statistics
import sys
from dataclasses import dataclass

from turns import count, fail, list_of

PARTS = ("train", "validation", "test")


def add_flags(parser):
    parser.add_argument("--molecules", required=True, help="the table, CSV with a header, also .gz")
    parser.add_argument("--smiles", default="smiles", help="its column of SMILES")
    parser.add_argument("--target", required=True, action="append", help="a column to learn; may be repeated")
    parser.add_argument("--split", required=True, help="rows and their parts, as train --save-splits writes them")
    parser.add_argument("--seeds", type=list_of(int, 0), default=[0, 1, 2])


@dataclass
class Table:
    """Molecules, their targets (a missing one is NaN), and the rows of each part of the split."""

    molecules: list
    targets: "numpy.ndarray"
    parts: dict

    @property
    def is_regression(self):
        import numpy as np

        return not set(self.targets[~np.isnan(self.targets)]) <= {0.0, 1.0}

    def metric(self, predictions, part):
        """Mean RMSE or ROC-AUC over the targets with values, or both classes, in the part."""
        import numpy as np
        from sklearn.metrics import roc_auc_score

        values = []
        for column in range(self.targets.shape[1]):
            known = [row for row in self.parts[part] if not np.isnan(self.targets[row, column])]
            truth, answer = self.targets[known, column], predictions[known, column]
            if not known:
                continue
            if self.is_regression:
                values.append(np.sqrt(np.mean((truth - answer) ** 2)))
            elif len(set(truth)) == 2:
                values.append(roc_auc_score(truth, answer))
        return float(np.mean(values)) if values else float("nan")


def read_rows(path, *names):
    opener = gzip.open if path.endswith(".gz") else open
    try:
        with opener(path, "rt", newline="") as file:
            rows = list(csv.DictReader(file))
    except OSError as error:
        fail(f"{path}: {error.strerror or error}")
    except (csv.Error, UnicodeDecodeError) as error:
        fail(f"{path}: {error}")
    if not rows:
        fail(f"{path}: no rows")
    for name in names:
        if name not in rows[0]:
            fail(f"{path}: there is no column {name}; there are {', '.join(rows[0])}")
    return rows


def number_or_nan(text):
    try:
        return float(text)
    except ValueError:
        return float("nan")


def read_parts(path, rows, places):
    """The molecules of each part. `places` maps row to molecule; rows that RDKit cannot read are not in it."""
    parts = {part: [] for part in PARTS}
    for row in read_rows(path, "split"):
        name = next(iter(row.values()))
        if not name.isdigit() or not 1 <= int(name) <= rows:
            fail(f"{path}: expected a row from 1 to {rows}, got {name}")
        if row["split"] in parts and int(name) - 1 in places:
            parts[row["split"]].append(places[int(name) - 1])
    for part, members in parts.items():
        if not members:
            fail(f"{path}: no row of the part {part}")
    return parts


def read_table(arguments):
    import numpy as np
    from rdkit import Chem, RDLogger

    RDLogger.DisableLog("rdApp.*")
    rows = read_rows(arguments.molecules, arguments.smiles, *arguments.target)
    molecules = [Chem.MolFromSmiles(row[arguments.smiles]) for row in rows]
    targets = np.array([[number_or_nan(row[name]) for name in arguments.target] for row in rows])
    for column, name in enumerate(arguments.target):
        if np.isnan(targets[:, column]).all():
            fail(f"{arguments.molecules}: no number in the column {name}")
    readable = [row for row, molecule in enumerate(molecules) if molecule is not None]
    parts = read_parts(arguments.split, len(rows), {row: place for place, row in enumerate(readable)})
    return Table([molecules[row] for row in readable], targets[readable], parts)


def cpu_seconds():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def spread(values):
    return f"{statistics.mean(values):.4f} ± {statistics.stdev(values) if len(values) > 1 else 0:.4f}"


def print_heading(arguments, table, *details):
    name = "RMSE" if table.is_regression else "ROC-AUC"
    sizes = "/".join(str(len(table.parts[part])) for part in PARTS)
    print(f"{arguments.molecules}: {name} of {count(len(arguments.target), 'target')}, {sizes} molecules, "
          f"{', '.join(details)}, {count(len(arguments.seeds), 'seed')}", flush=True)


def measure(name, table, seeds, prepare, predict):
    """Prints the metric of predict(prepare(), seed), one row per molecule, over the seeds, and the CPU time per seed.

    What does not depend on the seed is prepared once, but its time counts for each seed.
    """
    start = cpu_seconds()
    prepared = prepare()
    prepare_seconds = cpu_seconds() - start
    start = cpu_seconds()
    results = {"validation": [], "test": []}
    for seed in seeds:
        predictions = predict(prepared, seed)
        for part, values in results.items():
            values.append(table.metric(predictions, part))
        print(f"{name}, seed {seed}: validation {results['validation'][-1]:.4f}, test {results['test'][-1]:.4f}, "
              f"{cpu_seconds() - start:.1f} s of CPU so far", file=sys.stderr, flush=True)
    seconds = prepare_seconds + (cpu_seconds() - start) / len(seeds)
    print(f"{name:22} validation {spread(results['validation'])}   test {spread(results['test'])}"
          f"   {seconds:.1f} s of CPU per seed", flush=True)
