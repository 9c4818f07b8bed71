"""What the layers that take the place of PyTorch Geometric's share."""

from __future__ import annotations

import difflib
import functools
import math
import operator
from typing import Any, NoReturn

import torch
from torch import Tensor, nn

from edgewise import _core
from edgewise._mask import Mask
from edgewise.torch._attention import Callee, attend_rows, not_compiled, refuse_tracing
from edgewise.torch._edges import ends, features_of_call, index_of_sparse, mask_of_edges, order_of
from edgewise.torch._operator import TracedEdges, attend_traced
from edgewise.torch._sparse import Linear, SparseFeatures, as_features

# What PyTorch Geometric's MessagePassing takes besides, and what of it is computed here.
_MESSAGE_PASSING: dict[str, tuple[Any, ...]] = {
    "aggr": ("add", "sum", None),
    "flow": ("source_to_target",),
    "node_dim": (0, -2),
    "decomposed_layers": (1,),
}


class _Glorot(Linear):
    """With weights after Glorot and Bengio 2010, equation 16."""

    def reset_parameters(self) -> None:
        _glorot(self.weight)
        if self.bias is not None:
            bound = 1 / math.sqrt(self.in_features)
            nn.init.uniform_(self.bias, -bound, bound)


class _LazyLinear(nn.LazyLinear):
    cls_to_become = Linear
    forward = Linear.forward  # once the first input has made it one


class _LazyGlorot(nn.LazyLinear):
    cls_to_become = _Glorot
    forward = Linear.forward

    def reset_parameters(self) -> None:
        if not self.has_uninitialized_params() and self.in_features != 0:
            _Glorot.reset_parameters(self)  # type: ignore[arg-type]


def linear(columns: int, output_columns: int, bias: bool, glorot: bool = True) -> nn.Linear:
    """`columns` -1: those of the first input."""
    if columns == -1:
        return (_LazyGlorot if glorot else _LazyLinear)(output_columns, bias=bias)
    return (_Glorot if glorot else Linear)(columns, output_columns, bias=bias)


class Layer(nn.Module):
    """What the layers share: heads that are side by side, or averaged, and where the edges come from."""

    lin_edge: nn.Linear | None

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
        if not torch.compiler.is_compiling():
            refuse_tracing(type(self).__name__)
        both = tuple(map(as_features, x)) if isinstance(x, (tuple, list)) else (as_features(x),) * 2
        if len(both) != 2:
            self._refuse(f"expected x, or (x_src, x_dst), got {len(both)} tensors")
        for name, table, columns in zip(("x_src", "x_dst") if both[0] is not both[1] else "xx", both, self._kinds):
            if table is None and name == "x_dst" and targets_may_miss:
                continue
            is_tensor = isinstance(table, (Tensor, SparseFeatures))
            if not is_tensor or table.dim() != 2 or columns not in (-1, table.size(1)):
                got = list(table.shape) if is_tensor else type(table).__name__
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

    def _index(self, edges: Any, edge_attr: Tensor | None) -> Any:
        """Edges as an edge_index or a mask."""
        index = index_of_sparse(edges)
        if index is not edges and (edge_attr is not None or self.edge_dim is not None):
            self._refuse("features of edges need edge_index [2, edges], whose order they have, not a sparse matrix")
        return index

    def _edges(
        self, edges: Tensor | Mask, edge_attr: Tensor | None, sources: int, targets: int
    ) -> tuple[Mask, bool, Tensor | None]:
        """The mask of a call, and what `_features` says of it."""
        raise NotImplementedError

    def _edge_map(self, mask: Mask, features: Tensor | None) -> Tensor:
        """The weights of the linear map of edges, [features, heads * out_channels]."""
        assert self.lin_edge is not None
        if isinstance(self.lin_edge, nn.LazyLinear):
            columns = mask.feature_count if features is None else features.size(1)
            self.lin_edge(torch.zeros(1, columns))
        return self.lin_edge.weight.t()

    def _can_be_recorded(self, x: Any, edges: Any, edge_attr: Any, others: Any, named: Any) -> bool:
        both = x if isinstance(x, (tuple, list)) else (x,)
        is_plain = not any(value is not None for value in (*others, *named.values()))
        tensors = [*both, edges, *([] if edge_attr is None else [edge_attr])]
        if not is_plain or not all(isinstance(of, Tensor) and of.layout == torch.strided for of in tensors):
            return False
        is_narrow = all(of.dtype != torch.float64 for of in tensors)
        has_constant_features = edge_attr is None or (edge_attr.dim() == 2 and not edge_attr.requires_grad)
        fill_value = getattr(self, "fill_value", 0.0)
        return (
            is_narrow and has_constant_features and isinstance(fill_value, (str, float, int)) and self.edge_dim != -1
            and -1 not in self._kinds and (self.edge_dim is None) == (edge_attr is None)
        )  # fmt: skip

    def _traced(self, edges: Any, edge_attr: Tensor | None, loops: int | None, fill_value: Any) -> Any:
        """What `_edges` returns while a program is recorded."""
        return TracedEdges(edges, loops, fill_value), edge_attr is not None, edge_attr

    def _attend(
        self, mask: Mask, features: Tensor | None, score: str, with_weights: bool, **tables: Tensor | None
    ) -> tuple[Tensor, Any]:
        given = {name: table for name, table in tables.items() if table is not None}
        options = {
            "heads": self.heads,
            "score": score,
            "normaliser": "softmax",
            "scale": True,
            "negative_slope": getattr(self, "negative_slope", 0.2),
        }
        dropout = self.dropout if self.training else 0.0
        if isinstance(mask, TracedEdges):
            return attend_traced(mask, features, given, options, dropout), None
        return attend_rows(mask, features, given, options, dropout, with_weights)

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


class LoopedLayer(Layer):
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
        self.res = linear(self._kinds[1], columns, bias=False) if self.residual else None
        self.register_parameter("bias", nn.Parameter(torch.empty(columns)) if bias else None)

    def _edges(
        self, edges: Tensor | Mask, edge_attr: Tensor | None, sources: int, targets: int
    ) -> tuple[Mask, bool, Tensor | None]:
        loops = min(sources, targets) if self.add_self_loops else None
        if torch.compiler.is_compiling():
            traced: tuple[Mask, bool, Tensor | None] = self._traced(edges, edge_attr, loops, self.fill_value)
            return traced
        mask = mask_of_edges(type(self).__name__, edges, sources, targets, loops)
        return mask, *self._features(mask, edges, edge_attr, self.fill_value)

    def _result(self, out: Tensor, residual: Tensor | None) -> Tensor:
        out = self._concatenated(out)
        out = out if residual is None else out + residual
        return out if self.bias is None else out + self.bias


def traceable(function: Callee) -> Callee:
    """A forward function that torch.compile and torch.export record where an operator of PyTorch can do the same, and
    that is a graph break for them elsewhere."""
    apart = not_compiled(function)

    @functools.wraps(function)
    def forward(self: Layer, x: Any, edge_index: Any, edge_attr: Any = None, *others: Any, **named: Any) -> Any:
        if torch.compiler.is_compiling() and not self._can_be_recorded(x, edge_index, edge_attr, others, named):
            refuse_tracing(type(self).__name__)
            return apart(self, x, edge_index, edge_attr, *others, **named)
        return function(self, x, edge_index, edge_attr, *others, **named)

    return forward  # type: ignore[return-value]


def reset(*parts: nn.Module | Tensor | None) -> None:
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
