"""`edgewise.torch.attend`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypeVar, overload

import numpy as np
import torch
from numpy.typing import ArrayLike
from torch import Tensor

from edgewise import _core
from edgewise._attention import mask_of
from edgewise._mask import Mask
from edgewise._shapes import Heads, batched, scaling
from edgewise.torch._edges import ends, features_of_call, kept, kept_features, order_of
from edgewise.torch._reference import attend_by_edges

Callee = TypeVar("Callee", bound=Callable[..., Any])

INPUTS = ("query", "key", "value", "attention_vector", "edge_weight", "value_edge_weight", "edge_bias")


# The gradients of these depend neither on the values nor on the output.
_OF_VALUES = {"value", "value_edge_weight"}


def not_compiled(function: Callee) -> Callee:
    """The function, which torch.compile leaves as it is."""
    disabled: Callee = torch.compiler.disable(function)  # type: ignore[no-untyped-call, unused-ignore]
    return disabled


class _Attend(torch.autograd.Function):
    """PyTorch alone keeps what the backward pass reads, so it notices changes in place, and frees it afterwards."""

    @staticmethod
    def forward(ctx: Any, mask: Mask, core: _core.Mask, options: dict[str, Any], *inputs: Tensor | None) -> Tensor:
        attention = core_attention(core, options, inputs)
        output, statistics = (torch.from_numpy(array) for array in attention.forward())
        ctx.mask, ctx.core, ctx.options = mask, core, options
        ctx.wanted = [name for name, is_wanted in zip(INPUTS, ctx.needs_input_grad[3:]) if is_wanted]
        query, key, value, *others = inputs
        assert value is not None
        ctx.value_shape = value.shape
        ctx.save_for_backward(
            output if attention.reads_output(ctx.wanted) else None,
            statistics,
            query,
            key,
            value if set(ctx.wanted) - _OF_VALUES else None,
            *others,
        )
        return output

    @staticmethod
    def backward(ctx: Any, output_gradient: Tensor) -> tuple[Tensor | None, ...]:
        output, statistics, query, key, value, *others = ctx.saved_tensors
        value = torch.zeros(ctx.value_shape) if value is None else value
        inputs = (query, key, value, *others)
        if torch.is_grad_enabled():  # with create_graph=True
            made = _differentiable_gradients(ctx, inputs, output_gradient)
        else:
            arrays = core_attention(ctx.core, ctx.options, inputs).backward(
                None if output is None else output.numpy(),
                statistics.numpy(),
                output_gradient.contiguous().numpy(),
                ctx.wanted,
            )
            made = {name: torch.from_numpy(array) for name, array in zip(ctx.wanted, arrays)}
        return (None, None, None, *(made.get(name) for name in INPUTS))


def core_attention(core: _core.Mask, options: dict[str, Any], inputs: Sequence[Tensor | None]) -> _core.Attention:
    arrays: dict[str, Any] = {name: x.detach().contiguous().numpy() for name, x in zip(INPUTS, inputs) if x is not None}
    return _core.Attention(core, **arrays, **options)


def _differentiable_gradients(ctx: Any, inputs: Sequence[Tensor | None], gradient: Tensor) -> dict[str, Tensor]:
    """The gradients of the wanted inputs by operations of PyTorch."""
    if ctx.options["dropout"] > 0:
        raise _core.UsageError(
            "attend: gradients of gradients (create_graph=True) need dropout=0, float64, or a layer in eval mode"
        )
    # One tensor may be several inputs: each gets a name of its own.
    tables = {name: x.view_as(x) for name, x in zip(INPUTS, inputs) if x is not None}
    features = torch.from_numpy(ctx.core.features()) if ctx.core.feature_count > 0 else None
    output, _, _ = attend_by_edges(ends(ctx.mask), features, tables, ctx.options, dropout=0.0)
    wanted = [tables[name] for name in ctx.wanted]
    gradients = torch.autograd.grad(output, wanted, gradient, create_graph=True, materialize_grads=True)
    return dict(zip(ctx.wanted, gradients))


@overload
def attend(
    mask: Mask | ArrayLike | Tensor,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    *,
    heads: int | None = ...,
    score: str = ...,
    normaliser: str = ...,
    scale: bool | float | None = ...,
    negative_slope: float = ...,
    attention_vector: Tensor | None = ...,
    edge_attr: Tensor | None = ...,
    edge_weight: Tensor | None = ...,
    value_edge_weight: Tensor | None = ...,
    edge_bias: Tensor | None = ...,
    dropout: float = ...,
    return_weights: Literal[False] = ...,
) -> Tensor: ...


@overload
def attend(
    mask: Mask | ArrayLike | Tensor,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    *,
    heads: int | None = ...,
    score: str = ...,
    normaliser: str = ...,
    scale: bool | float | None = ...,
    negative_slope: float = ...,
    attention_vector: Tensor | None = ...,
    edge_attr: Tensor | None = ...,
    edge_weight: Tensor | None = ...,
    value_edge_weight: Tensor | None = ...,
    edge_bias: Tensor | None = ...,
    dropout: float = ...,
    return_weights: Literal[True],
) -> tuple[Tensor, Tensor]: ...


@not_compiled
def attend(
    mask: Mask | ArrayLike | Tensor,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    *,
    heads: int | None = None,
    score: str = "dot_product",
    normaliser: str = "softmax",
    scale: bool | float | None = True,
    negative_slope: float = 0.2,
    attention_vector: Tensor | None = None,
    edge_attr: Tensor | None = None,
    edge_weight: Tensor | None = None,
    value_edge_weight: Tensor | None = None,
    edge_bias: Tensor | None = None,
    dropout: float = 0.0,
    return_weights: bool = False,
) -> Tensor | tuple[Tensor, Tensor]:
    """`edgewise.attend` with gradients of all tensors.

    In float32, bfloat16 and float16 no tensor of edges * H * W is made, forward or backward: the backward pass computes
    the weights again. Such a tensor is made for float64, for gradients of `edge_attr`, of weights that are returned,
    and of gradients. F: features of an edge.

    Args:
        edge_attr: [edges, F]: the features of the edges, in the order in which the mask got them, in place of those
            that the mask keeps. By default those of the mask, which are constants.
        edge_weight: [F, H * W]: features . edge_weight is added to the key. Not for "gat".
        value_edge_weight: [F, H * W]: features . value_edge_weight is added to the value.
        edge_bias: [F, H]: features . edge_bias is added to the score; for "gat", before its LeakyReLU.
        dropout: Probability that an attention weight is dropped; the others are divided by 1 - dropout. The choice
            follows `torch.manual_seed`.
        return_weights: Whether to also return the attention weights, before dropout.

    The other arguments, the result and the errors are those of `edgewise.attend`. The result has the type of the
    tensors.
    """
    refuse_tracing("attend")
    vector = attention_vector.reshape(1, -1) if isinstance(attention_vector, Tensor) else attention_vector
    inputs = (query, key, value, vector, edge_weight, value_edge_weight, edge_bias)
    for name, tensor in zip(INPUTS, inputs):
        _check(name, tensor)
    of_heads = Heads(query, key, value, heads, is_grouped=score != "gat")
    rows, *others = of_heads.tables
    is_scaled, factor = scaling(score, scale)
    tables = {name: x for name, x in zip(INPUTS, (rows, *others, *inputs[3:])) if x is not None}
    if factor != 1:
        tables["query"] = factor * rows
    for name in ("edge_weight", "value_edge_weight", "edge_bias"):
        if name in tables and tables[name].dim() != 2:
            raise _core.UsageError(f"attend: expected {name} [features, columns], got {list(tables[name].shape)}")
    of_all = _mask(mask, of_heads.batch, rows)
    features = None if edge_attr is None else features_of_call(of_all, edge_attr, of_all._fill_value, "attend")
    options = {
        "heads": of_heads.count,
        "score": score,
        "normaliser": normaliser,
        "scale": is_scaled,
        "negative_slope": negative_slope,
    }
    out, weights = attend_rows(of_all, features, tables, options, dropout, with_weights=return_weights)
    shaped: Tensor = of_heads.output(out)
    return (shaped, weights[0]) if weights is not None else shaped


def attend_rows(
    mask: Mask,
    features: Tensor | None,
    tables: Mapping[str, Tensor],
    options: Mapping[str, Any],
    dropout: float,
    with_weights: bool = False,
) -> tuple[Tensor, tuple[Tensor, Tensor] | None]:
    """The output [targets, heads * columns], and the weights [edges, heads] before and after dropout, if wanted.

    Args:
        features: [edges, features], from `features_of_call`; None: those that the mask keeps.
        tables: The tensors of `attend`, as matrices.
        options: Its "heads", "score", "normaliser", "scale" and "negative_slope".
    """
    dtype = _common_type([tables[name] for name in INPUTS[:4] if name in tables])
    is_recorded = torch.is_grad_enabled() and any(x.requires_grad for x in tables.values())
    needs_gradient_of_features = features is not None and features.requires_grad and torch.is_grad_enabled()
    if dtype == torch.float64 or needs_gradient_of_features or (with_weights and (is_recorded or dropout > 0)):
        # The kernel checks the shapes and the names.
        check: dict[str, Any] = {name: np.zeros(x.shape, np.float32) for name, x in tables.items()}
        _core.Attention(core_of(mask, features), **check, **options, dropout=dropout)
        wide = torch.promote_types(dtype, torch.float32)
        in_order = kept_features(mask) if features is None else features.index_select(0, order_of(mask))
        in_order = None if in_order is None else in_order.to(wide)
        given = {name: x.to(wide) for name, x in tables.items()}
        with torch.autocast("cpu", enabled=False):
            out, *weights = attend_by_edges(ends(mask), in_order, given, options, dropout)
        return out.to(dtype), (weights[0], weights[1]) if with_weights else None
    core = core_of(mask, features)
    inputs = [x.float() if (x := tables.get(name)) is not None else None for name in INPUTS]
    if with_weights:
        attention = core_attention(core, dict(options), inputs)
        output, statistics = attention.forward()
        of_edges = torch.from_numpy(attention.weights(statistics))
        return torch.from_numpy(output).to(dtype), (of_edges, of_edges)
    key = int(torch.randint(2**62, ())) if dropout > 0 else 0
    all_options = {**options, "dropout": dropout, "dropout_key": key}
    recorded: Tensor = _Attend.apply(mask, core, all_options, *inputs)  # type: ignore[no-untyped-call, unused-ignore]
    return recorded.to(dtype), None


def refuse_tracing(name: str) -> None:
    """Programs that are recorded without Python cannot call the kernel."""
    jit: Any = torch.jit
    if jit.is_tracing() or jit.is_scripting() or torch.compiler.is_exporting():
        raise _core.UsageError(
            f"{name}: cannot be exported or made TorchScript: use it from Python (torch.compile leaves it out), or "
            "give the state_dict to the layer of PyTorch Geometric and export that"
        )


def core_of(mask: Mask, features: Tensor | None) -> _core.Mask:
    """The mask with these features, from `features_of_call`; None: with its own."""
    if features is None:
        return mask._core
    return mask._core.with_features(features.detach().float().contiguous().numpy())


def _mask(mask: Mask | ArrayLike | Tensor, batch: int | None, query: Tensor) -> Mask:
    """That of True and False is kept as long as the tensor is there and unchanged."""
    if isinstance(mask, Tensor) and mask.dtype == torch.bool:
        return kept(mask, (batch, query.size(0)), lambda: batched(mask_of(mask.numpy()), batch, query))
    return batched(mask_of(mask), batch, query)


def _common_type(tensors: Sequence[Tensor]) -> torch.dtype:
    dtype = tensors[0].dtype
    for tensor in tensors[1:]:
        dtype = torch.promote_types(dtype, tensor.dtype)
    return dtype


def _check(name: str, tensor: Tensor | None) -> None:
    if tensor is None:
        return
    if not isinstance(tensor, Tensor):
        raise _core.UsageError(f"attend: {name}: expected a tensor, got {type(tensor).__name__}")
    if tensor.device.type != "cpu" or not tensor.is_floating_point():
        raise _core.UsageError(
            f"attend: {name}: expected floating-point numbers on the CPU, got {tensor.dtype} on {tensor.device}"
        )
