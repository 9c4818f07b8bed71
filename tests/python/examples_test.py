"""The programs that docs/python.md quotes run."""

import pathlib
import shutil
import subprocess
import sys

import pytest

import purchases

FOLDER = pathlib.Path(__file__).parent


@pytest.mark.parametrize(
    "name", ["attention", "comparison", "layers", "model", "molecules", "nodes", "pytorch", "scikit_learn", "search"]
)
def test_example(name, tmp_path):
    if name in ("layers", "model", "pytorch"):
        pytest.importorskip("torch")
    if name == "scikit_learn":
        pytest.importorskip("sklearn")
    for file in ("friends.csv", "people.csv"):
        shutil.copy(purchases.FOLDER / file, tmp_path)
    program = FOLDER / "examples" / f"{name}.py"
    result = subprocess.run([sys.executable, program], cwd=tmp_path, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert result.stdout
