"""Names and classes keep the types that the user's have."""

import numpy as np
import pytest

import edgewise
from edgewise._spelling import as_read

pandas = pytest.importorskip("pandas")


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["3", "-1", "0"], [3, -1, 0]),
        (["007", "1"], ["007", "1"]),
        (["-0", "1"], ["-0", "1"]),
        (["1", "one"], ["1", "one"]),
        (["1.0", "2.0"], ["1.0", "2.0"]),
        (["\u0663"], ["\u0663"]),  # a digit of another script
        (["true", "false", "true"], [True, False, True]),
        (["True", "true"], ["True", "true"]),
        ([], []),
        ([""], [""]),
    ],
)
def test_as_pandas_reads_a_file(texts, expected):
    found = as_read(texts)
    assert found == expected and list(map(type, found)) == list(map(type, expected))


def tables(name_of, class_of):
    rng = np.random.default_rng(0)
    classes = np.arange(60) % 2
    nodes = {"id": [name_of(i) for i in range(60)], "x": classes + rng.normal(size=60), "y": [class_of(c) for c in classes]}
    ends = {of: [name_of(i) for i in rng.integers(0, 60, size=200)] for of in ("source", "target")}
    return pandas.DataFrame(ends), pandas.DataFrame(nodes)


@pytest.mark.parametrize(("name_of", "class_of"), [(int, int), (int, bool), (str, str), (lambda i: f"n{i}", int)])
def test_types_of_tables_come_back(name_of, class_of, tmp_path):
    edges, nodes = tables(name_of, class_of)
    model = edgewise.train(edges=edges, nodes=nodes, label="y", task="classification", model="gcn", epochs=2)
    predictions = model.predict()
    assert predictions.names == nodes["id"].tolist() and set(predictions.predicted) <= set(nodes["y"])
    assert model.labels == sorted(set(nodes["y"])) == predictions.labels == model.predictions.labels
    joined = nodes.set_index("id").join(predictions.to_pandas())
    assert joined["predicted"].notna().all()
    assert set(model.evaluate()["classes"]) == set(nodes["y"])
    node = nodes["id"][3]
    assert model.predict(nodes_to_predict=node).names == [node] and model.predict(nodes_to_predict=[node]).names == [node]
    effects = model.explain(node=node, of=nodes["y"][3])
    assert effects.item == node and effects.of == nodes["y"][3] and set(effects.prediction) == set(nodes["y"])
    model.save(tmp_path / "model.safetensors")
    edges.to_csv(tmp_path / "edges.csv", index=False)
    nodes.to_csv(tmp_path / "nodes.csv", index=False)
    loaded = edgewise.load(tmp_path / "model.safetensors").predict(edges=tmp_path / "edges.csv", nodes=tmp_path / "nodes.csv")
    read = pandas.read_csv(tmp_path / "nodes.csv")
    assert loaded.names == read["id"].tolist() and set(loaded.predicted) <= set(read["y"])
