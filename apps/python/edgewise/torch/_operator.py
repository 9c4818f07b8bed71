"""Attention along an edge_index as an operator of PyTorch, for programs that torch.compile and torch.export make."""

# No postponed annotations: torch.library reads them.

from typing import Any, List, Optional  # noqa: UP035: torch.library reads the annotations

import torch
from torch import Tensor

from edgewise import _core
from edgewise._mask import Mask
from edgewise.torch._attention import INPUTS, core_attention, core_of
from edgewise.torch._edges import features_of_call, mask_of_edges


class TracedEdges:
    """The edges of a call while a program is recorded, in place of a mask, which is made when the program runs."""

    _kept = None
    _loops = 0

    def __init__(self, edge_index: Tensor, loops: Optional[int], fill_value: Any) -> None:
        self.edge_index, self.loops, self.fill_value = edge_index, -1 if loops is None else loops, str(fill_value)


def attend_traced(
    edges: TracedEdges, edge_attr: Optional[Tensor], tables: dict[str, Tensor], options: dict[str, Any], dropout: float
) -> Tensor:
    """The output of `attend_rows` in a program that is recorded."""
    dtype = tables["value"].dtype
    given = [tables[name].float() if name in tables else None for name in INPUTS]
    key = torch.randint(2**62, ()) if dropout > 0 else torch.zeros((), dtype=torch.int64)
    out: Tensor = torch.ops.edgewise.attend(
        edges.edge_index, edge_attr, *given, key, edges.loops, edges.fill_value, options["heads"], options["score"],
        options["negative_slope"], dropout,
    )  # fmt: skip
    return out.to(dtype)


def _attention(
    edge_index: Tensor, edge_attr: Optional[Tensor], tables: list[Optional[Tensor]], key: Tensor, loops: int,
    fill_value: str, heads: int, score: str, negative_slope: float, dropout: float,
) -> _core.Attention:  # fmt: skip
    query, keys = tables[0], tables[1]
    assert query is not None and keys is not None
    mask: Mask = mask_of_edges("attend", edge_index, keys.size(0), query.size(0), None if loops < 0 else loops)
    features = None
    if edge_attr is not None:
        features = features_of_call(mask, edge_attr, _fill(fill_value), "attend")
    options = {
        "heads": heads, "score": score, "normaliser": "softmax", "scale": True, "negative_slope": negative_slope,
        "dropout": dropout, "dropout_key": int(key),
    }  # fmt: skip
    return core_attention(core_of(mask, features), options, tables)


def _fill(text: str) -> Any:
    try:
        return float(text)
    except ValueError:
        return text


@torch.library.custom_op("edgewise::attend", mutates_args=())
def attend_edges(
    edge_index: Tensor,
    edge_attr: Optional[Tensor],
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_vector: Optional[Tensor],
    edge_weight: Optional[Tensor],
    value_edge_weight: Optional[Tensor],
    edge_bias: Optional[Tensor],
    dropout_key: Tensor,
    loops: int,
    fill_value: str,
    heads: int,
    score: str,
    negative_slope: float,
    dropout: float,
) -> Tensor:
    tables = [query, key, value, attention_vector, edge_weight, value_edge_weight, edge_bias]
    attention = _attention(
        edge_index, edge_attr, tables, dropout_key, loops, fill_value, heads, score, negative_slope, dropout
    )
    return torch.from_numpy(attention.forward()[0])


@attend_edges.register_fake
def _(edge_index: Tensor, edge_attr: Any, query: Tensor, key: Tensor, value: Tensor, *others: Any) -> Tensor:
    return value.new_empty(query.size(0), value.size(1))


@torch.library.custom_op("edgewise::attend_backward", mutates_args=())
def attend_edges_backward(
    gradient: Tensor,
    wanted: List[int],
    edge_index: Tensor,
    edge_attr: Optional[Tensor],
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_vector: Optional[Tensor],
    edge_weight: Optional[Tensor],
    value_edge_weight: Optional[Tensor],
    edge_bias: Optional[Tensor],
    dropout_key: Tensor,
    loops: int,
    fill_value: str,
    heads: int,
    score: str,
    negative_slope: float,
    dropout: float,
) -> List[Tensor]:
    """Runs the forward pass again: its statistics have another size on each processor, so a program cannot hold them."""
    tables = [query, key, value, attention_vector, edge_weight, value_edge_weight, edge_bias]
    attention = _attention(
        edge_index, edge_attr, tables, dropout_key, loops, fill_value, heads, score, negative_slope, dropout
    )
    output, statistics = attention.forward()
    arrays = attention.backward(output, statistics, gradient.contiguous().numpy(), [INPUTS[i] for i in wanted])
    return [torch.from_numpy(array) for array in arrays]


@attend_edges_backward.register_fake
def _(gradient: Tensor, wanted: List[int], edge_index: Tensor, edge_attr: Any, *given: Any) -> List[Tensor]:
    return [torch.empty_like(given[i]) for i in wanted]


def _keep(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    ctx.save_for_backward(*inputs[:10])
    ctx.options = inputs[10:]


def _backward(ctx: Any, gradient: Tensor) -> tuple[Optional[Tensor], ...]:
    inputs = ctx.saved_tensors
    wanted = [i for i in range(len(INPUTS)) if ctx.needs_input_grad[2 + i]]
    made = torch.ops.edgewise.attend_backward(gradient, wanted, *inputs, *ctx.options)
    of_tables: list[Optional[Tensor]] = [None] * len(INPUTS)
    for i, table in zip(wanted, made):
        of_tables[i] = table
    return (None, None, *of_tables, *([None] * 7))


attend_edges.register_autograd(_backward, setup_context=_keep)
