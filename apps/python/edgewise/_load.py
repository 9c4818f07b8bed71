"""Loads edgewise._core: the one of this build, or of a wheel for several levels of instructions the one for the most
that this processor has, or for those that EDGEWISE_INSTRUCTIONS names."""

from __future__ import annotations

import importlib
import importlib.util
import os
import pathlib
import sys

from types import ModuleType

from edgewise import _instructions  # type: ignore[attr-defined]

# A processor with the instructions of one has those of all after it. "native" is what a wheel for one machine has.
_LEVELS = ["x86-64-v4", "x86-64-v3", "x86-64-v2", "x86-64", "native"]


def _usable_levels() -> list[str]:
    available = _LEVELS[_LEVELS.index(_instructions.architecture()) :]
    forced = os.environ.get("EDGEWISE_INSTRUCTIONS")
    if not forced:
        return available
    if forced not in available:
        raise ImportError(f"EDGEWISE_INSTRUCTIONS: expected one of {', '.join(available)} here, got {forced}")
    return available[available.index(forced) :]


def load_core() -> tuple[ModuleType, str | None]:
    """The module, and the level it was built for; None for a build without levels."""
    if _instructions.missing():  # _core must not be loaded then
        raise ImportError(
            f"edgewise was built for instructions that this processor lacks ({_instructions.missing()}): install it "
            f"here, or build it with EDGEWISE_ARCH={_instructions.architecture()}"
        )
    for level in _usable_levels():
        for path in (pathlib.Path(__file__).parent / level).glob("_core*.so"):
            spec = importlib.util.spec_from_file_location("edgewise._core", path)
            assert spec is not None and spec.loader is not None
            module = importlib.util.module_from_spec(spec)
            sys.modules["edgewise._core"] = module
            spec.loader.exec_module(module)
            return module, level
    return importlib.import_module("edgewise._core"), None
