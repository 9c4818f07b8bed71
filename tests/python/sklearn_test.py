"""edgewise.sklearn."""

import functools
import pickle

import numpy as np
import pytest

base = pytest.importorskip("sklearn.base")
model_selection = pytest.importorskip("sklearn.model_selection")
estimator_checks = pytest.importorskip("sklearn.utils.estimator_checks")

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
    features = rng.normal(size=(120, 4)) + classes[:, None]
    classifier = edgewise.NodeClassifier(**LONGER)
    assert classifier.fit(edges, features, known) is classifier
    assert classifier.predict_proba().shape == (120, 2)
    assert (classifier.predict() == classes)[80:].mean() > 0.9
    np.testing.assert_array_equal(classifier.predict(edges, features), classifier.predict())
    assert classifier.score(edges, features, classes) == (classifier.predict() == classes).mean()
    other = classifier.predict([[0, 1], [2, 3]], rng.normal(size=(4, 4)))
    assert other.shape == (4,) and set(other) <= {0, 1}
    with pytest.raises(edgewise.UsageError, match="expected a graph with X"):
        classifier.predict(None, rng.normal(size=(4, 4)))


def test_sets_hold_their_share():
    features, classes, edges = network(200)
    classifier = edgewise.NodeClassifier(**QUICK).fit(edges, features, classes)
    sets = classifier.predict_set(level=0.9)
    assert sets.shape == (200, 2) and sets.dtype == bool
    assert sets[np.arange(200), classes].mean() > 0.75
    assert classifier.predict_set(edges, features, level=0.5).sum() <= sets.sum()
    with pytest.raises(edgewise.UsageError, match="needs 99 validation items or more"):
        classifier.predict_set(level=0.99)


def test_explains_saves_and_reports(tmp_path):
    networkx = pytest.importorskip("networkx")
    graph = networkx.karate_club_graph()
    classifier = edgewise.NodeClassifier(**QUICK).fit(graph, y="club")
    assert list(classifier.classes_) == ["Mr. Hi", "Officer"] and classifier.nodes_ == list(range(34))
    effects = classifier.explain(33)
    assert effects.item == 33 and effects.of in classifier.classes_
    assert {part["kind"] for part in effects.parts} >= {"neighbour"}
    classifier.save(tmp_path / "club.safetensors")
    loaded = edgewise.load(tmp_path / "club.safetensors").predict(graph=graph)
    assert loaded.names == list(range(34)) and loaded.predicted == classifier.predict().tolist()
    classifier.report(tmp_path / "club.html")
    page = (tmp_path / "club.html").read_text()
    assert "Officer" in page and "memory:" not in page
    with pytest.raises(edgewise.DataError, match="cannot be written"):
        classifier.report(tmp_path / "no folder" / "club.html")


def test_rows_by_name():
    networkx = pytest.importorskip("networkx")
    pandas = pytest.importorskip("pandas")
    features, classes, edges = network()
    names = [f"n{i}" for i in range(60)]
    graph = networkx.Graph()
    graph.add_nodes_from(names)
    graph.add_edges_from((names[i], names[j]) for i, j in edges.T)
    frame = pandas.DataFrame(features, index=names)
    by_order = edgewise.NodeClassifier(**QUICK).fit(graph, features, classes)
    shuffled = frame.sample(frac=1, random_state=0)
    for X, y in (
        (shuffled, dict(zip(names, classes))),
        (shuffled, pandas.Series(classes, index=names)[shuffled.index]),
        (shuffled.assign(club=pandas.Series(classes, index=names)), "club"),
    ):
        named = edgewise.NodeClassifier(**QUICK).fit(graph, X, y)
        np.testing.assert_array_equal(named.predict(), by_order.predict())
        assert named.nodes_ == names
    ends = pandas.DataFrame({"source": [names[i] for i in edges[0]], "target": [names[i] for i in edges[1]]})
    of_table = edgewise.NodeClassifier(**QUICK).fit(ends, shuffled, dict(zip(names, classes)))
    assert of_table.nodes_ == list(shuffled.index) and of_table.explain("n7").item == "n7"
    with pytest.raises(edgewise.UsageError, match="no 'n3'"):
        edgewise.NodeClassifier(**QUICK).fit(graph, frame.rename(index={"n3": "other"}), classes)
    with pytest.raises(edgewise.UsageError, match="^X: expected 60 rows, one for each node, got 59"):
        edgewise.NodeClassifier(**QUICK).fit(graph, features[:-1], classes)


def test_an_index_names_the_rows():
    networkx = pytest.importorskip("networkx")
    pandas = pytest.importorskip("pandas")
    scipy_sparse = pytest.importorskip("scipy.sparse")
    features, classes, edges = network()
    frame, series = pandas.DataFrame(features), pandas.Series(classes)
    mixed = np.random.default_rng(1).permutation(60)
    graph = networkx.Graph()
    graph.add_nodes_from(mixed.tolist())
    graph.add_edges_from(edges.T.tolist())
    by_name = dict(zip(mixed.tolist(), edgewise.NodeClassifier(**QUICK).fit(graph, frame, series).predict_proba()))
    others = edgewise.NodeClassifier(**QUICK).fit(graph, frame.iloc[mixed], series.iloc[mixed]).predict_proba()
    np.testing.assert_array_equal(others, np.stack([by_name[node] for node in mixed.tolist()]))
    expected = edgewise.NodeClassifier(**QUICK).fit(edges, features, classes).predict_proba()
    matrix = scipy_sparse.coo_matrix((np.ones(300), edges), shape=(60, 60))
    for of in (edges, matrix):
        for X, y in ((frame.iloc[mixed], series), (features, series.iloc[mixed]), (frame.set_axis(range(100, 160)), classes)):
            np.testing.assert_array_equal(edgewise.NodeClassifier(**QUICK).fit(of, X, y).predict_proba(), expected)
    parts = pandas.Series(np.array(["train", "validation", "test"])[np.arange(60) % 3])
    a, b = (edgewise.NodeClassifier(**QUICK).fit(edges, features, classes, split=of) for of in (parts, parts.iloc[mixed]))
    np.testing.assert_array_equal(a.predict_proba(), b.predict_proba())


def test_columns_may_have_any_name():
    pandas = pytest.importorskip("pandas")
    features, classes, edges = network()
    names = ["y", "id", "split", *(f"x{i}" for i in range(3, 20))]
    named = edgewise.NodeClassifier(**QUICK).fit(edges, pandas.DataFrame(features, columns=names), classes)
    expected = edgewise.NodeClassifier(**QUICK).fit(edges, features, classes)
    np.testing.assert_array_equal(named.predict_proba(), expected.predict_proba())
    with pytest.raises(edgewise.UsageError, match="^X: expected 20 columns, as in fit, got 19 columns"):
        named.predict(edges, features[:, 1:])


def test_lists_of_a_graph_are_columns():
    networkx = pytest.importorskip("networkx")
    features, classes, edges = network()
    graph = networkx.DiGraph()
    graph.add_nodes_from((i, {"x": features[i].tolist(), "y": int(classes[i])}) for i in range(60))
    graph.add_edges_from(edges.T.tolist())
    ends = np.array(graph.edges).T
    listed = edgewise.NodeClassifier(**QUICK).fit(graph, y="y")
    np.testing.assert_array_equal(
        listed.predict_proba(), edgewise.NodeClassifier(**QUICK).fit(ends, features, classes, directed=True).predict_proba()
    )


def test_what_is_missing_and_what_is_a_class():
    pandas = pytest.importorskip("pandas")
    features, _, edges = network()
    for y, classes in (
        ([-1, 1] * 30, [-1, 1]),
        ([-1, 0, 1] * 20, [0, 1]),
        (pandas.Series([0, 1, None] * 20, dtype="Int64"), [0, 1]),
        (pandas.Series([True, None, False] * 20, dtype="boolean"), [False, True]),
        (np.where(np.arange(60) % 3 == 0, np.nan, np.arange(60) % 2), [0, 1]),
        ([2**60, 2**60 + 1] * 30, [2**60, 2**60 + 1]),
        (["007", "7"] * 30, ["007", "7"]),
    ):
        classifier = edgewise.NodeClassifier(**QUICK).fit(edges, features, y)
        assert classifier.classes_.tolist() == classes and set(classifier.predict().tolist()) <= set(classes)
        assert classifier.explain(1).of in classes
    molecules = edgewise.MoleculeClassifier(**QUICK).fit(SMILES, ["a", "b", None] * 16)
    assert molecules.classes_.tolist() == ["a", "b"] and molecules.explain("CCO").item == "CCO"


def test_a_failed_fit_leaves_the_model_as_it_was():
    features, classes, edges = network()
    classifier = edgewise.NodeClassifier(**QUICK).fit(edges, features, classes)
    before = classifier.predict_proba()
    with pytest.raises(edgewise.UsageError, match="got 1 class"):
        classifier.fit(edges, features, np.zeros(60))
    np.testing.assert_array_equal(classifier.predict_proba(), before)


def test_scores_count_classes_that_are_new():
    features, classes, edges = network()
    classifier = edgewise.NodeClassifier(**QUICK).fit(edges, features, classes)
    right = (classifier.predict() == classes)[::2].sum()
    assert classifier.score(edges, features, np.where(np.arange(60) % 2 == 0, classes, 7)) == right / 60
    with pytest.raises(edgewise.UsageError, match="none is known"):
        classifier.score(edges, features, [None] * 60)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"graph": None}, "^graph: expected a graph of NetworkX .*, got NoneType"),
        ({"graph": {1, 2}}, "^graph: .* got set"),
        ({"graph": np.zeros((9, 2), dtype=int)}, r"^graph: expected integers \[2, edges\], got int64 \[9, 2\]: transpose it"),
        ({"graph": [[1, 2], [3]]}, r"^graph: expected integers \[2, edges\]"),
        ({"X": 5}, "^X: expected the features of the nodes"),
        ({"y": "club"}, 'neither X nor the graph has a column or an attribute of nodes "club"'),
        ({"y": np.linspace(0, 1, 60)}, "continuous"),
        ({"y": np.eye(2)[np.arange(60) % 2]}, "1d array"),
        ({"split": "train"}, "1d array"),
    ],
    ids=str,
)
def test_one_line_says_what_to_pass(change, expected):
    features, classes, edges = network()
    with pytest.raises(ValueError, match=expected) as raised:
        edgewise.NodeClassifier(**QUICK).fit(**{"graph": edges, "X": features, "y": classes, **change})
    assert "\n" not in str(raised.value)


def test_edges_in_a_file(tmp_path):
    pandas = pytest.importorskip("pandas")
    features, classes, edges = network()
    pandas.DataFrame({"source": edges[0], "target": edges[1]}).to_csv(tmp_path / "edges.csv", index=False)
    of_file = edgewise.NodeClassifier(**QUICK).fit(tmp_path / "edges.csv", features, classes)
    of_array = edgewise.NodeClassifier(**QUICK).fit(edges, features, classes)
    np.testing.assert_array_equal(of_file.predict_proba(), of_array.predict_proba())


def test_data_of_pytorch_geometric():
    torch = pytest.importorskip("torch")
    data = pytest.importorskip("torch_geometric.data")
    features, classes, edges = network()
    parts = np.arange(60) % 3
    given = data.Data(
        x=torch.tensor(features), y=torch.tensor(classes), edge_index=torch.tensor(edges),
        train_mask=torch.tensor(parts == 0), val_mask=torch.tensor(parts == 1), test_mask=torch.tensor(parts == 2),
    )  # fmt: skip
    classifier = edgewise.NodeClassifier(**QUICK).fit(given)
    split = np.array(["train", "validation", "test"])[parts]
    same = edgewise.NodeClassifier(**QUICK).fit(edges, features, classes, directed=True, split=split)
    np.testing.assert_array_equal(classifier.predict_proba(), same.predict_proba())
    assert classifier.predict().dtype == classes.dtype and classifier.model_.evaluate()["items"] == 20
    with pytest.raises(edgewise.UsageError, match='neither X nor the graph has .* "club"'):
        edgewise.NodeClassifier(**QUICK).fit(given, y="club")
    del given.val_mask, given.test_mask
    assert edgewise.NodeClassifier(**QUICK).fit(given).model_.evaluate(part="train")["items"] in range(10, 21)
    given.train_mask = torch.tensor(np.stack([parts == 0, parts == 1], axis=1))
    with pytest.raises(edgewise.UsageError, match="train_mask has several splits: keep one"):
        edgewise.NodeClassifier(**QUICK).fit(given)


@pytest.mark.parametrize("kinds", [["NA", "a|b", "7", "true"], [" x", "x"], ["", "None", "b"], [True, False], [7, 3]], ids=str)
def test_classes_of_any_spelling(kinds):
    features, _, edges = network()
    y = np.array(kinds, dtype=object)[np.arange(60) % len(kinds)]
    classifier = edgewise.NodeClassifier(**QUICK).fit(edges, features, y)
    assert set(classifier.classes_.tolist()) == set(kinds)
    assert set(classifier.predict().tolist()) <= set(kinds) and type(classifier.predict()[0].item()) is type(kinds[0])


def test_intervals():
    regressor = edgewise.MoleculeRegressor(**QUICK, ensemble=2).fit(SMILES * 4, np.tile(LENGTHS, 4))
    ends = regressor.predict_interval(SMILES, 0.5)
    assert ends.shape == (len(SMILES), 2)
    found = regressor.predict(SMILES)
    assert (ends[:, 0] <= found).all() and (found <= ends[:, 1]).all()
    both = edgewise.MoleculeRegressor(**QUICK).fit(SMILES * 4, np.tile(np.stack([LENGTHS, -LENGTHS], axis=1), (4, 1)))
    assert both.predict_interval(["CC"], 0.5).shape == (1, 2, 2)
    classifier = edgewise.MoleculeClassifier(**QUICK).fit(SMILES * 4, np.tile(IS_ALCOHOL, 4))
    assert classifier.predict_set(SMILES[:3], 0.5).shape == (3, 2)
    assert {part["kind"] for part in classifier.explain("CCO").parts} >= {"atom", "bond"}


def network(nodes=60):
    rng = np.random.default_rng(0)
    features = (rng.random((nodes, 20)) < 0.2).astype(float)
    return features, np.arange(nodes) % 2, rng.integers(0, nodes, size=(2, 5 * nodes))


def test_features_and_edges_of_many_kinds():
    scipy_sparse = pytest.importorskip("scipy.sparse")
    features, classes, edges = network()
    matrix = scipy_sparse.coo_matrix((np.ones(300), edges), shape=(60, 60))

    def fitted(X, edges):
        return edgewise.NodeClassifier(**QUICK).fit(edges, X, classes, directed=True).predict_proba()

    expected = fitted(features, edges)
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(features, columns=[f"x{i}" for i in range(20)])
    for X in (np.asfortranarray(features), features.astype(np.float32), features.tolist(), frame, features[:, ::-1][:, ::-1]):
        np.testing.assert_array_equal(fitted(X, edges), expected)
    for ends in (edges.tolist(), matrix, {"source": edges[0], "target": edges[1]}):
        np.testing.assert_array_equal(fitted(features, ends), expected)
    sparse = scipy_sparse.csr_matrix(features)
    np.testing.assert_array_equal(fitted(sparse, edges), fitted(sparse.tocsc(), edges))
    classifier = edgewise.NodeClassifier(**QUICK).fit(edges, sparse, classes)
    assert classifier.predict([[0], [1]], sparse[:5]).shape == (5,)


def test_the_graph_of_networkx_has_the_rows_as_nodes():
    networkx = pytest.importorskip("networkx")
    features, classes, edges = network()
    graph = networkx.DiGraph()
    graph.add_nodes_from(f"node {i}" for i in range(60))
    graph.add_edges_from((f"node {i}", f"node {j}") for i, j in edges.T)
    given = np.array(list(networkx.convert_node_labels_to_integers(graph).edges)).T
    named = edgewise.NodeClassifier(**QUICK).fit(graph, features, classes)
    numbered = edgewise.NodeClassifier(**QUICK).fit(given, features, classes, directed=True)
    np.testing.assert_array_equal(named.predict_proba(), numbered.predict_proba())
    sparse = pytest.importorskip("scipy.sparse").csr_matrix(features)
    assert edgewise.NodeClassifier(**QUICK).fit(graph, sparse, classes).predict().shape == (60,)


def test_split_and_wrong_lengths():
    features, classes, edges = network()
    split = np.array(["train", "validation", "test"])[np.arange(60) % 3]
    classifier = edgewise.NodeClassifier(**QUICK).fit(edges, features, classes, split=split)
    assert classifier.model_.evaluate()["items"] == 20
    with pytest.raises(edgewise.UsageError, match="^y: expected 60 values, one for each node, got 59"):
        edgewise.NodeClassifier().fit(edges, features, classes[:-1])
    with pytest.raises(edgewise.UsageError, match=r"^X: expected numbers \[rows, columns\], got float64 \[60\]"):
        edgewise.NodeClassifier().fit(edges, features[:, 0], classes)
    with pytest.raises(edgewise.UsageError, match="^y: expected the classes"):
        edgewise.NodeClassifier().fit(edges, features)


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
        estimator.predict(["C"])


class Spelt:
    """Estimators of molecules on numbers, which are spelt as molecules, for the checks of scikit-learn."""

    def fit(self, X, y):
        return super().fit(spelt(X), y)

    def predict(self, X):
        return super().predict(spelt(X))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array, tags.input_tags.one_d_array, tags.input_tags.string = True, False, False
        return tags


class SpeltRegressor(Spelt, edgewise.MoleculeRegressor):
    pass


class SpeltClassifier(Spelt, edgewise.MoleculeClassifier):
    def predict_proba(self, X):
        return super().predict_proba(spelt(X))


def spelt(X):
    from sklearn.utils import check_array

    rows = np.asarray(check_array(X))
    return ["C" * (1 + int(abs(row[0] * 7)) % 20) + "NOS"[int(abs(row[-1] * 5)) % 3] for row in rows]


# Why a check does not apply.
SKIPPED = {
    "check_n_features_in": "SMILES have no number of features",
    "check_n_features_in_after_fitting": "SMILES have no number of features",
    "check_regressors_train": "one epoch does not learn that much",
    "check_classifiers_train": "one epoch does not learn that much",
    "check_methods_sample_order_invariance": "asks for more digits than float32 has",
    "check_methods_subset_invariance": "asks for more digits than float32 has",
}


def checks(kind):
    estimator = kind("gcn", epochs=1, hidden=4)
    return [functools.partial(check, made) for made, check in estimator_checks.estimator_checks_generator(estimator)]


def name_of(check):
    return getattr(check.func, "func", check.func).__name__


@pytest.mark.parametrize("check", checks(SpeltRegressor) + checks(SpeltClassifier), ids=name_of)
@pytest.mark.filterwarnings("ignore")
def test_checks_of_scikit_learn(check):
    if name_of(check) in SKIPPED:
        pytest.skip(SKIPPED[name_of(check)])
    from unittest import SkipTest

    try:
        check()
    except SkipTest as why:
        pytest.skip(str(why))


@pytest.mark.parametrize("name", edgewise.sklearn.__all__)
@pytest.mark.filterwarnings("ignore")
def test_check_estimator(name):
    estimator_checks.check_estimator(getattr(edgewise, name)())


def test_refuses_what_are_no_molecules():
    with pytest.raises(edgewise.UsageError, match="expected X as SMILES, one for each molecule, got ndarray"):
        edgewise.sklearn.MoleculeRegressor().fit(np.ones((3, 2)), np.ones(3))
    with pytest.raises(edgewise.UsageError, match="expected at least 2 classes, got 1 class"):
        edgewise.sklearn.MoleculeClassifier().fit(["C", "CC"], [1, 1])
