"""What Python adds: importing the package, and training and predicting beside the command line of the same package.

The same job in turns, as a process each: by the command line, by the package with the files, and by the package with
the tables in memory. With --wide, data as large as Cora, with 1,433 columns: an estimator with arrays beside the command
line with files. Also the size of the package, and how long `pip install` of a wheel and a first prediction take in a
fresh environment.

    python apps/bench/python_border.py --rounds 5
    python apps/bench/python_border.py --wide --epochs 100
    python apps/bench/python_border.py --wheel edgewise-0.1.0-cp311-cp311-manylinux_2_36_x86_64.whl
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILES = [ROOT / "datasets/purchases" / name for name in ("friends.csv", "people.csv")]
JOB = """
import logging, sys, edgewise
logging.getLogger("edgewise").setLevel(logging.ERROR)
edges, nodes = {tables}
model = edgewise.train(edges=edges, nodes=nodes, label="buys", directed=True, model="gat", epochs={epochs}, patience=0)
model.save("python.safetensors")
model.predict(edges=edges, nodes=nodes)
"""
WIDE = """
import logging, time, numpy, edgewise
logging.getLogger("edgewise").setLevel(logging.ERROR)
X, y, edges = (numpy.load(name + ".npy") for name in ("x", "y", "edges"))
begin = time.perf_counter()
estimator = edgewise.NodeClassifier("gcn", epochs={epochs}, config={{"training": {{"patience": 0}}}})
estimator.fit(edges, X, y).save("python.safetensors")
fitted = time.perf_counter()
estimator.predict(edges, X)
print(fitted - begin, time.perf_counter() - fitted)
"""
FIRST = """
import edgewise
model = edgewise.train("purchases", progress=False)
print(model.metrics["test"], model.predictions.predicted[:3])
"""


def seconds(command, folder):
    begin = time.perf_counter()
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - begin


def row(name, times):
    print(f"{name:42} median {statistics.median(times):7.3f} s   least {min(times):7.3f} s", flush=True)


def in_turns(jobs, rounds):
    times = {name: [] for name in jobs}
    for _ in range(rounds):
        for name, commands in jobs.items():
            with tempfile.TemporaryDirectory() as folder:
                times[name].append(sum(seconds(command, folder) for command in commands))
    return times


def borders(command_line, rounds, epochs):
    python = [sys.executable, "-c"]
    data = ["--edges", FILES[0], "--nodes", FILES[1]]
    train = [command_line, "train", *data, "--label", "buys", "--directed", "--model", "gat", "--epochs", str(epochs),
             "--patience", "0", "--out", "m.safetensors"]  # fmt: skip
    names = tuple(map(str, FILES))
    frames = f"__import__('pandas').read_csv({names[0]!r}), __import__('pandas').read_csv({names[1]!r})"
    times = in_turns({
        "import numpy": [[*python, "import numpy"]],
        "import edgewise": [[*python, "import edgewise"]],
        "command line, train and predict": [train, [command_line, "predict", "m.safetensors", *data, "--out", "p.csv"]],
        "Python, files": [[*python, JOB.format(tables=names, epochs=epochs)]],
        "Python, DataFrames": [[*python, JOB.format(tables=frames, epochs=epochs)]],
        "import pandas": [[*python, "import pandas"]],
    }, rounds)  # fmt: skip
    for name, of in times.items():
        row(name, of)


def write_wide(folder):
    """Nodes, features and edges drawn at random, as many as Cora has, as CSV files and as arrays."""
    import numpy as np

    random = np.random.default_rng(0)
    x = (random.random((2708, 1433)) < 0.0127).astype(float)
    y, edges = random.integers(0, 7, 2708), random.integers(0, 2708, (2, 5278))
    for name, array in (("x", x), ("y", y), ("edges", edges)):
        np.save(folder / f"{name}.npy", array)
    header = ",".join(["id", *(f"x{i}" for i in range(x.shape[1])), "y"])
    rows = np.column_stack([np.arange(len(x)), x.astype(int)]).astype(str)
    lines = [",".join([*row, f"class {of}"]) for row, of in zip(rows, y)]
    (folder / "n.csv").write_text("\n".join([header, *lines]) + "\n")
    (folder / "e.csv").write_text("source,target\n" + "".join(f"{i},{j}\n" for i, j in edges.T))


def wide(command_line, rounds, epochs):
    data = ["--edges", "e.csv", "--nodes", "n.csv"]
    train = [command_line, "train", *data, "--label", "y", "--model", "gcn", "--epochs", str(epochs), "--patience", "0",
             "--out", "m.safetensors"]  # fmt: skip
    predict = [command_line, "predict", "m.safetensors", *data, "--out", "p.csv"]
    names = ["command line, train", "NodeClassifier.fit", "command line, predict", "NodeClassifier.predict"]
    times = {name: [] for name in names}
    with tempfile.TemporaryDirectory() as path:
        folder = pathlib.Path(path)
        write_wide(folder)
        for _ in range(rounds):
            by_files = seconds(train, folder), seconds(predict, folder)
            script = [sys.executable, "-c", WIDE.format(epochs=epochs)]
            text = subprocess.run(script, cwd=folder, check=True, capture_output=True, text=True).stdout
            for name, of in zip(names, [by_files[0], float(text.split()[0]), by_files[1], float(text.split()[1])]):
                times[name].append(of)
    for name, of in times.items():
        row(name, of)


def fresh(wheel):
    print(f"{wheel.name}: {wheel.stat().st_size / 2**20:.1f} MiB")
    with tempfile.TemporaryDirectory() as folder:
        begin = time.perf_counter()
        python = os.path.join(folder, "bin", "python")
        seconds([sys.executable, "-m", "venv", folder], "/")
        made = time.perf_counter()
        seconds([python, "-m", "pip", "install", "-q", "--disable-pip-version-check", wheel], "/")
        installed = time.perf_counter()
        text = subprocess.run([python, "-c", FIRST], cwd=folder, check=True, capture_output=True, text=True).stdout
        end = time.perf_counter()
        print(text.strip())
        print(f"environment {made - begin:.1f} s, pip install with NumPy {installed - made:.1f} s, "
              f"from import to the first predictions {end - installed:.1f} s, in all {end - begin:.1f} s")
        files = pathlib.Path(folder).rglob("edgewise/**/*")
        print(f"installed: {sum(file.stat().st_size for file in files if file.is_file()) / 2**20:.1f} MiB")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--command-line", default="edgewise", help="the program of the same build")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--epochs", type=int, default=1000)
    parser.add_argument("--wide", action="store_true", help="data with 1,433 columns")
    parser.add_argument("--wheel", type=pathlib.Path, help="install this in a fresh environment in place of all else")
    arguments = parser.parse_args()
    if arguments.wheel is not None:
        fresh(arguments.wheel.resolve())
    elif arguments.wide:
        wide(arguments.command_line, arguments.rounds, arguments.epochs)
    else:
        borders(arguments.command_line, arguments.rounds, arguments.epochs)


if __name__ == "__main__":
    main()
