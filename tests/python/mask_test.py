"""edgewise.Mask."""

import copy
import pickle

import numpy as np
import pytest
import scipy.sparse

import edgewise


def pairs(mask):
    return {tuple(pair) for pair in mask.edge_index.T.tolist()}


def test_sorts_edges_by_target_and_source():
    mask = edgewise.Mask([[2, 0, 1, 0], [0, 1, 0, 2]], 3)
    assert mask.edge_index.tolist() == [[1, 2, 0, 0], [0, 0, 1, 2]]
    assert mask.edges.tolist() == [2, 0, 1, 3]
    assert (mask.source_count, mask.target_count, mask.edge_count) == (3, 3, 4)
    assert repr(mask) == "Mask(3 nodes, 4 edges)"


def test_gives_every_node_one_self_loop():
    mask = edgewise.Mask([[1, 1, 0], [1, 1, 1]], 3, self_loops=True)
    assert mask.edge_index.tolist() == [[0, 0, 1, 2], [0, 1, 1, 2]]
    assert mask.edges.tolist() == [-1, 2, -1, -1]
    assert edgewise.Mask([[0, 1], [1, 0]], 3, self_loops=True).edges.tolist() == [-1, 1, 0, -1, -1]


def test_keeps_given_self_loops_otherwise():
    assert edgewise.Mask([[1, 1, 0], [1, 1, 1]], 3).edges.tolist() == [2, 0, 1]


def test_between_two_kinds_of_nodes():
    mask = edgewise.Mask([[4, 0], [1, 0]], (5, 2))
    assert (mask.source_count, mask.target_count) == (5, 2)
    assert repr(mask) == "Mask(2 targets, 5 sources, 2 edges)"


def test_without_edges():
    mask = edgewise.Mask(np.zeros((2, 0)), 2)
    assert not edgewise.attend(mask, np.ones((2, 4)), np.ones((2, 4)), np.ones((2, 4))).any()


def test_from_scipy():
    matrix = scipy.sparse.csr_array(np.array([[0, 1, 0], [1, 0, 1]]))
    assert pairs(edgewise.Mask.from_scipy(matrix)) == {(1, 0), (0, 1), (2, 1)}


def test_by_rule():
    assert pairs(edgewise.Mask.by_rule("causal", [2, 1])) == {(0, 0), (0, 1), (1, 1), (2, 2)}
    chain = edgewise.Mask([[0, 1, 2], [1, 2, 3]], 4)
    assert (0, 2) in pairs(edgewise.Mask.by_rule("k_hop:2", edges=chain))
    grid = edgewise.Mask.by_rule("grid:3x3", 12, grid_columns=4)
    assert sorted(source for source, target in pairs(grid) if target == 0) == [0, 1, 4, 5]


def test_from_edge_index():
    mask = edgewise.Mask.from_edge_index([[0, 2], [1, 0]], [[1.0], [2.0]], self_loops=True, fill_value="add")
    assert repr(mask) == "Mask(3 nodes, 5 edges)" and mask.feature_count == 1
    assert edgewise.Mask.from_edge_index([[0, 2], [1, 0]], num_nodes=5).source_count == 5
    assert edgewise.Mask.from_edge_index(np.zeros((2, 0), int)).source_count == 0


def test_from_dense():
    matrix = np.array([[[0, 1, 1], [0, 0, 0]], [[1, 0, 0], [0, 0, 1]]], dtype=bool)
    mask = edgewise.Mask.from_dense(matrix)
    assert (mask.source_count, mask.target_count) == (6, 4)
    assert mask.edge_index.tolist() == [[1, 2, 3, 5], [0, 0, 2, 3]]
    assert edgewise.Mask.from_dense(matrix[0]).edge_index.tolist() == [[1, 2], [0, 0]]


@pytest.mark.parametrize(
    "mask",
    [
        edgewise.Mask([[2, 0, 1, 1], [0, 1, 0, 1]], 3, self_loops=True, edge_features=np.arange(8).reshape(4, 2)),
        edgewise.Mask([[4, 0, 0], [1, 0, 1]], (5, 2)),
        edgewise.Mask(np.zeros((2, 0)), 2),
        edgewise.Mask.by_rule("causal_band:2", [3, 4]),
    ],
    ids=str,
)
def test_copies_and_pickles(mask):
    x = np.random.default_rng(0).normal(size=(mask.source_count, 4))
    query = x[: mask.target_count]
    assert copy.copy(mask) is mask and copy.deepcopy(mask) is mask
    other = pickle.loads(pickle.dumps(mask))
    assert repr(other) == repr(mask) and other.feature_count == mask.feature_count
    np.testing.assert_array_equal(other.edge_index, mask.edge_index)
    np.testing.assert_array_equal(other.edges, mask.edges)
    np.testing.assert_array_equal(other._core.features(), mask._core.features())
    np.testing.assert_array_equal(edgewise.attend(other, query, x, x), edgewise.attend(mask, query, x, x))


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: edgewise.Mask([[0, 1]] * 3, 2), r"got \[3, 2\]: pass its transpose"),
        (lambda: edgewise.Mask.from_dense([[0, 1]]), "expected True or False"),
        (lambda: edgewise.Mask([0, 1], 2), r"expected edge_index \[2, edges\], got \[2\]"),
        (lambda: edgewise.Mask([[0.5], [1.0]], 2), "expected integers"),
        (lambda: edgewise.Mask([[0], [2]], 2), r"targets\[0\]: expected a node from 0 to 1, got 2"),
        (lambda: edgewise.Mask([[-1], [0]], 2), r"sources\[0\]: expected a node from 0 to 1, got -1"),
        (lambda: edgewise.Mask([[7], [7]], 2, self_loops=True), r"sources\[0\]: expected a node from 0 to 1, got 7"),
        (lambda: edgewise.Mask([[0], [0]], -1), "nodes"),
        (lambda: edgewise.Mask([[0], [0]], (1, 2, 3)), "as \\(sources, targets\\), got \\(1, 2, 3\\)"),
        (lambda: edgewise.Mask([[0], [0]], 1.5), "as \\(sources, targets\\), got 1.5"),
        (lambda: edgewise.Mask([[0], [0]], 2**32), "got 4294967296"),
        (lambda: edgewise.Mask([[0], [0]], (1, 2), self_loops=True), "self loops"),
        (lambda: edgewise.Mask([[0], [0]], 1, edge_features=[[1.0], [2.0]]), r"expected edge_features \[1, features\]"),
        (
            lambda: edgewise.Mask([[0], [0]], 1, self_loops=True, edge_features=[[1.0]], fill_value="median"),
            "fill_value: expected mean, add, min, max, mul or numbers",
        ),
        (
            lambda: edgewise.Mask([[0], [0]], 1, self_loops=True, edge_features=[[1.0]], fill_value=[1, 2]),
            r"expected fill_value \[1\], got \[2\]",
        ),
        (lambda: edgewise.Mask.by_rule("causual", 3), 'did you mean "causal"'),
        (lambda: edgewise.Mask.by_rule("k_hop:2", 3), "needs edges"),
        (lambda: edgewise.Mask.by_rule("grid:3x3", 4), "grid"),
        (lambda: edgewise.Mask.by_rule("causal"), "how many nodes"),
        (lambda: edgewise.Mask.by_rule("causal", [3, -1]), "nodes"),
        (lambda: edgewise.Mask.by_rule("complete", 10**6), "pairs|slots|memory"),
        (lambda: edgewise.Mask.by_rule("k_hop:2", 3, edges=edgewise.Mask([[0], [1]], 2)), "add up to 3"),
    ],
)
def test_refuses_what_makes_no_mask(make, message):
    with pytest.raises(edgewise.UsageError, match=message):
        make()
