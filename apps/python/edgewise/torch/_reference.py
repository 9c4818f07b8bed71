"""Attention along edges in operations of PyTorch: for any type of numbers, and any number of times differentiable."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional


def attend_by_edges(
    ends: tuple[Tensor, Tensor],
    features: Tensor | None,
    tables: Mapping[str, Tensor],
    options: Mapping[str, Any],
    dropout: float,
) -> tuple[Tensor, Tensor, Tensor]:
    """The output [targets, heads * columns], and the weights [edges, heads] before and after dropout.

    Args:
        ends: The sources and the targets of the edges.
        features: [edges, features].
        tables: Those of `edgewise.torch.attend`, as matrices.
        options: Its "heads", "score", "normaliser", "scale" and "negative_slope".
    """
    sources, targets = ends
    heads, count = options["heads"], tables["query"].size(0)

    def at_edges(name: str, nodes: Tensor) -> Tensor:
        return tables[name].index_select(0, nodes).view(len(nodes), heads, -1)

    def of_features(name: str) -> Tensor:
        assert features is not None
        return (features @ tables[name]).view(len(sources), heads, -1)

    query, key, value = at_edges("query", targets), at_edges("key", sources), at_edges("value", sources)
    if "edge_weight" in tables:
        key = key + of_features("edge_weight")
    if "value_edge_weight" in tables:
        value = value + of_features("value_edge_weight")
    scores = _scores(query, key, tables.get("attention_vector"), options)
    if "edge_bias" in tables:
        scores = scores + of_features("edge_bias").squeeze(-1)
    if options["score"] == "gat":
        scores = functional.leaky_relu(scores, options["negative_slope"])
    weights = _normalised(scores, targets, count, options["normaliser"])
    kept = functional.dropout(weights, dropout) if dropout > 0 else weights
    messages = (kept.unsqueeze(-1) * value).flatten(1)
    output = messages.new_zeros(count, messages.size(1)).index_add(0, targets, messages)
    return output, weights, kept


def _scores(query: Tensor, key: Tensor, vector: Tensor | None, options: Mapping[str, Any]) -> Tensor:
    """[edges, heads], without the term of the edges, and for "gat" before its LeakyReLU."""
    if options["score"] == "gat":
        return (query + key).squeeze(-1)
    if options["score"] == "dot_product":
        return (query * key).sum(-1) / (math.sqrt(key.size(-1)) if options["scale"] else 1.0)
    is_gatv2 = options["score"] == "gatv2"
    hidden = functional.leaky_relu(query + key, options["negative_slope"]) if is_gatv2 else torch.tanh(query + key)
    return (hidden if vector is None else hidden * vector.view(1, *hidden.shape[1:])).sum(-1)


def _normalised(scores: Tensor, targets: Tensor, count: int, normaliser: str) -> Tensor:
    if normaliser == "none":
        return scores
    if normaliser == "relu":
        return scores.relu() / torch.bincount(targets, minlength=count)[targets].unsqueeze(-1)
    index = targets.unsqueeze(-1).expand_as(scores)
    highest = scores.new_full((count, scores.size(1)), -math.inf).scatter_reduce(0, index, scores.detach(), "amax")
    exponentials = (scores - highest[targets]).exp()
    sums = exponentials.new_zeros(count, scores.size(1)).index_add(0, targets, exponentials)
    return exponentials / sums[targets]
