"""What Python adds: importing the package, and training and predicting beside the command line of the same package.

The same job in turns, as a process each: by the command line, by the package with the files, and by the package with
the tables in memory. Also the size of the package, and how long `pip install` of a wheel and a first prediction take in
a fresh environment.

    python apps/bench/python_border.py --rounds 5
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
    parser.add_argument("--wheel", type=pathlib.Path, help="install this in a fresh environment in place of all else")
    arguments = parser.parse_args()
    if arguments.wheel is not None:
        fresh(arguments.wheel.resolve())
    else:
        borders(arguments.command_line, arguments.rounds, arguments.epochs)


if __name__ == "__main__":
    main()
