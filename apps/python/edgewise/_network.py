"""A network whose nodes have rows of features, as the estimator of nodes takes it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from edgewise import _core
from edgewise._tables import (
    Columns,
    columns_of,
    matrix_columns,
    sparse_columns,
    split_of_masks,
    tables_of_graph,
    texts,
)

# Columns that the table of nodes has beside the features.
_OWN = ("id", "y", "split")


class Network(NamedTuple):
    """A graph and the features of its nodes.

    Attributes:
        edges: A table, or a file.
        names: Of the nodes, in the order of the rows.
        columns: Of the features, without names of nodes.
        sparse: The table of sparse features, in place of columns.
        y: What the graph says of classes [nodes]; None if nothing.
        split: The parts that the graph says [nodes]; None if it says none.
        is_directed: What the graph says.
    """

    edges: Any
    names: Sequence[Any]
    columns: Columns
    sparse: Columns | None = None
    y: Any = None
    split: np.ndarray | None = None
    is_directed: bool = False

    def tables(self, more: Mapping[str, list[str]]) -> dict[str, Any]:
        """The arguments of jobs, with `more` columns of the nodes."""
        ids = self.names if isinstance(self.names, np.ndarray) else texts(self.names)
        are_texts = frozenset(["id"]) if len(self.names) > 0 and isinstance(self.names[0], str) else frozenset()
        names = [f"feature {name}" if name in _OWN else name for name in self.columns.names]
        nodes = Columns(["id", *names, *more], [ids, *self.columns.parts, *more.values()], texts=are_texts)
        return {"edges": self.edges, "nodes": nodes, **({} if self.sparse is None else {"features": self.sparse})}

    def width(self) -> str:
        """How many features there are, in words."""
        if self.sparse is None:
            return f"{len(self.columns.names)} columns"
        return f"{self.sparse.comment.split()[0].removeprefix('features=')} sparse columns"

    def without(self, name: str) -> Network:
        """The network without this column of its nodes, if it has it."""
        if name not in self.columns.names:
            return self
        kept = [i for i, column in enumerate(self.columns.names) if column != name]
        return self._replace(columns=Columns([self.columns.names[i] for i in kept], [self.columns.parts[i] for i in kept]))


def network_of(graph: Any, X: Any, y: Any = None) -> Network:
    """The network of a graph and, unless the graph has them, the features of its nodes.

    Args:
        graph: A graph of NetworkX or PyTorch Geometric, a matrix of SciPy with an entry (source, target), an edge index
            [2, edges], a table of edges, or its file.
        X: An array [nodes, features], a DataFrame or a matrix of SciPy; None for the features of the graph.
        y: Of which only the number is used, where nothing else tells how many nodes there are.

    Raises:
        UsageError: For anything else.
    """
    if hasattr(graph, "adjacency") and not isinstance(graph, type):
        return _of_networkx(graph, X)
    if getattr(graph, "edge_index", None) is not None:
        return _of_pyg(graph, X)
    if isinstance(graph, (str, os.PathLike)):
        return _with_features(Network(graph, _row_names(X, y), Columns([], [])), X)
    if hasattr(graph, "tocoo"):
        return _with_features(Network(columns_of("edges", graph), np.arange(graph.shape[0]), Columns([], [])), X)
    if isinstance(graph, Mapping) or hasattr(graph, "columns"):
        return _with_features(Network(columns_of("edges", graph), _row_names(X, y), Columns([], [])), X)
    if isinstance(graph, (list, tuple)) or hasattr(graph, "shape"):
        return _with_features(Network(columns_of("edges", graph), np.arange(_rows_of(X, y)), Columns([], [])), X)
    raise _core.UsageError(
        "graph: expected a graph of NetworkX or PyTorch Geometric, a matrix of SciPy, an edge index [2, edges], a table of "
        f"edges or its file, got {type(graph).__name__}"
    )


def attribute_of(graph: Any, name: str) -> Any:
    """What a graph says of its nodes under this name [nodes].

    Raises:
        UsageError: If it says nothing.
    """
    if hasattr(graph, "adjacency"):
        values = [of.get(name) for _, of in graph.nodes(data=True)]
        if any(value is not None for value in values):
            return values
    elif getattr(graph, name, None) is not None:
        return getattr(graph, name)
    raise _core.UsageError(f'y: neither X nor the graph has a column or an attribute of nodes "{name}"')


def in_order_of(names: Sequence[Any], values: Any, argument: str) -> Any:
    """The values, in the order of the names if they have names of their own: a dict or a Series of pandas."""
    if isinstance(values, Mapping):
        return [values.get(name) for name in names]
    places = _places(names, values, argument)
    return values if places is None else values.iloc[places]


def _of_networkx(graph: Any, X: Any) -> Network:
    edges, nodes, is_directed = tables_of_graph(graph)
    columns = Columns(nodes.names[1:], nodes.parts[1:], texts=nodes.texts)
    return _with_features(Network(edges, list(graph), columns, is_directed=is_directed), X)


def _of_pyg(graph: Any, X: Any) -> Network:
    edges, _, is_directed = tables_of_graph(graph)
    rows = graph.num_nodes
    network = Network(edges, np.arange(rows), Columns([], []), None, graph.y, split_of_masks(graph, rows), is_directed)
    return _with_features(network, graph.x if X is None else X)


def _rows_of(X: Any, y: Any) -> int:
    of = y if X is None else X
    if of is None or isinstance(of, (str, bytes)) or not (hasattr(of, "shape") or hasattr(of, "__len__")):
        raise _core.UsageError("X: expected the features of the nodes, a row for each, as the graph has none")
    if isinstance(of, Mapping) and X is not None:
        return len(next(iter(of.values()), ()))
    return int(of.shape[0]) if hasattr(of, "shape") else len(of)


def _row_names(X: Any, y: Any) -> Sequence[Any]:
    """The index of a DataFrame or a Series, else the numbers of the rows."""
    of = y if X is None else X
    rows = _rows_of(X, y)
    if isinstance(of, Mapping) and X is None:
        return list(of)
    return list(of.index) if hasattr(of, "iloc") and not _is_numbered(of.index) else np.arange(rows)


def _with_features(network: Network, X: Any) -> Network:
    if X is None:
        return network
    rows = _rows_of(X, None)
    if rows != len(network.names):
        raise _core.UsageError(f"X: expected {len(network.names)} rows, one for each node, got {rows}")
    if hasattr(X, "tocoo"):
        names = None if isinstance(network.names, np.ndarray) else texts(network.names)
        return network._replace(sparse=sparse_columns(X, names), columns=Columns([], []))
    if isinstance(X, Mapping) or hasattr(X, "columns"):
        places = _places(network.names, X, "X")
        return network._replace(columns=columns_of("X", X if places is None else X.iloc[places]))
    names, part = matrix_columns("x", X, "X")
    return network._replace(columns=Columns(names, [part]))


def _is_numbered(index: Any) -> bool:
    """Whether an index of pandas only counts the rows."""
    return type(index).__name__ == "RangeIndex" and index.start == 0 and index.step == 1


def _places(names: Sequence[Any], values: Any, argument: str) -> np.ndarray | None:
    """Where the rows of these nodes are in a DataFrame or a Series: those that its index names. None if they are in order:
    of other objects, and where the index only counts the rows, or the names do."""
    if not hasattr(values, "iloc"):
        return None
    index = values.index
    places: np.ndarray | None = None if index.has_duplicates else index.get_indexer(list(names))
    if places is not None and (places >= 0).all():
        return places
    if isinstance(names, np.ndarray) or _is_numbered(index):
        return None
    if places is None:
        raise _core.UsageError(f"{argument}: {index[index.duplicated()][0]!r} is in the index more than once")
    missing = names[int((places < 0).argmax())]
    raise _core.UsageError(f"{argument}: expected an index with the names of all nodes, but there is no {missing!r}")
