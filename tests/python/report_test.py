"""Pages about runs, and what predictions say of their own uncertainty."""

import csv
import html
import os
import re
import subprocess

import numpy as np
import pytest

import edgewise
import purchases

pandas = pytest.importorskip("pandas")
PROGRAM = os.environ.get("EDGEWISE_PROGRAM", "edgewise")
FILES = {"edges": purchases.FOLDER / "friends.csv", "nodes": purchases.FOLDER / "people.csv", "label": "buys"}


@pytest.fixture(scope="module")
def model():
    nodes = pandas.read_csv(FILES["nodes"])
    return edgewise.train(edges=FILES["edges"], nodes=nodes, label="buys", model="gcn", epochs=5)


def text_of(path):
    page = path.read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>") and "memory:" not in page and page.count("<svg") > 0
    return html.unescape(re.sub(r"<[^>]*>", "", page))


def test_a_page_of_training_and_one_of_an_evaluation(model, tmp_path):
    model.report(tmp_path / "training.html")
    text = text_of(tmp_path / "training.html")
    assert "nodes=DataFrame, label='buys', model='gcn', epochs=5)" in text and "edgewise.train(edges='" in text
    model.report(tmp_path / "training.html", part="validation")
    text = text_of(tmp_path / "training.html")
    assert "model.report(" in text and "the 330 validation nodes" in text
    model.save(tmp_path / "model.safetensors")
    edgewise.load(tmp_path / "model.safetensors").report(tmp_path / "loaded.html", **FILES)
    assert "test nodes" in text_of(tmp_path / "loaded.html")


def test_pages_of_comparisons_and_searches(tmp_path):
    comparison = edgewise.compare(**FILES, models=["mlp", "gcn"], runs=1, epochs=2)
    comparison.report(tmp_path / "comparison.html")
    assert "models=['mlp', 'gcn'], " in text_of(tmp_path / "comparison.html")
    search = edgewise.tune(**FILES, models=["mlp"], epochs=2, brackets=1)
    search.report(tmp_path / "search.html")
    assert "brackets=1" in text_of(tmp_path / "search.html")
    for result in (comparison, search):
        assert "<iframe" in result._repr_html_()


def test_a_notebook_shows_the_page(model, tmp_path):
    model.report(tmp_path / "page.html")
    framed = re.search(r'srcdoc="([^"]*)"', model._repr_html_())
    assert html.unescape(framed[1]) == (tmp_path / "page.html").read_text(encoding="utf-8")


def test_what_cannot_be_written_leaves_the_file(model, tmp_path):
    folder = tmp_path / "page.html"
    folder.mkdir()
    with pytest.raises(edgewise.DataError, match="is a directory, expected a file"):
        model.report(folder)
    assert list(tmp_path.iterdir()) == [folder]


@pytest.fixture(scope="module")
def molecules(tmp_path_factory):
    smiles = [("C" * length + tail) for length in range(1, 60) for tail in ("O", "N", "Cl")]
    path = tmp_path_factory.mktemp("molecules") / "molecules.csv"
    frame = pandas.DataFrame({"smiles": smiles, "a": range(177), "b": np.arange(177) % 5, "odd": np.arange(177) % 2})
    frame.to_csv(path, index=False)
    return path


@pytest.mark.parametrize("label", [["a"], ["a", "b"], ["odd"]], ids=str)
def test_intervals_are_those_of_the_command_line(molecules, label, tmp_path):
    model = edgewise.train(molecules=molecules, label=label, model="gcn", epochs=3, ensemble=2)
    predictions = model.predict(intervals=0.8)
    model.save(tmp_path / "model.safetensors")
    subprocess.run(
        [PROGRAM, "predict", "model.safetensors", "--molecules", molecules, "--intervals", "0.8", "--out", "all.csv", "--quiet"],
        cwd=tmp_path, check=True,
    )  # fmt: skip
    rows = list(csv.DictReader((tmp_path / "all.csv").open()))
    frame = predictions.to_pandas()
    if model.task == "regression":
        for i, name in enumerate(label):
            np.testing.assert_allclose(predictions.lower[:, i], [float(row[f"lower_{name}"]) for row in rows], rtol=1e-5)
            np.testing.assert_allclose(frame[f"upper_{name}"], [float(row[f"upper_{name}"]) for row in rows], rtol=1e-5)
        assert predictions.sets is None
    else:
        spelt = ["|".join(str(model.labels[i]) for i in np.flatnonzero(row)) for row in predictions.sets]
        assert spelt == [row["set"] for row in rows] and predictions.lower is None
        assert ["|".join(map(str, of)) for of in frame["set"]] == spelt
    np.testing.assert_allclose(predictions.similarity, [float(row["similarity"]) for row in rows], atol=1e-3)
    assert predictions.unlike == [row["unlike"] for row in rows]


def test_what_is_unlike_training(molecules):
    model = edgewise.train(molecules=molecules, label="a", model="gcn", epochs=2)
    predictions = model.predict(molecules={"smiles": ["CCO", "[Na+].[Cl-]"]})
    assert predictions.unlike[0] == "" and "Na+ is new" in predictions.unlike[1]
    assert list(predictions.to_pandas()["unlike"]) == predictions.unlike
    with pytest.raises(edgewise.UsageError, match="^intervals: expected"):
        model.predict(intervals=1.5)
