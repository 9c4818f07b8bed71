"""What a notebook and a terminal show of a job, and tables of results."""

import os
import pty
import subprocess
import sys

import pytest

import edgewise
import purchases

CELLS = [
    f"""import edgewise, logging
logging.getLogger("edgewise").setLevel(logging.ERROR)
data = dict(edges={str(purchases.FOLDER / "friends.csv")!r}, nodes={str(purchases.FOLDER / "people.csv")!r},
            label="buys", directed=True)
model = edgewise.train(**data, model="gcn", epochs=30)""",
    "model",
    "model.predict()",
    "edgewise.compare(**data, models=['mlp', 'gcn'], epochs=20, runs=2)",
    "model.explain(node='p0')",
    """reg = edgewise.train(molecules={"smiles": ["C" * n + "O" for n in range(1, 31)], "y": list(range(30))},
                     label="y", model="gcn", epochs=5, progress=False)
reg.explain(row=3)""",
]


@pytest.fixture(scope="module")
def notebook():
    """The outputs of each cell, as lists of (type, data by MIME type or text)."""
    nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed")
    pytest.importorskip("ipykernel", reason="ipykernel is not installed")
    import nbformat

    page = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    nbclient.NotebookClient(page, timeout=300, kernel_name="python3").execute()
    return [cell.outputs for cell in page.cells]


def test_a_notebook_shows_one_line_of_progress(notebook):
    (shown,) = [output for output in notebook[0] if output.output_type == "display_data"]
    assert "<pre>epoch " in shown.data["text/html"] and "validation" in shown.data["text/html"]
    assert not [output for output in notebook[5] if output.output_type == "display_data"]  # progress=False


@pytest.mark.parametrize("cell, text", [(1, "accuracy"), (2, "<td"), (3, "gcn"), (4, "effect")])
def test_a_notebook_shows_tables(notebook, cell, text):
    html = notebook[cell][-1].data["text/html"]
    assert "<table>" in html and text in html


def test_a_notebook_shows_pictures(notebook):
    assert "<iframe" in notebook[1][-1].data["text/html"] and "<iframe" in notebook[3][-1].data["text/html"]  # the page
    assert notebook[4][-1].data["text/html"].startswith("<svg")  # a node with its neighbours


def test_a_notebook_shows_the_picture_of_a_molecule(notebook):
    assert "<svg" in notebook[5][-1].data["image/svg+xml"]


SCRIPT = f"""
import edgewise, logging
logging.getLogger("edgewise").setLevel(logging.ERROR)
edgewise.train(edges={str(purchases.FOLDER / "friends.csv")!r}, nodes={str(purchases.FOLDER / "people.csv")!r},
               label="buys", directed=True, model="gcn", epochs=30, progress=PROGRESS)
"""


def of_terminal(script):
    leader, follower = pty.openpty()
    with subprocess.Popen([sys.executable, "-c", script], stdout=follower, stderr=follower) as process:
        os.close(follower)
        text = b""
        try:
            while part := os.read(leader, 65536):
                text += part
        except OSError:  # the other end is closed
            pass
    os.close(leader)
    assert process.returncode == 0, text
    return text.decode()


def test_a_terminal_shows_a_line_that_goes_away():
    shown = of_terminal(SCRIPT.replace("PROGRESS", "None"))
    assert "\r\x1b[Kepoch " in shown and shown.endswith("\r\x1b[K")
    assert of_terminal(SCRIPT.replace("PROGRESS", "False")) == ""


def test_a_file_gets_progress_only_if_asked_for():
    def errors(progress):
        command = [sys.executable, "-c", SCRIPT.replace("PROGRESS", progress)]
        return subprocess.run(command, capture_output=True, text=True, check=True).stderr

    assert errors("None") == ""
    assert errors("True").startswith("epoch 30, ") and errors("True").count("\n") == 1


def test_progress_leaves_the_caller_its_own_hook():
    epochs = []
    edgewise.train(
        **purchases.DATA, model="gcn", epochs=3, progress=True, on_epoch=lambda step: epochs.append(step["epoch"])
    )
    assert epochs == [1, 2, 3]
