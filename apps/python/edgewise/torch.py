"""Attention over a mask for PyTorch, with gradients, and layers that use it.

The layers have the names and the parameters of those of PyTorch Geometric, so that one can load the state of the other,
but take a `Mask` in place of `edge_index`. Make the mask once, before training::

    mask = edgewise.Mask(edge_index, nodes, self_loops=True)
    layer = edgewise.torch.GATConv(16, 8, heads=4)
    out = layer(x, mask)

Self loops are those of the mask; a layer adds none. `self_loops=True` makes those that the layers of PyTorch Geometric
make with `add_self_loops=True`. A state says nothing of `concat`, `negative_slope` and `root_weight`: make both layers
with the same arguments. Tensors are float32 on the CPU. Threads are those of
`edgewise.set_threads`, not of PyTorch.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from edgewise import _core
from edgewise._attention import flag
from edgewise._mask import Mask, check_mask

_INPUTS = ("query", "key", "value", "attention_vector", "edge_weight", "value_edge_weight", "edge_bias")


# The gradients of these depend neither on the values nor on the output.
_OF_VALUES = {"value", "value_edge_weight"}


class _Attend(torch.autograd.Function):
    """PyTorch alone keeps what the backward pass reads, so it notices changes in place, and frees it afterwards."""

    @staticmethod
    def forward(ctx: Any, mask: Mask, options: dict[str, Any], *inputs: Tensor | None) -> Tensor:
        attention = _core_attention(mask, options, inputs)
        output, statistics = (torch.from_numpy(array) for array in attention.forward())
        ctx.mask, ctx.options = mask, options
        ctx.wanted = [name for name, is_wanted in zip(_INPUTS, ctx.needs_input_grad[2:]) if is_wanted]
        ctx.value_shape = inputs[2].shape
        query, key, value, *others = inputs
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
    @once_differentiable
    def backward(ctx: Any, output_gradient: Tensor) -> tuple[Tensor | None, ...]:
        output, statistics, query, key, value, *others = ctx.saved_tensors
        value = torch.zeros(ctx.value_shape) if value is None else value
        attention = _core_attention(ctx.mask, ctx.options, (query, key, value, *others))
        gradients = attention.backward(
            None if output is None else output.numpy(),
            statistics.numpy(),
            output_gradient.contiguous().numpy(),
            ctx.wanted,
        )
        made = {name: torch.from_numpy(gradient) for name, gradient in zip(ctx.wanted, gradients)}
        return (None, None, *(made.get(name) for name in _INPUTS))


def _core_attention(mask: Mask, options: dict[str, Any], inputs: Iterable[Tensor | None]) -> _core.Attention:
    arrays = {name: x.detach().contiguous().numpy() for name, x in zip(_INPUTS, inputs) if x is not None}
    return _core.Attention(mask._core, **arrays, **options)


def attend(
    mask: Mask,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    *,
    heads: int = 1,
    score: str = "dot_product",
    normaliser: str = "softmax",
    scale: bool = True,
    negative_slope: float = 0.2,
    attention_vector: Tensor | None = None,
    edge_weight: Tensor | None = None,
    value_edge_weight: Tensor | None = None,
    edge_bias: Tensor | None = None,
    dropout: float = 0.0,
    precision: str = "float32",
) -> Tensor:
    """`edgewise.attend` with gradients of all tensors, once differentiable.

    No tensor of edges * H * W is ever made, forward or backward: the backward pass computes the weights again.
    F: features of an edge in the mask.

    Args:
        edge_weight: [F, H * W]: features . edge_weight is added to the key. Not for "gat".
        value_edge_weight: [F, H * W]: features . value_edge_weight is added to the value.
        edge_bias: [F, H]: features . edge_bias is added to the score; for "gat", before its LeakyReLU.
        dropout: Probability that an attention weight is dropped; the others are divided by 1 - dropout. The choice
            follows `torch.manual_seed`.

    The other arguments, the result and the errors are those of `edgewise.attend`.
    """
    check_mask("attend", mask)
    inputs = (query, key, value, _as_row(attention_vector), edge_weight, value_edge_weight, edge_bias)
    for name, tensor in zip(_INPUTS, inputs):
        _check(name, tensor)
    options = {
        "heads": operator.index(heads),
        "score": score,
        "normaliser": normaliser,
        "scale": flag("attend: scale", scale),
        "negative_slope": negative_slope,
        "precision": precision,
        "dropout": dropout,
        "dropout_key": int(torch.randint(2**62, ())) if dropout > 0 else 0,
    }
    return _Attend.apply(mask, options, *inputs)


def _as_row(vector: Tensor | None) -> Tensor | None:
    return vector.reshape(1, -1) if isinstance(vector, Tensor) else vector


def _check(name: str, tensor: Tensor | None) -> None:
    if tensor is None:
        return
    if not isinstance(tensor, Tensor):
        raise _core.UsageError(f"attend: {name}: expected a tensor, got {type(tensor).__name__}")
    if tensor.device.type != "cpu" or tensor.dtype != torch.float32:
        raise _core.UsageError(f"attend: {name}: expected float32 on the CPU, got {tensor.dtype} on {tensor.device}")
    if tensor.dim() != 2:
        raise _core.UsageError(f"attend: expected {name} [rows, columns], got {list(tensor.shape)}")


class _Layer(nn.Module):
    """What the layers share: heads that are side by side, or averaged, and a bias."""

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        heads: int,
        concat: bool,
        dropout: float,
        edge_dim: int | None,
        bias: bool,
    ) -> None:
        super().__init__()
        self.in_channels = self._width("in_channels", in_channels)
        self.out_channels = self._width("out_channels", out_channels)
        self.heads = self._width("heads", heads)
        self.edge_dim = None if edge_dim is None else self._width("edge_dim", edge_dim)
        self.concat = concat
        self.dropout = dropout
        self.register_parameter("bias", nn.Parameter(torch.zeros(self.output_columns)) if bias else None)

    @property
    def output_columns(self) -> int:
        return self.out_channels * (self.heads if self.concat else 1)

    def _width(self, name: str, given: Any) -> int:
        if hasattr(given, "__index__") and operator.index(given) > 0:
            return operator.index(given)
        kinds = ": for nodes of two kinds there is edgewise.torch.attend" if isinstance(given, (tuple, list)) else ""
        raise _core.UsageError(f"{type(self).__name__}: {name}: expected an integer from 1, got {given!r}{kinds}")

    def _check_inputs(self, x: Tensor, mask: Mask) -> None:
        name = type(self).__name__
        check_mask(name, mask)
        if not isinstance(x, Tensor) or x.dim() != 2 or x.size(1) != self.in_channels:
            got = list(x.shape) if isinstance(x, Tensor) else type(x).__name__
            raise _core.UsageError(f"{name}: expected x [nodes, {self.in_channels}], got {got}")
        if self.edge_dim is not None and self.edge_dim != mask.feature_count:
            raise _core.UsageError(
                f"{name}: edge_dim is {self.edge_dim}, but the mask has {mask.feature_count} features of an edge: "
                "give them to Mask(..., edge_features=...)"
            )

    def _attend(self, mask: Mask, query: Tensor, key: Tensor, value: Tensor, **options: Any) -> Tensor:
        dropout = self.dropout if self.training else 0.0
        out = attend(mask, query, key, value, heads=self.heads, dropout=dropout, **options)
        if not self.concat:
            out = out.view(-1, self.heads, self.out_channels).mean(dim=1)
        return out if self.bias is None else out + self.bias


class GATConv(_Layer):
    """Graph attention (Velickovic et al. 2018, equations 1 to 6), with the parameters of PyTorch Geometric's GATConv.

    Args:
        in_channels: Columns of x.
        out_channels: Columns of each head.
        heads: How many heads there are.
        concat: Whether the heads are side by side in the output; otherwise they are averaged.
        negative_slope: Of the LeakyReLU.
        dropout: On the attention weights, in training.
        edge_dim: Features of an edge in the mask, which become a term of the score; None: not used.
        bias: Whether there is a bias.
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        heads: int = 1,
        *,
        concat: bool = True,
        negative_slope: float = 0.2,
        dropout: float = 0.0,
        edge_dim: int | None = None,
        bias: bool = True,
    ) -> None:
        super().__init__(in_channels, out_channels, heads, concat, dropout, edge_dim, bias)
        self.negative_slope = negative_slope
        self.lin = nn.Linear(in_channels, heads * out_channels, bias=False)
        self.att_src = nn.Parameter(torch.empty(1, heads, out_channels))
        self.att_dst = nn.Parameter(torch.empty(1, heads, out_channels))
        self.lin_edge = None if edge_dim is None else nn.Linear(edge_dim, heads * out_channels, bias=False)
        self.att_edge = None if edge_dim is None else nn.Parameter(torch.empty(1, heads, out_channels))
        for parameter in self.parameters():
            _glorot(parameter)

    def forward(self, x: Tensor, mask: Mask) -> Tensor:
        """x [nodes, in_channels] -> [nodes, heads * out_channels], or [nodes, out_channels] if heads are averaged."""
        self._check_inputs(x, mask)
        value = self.lin(x)
        by_head = value.view(-1, self.heads, self.out_channels)
        query = (by_head * self.att_dst).sum(dim=-1)
        key = (by_head * self.att_src).sum(dim=-1)
        edge_bias = None
        if self.lin_edge is not None:
            weight = self.lin_edge.weight.view(self.heads, self.out_channels, -1)
            edge_bias = torch.einsum("hcf,hc->fh", weight, self.att_edge[0])
        return self._attend(
            mask, query, key, value, score="gat", negative_slope=self.negative_slope, edge_bias=edge_bias
        )


class GATv2Conv(_Layer):
    """GATv2 (Brody et al. 2022, equation 7), with the parameters of PyTorch Geometric's GATv2Conv.

    Args:
        share_weights: Whether targets are transformed as sources are.

    The other arguments are those of `GATConv`; the features of edges are added to the keys.
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        heads: int = 1,
        *,
        concat: bool = True,
        negative_slope: float = 0.2,
        dropout: float = 0.0,
        edge_dim: int | None = None,
        bias: bool = True,
        share_weights: bool = False,
    ) -> None:
        super().__init__(in_channels, out_channels, heads, concat, dropout, edge_dim, bias)
        self.negative_slope = negative_slope
        self.lin_l = nn.Linear(in_channels, heads * out_channels, bias=bias)
        self.lin_r = self.lin_l if share_weights else nn.Linear(in_channels, heads * out_channels, bias=bias)
        self.att = nn.Parameter(torch.empty(1, heads, out_channels))
        self.lin_edge = None if edge_dim is None else nn.Linear(edge_dim, heads * out_channels, bias=False)
        for parameter in self.parameters():
            _glorot(parameter)

    def forward(self, x: Tensor, mask: Mask) -> Tensor:
        """x [nodes, in_channels] -> [nodes, heads * out_channels], or [nodes, out_channels] if heads are averaged."""
        self._check_inputs(x, mask)
        source = self.lin_l(x)
        return self._attend(
            mask,
            source if self.lin_r is self.lin_l else self.lin_r(x),
            source,
            source,
            score="gatv2",
            negative_slope=self.negative_slope,
            attention_vector=self.att,
            edge_weight=None if self.lin_edge is None else self.lin_edge.weight.t(),
        )


class TransformerConv(_Layer):
    """Graph Transformer layer (Shi et al. 2021, equations 3 to 5), with the parameters of PyTorch Geometric's
    TransformerConv.

    Args:
        beta: Whether a gate weighs the linear map of the node itself against its attention.
        root_weight: Whether a linear map of the node itself is added to the output. Its parameters are there either
            way, as in PyTorch Geometric; without it there is no gate.

    The other arguments are those of `GATConv`; the features of edges are added to keys and values.
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        heads: int = 1,
        *,
        concat: bool = True,
        beta: bool = False,
        dropout: float = 0.0,
        edge_dim: int | None = None,
        bias: bool = True,
        root_weight: bool = True,
    ) -> None:
        super().__init__(in_channels, out_channels, heads, concat, dropout, edge_dim, bias=False)
        self.lin_key = nn.Linear(in_channels, heads * out_channels, bias=bias)
        self.lin_query = nn.Linear(in_channels, heads * out_channels, bias=bias)
        self.lin_value = nn.Linear(in_channels, heads * out_channels, bias=bias)
        self.lin_edge = None if edge_dim is None else nn.Linear(edge_dim, heads * out_channels, bias=False)
        self.root_weight = root_weight
        self.lin_skip = nn.Linear(in_channels, self.output_columns, bias=bias)
        self.lin_beta = nn.Linear(3 * self.output_columns, 1, bias=False) if beta and root_weight else None

    def forward(self, x: Tensor, mask: Mask) -> Tensor:
        """x [nodes, in_channels] -> [nodes, heads * out_channels], or [nodes, out_channels] if heads are averaged."""
        self._check_inputs(x, mask)
        edge_weight = None if self.lin_edge is None else self.lin_edge.weight.t()
        out = self._attend(
            mask,
            self.lin_query(x),
            self.lin_key(x),
            self.lin_value(x),
            edge_weight=edge_weight,
            value_edge_weight=edge_weight,
        )
        if not self.root_weight:
            return out
        skip = self.lin_skip(x)
        if self.lin_beta is None:
            return out + skip
        beta = self.lin_beta(torch.cat([out, skip, out - skip], dim=1)).sigmoid()
        return beta * skip + (1 - beta) * out


def _glorot(parameter: nn.Parameter) -> None:
    """Glorot and Bengio 2010, equation 16; vectors become zeros."""
    if parameter.dim() < 2:
        nn.init.zeros_(parameter)
        return
    bound = math.sqrt(6 / (parameter.size(-2) + parameter.size(-1)))
    nn.init.uniform_(parameter, -bound, bound)
