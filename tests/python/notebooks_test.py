"""The notebooks of the guide run, and each shows a picture."""

import pathlib

import pytest

FOLDER = pathlib.Path(__file__).parents[2] / "docs" / "notebooks"


@pytest.mark.parametrize("name", ["network", "molecules", "layers"])
def test_notebook(name):
    nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed")
    pytest.importorskip("ipykernel", reason="ipykernel is not installed")
    pytest.importorskip("pandas")
    if name == "layers":
        pytest.importorskip("torch")
    import nbformat

    notebook = nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)
    notebook.metadata.kernelspec.name = "python3"
    place = {"metadata": {"path": str(FOLDER)}}
    nbclient.NotebookClient(notebook, timeout=600, resources=place).execute()
    shown = [output.data for cell in notebook.cells for output in cell.get("outputs", []) if "data" in output]
    assert any("image/svg+xml" in data for data in shown)
