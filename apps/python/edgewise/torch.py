"""Attention over a mask for PyTorch, with gradients, and layers that use it.

The layers have the names and the parameters of those of PyTorch Geometric, so that one can load the state of the other,
but take a `Mask` in place of `edge_index`. Make the mask once, before training::

    mask = edgewise.Mask(edge_index, nodes, self_loops=True)
    layer = edgewise.torch.GATConv(16, 8, heads=4)
    out = layer(x, mask)

Self loops are those of the mask; a layer adds none. Tensors are float32 on the CPU. Threads are those of
`edgewise.set_threads`, not of PyTorch.
"""

from __future__ import annotations

import math
import operator
from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from edgewise import _core
from edgewise._mask import Mask

_INPUTS = ("query", "key", "value", "attention_vector", "edge_weight", "value_edge_weight", "edge_bias")


class _Attend(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, mask: Mask, options: dict[str, Any], *inputs: Tensor | None) -> Tensor:
        arrays = {name: x.detach().contiguous().numpy() for name, x in zip(_INPUTS, inputs) if x is not None}
        attention = _core.Attention(mask._core, **arrays, **options)
        ctx.attention = attention
        ctx.save_for_backward(*inputs)
        return torch.from_numpy(attention.forward())

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, output_gradient: Tensor) -> tuple[Tensor | None, ...]:
        ctx.saved_tensors  # raises an error if one was changed in place
        needed = [name for name, is_needed in zip(_INPUTS, ctx.needs_input_grad[2:]) if is_needed]
        gradients = ctx.attention.backward(output_gradient.contiguous().numpy(), needed)
        made = {name: torch.from_numpy(gradient) for name, gradient in zip(needed, gradients)}
        return (None, None, *(made.get(name) for name in _INPUTS))


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
    inputs = (query, key, value, _as_row(attention_vector), edge_weight, value_edge_weight, edge_bias)
    for name, tensor in zip(_INPUTS, inputs):
        _check(name, tensor)
    options = {
        "heads": operator.index(heads),
        "score": score,
        "normaliser": normaliser,
        "scale": scale,
        "negative_slope": negative_slope,
        "precision": precision,
        "dropout": dropout,
        "dropout_key": int(torch.randint(2**62, ())) if dropout > 0 else 0,
    }
    return _Attend.apply(mask, options, *inputs)


def _as_row(vector: Tensor | None) -> Tensor | None:
    return None if vector is None else vector.reshape(1, -1)


def _check(name: str, tensor: Tensor | None) -> None:
    if tensor is None:
        return
    if tensor.device.type != "cpu" or tensor.dtype != torch.float32:
        raise _core.UsageError(f"attend: {name}: expected float32 on the CPU, got {tensor.dtype} on {tensor.device}")
    if tensor.dim() != 2:
        raise _core.UsageError(f"attend: expected {name} [rows, columns], got {list(tensor.shape)}")


class _Layer(nn.Module):
    """What the layers share: heads that are side by side, or averaged, and a bias."""

    def __init__(self, out_channels: int, heads: int, concat: bool, dropout: float, bias: bool) -> None:
        super().__init__()
        self.out_channels = out_channels
        self.heads = heads
        self.concat = concat
        self.dropout = dropout
        self.register_parameter("bias", nn.Parameter(torch.zeros(self.output_columns)) if bias else None)

    @property
    def output_columns(self) -> int:
        return self.out_channels * (self.heads if self.concat else 1)

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
        super().__init__(out_channels, heads, concat, dropout, bias)
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
        super().__init__(out_channels, heads, concat, dropout, bias)
        self.negative_slope = negative_slope
        self.lin_l = nn.Linear(in_channels, heads * out_channels, bias=bias)
        self.lin_r = self.lin_l if share_weights else nn.Linear(in_channels, heads * out_channels, bias=bias)
        self.att = nn.Parameter(torch.empty(1, heads, out_channels))
        self.lin_edge = None if edge_dim is None else nn.Linear(edge_dim, heads * out_channels, bias=False)
        for parameter in self.parameters():
            _glorot(parameter)

    def forward(self, x: Tensor, mask: Mask) -> Tensor:
        """x [nodes, in_channels] -> [nodes, heads * out_channels], or [nodes, out_channels] if heads are averaged."""
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

    The arguments are those of `GATConv`; the features of edges are added to keys and values, and a linear map of the
    node itself to the output.
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        heads: int = 1,
        *,
        concat: bool = True,
        dropout: float = 0.0,
        edge_dim: int | None = None,
        bias: bool = True,
    ) -> None:
        super().__init__(out_channels, heads, concat, dropout, bias=False)
        self.lin_key = nn.Linear(in_channels, heads * out_channels, bias=bias)
        self.lin_query = nn.Linear(in_channels, heads * out_channels, bias=bias)
        self.lin_value = nn.Linear(in_channels, heads * out_channels, bias=bias)
        self.lin_edge = None if edge_dim is None else nn.Linear(edge_dim, heads * out_channels, bias=False)
        self.lin_skip = nn.Linear(in_channels, self.output_columns, bias=bias)

    def forward(self, x: Tensor, mask: Mask) -> Tensor:
        """x [nodes, in_channels] -> [nodes, heads * out_channels], or [nodes, out_channels] if heads are averaged."""
        edge_weight = None if self.lin_edge is None else self.lin_edge.weight.t()
        out = self._attend(
            mask,
            self.lin_query(x),
            self.lin_key(x),
            self.lin_value(x),
            edge_weight=edge_weight,
            value_edge_weight=edge_weight,
        )
        return out + self.lin_skip(x)


def _glorot(parameter: nn.Parameter) -> None:
    """Glorot and Bengio 2010, equation 16; vectors become zeros."""
    if parameter.dim() < 2:
        nn.init.zeros_(parameter)
        return
    bound = math.sqrt(6 / (parameter.size(-2) + parameter.size(-1)))
    nn.init.uniform_(parameter, -bound, bound)
