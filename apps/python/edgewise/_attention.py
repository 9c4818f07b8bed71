"""Attention over a mask, without gradients."""

from __future__ import annotations

from typing import Literal, overload

import numpy as np
from numpy.typing import ArrayLike

from edgewise import _core
from edgewise._mask import Mask, check_mask
from edgewise._shapes import Heads, batched, scaling, squeezed


@overload
def attend(
    mask: Mask | ArrayLike,
    query: ArrayLike,
    key: ArrayLike,
    value: ArrayLike,
    *,
    heads: int | None = ...,
    score: str = ...,
    normaliser: str = ...,
    scale: bool | float | None = ...,
    negative_slope: float = ...,
    attention_vector: ArrayLike | None = ...,
    return_weights: Literal[False] = ...,
) -> np.ndarray: ...


@overload
def attend(
    mask: Mask | ArrayLike,
    query: ArrayLike,
    key: ArrayLike,
    value: ArrayLike,
    *,
    heads: int | None = ...,
    score: str = ...,
    normaliser: str = ...,
    scale: bool | float | None = ...,
    negative_slope: float = ...,
    attention_vector: ArrayLike | None = ...,
    return_weights: Literal[True],
) -> tuple[np.ndarray, np.ndarray]: ...


def attend(
    mask: Mask | ArrayLike,
    query: ArrayLike,
    key: ArrayLike,
    value: ArrayLike,
    *,
    heads: int | None = None,
    score: str = "dot_product",
    normaliser: str = "softmax",
    scale: bool | float | None = True,
    negative_slope: float = 0.2,
    attention_vector: ArrayLike | None = None,
    return_weights: bool = False,
) -> np.ndarray | tuple[np.ndarray, np.ndarray]:
    """Attention along the edges of a mask, computed only for pairs of nodes that have one.

    Heads are side by side in a row. T: targets of the mask, S: its sources, H: heads, W: columns of a head. All arrays
    become float32. Time grows with edges * H * W; no array of that size is ever made.

    Args:
        mask: Who attends to whom; or True and False [T, S], where True lets the row attend to the column.
        query: [T, H * W]; for the score "gat" [T, H]. Or [batch, H, T, W], as PyTorch has it: then the mask is that of
            each graph, or of all, one after the other; True and False may also be [batch, T, S] or [batch, 1, T, S].
        key: [S, H * W]; for the score "gat" [S, H]. Or [batch, H, S, W].
        value: As key, with W columns a head. Keys and values may have fewer heads, of which each serves a group of
            neighbouring heads of the queries; not for the score "gat" in two dimensions.
        heads: How many heads the queries have: by default 1, or as their shape says.
        score: "dot_product" (Vaswani et al. 2017), "gat" (Velickovic et al. 2018), "gatv2" (Brody et al. 2022) or
            "bahdanau" (Bahdanau et al. 2015).
        normaliser: "softmax", "relu" (Wortsman et al. 2023) or "none".
        scale: For "dot_product": whether to divide by the square root of W; or the number to multiply by.
        negative_slope: Of the LeakyReLU in "gat" and "gatv2".
        attention_vector: [H * W], for "gatv2" and "bahdanau"; ones by default.
        return_weights: Whether to also return the attention weights.

    Returns:
        [T, H * W] or [batch, H, T, W], as the queries; a target without edges gets zeros. With `return_weights`, also
        the weights [edges, H], in the order of `mask.edge_index`: row by row of a mask of True and False, and graph by
        graph.

    Raises:
        UsageError: If a shape does not match, or for an unknown name.
    """
    of_heads = Heads(_array(query), _array(key), _array(value), heads, is_grouped=score != "gat")
    tables = [_rows(name, table) for name, table in zip(("query", "key", "value"), of_heads.tables)]
    is_scaled, factor = scaling(score, scale)
    vector = None if attention_vector is None else _rows("attention_vector", np.reshape(attention_vector, (1, -1)))
    attention = _core.Attention(
        batched(mask_of(mask), of_heads.batch, tables[0])._core,
        tables[0] if factor == 1 else np.float32(factor) * tables[0],
        *tables[1:],
        attention_vector=vector,
        score=score,
        normaliser=normaliser,
        heads=of_heads.count,
        scale=is_scaled,
        negative_slope=negative_slope,
    )
    rows, statistics = attention.forward()
    output = of_heads.output(rows)
    return (output, attention.weights(statistics)) if return_weights else output


def mask_of(mask: Mask | ArrayLike) -> Mask:
    """The mask itself, or that of True and False."""
    if not isinstance(mask, Mask) and (table := np.asarray(mask)).dtype == np.bool_:
        return Mask.from_dense(squeezed(table))
    return check_mask("attend", mask)


def _array(values: ArrayLike) -> np.ndarray:
    return np.asarray(values, dtype=np.float32)


def _rows(name: str, values: ArrayLike) -> np.ndarray:
    rows = np.ascontiguousarray(values, dtype=np.float32)
    if rows.ndim != 2:
        raise _core.UsageError(f"attend: expected {name} [rows, columns], got {list(rows.shape)}")
    return rows
