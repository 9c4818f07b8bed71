"""Layers that take the place of those of PyTorch Geometric."""

from __future__ import annotations

import difflib
import math
import operator
from typing import Any, NoReturn

import torch
from torch import Tensor, nn

from edgewise import _core
from edgewise._mask import Mask
from edgewise.torch._attention import attend_rows, not_compiled, refuse_tracing
from edgewise.torch._edges import ends, features_of_call, mask_of_edges, order_of

# What PyTorch Geometric's MessagePassing takes besides, and what of it is computed here.
_MESSAGE_PASSING: dict[str, tuple[Any, ...]] = {
    "aggr": ("add", "sum", None),
    "flow": ("source_to_target",),
    "node_dim": (0, -2),
    "decomposed_layers": (1,),
}


class _Linear(nn.Linear):
    """With weights after Glorot and Bengio 2010, equation 16."""

    def reset_parameters(self) -> None:
        _glorot(self.weight)
        if self.bias is not None:
            bound = 1 / math.sqrt(self.in_features)
            nn.init.uniform_(self.bias, -bound, bound)


class _LazyLinear(nn.LazyLinear):
    cls_to_become = _Linear

    def reset_parameters(self) -> None:
        if not self.has_uninitialized_params() and self.in_features != 0:
            _Linear.reset_parameters(self)  # type: ignore[arg-type]


def _linear(columns: int, output_columns: int, bias: bool, glorot: bool = True) -> nn.Linear:
    """`columns` -1: those of the first input."""
    if columns == -1:
        return (_LazyLinear if glorot else nn.LazyLinear)(output_columns, bias=bias)
    return (_Linear if glorot else nn.Linear)(columns, output_columns, bias=bias)


class _Layer(nn.Module):
    """What the layers share: heads that are side by side, or averaged, and where the edges come from."""

    def __init__(
        self,
        in_channels: int | tuple[int, int],
        out_channels: int,
        heads: int,
        concat: bool,
        dropout: float,
        edge_dim: int | None,
        others: dict[str, Any],
    ) -> None:
        super().__init__()
        for name, value in others.items():
            self._check_other(name, value)
        if isinstance(in_channels, (tuple, list)):
            if len(in_channels) != 2:
                self._refuse(f"in_channels: expected a number or (sources, targets), got {in_channels!r}")
            self.in_channels: int | tuple[int, int] = (
                self._width("in_channels", in_channels[0], -1), self._width("in_channels", in_channels[1], -1)
            )
        else:
            self.in_channels = self._width("in_channels", in_channels, -1)
        self.out_channels = self._width("out_channels", out_channels)
        self.heads = self._width("heads", heads)
        self.edge_dim = None if edge_dim is None else self._width("edge_dim", edge_dim, -1)
        self.concat = concat
        self.dropout = dropout

    @property
    def _kinds(self) -> tuple[int, int]:
        """The columns of the sources and of the targets."""
        return self.in_channels if isinstance(self.in_channels, tuple) else (self.in_channels, self.in_channels)

    @property
    def _output_columns(self) -> int:
        return self.out_channels * (self.heads if self.concat else 1)

    def _refuse(self, problem: str) -> NoReturn:
        raise _core.UsageError(f"{type(self).__name__}: {problem}")

    def _width(self, name: str, given: Any, also: int = 1) -> int:
        if hasattr(given, "__index__") and (operator.index(given) > 0 or operator.index(given) == also):
            return operator.index(given)
        lazy = ", or -1 for that of the first input" if also == -1 else ""
        self._refuse(f"{name}: expected an integer from 1{lazy}, got {given!r}")

    def _check_other(self, name: str, value: Any) -> None:
        if name not in _MESSAGE_PASSING:
            known = [word for word in type(self).__init__.__code__.co_varnames if word not in ("self", "others")]
            close = difflib.get_close_matches(name, known, n=1)
            hint = f": did you mean {close[0]}?" if close else ""
            raise TypeError(f"{type(self).__name__}: unexpected argument {name!r}{hint}")
        if value not in _MESSAGE_PASSING[name]:
            way_out = ": pass edge_index.flip(0)" if name == "flow" else ""
            self._refuse(f"{name}: only {_MESSAGE_PASSING[name][0]!r} is computed, got {value!r}{way_out}")

    def _pair(self, x: Any, targets_may_miss: bool = False) -> tuple[Tensor, Tensor | None]:
        """The features of the sources and of the targets, from x or (x, None) or (x_src, x_dst)."""
        refuse_tracing(type(self).__name__)
        both = tuple(x) if isinstance(x, (tuple, list)) else (x, x)
        if len(both) != 2:
            self._refuse(f"expected x, or (x_src, x_dst), got {len(both)} tensors")
        for name, table, columns in zip(("x_src", "x_dst") if both[0] is not both[1] else "xx", both, self._kinds):
            if table is None and name == "x_dst" and targets_may_miss:
                continue
            is_table = isinstance(table, Tensor) and table.dim() == 2 and columns in (-1, table.size(1))
            if not is_table:
                got = list(table.shape) if isinstance(table, Tensor) else type(table).__name__
                self._refuse(f"expected {name} [nodes, {'columns' if columns == -1 else columns}], got {got}")
        return both[0], both[1]

    def _features(
        self, mask: Mask, edges: Any, edge_attr: Tensor | None, fill_value: Any
    ) -> tuple[bool, Tensor | None]:
        """Whether there is a term of the edges, and their features; None: those the mask keeps."""
        name = type(self).__name__
        if self.edge_dim is None:
            return False, None
        if edge_attr is None and edges is not mask:
            return False, None
        if edge_attr is None:
            if self.edge_dim not in (-1, mask.feature_count):
                self._refuse(
                    f"edge_dim is {self.edge_dim}, but the mask has {mask.feature_count} features of an edge: give "
                    "them to Mask(..., edge_features=...), or as edge_attr"
                )
            return True, None
        features = features_of_call(mask, edge_attr, mask._fill_value if edges is mask else fill_value, name)
        if self.edge_dim not in (-1, features.size(1)):
            self._refuse(f"expected edge_attr [edges, {self.edge_dim}], got {list(edge_attr.shape)}")
        return True, features

    def _edge_map(self, lin_edge: nn.Linear, mask: Mask, features: Tensor | None) -> Tensor:
        """The weights of the linear map of edges, [features, heads * out_channels]."""
        if isinstance(lin_edge, nn.LazyLinear):
            columns = mask.feature_count if features is None else features.size(1)
            lin_edge(torch.zeros(1, columns))
        return lin_edge.weight.t()

    def _attend(
        self, mask: Mask, features: Tensor | None, score: str, with_weights: bool, **tables: Tensor | None
    ) -> tuple[Tensor, Any]:
        return attend_rows(
            mask,
            features,
            {name: table for name, table in tables.items() if table is not None},
            {
                "heads": self.heads,
                "score": score,
                "normaliser": "softmax",
                "scale": True,
                "negative_slope": getattr(self, "negative_slope", 0.2),
                "precision": "float32",
            },
            self.dropout if self.training else 0.0,
            with_weights,
        )

    def _concatenated(self, out: Tensor) -> Tensor:
        return out if self.concat else out.view(-1, self.heads, self.out_channels).mean(dim=1)

    def _weights_of_edges(self, edges: Any, mask: Mask, weights: Tensor) -> tuple[Tensor, Tensor]:
        """The edges and their weights, in the order that PyTorch Geometric gives them: loops are last."""
        sources, targets = ends(mask)
        if edges is mask:
            return torch.stack([sources, targets]), weights
        order = order_of(mask)
        place = torch.empty_like(order)
        place[order] = torch.arange(len(order))
        index = edges if mask._kept is None and mask._loops == 0 else torch.stack([sources[place], targets[place]])
        return index, weights.index_select(0, place)

    def __prepare_scriptable__(self) -> NoReturn:
        self._refuse(
            "cannot be made TorchScript: use it from Python, or give the state_dict to the layer of PyTorch Geometric"
        )

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.in_channels}, {self.out_channels}, heads={self.heads})"


class _LoopedLayer(_Layer):
    """What GATConv and GATv2Conv share: added self loops, a residual and a bias."""

    bias: nn.Parameter | None

    def __init__(
        self,
        in_channels: int | tuple[int, int],
        out_channels: int,
        heads: int,
        concat: bool,
        negative_slope: float,
        dropout: float,
        add_self_loops: bool,
        edge_dim: int | None,
        fill_value: float | Tensor | str,
        residual: bool,
        others: dict[str, Any],
    ) -> None:
        super().__init__(in_channels, out_channels, heads, concat, dropout, edge_dim, others)
        self.negative_slope = negative_slope
        self.add_self_loops = add_self_loops
        self.fill_value = fill_value
        self.residual = residual

    def _add_residual_and_bias(self, bias: bool) -> None:
        columns = self._output_columns
        self.res = _linear(self._kinds[1], columns, bias=False) if self.residual else None
        self.register_parameter("bias", nn.Parameter(torch.empty(columns)) if bias else None)

    def _mask(self, edges: Any, sources: int, targets: int, loops: int) -> Mask:
        return mask_of_edges(type(self).__name__, edges, sources, targets, loops if self.add_self_loops else None)

    def _result(self, out: Tensor, residual: Tensor | None) -> Tensor:
        out = self._concatenated(out)
        out = out if residual is None else out + residual
        return out if self.bias is None else out + self.bias


class GATConv(_LoopedLayer):
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
            self.lin = _linear(self.in_channels, columns, bias=False)
        else:
            self.lin_src = _linear(self.in_channels[0], columns, bias=False)
            self.lin_dst = _linear(self.in_channels[1], columns, bias=False)
        self.att_src = nn.Parameter(torch.empty(1, self.heads, self.out_channels))
        self.att_dst = nn.Parameter(torch.empty(1, self.heads, self.out_channels))
        self.lin_edge = None if self.edge_dim is None else _linear(self.edge_dim, columns, bias=False)
        of_edges = None if self.edge_dim is None else nn.Parameter(torch.empty(1, self.heads, self.out_channels))
        self.register_parameter("att_edge", of_edges)
        self._add_residual_and_bias(bias)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draws new parameters."""
        _reset(self.lin, self.lin_src, self.lin_dst, self.lin_edge, self.res)
        _reset(self.att_src, self.att_dst, self.att_edge, self.bias)

    @not_compiled
    def forward(
        self,
        x: Tensor | tuple[Tensor, Tensor | None],
        edge_index: Tensor | Mask,
        edge_attr: Tensor | None = None,
        size: tuple[int, int] | None = None,
        return_attention_weights: bool | None = None,
    ) -> Any:
        """x [nodes, in_channels] -> [nodes, heads * out_channels], or [nodes, out_channels] if heads are averaged.

        Args:
            x: The features of the nodes; or (x_src, x_dst), those of the sources and of the targets. x_dst may be None.
            edge_index: Integers [2, edges], or a mask.
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
        loops = min(sources, targets)
        mask = self._mask(edge_index, sources, targets, loops)
        value = self._transformed(self.lin_src, x_src)
        of_targets = value if x_dst is x_src and self.lin is not None else None
        if of_targets is None and x_dst is not None:
            of_targets = self._transformed(self.lin_dst, x_dst)
        key = self._score(value, self.att_src)
        query = key.new_zeros(targets, self.heads)
        if of_targets is not None:
            query = self._score(of_targets, self.att_dst)
        has_term, features = self._features(mask, edge_index, edge_attr, self.fill_value)
        edge_bias = None
        if has_term:
            assert self.lin_edge is not None
            weight = self._edge_map(self.lin_edge, mask, features).view(-1, self.heads, self.out_channels)
            edge_bias = (weight * self.att_edge).sum(dim=-1)
        out, weights = self._attend(
            mask, features, "gat", bool(return_attention_weights), query=query, key=key, value=value,
            edge_bias=edge_bias,
        )
        out = self._result(out, None if self.res is None or x_dst is None else self.res(x_dst))
        return (out, self._weights_of_edges(edge_index, mask, weights[1])) if return_attention_weights else out

    def _transformed(self, of_kind: nn.Linear | None, x: Tensor) -> Tensor:
        result: Tensor = (of_kind if self.lin is None else self.lin)(x)  # type: ignore[misc]
        return result

    def _score(self, rows: Tensor, vector: Tensor) -> Tensor:
        return (rows.view(-1, self.heads, self.out_channels) * vector).sum(dim=-1)


class GATv2Conv(_LoopedLayer):
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
        self.lin_l = _linear(self._kinds[0], columns, bias=bias)
        self.lin_r = self.lin_l if share_weights else _linear(self._kinds[1], columns, bias=bias)
        self.att = nn.Parameter(torch.empty(1, self.heads, self.out_channels))
        self.lin_edge = None if self.edge_dim is None else _linear(self.edge_dim, columns, bias=False)
        self._add_residual_and_bias(bias)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draws new parameters."""
        _reset(self.lin_l, self.lin_r, self.lin_edge, self.res, self.att, self.bias)

    @not_compiled
    def forward(
        self,
        x: Tensor | tuple[Tensor, Tensor],
        edge_index: Tensor | Mask,
        edge_attr: Tensor | None = None,
        return_attention_weights: bool | None = None,
    ) -> Any:
        """x [nodes, in_channels] -> [nodes, heads * out_channels], or [nodes, out_channels] if heads are averaged.

        The arguments are those of `GATConv.forward`.
        """
        x_src, x_dst = self._pair(x)
        assert x_dst is not None
        mask = self._mask(edge_index, x_src.size(0), x_dst.size(0), min(x_src.size(0), x_dst.size(0)))
        source = self.lin_l(x_src)
        has_term, features = self._features(mask, edge_index, edge_attr, self.fill_value)
        if edge_attr is not None and not has_term:
            self._refuse("edge_attr is given, but edge_dim is None")
        edge_weight = None
        if has_term:
            assert self.lin_edge is not None
            edge_weight = self._edge_map(self.lin_edge, mask, features)
        out, weights = self._attend(
            mask,
            features,
            "gatv2",
            bool(return_attention_weights),
            query=source if self.share_weights and x_dst is x_src else self.lin_r(x_dst),
            key=source,
            value=source,
            attention_vector=self.att.view(1, -1),
            edge_weight=edge_weight,
        )
        out = self._result(out, None if self.res is None else self.res(x_dst))
        return (out, self._weights_of_edges(edge_index, mask, weights[1])) if return_attention_weights else out


class TransformerConv(_Layer):
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
        self.lin_key = _linear(of_sources, columns, bias, glorot=False)
        self.lin_query = _linear(of_targets, columns, bias, glorot=False)
        self.lin_value = _linear(of_sources, columns, bias, glorot=False)
        self.lin_edge = None if self.edge_dim is None else _linear(self.edge_dim, columns, bias=False, glorot=False)
        self.lin_skip = _linear(of_targets, self._output_columns, bias, glorot=False)
        self.lin_beta = nn.Linear(3 * self._output_columns, 1, bias=False) if self.beta else None
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draws new parameters."""
        _reset(self.lin_key, self.lin_query, self.lin_value, self.lin_edge, self.lin_skip, self.lin_beta)

    @not_compiled
    def forward(
        self,
        x: Tensor | tuple[Tensor, Tensor],
        edge_index: Tensor | Mask,
        edge_attr: Tensor | None = None,
        return_attention_weights: bool | None = None,
    ) -> Any:
        """x [nodes, in_channels] -> [nodes, heads * out_channels], or [nodes, out_channels] if heads are averaged.

        The arguments are those of `GATConv.forward`; the weights that are returned are those before dropout.
        """
        x_src, x_dst = self._pair(x)
        assert x_dst is not None
        mask = mask_of_edges(type(self).__name__, edge_index, x_src.size(0), x_dst.size(0), None)
        has_term, features = self._features(mask, edge_index, edge_attr, 0.0)
        if has_term != (self.edge_dim is not None) or (edge_attr is not None and not has_term):
            self._refuse(f"edge_dim is {self.edge_dim}, but edge_attr is {'not ' if edge_attr is None else ''}given")
        edge_weight = None
        if has_term:
            assert self.lin_edge is not None
            edge_weight = self._edge_map(self.lin_edge, mask, features)
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


def _reset(*parts: nn.Module | Tensor | None) -> None:
    """Draws new parameters, in this order, which is that of PyTorch Geometric."""
    for part in parts:
        if isinstance(part, Tensor):
            _glorot(part)
        elif part is not None:
            part.reset_parameters()  # type: ignore[operator]


def _glorot(parameter: Tensor) -> None:
    """Glorot and Bengio 2010, equation 16; vectors become zeros."""
    if parameter.dim() < 2:
        nn.init.zeros_(parameter)
        return
    bound = math.sqrt(6 / (parameter.size(-2) + parameter.size(-1)))
    nn.init.uniform_(parameter, -bound, bound)
