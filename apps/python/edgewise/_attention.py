"""Attention over a mask, without gradients."""

from __future__ import annotations

import operator

import numpy as np
from numpy.typing import ArrayLike

from edgewise import _core
from edgewise._mask import Mask, check_mask


def attend(
    mask: Mask,
    query: ArrayLike,
    key: ArrayLike,
    value: ArrayLike,
    *,
    heads: int = 1,
    score: str = "dot_product",
    normaliser: str = "softmax",
    scale: bool = True,
    negative_slope: float = 0.2,
    attention_vector: ArrayLike | None = None,
    precision: str = "float32",
    return_weights: bool = False,
) -> np.ndarray | tuple[np.ndarray, np.ndarray]:
    """Attention along the edges of a mask, computed only for pairs of nodes that have one.

    Heads are side by side in a row. T: targets of the mask, S: its sources, H: heads, W: columns of a head. All arrays
    become float32. Time grows with edges * H * W; no array of that size is ever made.

    Args:
        mask: Who attends to whom.
        query: [T, H * W]; for the score "gat" [T, H].
        key: [S, H * W]; for the score "gat" [S, H].
        value: [S, H * W].
        heads: How many heads there are.
        score: "dot_product" (Vaswani et al. 2017), "gat" (Velickovic et al. 2018), "gatv2" (Brody et al. 2022) or
            "bahdanau" (Bahdanau et al. 2015).
        normaliser: "softmax", "relu" (Wortsman et al. 2023) or "none".
        scale: For "dot_product": whether to divide by the square root of W.
        negative_slope: Of the LeakyReLU in "gat" and "gatv2".
        attention_vector: [H * W], for "gatv2" and "bahdanau"; ones by default.
        precision: How rows are stored while they are read: "float32", or "bfloat16" for half the bytes.
        return_weights: Whether to also return the attention weights.

    Returns:
        [T, H * W]; a target without edges gets zeros. With `return_weights`, also the weights [edges, H], in the order
        of `mask.edge_index`.

    Raises:
        UsageError: If a shape does not match, or for an unknown name.
    """
    check_mask("attend", mask)
    vector = None if attention_vector is None else _rows("attention_vector", np.reshape(attention_vector, (1, -1)))
    attention = _core.Attention(
        mask._core,
        _rows("query", query),
        _rows("key", key),
        _rows("value", value),
        attention_vector=vector,
        score=score,
        normaliser=normaliser,
        precision=precision,
        heads=operator.index(heads),
        scale=flag("attend: scale", scale),
        negative_slope=negative_slope,
    )
    output, statistics = attention.forward()
    return (output, attention.weights(statistics)) if return_weights else output


def flag(name: str, value: bool) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise _core.UsageError(f"{name}: expected True or False, got {value!r}")
    return bool(value)


def _rows(name: str, values: ArrayLike) -> np.ndarray:
    rows = np.ascontiguousarray(values, dtype=np.float32)
    if rows.ndim != 2:
        raise _core.UsageError(f"attend: expected {name} [rows, columns], got {list(rows.shape)}")
    return rows
