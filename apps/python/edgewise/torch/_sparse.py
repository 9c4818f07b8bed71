"""Sparse features of nodes, and the layers that read them."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from edgewise import _core
from edgewise.torch._edges import kept
from edgewise.torch._step import dropout_key, is_computed_by_steps, run_step

# Above this share of numbers other than 0 a dense product is the faster one.
_MOST_STORED = 0.2


class SparseFeatures:
    """Constant features of nodes of which most are 0, such as the words of a text: float32 [nodes, columns].

    `Linear`, `Dropout`, the layers and the models of `edgewise.torch` read them at the cost of the other numbers.

    Args:
        x: A tensor [nodes, columns], dense or of one of PyTorch's sparse layouts.

    Attributes:
        shape: [nodes, columns].
        stored: How many numbers are not 0.
    """

    def __init__(self, x: Tensor) -> None:
        if not isinstance(x, Tensor) or x.dim() != 2 or not x.is_floating_point() or x.device.type != "cpu":
            got = f"{x.dtype} {list(x.shape)} on {x.device}" if isinstance(x, Tensor) else type(x).__name__
            raise _core.UsageError(f"SparseFeatures: expected floating-point numbers [nodes, columns], got {got}")
        if x.requires_grad:
            raise _core.UsageError("SparseFeatures: these are constants, but the tensor requires a gradient: detach() it")
        self._set(x, _input(x))

    def _set(self, x: Tensor, core: _core.SparseInput, probability: float = 0.0) -> SparseFeatures:
        self._tensor, self._core = x, core
        self._probability, self._key = probability, dropout_key(probability)
        return self

    @property
    def shape(self) -> torch.Size:
        return self._tensor.shape

    @property
    def stored(self) -> int:
        return int(self._core.entries)

    def size(self, dim: int) -> int:
        return int(self._tensor.size(dim))

    def dim(self) -> int:
        return 2

    def to_dense(self) -> Tensor:
        """As a tensor of float32; under dropout, what is left."""
        dense = self._tensor.to_dense().float()
        if self._probability == 0:
            return dense
        columns = dense.size(1)
        return self.linear(torch.eye(columns), None)

    def linear(self, weight: Tensor, bias: Tensor | None) -> Tensor:
        """self @ weight.t() + bias."""
        if weight.dim() != 2 or weight.size(1) != self.size(1):
            raise _core.UsageError(f"SparseFeatures: expected weight [rows, {self.size(1)}], got {list(weight.shape)}")
        tensors = {"weight": weight.float(), **({} if bias is None else {"bias": bias.float()})}

        def build(step: _core.Step, of: Any) -> _core.Variable:
            return self.product(step, of["weight"], of.get("bias"))

        return run_step(build, tensors, transposed=["weight"]).to(weight.dtype)

    def product(self, step: _core.Step, weight: _core.Variable, bias: _core.Variable | None) -> _core.Variable:
        """As `linear` within a step, with the weight [columns, width]."""
        return step.sparse_linear(self._core, self._probability, self._key, weight, bias)

    def dropped(self, probability: float) -> SparseFeatures:
        """The features under dropout, which the product applies."""
        if probability == 0:
            return self
        if self._probability > 0:
            raise _core.UsageError("SparseFeatures: has a dropout already")
        return SparseFeatures.__new__(SparseFeatures)._set(self._tensor, self._core, probability)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_core": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _core=_input(state["_tensor"]))

    def __repr__(self) -> str:
        return f"SparseFeatures({self.size(0)} nodes, {self.size(1)} columns, {self.stored} stored)"


def _input(x: Tensor) -> _core.SparseInput:
    if x.layout == torch.strided:
        return _core.sparse_input(x.float().contiguous().numpy())
    rows = x.to_sparse_csr()
    offsets, columns = (part.to(torch.int64).contiguous().numpy() for part in (rows.crow_indices(), rows.col_indices()))
    values = np.ascontiguousarray(rows.values().float().numpy().reshape(1, -1))
    return _core.sparse_input_of_rows(offsets, columns, values, x.size(1))


def as_features(x: Any) -> Any:
    """Sparse tensors as SparseFeatures, all else as it is. What is made of a tensor is kept as long as the tensor is
    there and unchanged."""
    if isinstance(x, Tensor) and x.layout != torch.strided:
        return SparseFeatures.__new__(SparseFeatures)._set(x, kept(x, "features", lambda: SparseFeatures(x)._core))
    return x


def sparse_if_cheaper(x: Any) -> Any:
    """As `as_features`, also for dense constants of which most are 0."""
    is_constant = isinstance(x, Tensor) and x.layout == torch.strided and not x.requires_grad and not x.is_inference()
    if not is_constant or x.dtype != torch.float32 or x.dim() != 2:
        return as_features(x)

    def made() -> _core.SparseInput | None:
        is_sparse = x.numel() > 0 and int(x.count_nonzero()) <= _MOST_STORED * x.numel()
        return _input(x) if is_sparse else None

    core = kept(x, "features", made)
    return x if core is None else SparseFeatures.__new__(SparseFeatures)._set(x, core)


def dropout(x: Tensor | SparseFeatures, p: float = 0.5, training: bool = True) -> Tensor | SparseFeatures:
    """Zeroes each number with probability p and divides the others by 1 - p (Srivastava et al. 2014).

    In place of `torch.nn.functional.dropout`, from another generator, which follows `torch.manual_seed`. Sparse
    features get a mask of what they store, which the product with a weight applies.
    """
    if not 0 <= p <= 1:
        raise _core.UsageError(f"dropout: expected a probability from 0 to 1, got {p}")
    x = as_features(x)
    if not training or p == 0:
        return x
    if isinstance(x, SparseFeatures):
        return x.dropped(p)
    if p == 1 or x.dim() == 0 or torch.compiler.is_compiling() or not is_computed_by_steps({x.dtype}):
        return functional.dropout(x, p)
    key = dropout_key(p)
    rows = x.reshape(-1, x.size(-1))
    return run_step(lambda step, of: step.dropout(of["x"], p, key), {"x": rows}).view(x.shape)


class Dropout(nn.Module):
    """`dropout` as a module, in place of `torch.nn.Dropout`."""

    def __init__(self, p: float = 0.5) -> None:
        super().__init__()
        self.p = p

    def forward(self, x: Tensor | SparseFeatures) -> Tensor | SparseFeatures:
        return dropout(x, self.p, self.training)

    def extra_repr(self) -> str:
        return f"p={self.p}"


class Linear(nn.Linear):
    """`torch.nn.Linear` that also reads sparse features: `SparseFeatures`, or a sparse tensor."""

    def forward(self, input: Tensor | SparseFeatures) -> Tensor:
        x = as_features(input)
        if isinstance(x, SparseFeatures):
            return x.linear(self.weight, self.bias)
        return super().forward(x)


__all__ = ["Dropout", "Linear", "SparseFeatures", "dropout"]
