"""Layers that take the place of those of PyTorch Geometric."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from edgewise._mask import Mask
from edgewise.torch._edges import mask_of_edges
from edgewise.torch._layer import Layer, LoopedLayer, linear, reset, traceable
from edgewise.torch._sparse import SparseFeatures


class GATConv(LoopedLayer):
    """Graph attention (Velickovic et al. 2018, equations 1 to 6), in place of PyTorch Geometric's GATConv.

    Args:
        in_channels: Columns of x; or those of the sources and of the targets, for nodes of two kinds, which are then
            transformed apart. -1: those of the first input.
        out_channels: Columns of each head.
        heads: How many heads there are.
        concat: Whether the heads are side by side in the output; otherwise they are averaged.
        negative_slope: Of the LeakyReLU.
        dropout: On the attention weights, in training.
        add_self_loops: Whether every node also attends to itself, once, where an `edge_index` is given; a `Mask` has
            the loops it was made with.
        edge_dim: Features of an edge, which become a term of the score; None: not used.
        fill_value: The features of added loops, as for `edgewise.Mask`.
        bias: Whether there is a bias.
        residual: Whether a linear map of the targets is added.
        others: `aggr`, `flow` and others of PyTorch Geometric's MessagePassing, of which the defaults are computed.
    """

    att_edge: nn.Parameter | None

    def __init__(
        self,
        in_channels: int | tuple[int, int],
        out_channels: int,
        heads: int = 1,
        concat: bool = True,
        negative_slope: float = 0.2,
        dropout: float = 0.0,
        add_self_loops: bool = True,
        edge_dim: int | None = None,
        fill_value: float | Tensor | str = "mean",
        bias: bool = True,
        residual: bool = False,
        **others: Any,
    ) -> None:
        super().__init__(
            in_channels, out_channels, heads, concat, negative_slope, dropout, add_self_loops, edge_dim, fill_value,
            residual, others,
        )
        columns = self.heads * self.out_channels
        self.lin = self.lin_src = self.lin_dst = None
        if isinstance(self.in_channels, int):
            self.lin = linear(self.in_channels, columns, bias=False)
        else:
            self.lin_src = linear(self.in_channels[0], columns, bias=False)
            self.lin_dst = linear(self.in_channels[1], columns, bias=False)
        self.att_src = nn.Parameter(torch.empty(1, self.heads, self.out_channels))
        self.att_dst = nn.Parameter(torch.empty(1, self.heads, self.out_channels))
        self.lin_edge = None if self.edge_dim is None else linear(self.edge_dim, columns, bias=False)
        of_edges = None if self.edge_dim is None else nn.Parameter(torch.empty(1, self.heads, self.out_channels))
        self.register_parameter("att_edge", of_edges)
        self._add_residual_and_bias(bias)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draws new parameters."""
        reset(self.lin, self.lin_src, self.lin_dst, self.lin_edge, self.res)
        reset(self.att_src, self.att_dst, self.att_edge, self.bias)

    @traceable
    def forward(
        self,
        x: Tensor | SparseFeatures | tuple[Tensor, Tensor | None],
        edge_index: Tensor | Mask,
        edge_attr: Tensor | None = None,
        size: tuple[int, int] | None = None,
        return_attention_weights: bool | None = None,
    ) -> Any:
        """x [nodes, in_channels] -> [nodes, heads * out_channels], or [nodes, out_channels] if heads are averaged.

        Args:
            x: The features of the nodes, also `SparseFeatures` or a sparse tensor; or (x_src, x_dst), those of the sources and of the targets. x_dst may be None.
            edge_index: Integers [2, edges], a mask, or a sparse matrix [targets, sources], whose values are not used.
            edge_attr: The features of the edges, in their order; not those of added loops.
            size: How many sources and targets there are, if x_dst is None.
            return_attention_weights: If True, also (edge_index, weights), with added loops, and after dropout.
        """
        x_src, x_dst = self._pair(x, targets_may_miss=True)
        sources = x_src.size(0)
        targets = sources if x_dst is None else x_dst.size(0)
        if size is not None:
            if size[0] not in (None, sources) or (x_dst is not None and size[1] not in (None, targets)):
                self._refuse(f"size is {tuple(size)}, but x has {sources} sources and {targets} targets")
            targets = targets if size[1] is None else size[1]
        edge_index = self._index(edge_index, edge_attr)
        mask, has_term, features = self._edges(edge_index, edge_attr, sources, targets)
        value = self._transformed(self.lin_src, x_src)
        of_targets = value if x_dst is x_src and self.lin is not None else None
        if of_targets is None and x_dst is not None:
            of_targets = self._transformed(self.lin_dst, x_dst)
        key = self._score(value, self.att_src)
        query = key.new_zeros(targets, self.heads)
        if of_targets is not None:
            query = self._score(of_targets, self.att_dst)
        out, weights = self._attend(
            mask, features, "gat", bool(return_attention_weights), query=query, key=key, value=value,
            edge_bias=self._edge_bias(mask, features) if has_term else None,
        )
        out = self._result(out, None if self.res is None or x_dst is None else self.res(x_dst))
        return (out, self._weights_of_edges(edge_index, mask, weights[1])) if return_attention_weights else out

    def _edge_bias(self, mask: Mask, features: Tensor | None) -> Tensor:
        """[features, heads]"""
        assert self.att_edge is not None
        weight = self._edge_map(mask, features).view(-1, self.heads, self.out_channels)
        return (weight * self.att_edge).sum(dim=-1)

    def _transformed(self, of_kind: nn.Linear | None, x: Tensor) -> Tensor:
        result: Tensor = (of_kind if self.lin is None else self.lin)(x)  # type: ignore[misc]
        return result

    def _score(self, rows: Tensor, vector: Tensor) -> Tensor:
        return (rows.view(-1, self.heads, self.out_channels) * vector).sum(dim=-1)


class GATv2Conv(LoopedLayer):
    """GATv2 (Brody et al. 2022, equation 7), in place of PyTorch Geometric's GATv2Conv.

    Args:
        share_weights: Whether targets are transformed as sources are.

    The other arguments are those of `GATConv`; the features of edges are added to the keys.
    """

    def __init__(
        self,
        in_channels: int | tuple[int, int],
        out_channels: int,
        heads: int = 1,
        concat: bool = True,
        negative_slope: float = 0.2,
        dropout: float = 0.0,
        add_self_loops: bool = True,
        edge_dim: int | None = None,
        fill_value: float | Tensor | str = "mean",
        bias: bool = True,
        share_weights: bool = False,
        residual: bool = False,
        **others: Any,
    ) -> None:
        super().__init__(
            in_channels, out_channels, heads, concat, negative_slope, dropout, add_self_loops, edge_dim, fill_value,
            residual, others,
        )
        columns = self.heads * self.out_channels
        self.share_weights = share_weights
        self.lin_l = linear(self._kinds[0], columns, bias=bias)
        self.lin_r = self.lin_l if share_weights else linear(self._kinds[1], columns, bias=bias)
        self.att = nn.Parameter(torch.empty(1, self.heads, self.out_channels))
        self.lin_edge = None if self.edge_dim is None else linear(self.edge_dim, columns, bias=False)
        self._add_residual_and_bias(bias)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draws new parameters."""
        reset(self.lin_l, self.lin_r, self.lin_edge, self.res, self.att, self.bias)

    def _edges(
        self, edges: Tensor | Mask, edge_attr: Tensor | None, sources: int, targets: int
    ) -> tuple[Mask, bool, Tensor | None]:
        mask, has_term, features = super()._edges(edges, edge_attr, sources, targets)
        if edge_attr is not None and not has_term:
            self._refuse("edge_attr is given, but edge_dim is None")
        return mask, has_term, features

    @traceable
    def forward(
        self,
        x: Tensor | SparseFeatures | tuple[Tensor, Tensor],
        edge_index: Tensor | Mask,
        edge_attr: Tensor | None = None,
        return_attention_weights: bool | None = None,
    ) -> Any:
        """x [nodes, in_channels] -> [nodes, heads * out_channels], or [nodes, out_channels] if heads are averaged.

        The arguments are those of `GATConv.forward`.
        """
        x_src, x_dst = self._pair(x)
        assert x_dst is not None
        edge_index = self._index(edge_index, edge_attr)
        mask, has_term, features = self._edges(edge_index, edge_attr, x_src.size(0), x_dst.size(0))
        source = self.lin_l(x_src)
        out, weights = self._attend(
            mask,
            features,
            "gatv2",
            bool(return_attention_weights),
            query=source if self.share_weights and x_dst is x_src else self.lin_r(x_dst),
            key=source,
            value=source,
            attention_vector=self.att.view(1, -1),
            edge_weight=self._edge_map(mask, features) if has_term else None,
        )
        out = self._result(out, None if self.res is None else self.res(x_dst))
        return (out, self._weights_of_edges(edge_index, mask, weights[1])) if return_attention_weights else out


class TransformerConv(Layer):
    """Graph Transformer layer (Shi et al. 2021, equations 3 to 5), in place of PyTorch Geometric's TransformerConv.

    Args:
        beta: Whether a gate weighs the linear map of the node itself against its attention.
        root_weight: Whether a linear map of the node itself is added to the output. Its parameters are there either
            way, as in PyTorch Geometric; without it there is no gate.

    The other arguments are those of `GATConv`; the features of edges are added to keys and values. No loops are added.
    """

    def __init__(
        self,
        in_channels: int | tuple[int, int],
        out_channels: int,
        heads: int = 1,
        concat: bool = True,
        beta: bool = False,
        dropout: float = 0.0,
        edge_dim: int | None = None,
        bias: bool = True,
        root_weight: bool = True,
        **others: Any,
    ) -> None:
        super().__init__(in_channels, out_channels, heads, concat, dropout, edge_dim, others)
        columns, (of_sources, of_targets) = self.heads * self.out_channels, self._kinds
        self.beta = beta and root_weight
        self.root_weight = root_weight
        self.lin_key = linear(of_sources, columns, bias, glorot=False)
        self.lin_query = linear(of_targets, columns, bias, glorot=False)
        self.lin_value = linear(of_sources, columns, bias, glorot=False)
        self.lin_edge = None if self.edge_dim is None else linear(self.edge_dim, columns, bias=False, glorot=False)
        self.lin_skip = linear(of_targets, self._output_columns, bias, glorot=False)
        self.lin_beta = nn.Linear(3 * self._output_columns, 1, bias=False) if self.beta else None
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draws new parameters."""
        reset(self.lin_key, self.lin_query, self.lin_value, self.lin_edge, self.lin_skip, self.lin_beta)

    def _edges(
        self, edges: Tensor | Mask, edge_attr: Tensor | None, sources: int, targets: int
    ) -> tuple[Mask, bool, Tensor | None]:
        if torch.compiler.is_compiling():
            traced: tuple[Mask, bool, Tensor | None] = self._traced(edges, edge_attr, None, 0.0)
            return traced
        mask = mask_of_edges(type(self).__name__, edges, sources, targets, None)
        has_term, features = self._features(mask, edges, edge_attr, 0.0)
        if has_term != (self.edge_dim is not None) or (edge_attr is not None and not has_term):
            self._refuse(f"edge_dim is {self.edge_dim}, but edge_attr is {'not ' if edge_attr is None else ''}given")
        return mask, has_term, features

    @traceable
    def forward(
        self,
        x: Tensor | SparseFeatures | tuple[Tensor, Tensor],
        edge_index: Tensor | Mask,
        edge_attr: Tensor | None = None,
        return_attention_weights: bool | None = None,
    ) -> Any:
        """x [nodes, in_channels] -> [nodes, heads * out_channels], or [nodes, out_channels] if heads are averaged.

        The arguments are those of `GATConv.forward`; the weights that are returned are those before dropout.
        """
        x_src, x_dst = self._pair(x)
        assert x_dst is not None
        edge_index = self._index(edge_index, edge_attr)
        mask, has_term, features = self._edges(edge_index, edge_attr, x_src.size(0), x_dst.size(0))
        edge_weight = self._edge_map(mask, features) if has_term else None
        with_weights = isinstance(return_attention_weights, bool)
        out, weights = self._attend(
            mask,
            features,
            "dot_product",
            with_weights,
            query=self.lin_query(x_dst),
            key=self.lin_key(x_src),
            value=self.lin_value(x_src),
            edge_weight=edge_weight,
            value_edge_weight=edge_weight,
        )
        out = self._concatenated(out)
        if self.root_weight:
            skip = self.lin_skip(x_dst)
            if self.lin_beta is None:
                out = out + skip
            else:
                beta = self.lin_beta(torch.cat([out, skip, out - skip], dim=-1)).sigmoid()
                out = beta * skip + (1 - beta) * out
        return (out, self._weights_of_edges(edge_index, mask, weights[0])) if with_weights else out
