"""Tables, arrays, matrices and graphs from memory."""

import copy
import os
import pickle
import tempfile
import types

import networkx
import numpy as np
import pandas
import pytest
import scipy.sparse

import edgewise

QUICK = {"label": "y", "epochs": 3, "model": "gat", "hidden": 8, "heads": 2, "task": "classification"}
NODES, WIDTH = 40, 30


@pytest.fixture(scope="module")
def data():
    random = np.random.default_rng(0)
    features = random.normal(size=(NODES, WIDTH)) * (random.random((NODES, WIDTH)) < 0.3)
    features[3, 4] = np.nan
    return types.SimpleNamespace(
        features=features,
        edge_index=random.integers(0, NODES, size=(2, 200)),
        classes=np.arange(NODES) % 2,
    )


def frames(data):
    names = {f"x{i}": data.features[:, i] for i in range(WIDTH)}
    edges = pandas.DataFrame(data.edge_index.T, columns=["source", "target"])
    return {"edges": edges, "nodes": pandas.DataFrame({"id": np.arange(NODES), **names, "y": data.classes})}


def test_a_model_of_tables_is_byte_for_byte_that_of_files(data, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tables = frames(data)
    tables["nodes"]["count"] = (np.arange(NODES, dtype=np.int16) * 700).astype(np.int16)
    tables["nodes"]["single"] = data.features[:, 0].astype(np.float32)
    tables["nodes"]["large"] = np.arange(NODES, dtype=np.uint64) + 2**24
    tables["nodes"]["word"] = ["one, two", None, 'a "b"', "c"] * (NODES // 4)
    tables["nodes"]["is_new"] = data.classes == 1
    tables["edges"]["weight"] = np.linspace(0.1, 1, 200)
    tables["edges"].to_csv("memory:edges", index=False)
    spelt = tables["nodes"]["is_new"].map({True: "true", False: "false"})
    tables["nodes"].assign(is_new=spelt).to_csv("memory:nodes", index=False)
    of_tables = edgewise.train(**tables, **QUICK)
    of_files = edgewise.train(edges="memory:edges", nodes="memory:nodes", **QUICK)
    of_tables.save("a.safetensors")
    of_files.save("b.safetensors")
    assert open("a.safetensors", "rb").read() == open("b.safetensors", "rb").read()
    for name in tables:
        os.rename(f"memory:{name}", f"{name}.csv")
    found = edgewise.load("a.safetensors").predict(edges="edges.csv", nodes="nodes.csv")
    np.testing.assert_array_equal(found.values, of_tables.predict().values)


def test_no_file_is_written(data, monkeypatch):
    monkeypatch.setattr(tempfile, "TemporaryDirectory", None)
    monkeypatch.setattr(tempfile, "mkdtemp", None)
    trained = edgewise.train(**frames(data), **QUICK)
    assert len(trained.predict()) == len(trained.predict(**frames(data))) == NODES


def test_what_is_kept_are_copies(data):
    tables = {name: {column: table[column].to_numpy().copy() for column in table} for name, table in frames(data).items()}
    trained = edgewise.train(**tables, **QUICK)
    tables["nodes"]["x1"][:] = 99.0
    tables["edges"]["source"][:] = 0
    for twin in (trained, pickle.loads(pickle.dumps(trained)), copy.deepcopy(trained)):
        np.testing.assert_array_equal(twin.predict().values, trained.predictions.values)


def test_edges_are_arrays_matrices_and_lists(data):
    nodes = frames(data)["nodes"]
    expected = edgewise.train(**frames(data), **QUICK, duplicates="keep_all").predictions.values
    forms = [data.edge_index, data.edge_index.astype(np.int32), data.edge_index.tolist(), data.edge_index.astype(np.uint8)]
    for edges in forms:
        found = edgewise.train(edges=edges, nodes=nodes, **QUICK, duplicates="keep_all")
        np.testing.assert_array_equal(found.predictions.values, expected)
    weights = np.linspace(0.5, 1, 200)
    matrix = scipy.sparse.coo_matrix((weights, data.edge_index), shape=(NODES, NODES))
    weighted = {"source": data.edge_index[0], "target": data.edge_index[1], "weight": weights}
    of_matrix = edgewise.train(edges=matrix, nodes=nodes, **{**QUICK, "model": "gcn", "heads": None}, duplicates="sum")
    of_table = edgewise.train(edges=weighted, nodes=nodes, **{**QUICK, "model": "gcn", "heads": None}, duplicates="sum")
    np.testing.assert_array_equal(of_matrix.predictions.values, of_table.predictions.values)


def test_a_graph_of_networkx():
    graph = networkx.karate_club_graph()
    trained = edgewise.train(graph=graph, label="club", model="gcn", epochs=100, seed=1)
    assert trained.labels == ["Mr. Hi", "Officer"] and trained.metrics["test"]["accuracy"] > 0.7
    assert trained.predictions.names == list(graph)
    np.testing.assert_array_equal(trained.predict(graph=graph).values, trained.predictions.values)
    arrows = networkx.DiGraph([("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")])
    networkx.set_node_attributes(arrows, {"a": "yes", "b": "no", "c": "yes", "d": "no"}, "y")
    attention = edgewise.train(graph=arrows, label="y", model="gat", hidden=4, heads=1, epochs=1).attention()
    assert ("a", "b") in zip(attention.sources, attention.targets)
    assert ("b", "a") not in zip(attention.sources, attention.targets)


def test_a_graph_of_pytorch_geometric(data):
    torch_data = pytest.importorskip("torch_geometric.data")
    import torch

    order = torch.arange(NODES) % 5
    graph = torch_data.Data(
        x=torch.tensor(np.nan_to_num(data.features), dtype=torch.float32), y=torch.tensor(data.classes),
        edge_index=torch.tensor(data.edge_index), edge_attr=torch.rand(200, 2),
        train_mask=order < 3, val_mask=order == 3, test_mask=order == 4,
    )  # fmt: skip
    trained = edgewise.train(graph=graph, **QUICK, edge_features=["edge0", "edge1"])
    assert trained.evaluate()["items"] == NODES // 5
    assert trained.predict(graph=graph).values.shape == (NODES, 2)


def test_a_table_of_pyarrow(data):
    pyarrow = pytest.importorskip("pyarrow")
    tables = {name: pyarrow.Table.from_pandas(table) for name, table in frames(data).items()}
    expected = edgewise.train(**frames(data), **QUICK).predictions.values
    np.testing.assert_array_equal(edgewise.train(**tables, **QUICK).predictions.values, expected)


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"edges": np.ones((2, 3))}, r"^edges: expected integers \[2, edges\], got float64 \[2, 3\]"),
        ({"edges": np.ones((3, 2), dtype=int)}, r"^edges: expected integers \[2, edges\], got int64 \[3, 2\]"),
        ({"edges": np.array([[0], [1]]), "nodes": np.ones((2, 2))}, "^nodes: expected a file, a DataFrame or columns"),
        ({"graph": np.ones((2, 2))}, "^graph: expected a file, or a graph of NetworkX or PyTorch Geometric, got ndarray"),
        ({"graph": networkx.path_graph(3), "edges": "e.csv"}, "^give one of edges and graph"),
        ({"molecules": ["CCO"]}, "^molecules: expected a file, a DataFrame or columns by name, got list"),
    ],
)
def test_wrong_tables_say_what_was_expected(arguments, message):
    with pytest.raises(edgewise.UsageError, match=message):
        edgewise.train(**arguments, label="y")


def test_several_molecules_in_a_row_come_from_tables():
    solvents = ["O", "CCO", "CO", "C1CCOC1"]
    rows = [(f"N{'C' * n}", solvent, n + place) for n in range(1, 6) for place, solvent in enumerate(solvents)]
    table = pandas.DataFrame(rows, columns=["dye", "solvent", "y"])
    table["a"], table["b"] = np.arange(len(table)) % 3 + 1.0, 1
    quick = {"label": "y", "task": "regression", "model": "sage", "epochs": 2, "hidden": 8, "seed": 1}
    model = edgewise.train(molecules=table, smiles=["dye", "solvent"], **quick)
    predictions = model.predict(molecules={"dye": ["NCC", "NCC", "C1C"], "solvent": ["O", None, "O"]})
    assert np.isfinite(predictions.values[:2]).all() and np.isnan(predictions.values[2]).all()
    assert "dye: unclosed ring" in predictions.problems[3]
    mixtures = edgewise.train(molecules=table, smiles=["dye", "solvent"], amount=["a", "b"], symmetric=True, **quick)
    both = {"dye": ["NCC", "OCC"], "solvent": ["OCC", "NCC"], "a": [1, 30.0], "b": [3, 10.0]}
    one, other = mixtures.predict(molecules=both).values
    assert one == other
    with pytest.raises(edgewise.UsageError, match="amount: expected one for each of 2"):
        edgewise.train(molecules=table, smiles=["dye", "solvent"], amount="a", **quick)
