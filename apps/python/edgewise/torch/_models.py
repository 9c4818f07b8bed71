"""Whole models, which run as one operation."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

import torch
from torch import Tensor, nn

from edgewise import _core
from edgewise._mask import Mask
from edgewise.torch._attention import core_of
from edgewise.torch._layer import Layer
from edgewise.torch._layers import GATConv, GATv2Conv, TransformerConv
from edgewise.torch._sparse import SparseFeatures, dropout, sparse_if_cheaper
from edgewise.torch._step import dropout_key, is_computed_by_steps, run_step

_ACTIVATIONS: dict[str, Callable[[], nn.Module]] = {
    "relu": nn.ReLU,
    "elu": nn.ELU,
    "leaky_relu": nn.LeakyReLU,
    "gelu": nn.GELU,
    "tanh": nn.Tanh,
}
_OF_STEPS = {nn.ReLU: "relu", nn.ELU: "elu"}

# What PyTorch Geometric's models take besides, and what of it there is here.
_OTHERS: dict[str, tuple[Any, ...]] = {"norm_kwargs": (None, {}), "act_kwargs": (None, {})}


_ARGUMENTS = """

    Args:
        in_channels: Columns of x; -1: those of the first input.
        hidden_channels: Columns between the layers, of all heads together.
        num_layers: How many layers there are.
        out_channels: Columns of the result, by default `hidden_channels`. If given, the heads of the last layer are
            averaged.
        dropout: Between the layers and on the attention weights, in training.
        act: "relu", "elu", "leaky_relu", "gelu", "tanh", a module, or None.
        heads: How many heads each layer has; or a number for each layer.
        norm: A module for [nodes, hidden_channels] to normalise with between the layers, such as
            `torch.nn.BatchNorm1d(hidden_channels)`; each place gets a copy.
        act_first: Whether the activation comes before `norm`.
        jk: What the result is made of by a linear map: "last", or "cat" or "max" of the outputs of all layers; by
            default there is no such map.
        input_dropout: Dropout of x, in training, which PyTorch Geometric's models leave to the caller.
        options: Arguments of the layers, and those of PyTorch Geometric's models, of which the defaults are there.
"""


class _Network(nn.Module):
    """Layers one after the other, with an activation and dropout between them."""

    def _layer_class(self, options: dict[str, Any]) -> Callable[..., Layer]:
        """That of the layers, from the options, which it may take out."""
        raise NotImplementedError

    def __init__(
        self,
        in_channels: int,
        hidden_channels: int,
        num_layers: int,
        out_channels: int | None = None,
        dropout: float = 0.0,
        act: str | nn.Module | None = "relu",
        *,
        norm: nn.Module | None = None,
        act_first: bool = False,
        jk: str | None = None,
        heads: int | Sequence[int] = 1,
        input_dropout: float = 0.0,
        **options: Any,
    ) -> None:
        super().__init__()
        for name in [name for name in options if name in _OTHERS]:
            if (value := options.pop(name)) not in _OTHERS[name]:
                self._refuse(f"{name}: expected {_OTHERS[name][0]}, got {value!r}: pass a module with these arguments")
        if num_layers < 1:
            self._refuse(f"num_layers: expected at least 1, got {num_layers}")
        self.in_channels, self.hidden_channels, self.num_layers = in_channels, hidden_channels, num_layers
        self.out_channels = hidden_channels if out_channels is None else out_channels
        self.dropout = nn.Dropout(dropout)
        self.input_dropout = input_dropout
        self.act = self._activation(act)
        self.act_first = act_first
        concat = options.pop("concat", True)
        layer = self._layer_class(options)
        widths = [in_channels, *[hidden_channels] * (num_layers - 1), self.out_channels if jk is None else hidden_channels]
        self.convs: Any = nn.ModuleList()
        for i, of_layer in enumerate(self._heads(heads)):
            is_side_by_side = concat and not (out_channels is not None and jk is None and i == num_layers - 1)
            if is_side_by_side and widths[i + 1] % of_layer != 0:
                self._refuse(f"hidden_channels: expected a multiple of {of_layer} heads, got {widths[i + 1]}")
            width = widths[i + 1] // of_layer if is_side_by_side else widths[i + 1]
            self.convs.append(
                layer(widths[i], width, heads=of_layer, concat=is_side_by_side, dropout=dropout, **options)
            )
        self.jk_mode = jk
        if jk not in (None, "last", "cat", "max"):
            self._refuse(f'jk: expected "last", "cat", "max" or None, got {jk!r}: make such a model of the layers')
        if norm is not None:
            if not isinstance(norm, nn.Module):
                self._refuse(f"norm: expected a module such as torch.nn.BatchNorm1d({hidden_channels}), got {norm!r}")
            places = num_layers if jk is not None else num_layers - 1
            self.norms: Any = nn.ModuleList(copy.deepcopy(norm) for _ in range(places))
        if jk is not None:
            self.lin = nn.Linear(hidden_channels * (num_layers if jk == "cat" else 1), self.out_channels)

    def _refuse(self, problem: str) -> NoReturn:
        raise _core.UsageError(f"{type(self).__name__}: {problem}")

    def _activation(self, act: str | nn.Module | None) -> nn.Module | None:
        if act is None or isinstance(act, nn.Module):
            return act
        if not isinstance(act, str) or act.lower() not in _ACTIVATIONS:
            self._refuse(f"act: expected {', '.join(_ACTIVATIONS)}, a module or None, got {act!r}")
        return _ACTIVATIONS[act.lower()]()

    def _heads(self, heads: int | Sequence[int]) -> list[int]:
        each = [heads] * self.num_layers if isinstance(heads, int) else list(heads)
        if len(each) != self.num_layers or min(each) < 1:
            self._refuse(f"heads: expected a number, or one for each of {self.num_layers} layers, got {heads!r}")
        return each

    def reset_parameters(self) -> None:
        """Draws new parameters."""
        for module in (*self.convs, *getattr(self, "norms", ()), *([self.lin] if self.jk_mode is not None else [])):
            if hasattr(module, "reset_parameters"):
                module.reset_parameters()

    def forward(
        self,
        x: Tensor | SparseFeatures,
        edge_index: Tensor | Mask,
        edge_weight: None = None,
        edge_attr: Tensor | None = None,
    ) -> Tensor:
        """x [nodes, in_channels] -> [nodes, out_channels].

        In float32 all layers are one operation, forward and backward, which reads an x of which most numbers are 0 as
        `SparseFeatures`. Float64, autocast, gradients of `edge_attr`, other activations, `norm`, `jk`, `residual` and
        `beta` run by the layers, and so does all under `torch.compile`.

        Args:
            x: The features of the nodes.
            edge_index: Integers [2, edges], or a mask.
            edge_weight: None: the layers have no such weights; give `edge_attr`.
            edge_attr: The features of the edges, for layers with `edge_dim`.
        """
        if edge_weight is not None:
            self._refuse("edge_weight: attention has none: pass them as edge_attr [edges, 1], with edge_dim=1")
        if torch.compiler.is_compiling():
            return self._by_layers(x, edge_index, edge_attr)
        x, _ = self.convs[0]._pair(sparse_if_cheaper(x))
        if not self._is_one_step(x, edge_attr):
            return self._by_layers(x, edge_index, edge_attr)
        return _Program(self, x, edge_index, edge_attr).run()

    def _is_one_step(self, x: Tensor | SparseFeatures, edge_attr: Tensor | None) -> bool:
        if hasattr(self, "norms") or self.jk_mode is not None:
            return False
        parameters = list(self.parameters())
        if any(isinstance(parameter, nn.UninitializedParameter) for parameter in parameters):
            return False
        dtypes = {parameter.dtype for parameter in parameters} | ({x.dtype} if isinstance(x, Tensor) else set())
        is_plain = not any(
            getattr(conv, "residual", False) or getattr(conv, "beta", False) or conv._forward_hooks
            or conv._forward_pre_hooks for conv in self.convs
        )  # fmt: skip
        needs_operations = edge_attr is not None and edge_attr.requires_grad and torch.is_grad_enabled()
        has_known_activation = self.act is None or (type(self.act) in _OF_STEPS and getattr(self.act, "alpha", 1.0) == 1)
        return is_computed_by_steps(dtypes) and is_plain and has_known_activation and not needs_operations

    def _by_layers(self, x: Any, edge_index: Tensor | Mask, edge_attr: Tensor | None) -> Tensor:
        x = dropout(x, self.input_dropout, self.training)
        outputs = []
        for i, conv in enumerate(self.convs):
            x = conv(x, edge_index, edge_attr)
            if i < self.num_layers - 1 or self.jk_mode is not None:
                x = dropout(self._between(x, i), self.dropout.p, self.training)
            outputs.append(x)
        return self._combined(outputs)

    def _between(self, x: Tensor, place: int) -> Tensor:
        steps = [self.norms[place]] if hasattr(self, "norms") else []
        if self.act is not None:
            steps.insert(0 if self.act_first else len(steps), self.act)
        for step in steps:
            x = step(x)
        return x

    def _combined(self, outputs: list[Tensor]) -> Tensor:
        if self.jk_mode is None:
            return outputs[-1]
        if self.jk_mode == "cat":
            x = torch.cat(outputs, dim=-1)
        else:
            x = outputs[-1] if self.jk_mode == "last" else torch.stack(outputs, dim=-1).amax(dim=-1)
        result: Tensor = self.lin(x)
        return result

    def __prepare_scriptable__(self) -> NoReturn:
        self._refuse("cannot be made TorchScript: use it from Python, or give the state_dict to PyTorch Geometric's")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.in_channels}, {self.out_channels}, num_layers={self.num_layers})"


class GAT(_Network):
    """Layers of graph attention (Velickovic et al. 2018), in place of PyTorch Geometric's `GAT`.

    Args:
        v2: Whether the layers are those of `GATv2`.

    The other arguments are those of `GATv2`.
    """

    def _layer_class(self, options: dict[str, Any]) -> Callable[..., Layer]:
        return GATv2Conv if options.pop("v2", False) else GATConv


class GATv2(_Network):
    __doc__ = "Layers of GATv2 (Brody et al. 2022)." + _ARGUMENTS

    def _layer_class(self, options: dict[str, Any]) -> Callable[..., Layer]:
        return GATv2Conv


class Transformer(_Network):
    __doc__ = "Layers of the graph Transformer (Shi et al. 2021)." + _ARGUMENTS

    def _layer_class(self, options: dict[str, Any]) -> Callable[..., Layer]:
        return TransformerConv


class _Program:
    """A model as a step: the tensors that it reads, and the operations on them."""

    def __init__(
        self, network: _Network, x: Tensor | SparseFeatures, edges: Tensor | Mask, edge_attr: Tensor | None
    ) -> None:
        self._network, self._x = network, x
        self._input_dropout = network.input_dropout if network.training else 0.0
        self._dropout = network.dropout.p if network.training else 0.0
        self._tensors: dict[str, Tensor] = {"x": x} if isinstance(x, Tensor) else {}
        self._masks: list[_core.Mask] = []
        for i, conv in enumerate(network.convs):
            edges = conv._index(edges, edge_attr)
            mask, has_term, features = conv._edges(edges, edge_attr, x.size(0), x.size(0))
            self._masks.append(core_of(mask, features))
            of_layer: dict[str, Tensor] = dict(conv.named_parameters())
            if has_term:
                weight = "edge_bias" if isinstance(conv, GATConv) else "edge_weight"
                of_edges = conv._edge_bias if isinstance(conv, GATConv) else conv._edge_map
                of_layer[weight] = of_edges(mask, features)
            of_edges_alone = ("lin_edge", "att_edge")
            read = {f"{i}.{name}": of for name, of in of_layer.items() if not name.startswith(of_edges_alone)}
            self._tensors.update(read)

    def run(self) -> Tensor:
        # The product of sparse features takes its weight by columns.
        is_sparse = isinstance(self._x, SparseFeatures)
        maps = [name for name in self._tensors if name.startswith("0.lin") and name.endswith("weight") and is_sparse]
        return run_step(self._build, self._tensors, transposed=maps)

    def _build(self, step: _core.Step, of: Mapping[str, _core.Variable]) -> _core.Variable:
        x: Any = self._x
        if isinstance(x, SparseFeatures):
            x = x.dropped(self._input_dropout)
        else:
            x = of["x"]
            if self._input_dropout > 0:
                x = step.dropout(x, self._input_dropout, dropout_key(self._input_dropout))
        last = len(self._masks) - 1
        for i, (conv, mask) in enumerate(zip(self._network.convs, self._masks)):
            layer = _StepOfLayer(step, {name[len(f"{i}."):]: v for name, v in of.items() if name.startswith(f"{i}.")}, x)
            out = layer.run(conv, mask)
            act = _OF_STEPS[type(self._network.act)] if i < last and self._network.act is not None else "none"
            probability = self._dropout if i < last else 0.0
            bias = layer.of.get("bias")
            is_done = bias is None and act == "none" and probability == 0
            x = out if is_done else step.bias_activation(out, bias, act, probability, dropout_key(probability))
        result: _core.Variable = x
        return result


class _StepOfLayer:
    """A layer without its bias as operations of a step; `x` is a variable or SparseFeatures."""

    def __init__(self, step: _core.Step, of: Mapping[str, _core.Variable], x: Any) -> None:
        self.step, self.of, self.x = step, of, x

    def run(self, conv: Layer, mask: _core.Mask) -> _core.Variable:
        tables = _TABLES[type(conv)](self, conv)
        probability = conv.dropout if conv.training else 0.0
        out = self.step.attend(
            mask,
            **tables,
            **{name: self.of[name] for name in ("edge_weight", "edge_bias") if name in self.of},
            **({"value_edge_weight": self.of["edge_weight"]} if self._adds_to_values(conv) else {}),
            score=_SCORES[type(conv)],
            heads=conv.heads,
            negative_slope=getattr(conv, "negative_slope", 0.2),
            dropout=probability,
            dropout_key=dropout_key(probability),
        )
        out = out if conv.concat else self.step.mean_over_heads(out, conv.heads)
        return self.step.add(out, self.map("lin_skip")) if getattr(conv, "root_weight", False) else out

    def map(self, name: str) -> _core.Variable:
        weight, bias = self.of[f"{name}.weight"], self.of.get(f"{name}.bias")
        if isinstance(self.x, SparseFeatures):
            return self.x.product(self.step, weight, bias)
        return self.step.linear(self.x, weight, bias)

    def _adds_to_values(self, conv: Layer) -> bool:
        return isinstance(conv, TransformerConv) and "edge_weight" in self.of


def _tables_of_gat(layer: _StepOfLayer, conv: Layer) -> dict[str, _core.Variable]:
    value = layer.map("lin")
    key, query = layer.step.head_dots(value, layer.of["att_src"], layer.of["att_dst"], conv.heads)
    return {"query": query, "key": key, "value": value}


def _tables_of_gatv2(layer: _StepOfLayer, conv: Layer) -> dict[str, _core.Variable]:
    source = layer.map("lin_l")
    target = source if conv.share_weights else layer.map("lin_r")
    return {"query": target, "key": source, "value": source, "attention_vector": layer.of["att"]}


def _tables_of_transformer(layer: _StepOfLayer, conv: Layer) -> dict[str, _core.Variable]:
    return {name: layer.map(f"lin_{name}") for name in ("query", "key", "value")}


_SCORES = {GATConv: "gat", GATv2Conv: "gatv2", TransformerConv: "dot_product"}
_TABLES: dict[type, Callable[[_StepOfLayer, Layer], dict[str, _core.Variable]]] = {
    GATConv: _tables_of_gat,
    GATv2Conv: _tables_of_gatv2,
    TransformerConv: _tables_of_transformer,
}
