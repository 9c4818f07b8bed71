"""What editors, type checkers and help know of the package."""

import ast
import importlib.util
import inspect
import pathlib
import subprocess
import sys

import pytest

import edgewise
import purchases
from edgewise import _core

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = pathlib.Path(edgewise.__file__).parent
EXAMPLES = sorted((pathlib.Path(__file__).parent / "examples").glob("*.py"))
CONFIGURATION = "[mypy]\nstrict = true\nuntyped_calls_exclude = torch\n[mypy-sklearn.*,networkx.*]\nignore_missing_imports = true\n"


@pytest.fixture(scope="module")
def generator():
    spec = importlib.util.spec_from_file_location("generate", ROOT / "apps/python/generate.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_arguments_are_those_of_the_library(generator):
    written = (PACKAGE / "_arguments.py").read_text()
    assert generator.arguments() == written, "run python apps/python/generate.py"


def test_the_stub_has_the_names_of_the_compiled_module():
    tree = ast.parse((PACKAGE / "_core.pyi").read_text())

    def names(body):
        defined = {of.name for of in body if isinstance(of, (ast.ClassDef, ast.FunctionDef))}
        return {name for name in defined if not name.startswith("_")}

    def public(of):
        return {name for name, value in vars(of).items() if not name.startswith("_") and name != "version"}

    assert names(tree.body) == public(_core), "run python apps/python/generate.py"
    for of in tree.body:
        if isinstance(of, ast.ClassDef) and not issubclass(getattr(_core, of.name), Exception):
            assert names(of.body) == public(getattr(_core, of.name)), of.name
    assert (PACKAGE / "py.typed").exists()


@pytest.mark.parametrize("function", [edgewise.train, edgewise.compare, edgewise.tune, edgewise.Model.predict])
def test_all_keywords_are_in_the_signature_and_the_help(function):
    parameters = inspect.signature(function).parameters
    data = {"edges", "nodes", "molecules", "directed", "duplicates", "random_walk"}
    assert data <= set(parameters)
    assert not any(of.kind == inspect.Parameter.VAR_KEYWORD for of in parameters.values())
    assert ("epochs" in parameters) == (function is not edgewise.Model.predict)
    assert ("model" in parameters) == (function in (edgewise.train, edgewise.tune))
    assert "    duplicates: Edges between the same nodes: keep_first, keep_all" in inspect.getdoc(function)
    assert "--" not in inspect.getdoc(function).split("Arguments by name:")[1]


def test_completion_in_a_notebook():
    shells = pytest.importorskip("IPython.core.interactiveshell", reason="IPython is not installed")
    shell = shells.InteractiveShell()
    shell.user_ns["edgewise"] = edgewise
    line = "edgewise.train(learn"
    with pytest.importorskip("IPython.core.completer").provisionalcompleter():
        assert "learning_rate=" in [found.text for found in shell.Completer.completions(line, len(line))]


def test_words_of_python_get_a_line(tmp_path):
    with pytest.raises(edgewise.Error, match=r"unknown argument fro.*did you mean from_"):
        edgewise.train("purchases", fro="m.safetensors")
    with pytest.raises(edgewise.Error) as caught:
        edgewise.train(**purchases.DATA, model="gcn", epochs=1, from_=tmp_path / "none.safetensors")
    assert "none.safetensors" in str(caught.value)


@pytest.mark.parametrize("program", EXAMPLES, ids=lambda path: path.stem)
def test_examples_are_typed(program, tmp_path):
    pytest.importorskip("mypy", reason="mypy is not installed")
    if program.stem in ("layers", "model", "pytorch"):
        pytest.importorskip("torch")
    (tmp_path / "mypy.ini").write_text(CONFIGURATION)
    command = [sys.executable, "-m", "mypy", "--config-file", tmp_path / "mypy.ini", "--cache-dir", tmp_path.parent / "mypy"]
    result = subprocess.run([*command, program], capture_output=True, text=True, cwd=tmp_path)
    assert result.returncode == 0, result.stdout
