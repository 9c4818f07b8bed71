"""The masks of tensors of edges, and the features of edges."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
import torch
from torch import Tensor
from torch.utils.weak import WeakTensorKeyDictionary

from edgewise import _core
from edgewise._mask import Mask, features_of_loops

Made = TypeVar("Made")

_REDUCTIONS = {"mean": "mean", "add": "sum", "min": "amin", "max": "amax", "mul": "prod"}

_kept: Any = WeakTensorKeyDictionary()
_ends: WeakKeyDictionary[Mask, tuple[Tensor, Tensor]] = WeakKeyDictionary()


def kept(tensor: Tensor, key: Hashable, make: Callable[[], Made]) -> Made:
    """What `make` made of the tensor as it is now. It is forgotten when the tensor changes or goes.

    Changes that PyTorch does not count, through `.data` or an array that shares the memory, are not noticed.
    """
    if tensor.is_inference():
        return make()
    version, of_tensor = _kept.get(tensor, (None, {}))
    if version != tensor._version:
        of_tensor = {}
        _kept[tensor] = (tensor._version, of_tensor)
    if key not in of_tensor:
        of_tensor[key] = make()
    made: Made = of_tensor[key]
    return made


def mask_of_edges(name: str, edges: Any, sources: int, targets: int, loops: int | None) -> Mask:
    """The mask for `edge_index` [2, edges] between so many nodes; `loops`: as for `Mask._freeze`."""
    if isinstance(edges, Mask):
        return edges
    if not isinstance(edges, Tensor):
        raise _core.UsageError(
            f"{name}: expected edge_index as a tensor [2, edges], or an edgewise.Mask, got {type(edges).__name__}"
            + (": edgewise.Mask.from_scipy takes a sparse matrix" if hasattr(edges, "tocoo") else "")
        )
    if edges.dim() != 2 or edges.size(0) != 2:
        hint = ": pass edge_index.t()" if edges.dim() == 2 and edges.size(1) == 2 else ""
        raise _core.UsageError(f"{name}: expected edge_index [2, edges], got {list(edges.shape)}{hint}")
    if edges.dtype.is_floating_point or edges.dtype.is_complex or edges.dtype == torch.bool:
        raise _core.UsageError(f"{name}: expected integers in edge_index, got {edges.dtype}")

    def make() -> Mask:
        mask = Mask.__new__(Mask)
        index = edges.detach().to(torch.int64).contiguous().numpy()
        mask._freeze(index, sources, targets, loops)
        return mask

    return kept(edges, (sources, targets, loops), make)


def index_of_sparse(edges: Any) -> Any:
    """The edges of a sparse matrix [targets, sources] as edge_index: of a sparse tensor, or a `SparseTensor` of
    torch_sparse. It is kept as long as the tensor is there; all else is returned as it is."""
    if isinstance(edges, Tensor) and edges.layout != torch.strided and edges.dim() == 2:

        def made() -> Tensor:
            entries = edges.detach().to_sparse_coo().coalesce()
            index: Tensor = entries.indices().flip(0).contiguous()
            return index

        return kept(edges, "edge_index", made)
    if hasattr(edges, "coo") and hasattr(edges, "sparse_sizes"):
        targets, sources, _ = edges.coo()
        return torch.stack([sources, targets])
    return edges


def ends(mask: Mask) -> tuple[Tensor, Tensor]:
    """The sources and the targets of the edges, in the order of the mask."""
    if mask not in _ends:
        _ends[mask] = (torch.from_numpy(mask._core.sources()), torch.from_numpy(mask._core.targets()))
    return _ends[mask]


def kept_features(mask: Mask) -> Tensor | None:
    """The features that the mask keeps, in its order."""
    return torch.from_numpy(mask._core.features()) if mask.feature_count > 0 else None


def features_of_call(mask: Mask, edge_attr: Any, fill_value: Any, name: str) -> Tensor:
    """[edges, features] in the order in which the mask was given its edges, those of added loops last."""
    if not isinstance(edge_attr, Tensor) or not edge_attr.is_floating_point():
        got = edge_attr.dtype if isinstance(edge_attr, Tensor) else type(edge_attr).__name__
        raise _core.UsageError(f"{name}: expected edge_attr as a tensor of floating-point numbers, got {got}")
    rows = edge_attr.unsqueeze(-1) if edge_attr.dim() == 1 else edge_attr
    if rows.dim() != 2 or rows.size(0) != mask._given:
        raise _core.UsageError(f"{name}: expected edge_attr [{mask._given}, features], got {list(edge_attr.shape)}")
    if mask._kept is not None:
        rows = rows.index_select(0, torch.from_numpy(mask._kept))
    if mask._loops == 0:
        return rows
    order = order_of(mask)
    targets = torch.empty_like(order)
    targets[order] = ends(mask)[1]
    return torch.cat([rows, _of_loops(rows, targets[: len(rows)], mask._loops, fill_value)])


def order_of(mask: Mask) -> Tensor:
    """For each edge in the order of the mask, its place among those that the mask was given."""
    return torch.from_numpy(mask._core.edges())


def _of_loops(rows: Tensor, targets: Tensor, loops: int, fill_value: Any) -> Tensor:
    """[loops, features]; see `fill_value` of `Mask`."""
    needs_operations = rows.dtype == torch.float64 or (rows.requires_grad and torch.is_grad_enabled())
    if not needs_operations or not isinstance(fill_value, str) or fill_value not in _REDUCTIONS:
        constants = np.ascontiguousarray(rows.detach().float().numpy())
        of_loops = features_of_loops(targets.numpy(), loops, constants, fill_value)
        return torch.from_numpy(np.array(of_loops)).to(rows.dtype)
    if len(targets) > 0 and int(targets.max()) >= loops:  # of nodes without a loop
        rows, targets = rows[targets < loops], targets[targets < loops]
    start = rows.new_full((loops, rows.size(1)), 1.0 if fill_value == "mul" else 0.0)
    index = targets.unsqueeze(-1).expand_as(rows)
    return start.scatter_reduce(0, index, rows, _REDUCTIONS[fill_value], include_self=False)
