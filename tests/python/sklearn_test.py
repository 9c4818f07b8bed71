"""edgewise.sklearn."""

import pickle

import numpy as np
import pytest

base = pytest.importorskip("sklearn.base")
model_selection = pytest.importorskip("sklearn.model_selection")

import edgewise
import edgewise.sklearn

SMILES = ["C" * length + tail for length in range(1, 25) for tail in ("O", "Cl")]
LENGTHS = np.array([float(text.count("C")) for text in SMILES])
IS_ALCOHOL = np.array([text.endswith("O") for text in SMILES])
QUICK = {"epochs": 3, "model": "gcn", "hidden": 8}
LONGER = {"epochs": 200, "model": "gcn", "hidden": 32, "learning_rate": 0.01, "dropout": 0.0}


def test_regressor_of_molecules():
    regressor = edgewise.sklearn.MoleculeRegressor(**LONGER, seed=1)
    assert regressor.fit(SMILES, LENGTHS) is regressor
    found = regressor.predict(np.array(SMILES)[:, None])
    assert found.shape == LENGTHS.shape and np.corrcoef(found, LENGTHS)[0, 1] > 0.7
    assert np.isnan(regressor.predict(["no molecule"])[0])
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(regressor)).predict(SMILES), found)


def test_several_properties():
    regressor = edgewise.sklearn.MoleculeRegressor(**QUICK)
    values = np.stack([LENGTHS, IS_ALCOHOL * 1.5], axis=1)
    assert regressor.fit(SMILES, values).predict(SMILES[:5]).shape == (5, 2)


def test_search_over_molecules():
    search = model_selection.GridSearchCV(edgewise.sklearn.MoleculeRegressor(**QUICK), {"hidden": [4, 8]}, cv=2)
    search.fit(np.array(SMILES), LENGTHS)
    assert search.best_params_["hidden"] in (4, 8) and search.predict(SMILES).shape == LENGTHS.shape


@pytest.mark.parametrize(
    "labels",
    [IS_ALCOHOL, IS_ALCOHOL.astype(int), np.where(IS_ALCOHOL, "yes", "no")],
    ids=["bool", "int", "str"],
)
def test_classifier_of_molecules(labels):
    classifier = edgewise.sklearn.MoleculeClassifier(**LONGER).fit(SMILES, labels)
    probabilities = classifier.predict_proba(SMILES)
    np.testing.assert_array_equal(classifier.classes_, np.unique(labels))
    np.testing.assert_allclose(probabilities.sum(axis=1), 1, rtol=1e-5)
    np.testing.assert_array_equal(classifier.predict(SMILES), classifier.classes_[probabilities.argmax(axis=1)])
    assert classifier.score(SMILES, labels) > 0.9
    with pytest.raises(edgewise.DataError, match="molecule 1"):
        classifier.predict(["no molecule"])


def test_classifier_of_nodes():
    rng = np.random.default_rng(0)
    classes = np.arange(120) % 2
    edges = rng.integers(0, 60, size=(2, 1200)) * 2 + rng.integers(0, 2, size=1200)  # within a class
    edges = edges[:, edges[0] != edges[1]]
    known = np.where(np.arange(120) < 80, classes, -1)
    classifier = edgewise.sklearn.NodeClassifier(**LONGER)
    classifier.fit(rng.normal(size=(120, 4)) + classes[:, None], known, edges=edges)
    assert classifier.predict_proba().shape == (120, 2)
    assert (classifier.predict() == classes)[80:].mean() > 0.9
    other = classifier.predict(rng.normal(size=(4, 4)), edges=[[0, 1], [2, 3]])
    assert other.shape == (4,) and set(other) <= {0, 1}
    with pytest.raises(edgewise.UsageError, match="another network needs X and edges"):
        classifier.predict(rng.normal(size=(4, 4)))


def network():
    rng = np.random.default_rng(0)
    features = (rng.random((60, 20)) < 0.2).astype(float)
    return features, np.arange(60) % 2, rng.integers(0, 60, size=(2, 300))


def test_features_and_edges_of_many_kinds():
    scipy_sparse = pytest.importorskip("scipy.sparse")
    features, classes, edges = network()
    matrix = scipy_sparse.coo_matrix((np.ones(300), edges), shape=(60, 60))

    def fitted(X, edges):
        return edgewise.sklearn.NodeClassifier(**QUICK).fit(X, classes, edges=edges, directed=True).predict_proba()

    expected = fitted(features, edges)
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(features, columns=[f"x{i}" for i in range(20)])
    for X in (np.asfortranarray(features), features.astype(np.float32), features.tolist(), frame, features[:, ::-1][:, ::-1]):
        np.testing.assert_array_equal(fitted(X, edges), expected)
    for ends in (edges.tolist(), matrix, {"source": edges[0], "target": edges[1]}):
        np.testing.assert_array_equal(fitted(features, ends), expected)
    sparse = scipy_sparse.csr_matrix(features)
    np.testing.assert_array_equal(fitted(sparse, edges), fitted(sparse.tocsc(), edges))
    classifier = edgewise.sklearn.NodeClassifier(**QUICK).fit(sparse, classes, edges=edges)
    assert classifier.predict(sparse[:5], edges=[[0], [1]]).shape == (5,)


def test_the_graph_of_networkx_has_the_rows_as_nodes():
    networkx = pytest.importorskip("networkx")
    features, classes, edges = network()
    graph = networkx.DiGraph()
    graph.add_nodes_from(f"node {i}" for i in range(60))
    graph.add_edges_from((f"node {i}", f"node {j}") for i, j in edges.T)
    given = np.array(list(networkx.convert_node_labels_to_integers(graph).edges)).T
    a, b = (edgewise.sklearn.NodeClassifier(**QUICK).fit(features, classes, edges=of) for of in (graph, given))
    np.testing.assert_array_equal(a.predict_proba(), b.predict_proba())


def test_split_and_wrong_lengths():
    features, classes, edges = network()
    split = np.array(["train", "validation", "test"])[np.arange(60) % 3]
    classifier = edgewise.sklearn.NodeClassifier(**QUICK).fit(features, classes, edges=edges, split=split)
    assert classifier.model_.evaluate()["items"] == 20
    with pytest.raises(edgewise.UsageError, match="^y: expected 60 values, one for each row of X, got 59"):
        edgewise.sklearn.NodeClassifier().fit(features, classes[:-1], edges=edges)
    with pytest.raises(edgewise.UsageError, match=r"^X: expected numbers \[rows, columns\], got float64 \[60\]"):
        edgewise.sklearn.NodeClassifier().fit(features[:, 0], classes, edges=edges)


def test_targets_with_gaps():
    values = np.stack([LENGTHS, np.where(IS_ALCOHOL, np.nan, LENGTHS)], axis=1)
    assert edgewise.sklearn.MoleculeRegressor(**QUICK).fit(SMILES, values).predict(SMILES[:3]).shape == (3, 2)


@pytest.mark.parametrize("name", edgewise.sklearn.__all__)
def test_parameters(name):
    estimator = getattr(edgewise.sklearn, name)(epochs=5, config={"model": {"preset": "gat"}})
    copied = base.clone(estimator.set_params(heads=2))
    assert copied.get_params() == estimator.get_params() and copied.heads == 2
    with pytest.raises(ValueError, match="Invalid parameter 'lr'"):
        estimator.set_params(lr=0.1)
    from sklearn.exceptions import NotFittedError

    with pytest.raises(NotFittedError):
        estimator.predict(["C"], **({"edges": [[0], [0]]} if name == "NodeClassifier" else {}))


def test_refuses_what_are_no_molecules():
    with pytest.raises(edgewise.UsageError, match="expected X as SMILES"):
        edgewise.sklearn.MoleculeRegressor().fit(np.ones((3, 2)), np.ones(3))
    with pytest.raises(edgewise.UsageError, match="expected at least 2 classes, got 1"):
        edgewise.sklearn.MoleculeClassifier().fit(["C", "CC"], [1, 1])
