"""The shapes in which queries, keys and values come, for NumPy and PyTorch alike."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from edgewise import _core
from edgewise._mask import Mask


class Heads:
    """Tables as the kernels read them, [rows, heads * columns], and how the output gets the shape of the queries.

    Queries, keys and values are [rows, heads * columns], or [batch, heads, rows, columns] as in PyTorch. There may be
    fewer heads of keys and values than of queries, for groups of queries.

    Attributes:
        count: How many heads the queries have.
        batch: How many graphs there are, one after the other in the tables; None if the shape does not say it.
        tables: The queries, the keys and the values.
    """

    def __init__(self, query: Any, key: Any, value: Any, heads: int | None, is_grouped: bool = True) -> None:
        """`is_grouped`: whether keys and values with fewer columns than the queries have fewer heads."""
        given = {"query": query, "key": key, "value": value}
        ranks = {name: len(table.shape) for name, table in given.items()}
        expected = ranks["query"] if ranks["query"] in (2, 4) else 2
        for name, rank in ranks.items():
            if rank != expected:
                shape = "[rows, columns]" if expected == 2 else "[batch, heads, rows, columns]"
                also = " or [batch, heads, rows, columns]" if name == "query" else ""
                raise _core.UsageError(f"attend: expected {name} {shape}{also}, got {list(given[name].shape)}")
        self.batch: int | None = query.shape[0] if expected == 4 else None
        self.count = _head_count(heads, query.shape[1] if expected == 4 else None)
        if self.batch is not None:
            for name, table in given.items():
                if table.shape[0] != self.batch:
                    raise _core.UsageError(f"attend: {name} has a batch of {table.shape[0]}, query one of {self.batch}")
            self.tables = [self._from_batch(name, table) for name, table in given.items()]
        elif is_grouped and self.count > 0 and query.shape[1] % self.count == 0:
            columns = query.shape[1] // self.count
            self.tables = [query, *(self._grouped(name, given[name], columns) for name in ("key", "value"))]
        else:
            self.tables = [query, key, value]

    def output(self, rows: Any) -> Any:
        """Rows [rows, heads * columns] in the shape of the queries."""
        if self.batch is None:
            return rows
        return rows.reshape(self.batch, -1, self.count, rows.shape[1] // self.count).swapaxes(1, 2)

    def _from_batch(self, name: str, table: Any) -> Any:
        batch, heads, rows, columns = table.shape
        by_row = self._of_all_heads(name, table.swapaxes(1, 2).reshape(batch * rows, heads, columns))
        return by_row.reshape(batch * rows, self.count * columns)

    def _grouped(self, name: str, table: Any, columns: int) -> Any:
        rows, given = table.shape
        if columns == 0 or given == columns * self.count or given % columns != 0 or given == 0:
            return table
        return self._of_all_heads(name, table.reshape(rows, given // columns, columns)).reshape(rows, -1)

    def _of_all_heads(self, name: str, table: Any) -> Any:
        """[rows, heads, columns], each head as often as queries share it."""
        groups = table.shape[1]
        if groups == self.count:
            return table
        if groups == 0 or self.count % groups != 0:
            raise _core.UsageError(f"attend: {name} has {groups} heads, which do not divide the {self.count} of query")
        return table[:, [head // (self.count // groups) for head in range(self.count)]]


def _head_count(heads: int | None, of_shape: int | None) -> int:
    if heads is None:
        return 1 if of_shape is None else of_shape
    if of_shape is not None and operator.index(heads) != of_shape:
        raise _core.UsageError(f"attend: heads is {heads}, but query has {of_shape}")
    return operator.index(heads)


def batched(mask: Mask, batch: int | None, query: Any) -> Mask:
    """The mask of all graphs of a batch, where it is that of each of them. `query` [rows, columns]."""
    rows = query.shape[0]
    is_of_each = batch is not None and batch > 1 and mask.target_count * batch == rows
    return mask._repeated(batch) if batch is not None and is_of_each else mask


def squeezed(matrix: Any) -> Any:
    """Of a boolean mask [batch, 1, targets, sources], [batch, targets, sources]."""
    if len(matrix.shape) == 4:
        if matrix.shape[1] != 1:
            raise _core.UsageError(
                f"attend: expected one mask for all heads, got {list(matrix.shape)}: call attend for each head"
            )
        return matrix[:, 0]
    return matrix


def scaling(score: str, scale: Any) -> tuple[bool, float]:
    """Whether the kernel divides the score by the square root of the columns, and what to multiply the query by."""
    if scale is None or isinstance(scale, (bool, np.bool_)):
        return scale is None or bool(scale), 1.0
    if not isinstance(scale, (int, float, np.integer, np.floating)) or not np.isfinite(scale):
        raise _core.UsageError(f"attend: scale: expected True, False or a number, got {scale!r}")
    if score != "dot_product":
        raise _core.UsageError(f'attend: scale: only the score "dot_product" takes a number, got "{score}"')
    return False, float(scale)
