"""Chains of the library's operations as one operation of PyTorch."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

import torch
from torch import Tensor

from edgewise import _core

Build = Callable[[_core.Step, Mapping[str, _core.Variable]], _core.Variable]


class _Run(torch.autograd.Function):
    """The step keeps what the backward pass reads, but for the tensors, which PyTorch keeps and watches."""

    @staticmethod
    def forward(
        ctx: Any, build: Build, names: tuple[str, ...], transposed: Collection[str], *tensors: Tensor
    ) -> Tensor:
        wanted = ctx.needs_input_grad[3:]
        step = _core.Step(any(wanted))
        variables = {}
        for name, tensor, needs_gradient in zip(names, tensors, wanted):
            is_copied, table = needs_gradient or name in transposed, _table(tensor)
            variables[name] = (
                step.input(table, name in transposed, needs_gradient) if is_copied else step.constant(table)
            )
        result = build(step, variables)
        ctx.save_for_backward(*tensors)
        ctx.step, ctx.result, ctx.wanted = step, result, wanted
        return torch.from_numpy(step.value(result))

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        if torch.is_grad_enabled():
            raise _core.UsageError(
                "gradients of gradients (create_graph=True) need float64, or a model made of the layers of "
                "edgewise.torch with dropout=0"
            )
        tensors = ctx.saved_tensors  # raises an error if one has changed
        made = iter(ctx.step.backward(ctx.result, _table(gradient)))
        return (None, None, None, *(
            torch.from_numpy(next(made)).view(tensor.shape) if needs_gradient else None
            for tensor, needs_gradient in zip(tensors, ctx.wanted)
        ))  # fmt: skip


def run_step(build: Build, tensors: Mapping[str, Tensor], transposed: Collection[str] = ()) -> Tensor:
    """What `build(step, variables)` returns, with gradients of the tensors. They are float32; vectors become rows.

    `transposed` names those that the step gets as their transposes.
    """
    result: Tensor = _Run.apply(  # type: ignore[no-untyped-call, unused-ignore]
        build, tuple(tensors), transposed, *tensors.values()
    )
    return result


def _table(tensor: Tensor) -> Any:
    numbers = tensor.detach()
    return (numbers if numbers.dim() == 2 else numbers.reshape(1, -1)).contiguous().numpy()


def dropout_key(probability: float) -> int:
    """A key for a mask of dropout, which follows `torch.manual_seed`."""
    return int(torch.randint(2**62, ())) if probability > 0 else 0


def is_computed_by_steps(dtypes: set[torch.dtype]) -> bool:
    """Whether everything is float32, also under autocast."""
    return dtypes == {torch.float32} and not torch.is_autocast_enabled("cpu")
