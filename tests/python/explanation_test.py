"""Model.explain."""

import numpy as np
import pytest

import edgewise

SMILES = ["CCO", "C1CC", "CCCC", "c1ccccc1", "CO", "CN", "CC", "CCN"]
MOLECULES = {"smiles": SMILES, "y": list(range(8))}
QUICK = {"label": "y", "task": "regression", "hidden": 8, "heads": 2, "layers": 2, "epochs": 2, "readout": "mean"}


@pytest.fixture(scope="module")
def model():
    return edgewise.train(molecules=MOLECULES, model="gatv2", **QUICK)


def test_explains_a_molecule(model):
    explanation = model.explain(molecules=MOLECULES, row=3, by="attention")
    assert explanation.names == ["0", "1", "2", "3"] and len(explanation) == 4
    np.testing.assert_array_equal(explanation.edges, [[0, 1], [1, 2], [2, 3]])
    assert explanation.edge_attention.shape == (3,) and (explanation.edge_attention > 0).all()
    np.testing.assert_allclose(explanation.nodes.sum(), 1)
    assert not explanation.is_by_readout and explanation.tokens == []
    predictions = model.predict(molecules=MOLECULES)
    assert explanation.prediction["y"] == pytest.approx(predictions.values[2, 0], rel=1e-4)
    assert "<svg" in explanation.svg and explanation._repr_svg_() == explanation.svg
    assert repr(explanation).startswith("Explanation(row 3, 4 nodes, {'y': ")
    table = explanation.to_pandas()
    assert list(table.columns) == ["attention"] and list(table.index) == explanation.names


def test_explains_a_text():
    texts = {
        "text": ["a good plot", "a bad plot", "good", "bad", "so good", "so bad", "a good one", "a bad one"],
        "mood": ["up", "down"] * 4,
    }
    model = edgewise.train(texts=texts, label="mood", model="attention", hidden=8, heads=2, epochs=2)
    explanation = model.explain(texts=texts, row=1, by="attention")
    assert explanation.tokens == ["a", "good", "plot"] and explanation.svg is None
    assert list(explanation.to_pandas().columns) == ["token", "attention"]
    assert explanation.edge_attention.size == 0 and explanation.edges.shape == (0, 2)


@pytest.mark.parametrize(
    "row, error, message",
    [
        (0, edgewise.UsageError, "counted from 1"),
        (9, edgewise.UsageError, "expected 1 to 8, got 9"),
        (2, edgewise.DataError, "molecules: row 2: .*ring"),
        ("a", TypeError, "integer"),
    ],
)
def test_refuses_wrong_rows(model, row, error, message):
    with pytest.raises(error, match=message):
        model.explain(molecules=MOLECULES, row=row)


def test_refuses_models_that_do_not_attend_and_nodes():
    sage = edgewise.train(molecules=MOLECULES, model="sage", **{**QUICK, "heads": None})
    with pytest.raises(edgewise.ModelError, match="no attention layer"):
        sage.explain(molecules=MOLECULES, row=1, by="attention")
    nodes = edgewise.train("purchases", model="gat", hidden=8, epochs=1)
    with pytest.raises(edgewise.UsageError, match="is for graphs"):
        nodes.explain(row=1, by="attention")


def test_explains_a_molecule_by_deletion(model):
    effects = model.explain(molecules=MOLECULES, row=3)
    kinds = [part["kind"] for part in effects.parts]
    assert kinds.count("atom") == 4 and kinds.count("bond") == 3 and "side group" in kinds
    assert effects.of == "y" and effects.value == pytest.approx(effects.prediction["y"])
    for part in effects.parts:
        assert part["effect"] == pytest.approx(effects.value - part["without"], abs=1e-5)
    group = next(part for part in effects.parts if part["kind"] == "side group")
    alone = model.predict(molecules={"smiles": [group["rest"]]})
    assert alone.values[0, 0] == pytest.approx(group["without"], rel=1e-4)
    assert "<svg" in effects.svg and effects._repr_svg_() == effects.svg
    table = effects.to_pandas()
    assert len(table) == len(effects) and table["effect"].abs().is_monotonic_decreasing
    assert repr(effects).startswith("Effects(3, ")


def test_explains_a_node_by_deletion():
    model = edgewise.train("purchases", model="gat", hidden=8, epochs=1)
    effects = model.explain(node="p1", of="yes")
    assert effects.item == "p1" and effects.of == "yes" and "<svg" in effects.svg
    assert {part["kind"] for part in effects.parts} == {"neighbour", "feature"}
    with pytest.raises(edgewise.UsageError, match="give the name of one"):
        model.explain(row=1)
    with pytest.raises(edgewise.UsageError, match='no node "nobody"'):
        model.explain(node="nobody")
    with pytest.raises(edgewise.UsageError, match="by: expected"):
        model.explain(node="p1", by="guess")
