"""Who attends to whom."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from edgewise import _core

# What the features of a self loop are made of those of other edges with, and what they are without any.
_REDUCTIONS = {"mean": 0.0, "add": 0.0, "min": 0.0, "max": 0.0, "mul": 1.0}


class Mask:
    """The edges along which attention runs.

    Edge e lets node `edge_index[1, e]` attend to node `edge_index[0, e]`, as in PyTorch Geometric. The mask keeps the
    edges in rows, sorted by target and then by source; `edge_index` and `edges` give them in that order.

    Args:
        edge_index: Integers [2, edges]: sources, then targets.
        nodes: How many nodes there are; or (sources, targets), if nodes attend to nodes of another kind.
        self_loops: Whether every node also attends to itself, once: loops that are given are replaced, as PyTorch
            Geometric does. By default the given ones are kept, and none is added.
        fill_value: The features of an added loop: "mean", "add", "min", "max" or "mul" of those of the other edges to
            its node (without any zeros, for "mul" ones); or a number, or one for each feature.
        edge_features: Numbers [edges, features], constants for the terms that `edgewise.torch.attend` can add to keys,
            values and scores.

    Raises:
        UsageError: If a shape does not match, or a node is out of range.
    """

    def __init__(
        self,
        edge_index: ArrayLike,
        nodes: int | tuple[int, int],
        *,
        self_loops: bool = False,
        fill_value: str | ArrayLike = "mean",
        edge_features: ArrayLike | None = None,
    ) -> None:
        index = _index(edge_index)
        sources, targets = _counts(nodes)
        if self_loops and sources != targets:
            raise _core.UsageError(f"Mask: self loops need nodes of one kind, got {sources} and {targets}")
        self._freeze(index, sources, targets, sources if self_loops else None, edge_features, fill_value)

    def _freeze(
        self,
        index: np.ndarray,
        sources: int,
        targets: int,
        loops: int | None = None,
        edge_features: ArrayLike | None = None,
        fill_value: str | ArrayLike = "mean",
    ) -> None:
        """Fills the mask; `loops`: the loops given are replaced by one at each of so many nodes."""
        features = None if edge_features is None else _matrix(edge_features, "edge_features", index.shape[1])
        self._fill_value = fill_value if isinstance(fill_value, str) else np.asarray(fill_value, np.float32).copy()
        self._given, self._loops, self._kept = index.shape[1], loops or 0, None
        if loops is not None:
            _core.check_nodes(index[0], "sources", sources)
            _core.check_nodes(index[1], "targets", targets)
            index, features, self._kept = _with_self_loops(index, loops, features, self._fill_value)
        self._core = _core.mask_from_edges(index[0], index[1], sources, targets, features)

    @classmethod
    def from_edge_index(
        cls,
        edge_index: ArrayLike,
        edge_attr: ArrayLike | None = None,
        num_nodes: int | tuple[int, int] | None = None,
        **options: Any,
    ) -> Mask:
        """A mask with the arguments of PyTorch Geometric's functions on graphs.

        Args:
            edge_index: As for `Mask`.
            edge_attr: The `edge_features` of `Mask`.
            num_nodes: The `nodes` of `Mask`; by default the highest node plus 1.
            options: `self_loops` and `fill_value`, as for `Mask`.
        """
        index = _index(edge_index)
        nodes = num_nodes if num_nodes is not None else int(index.max(initial=-1)) + 1
        return cls(index, nodes, edge_features=edge_attr, **options)

    @classmethod
    def from_dense(cls, matrix: ArrayLike) -> Mask:
        """The mask of a matrix of True and False: row i attends to column j if matrix[i, j].

        Args:
            matrix: [targets, sources]; or several [graphs, targets, sources], which become one mask: the nodes of each
                graph follow those of the one before.
        """
        table = np.asarray(matrix)
        if table.dtype != np.bool_ or table.ndim not in (2, 3):
            raise _core.UsageError(
                "Mask: expected True or False [targets, sources] or [graphs, targets, sources], got "
                f"{table.dtype} {list(table.shape)}"
            )
        graphs, targets, sources = table.shape if table.ndim == 3 else (1, *table.shape)
        graph, target, source = np.nonzero(table.reshape(graphs, targets, sources))
        return cls(np.stack([graph * sources + source, graph * targets + target]), (graphs * sources, graphs * targets))

    def _repeated(self, times: int) -> Mask:
        """The mask of so many copies of its nodes, the features included."""
        index = self.edge_index
        numbers = np.arange(times)[:, None]
        repeated = np.stack([(index[0] + numbers * self.source_count).ravel(),
                             (index[1] + numbers * self.target_count).ravel()])
        features = np.tile(self._core.features(), (times, 1)) if self.feature_count > 0 else None
        return type(self)(
            repeated, (times * self.source_count, times * self.target_count), edge_features=features
        )

    @classmethod
    def by_rule(
        cls, rule: str, nodes: int | Sequence[int] | None = None, *, edges: Mask | None = None, grid_columns: int = 0
    ) -> Mask:
        """A mask by name: "complete", "causal", "band:64", "grid:3", "k_hop:2" and so on.

        Args:
            rule: The name, with its parameters, as for `--mask` on the command line.
            nodes: How many nodes there are; or the number of each graph, if there are several. By default, those of
                `edges`.
            edges: The edges, for rules that follow them.
            grid_columns: For a grid whose nodes are in row-major order, how many columns it has.

        Raises:
            UsageError: For an unknown rule, or one that needs edges or a grid, if there are none.
        """
        if nodes is None:
            if edges is None:
                raise _core.UsageError("Mask.by_rule: say how many nodes there are, or give edges")
            nodes = edges.target_count
        sizes = [_count(size) for size in ([nodes] if isinstance(nodes, (int, np.integer)) else nodes)]
        _count(sum(sizes))
        core = _core.mask_from_rule(rule, sizes, None if edges is None else edges._core, grid_columns)
        return cls._of(core)

    @classmethod
    def from_scipy(cls, matrix: Any, **options: Any) -> Mask:
        """The mask of a sparse matrix: row i attends to column j if (i, j) is stored.

        Args:
            matrix: Any sparse matrix of SciPy.
            options: As for `Mask`.
        """
        entries = matrix.tocoo()
        rows, columns = entries.shape
        return cls(np.stack([entries.col, entries.row]), rows if rows == columns else (columns, rows), **options)

    @classmethod
    def _of(cls, core: _core.Mask) -> Mask:
        mask = cls.__new__(cls)
        mask._core = core
        mask._given, mask._loops, mask._kept, mask._fill_value = core.edge_count, 0, None, "mean"
        return mask

    def __copy__(self) -> Mask:
        return self  # nothing can change it

    def __deepcopy__(self, memo: dict[int, Any]) -> Mask:
        return self

    def __getstate__(self) -> dict[str, Any]:
        core = self._core
        slots = {name: getattr(core, name)() for name in ("sources", "targets", "edges", "features")}
        counts = {name: getattr(core, name) for name in ("source_count", "destination_count")}
        return {**self.__dict__, "_core": {**slots, **counts}}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _core=_core.mask_from_slots(**state["_core"]))

    @property
    def source_count(self) -> int:
        """How many nodes can be attended to."""
        return self._core.source_count

    @property
    def target_count(self) -> int:
        """How many nodes attend."""
        return self._core.destination_count

    @property
    def edge_count(self) -> int:
        """How many edges there are, with added self loops."""
        return self._core.edge_count

    @property
    def edge_index(self) -> np.ndarray:
        """The edges in the order of the mask: sources and targets [2, edges]."""
        return np.stack([self._core.sources(), self._core.targets()])

    @property
    def edges(self) -> np.ndarray:
        """For each edge in the order of the mask, its number in the given `edge_index`; -1 for an added self loop."""
        edges = self._core.edges()
        edges[edges >= (self._given if self._kept is None else len(self._kept))] = -1
        if self._kept is not None:
            edges[edges >= 0] = self._kept[edges[edges >= 0]]
        return edges

    @property
    def feature_count(self) -> int:
        """How many features an edge has."""
        return self._core.feature_count

    def __repr__(self) -> str:
        nodes = f"{self.target_count} nodes"
        if self.source_count != self.target_count:
            nodes = f"{self.target_count} targets, {self.source_count} sources"
        return f"Mask({nodes}, {self.edge_count} edges)"


def _count(nodes: int) -> int:
    nodes = operator.index(nodes)
    if nodes < 0 or nodes >= 2**32:
        raise _core.UsageError(f"Mask: expected from 0 to {2**32 - 1} nodes, got {nodes}")
    return nodes


def _counts(nodes: int | tuple[int, int]) -> tuple[int, int]:
    if isinstance(nodes, (int, np.integer)):
        return _count(nodes), _count(nodes)
    if not isinstance(nodes, Sequence) or len(nodes) != 2:
        raise _core.UsageError(f"Mask: expected nodes as a number, or as (sources, targets), got {nodes}")
    return _count(nodes[0]), _count(nodes[1])


def check_mask(operation: str, mask: Any) -> Mask:
    if not isinstance(mask, Mask):
        raise _core.UsageError(
            f"{operation}: expected a mask, got {type(mask).__name__}: make one of edges with "
            "edgewise.Mask(edge_index, nodes)"
        )
    return mask


def _index(edge_index: Any) -> np.ndarray:
    index = np.asarray(edge_index)
    if index.ndim != 2 or index.shape[0] != 2:
        hint = ": pass its transpose" if index.ndim == 2 and index.shape[1] == 2 else ""
        raise _core.UsageError(f"Mask: expected edge_index [2, edges], got {list(index.shape)}{hint}")
    if index.shape[1] > 0 and not np.issubdtype(index.dtype, np.integer):
        raise _core.UsageError(f"Mask: expected integers in edge_index, got {index.dtype}")
    return np.ascontiguousarray(index, dtype=np.int64)


def _matrix(values: ArrayLike, name: str, rows: int) -> np.ndarray:
    if getattr(values, "requires_grad", False):
        raise _core.UsageError(
            f"Mask: {name} are constants, but this tensor requires a gradient: detach() it, or give it to each call of "
            "a layer or of edgewise.torch.attend as edge_attr"
        )
    matrix = np.ascontiguousarray(values, dtype=np.float32)
    if matrix.ndim == 1:
        matrix = matrix[:, None]
    if matrix.ndim != 2 or matrix.shape[0] != rows:
        raise _core.UsageError(f"Mask: expected {name} [{rows}, features], got {list(matrix.shape)}")
    return matrix


def _with_self_loops(
    index: np.ndarray, nodes: int, features: np.ndarray | None, fill_value: str | ArrayLike
) -> tuple[np.ndarray, np.ndarray | None, np.ndarray | None]:
    """The edges with one loop at each node, their features, and the numbers of the given ones kept; None: all."""
    is_kept, kept = index[0] != index[1], None
    if not is_kept.all():
        kept = np.flatnonzero(is_kept)
        index, features = index.take(kept, axis=1), None if features is None else features[kept]
    loops = np.arange(nodes)
    if features is not None:
        of_loops = features_of_loops(index[1], nodes, features, fill_value)
        features = np.ascontiguousarray(np.concatenate([features, of_loops]))
    return np.concatenate([index, np.stack([loops, loops])], axis=1), features, kept


def features_of_loops(
    targets: np.ndarray, nodes: int, features: np.ndarray, fill_value: str | ArrayLike
) -> np.ndarray:
    """[nodes, features]; `targets` and `features` are those of edges that are no loops."""
    shape = (nodes, features.shape[1])
    if not isinstance(fill_value, str):
        filled = np.asarray(fill_value, dtype=np.float32)
        if filled.shape not in ((), (1,), (1, shape[1]), (shape[1],)):
            raise _core.UsageError(f"Mask: expected fill_value [{shape[1]}], got {list(filled.shape)}")
        return np.broadcast_to(filled, shape)
    if fill_value not in _REDUCTIONS:
        raise _core.UsageError(f'Mask: fill_value: expected {", ".join(_REDUCTIONS)} or numbers, got "{fill_value}"')
    return _core.reduce_features(targets, features, nodes, fill_value, _REDUCTIONS[fill_value])
