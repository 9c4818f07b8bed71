"""Graphs of several kinds of nodes, as PyTorch Geometric and DGL have them, as tables of kinds and relations."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from edgewise import _core
from edgewise._tables import Columns, as_array, matrix_columns, part_of, split_of_masks

Relation = tuple[str, str, str]


class Ends(NamedTuple):
    """The edges of a relation, and their features, if there are any."""

    sources: np.ndarray
    targets: np.ndarray
    features: Any


class Parts(NamedTuple):
    """What is read of a graph: of a kind its number of nodes and what has its features, labels and masks, of a relation
    its edges."""

    kinds: dict[str, tuple[int, Any]]
    relations: dict[Relation, Ends]


class _Attributes:
    """The entries of a dictionary as attributes, None for others."""

    def __init__(self, entries: Any, names: dict[str, str]) -> None:
        self._entries = {names.get(name, name): value for name, value in dict(entries).items()}

    def __getattr__(self, name: str) -> Any:
        return None if name.startswith("__") else self._entries.get(name)


def tables_of_hetero(graph: Any) -> tuple[dict[str, Columns], dict[Relation, Columns]]:
    """Tables of the kinds (id, x0, x1, ..., y, split) and of the relations (source, target, edge0, ...). A relation ("b", "rev_r", "a")
    beside ("a", "r", "b") is left out: each relation is read both ways.

    Raises:
        UsageError: For features that are no matrix of numbers, and masks of several splits.
    """
    parts = _of_pyg(graph) if hasattr(graph, "node_types") else _of_dgl(graph)
    nodes = {kind: _nodes(kind, count, of) for kind, (count, of) in parts.kinds.items()}
    edges = {
        (source, name, target): _edges((source, name, target), ends)
        for (source, name, target), ends in parts.relations.items()
        if not (name.startswith("rev_") and (target, name[4:], source) in parts.relations)
    }
    return nodes, edges


def _of_pyg(graph: Any) -> Parts:
    relations: dict[Relation, Ends] = {}
    for relation in graph.edge_types:
        index = as_array(graph[relation].edge_index)
        source, name, target = map(str, relation)
        relations[source, name, target] = Ends(index[0], index[1], getattr(graph[relation], "edge_attr", None))
    return Parts({str(kind): (int(graph[kind].num_nodes), graph[kind]) for kind in graph.node_types}, relations)


def _of_dgl(graph: Any) -> Parts:
    names = {"feat": "x", "label": "y", "labels": "y", "features": "x"}
    kinds = {kind: (int(graph.num_nodes(kind)), _Attributes(graph.nodes[kind].data, names)) for kind in graph.ntypes}
    relations: dict[Relation, Ends] = {}
    for relation in graph.canonical_etypes:
        sources, targets = graph.edges(etype=relation)
        features = _Attributes(graph.edges[relation].data, names).x
        relations[relation] = Ends(as_array(sources), as_array(targets), features)
    return Parts(kinds, relations)


def _edges(relation: Relation, ends: Ends) -> Columns:
    names: list[str] = ["source", "target"]
    parts: list[Any] = [part_of(ends.sources), part_of(ends.targets)]
    if ends.features is not None:
        found = as_array(ends.features)
        more, part = matrix_columns("edge", found.reshape(len(found), -1), f"graph[{relation}].edge_attr")
        if len(found) != len(ends.sources):
            raise _core.UsageError(f"graph[{relation}].edge_attr: expected {len(ends.sources)} rows, got {len(found)}")
        names, parts = [*names, *more], [*parts, part]
    return Columns(names, parts)


def _nodes(kind: str, count: int, of: Any) -> Columns:
    names: list[str] = ["id"]
    parts: list[Any] = [np.arange(count)]
    if (features := getattr(of, "x", None)) is not None:
        more, part = matrix_columns("x", features, f'graph["{kind}"].x')
        names, parts = [*names, *more], [*parts, part]
    if (labels := getattr(of, "y", None)) is not None:
        truths = as_array(labels)
        if truths.ndim > 1 and truths.shape[1:] != (1,):
            more, part = matrix_columns("y", truths, f'graph["{kind}"].y')
            names, parts = [*names, *more], [*parts, part]
        else:
            names, parts = [*names, "y"], [*parts, part_of(truths.reshape(-1))]
    if (split := split_of_masks(of, count)) is not None:
        names, parts = [*names, "split"], [*parts, part_of(split)]
    if any(len(part) != count for part in parts):
        raise _core.UsageError(f'graph["{kind}"]: expected {count} rows, got {sorted({len(part) for part in parts})}')
    return Columns(names, parts)
