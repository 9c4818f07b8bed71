"""From keyword arguments to the configuration of a job."""

from __future__ import annotations

import difflib
import functools
import inspect
import json
import keyword
import os
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeVar

import numpy as np

from edgewise import _core

Function = TypeVar("Function", bound=Callable[..., Any])

# Members of the model, which depend on its kind: the library does not list them.
_MODEL_MEMBERS = {
    "heads": ("int", "Number of attention heads"),
    "hidden": ("int", "Hidden units of all heads together"),
    "layers": ("int", "Number of layers"),
    "mask": ("str", "What nodes attend over: edges, k_hop:k, complete, band:w, causal and so on"),
    "readout": ("str", "Graphs: mean, sum, max, sum_mean_max, attention, query or set2set"),
    "dropout": ("float", "Dropout on the inputs of layers"),
    "attention_dropout": ("float", "Dropout on attention weights"),
}

_HINTS = {
    "boolean": "bool", "integer": "int", "number": "float", "text": "str", "list": "str | Sequence[str]",
    "file": "Path", "folder": "Path", "table": "Table", "tables": "Table",
}  # fmt: skip


class Member(NamedTuple):
    """What an argument sets."""

    path: str  # in the configuration
    kind: str  # a key of _HINTS, or "any"
    hint: str  # the type of the argument, as annotations have it
    help: str

    @property
    def root(self) -> str:
        return self.path.split(".")[0]


@functools.cache
def members() -> dict[str, Member]:
    """The arguments of jobs: weight_decay -> ("training.weight_decay", "number", "float", "L2 ...")."""
    found = {}
    for flag, path, kind, text in json.loads(_core.config_flags()):
        name = argument_of(flag)
        hint = "Table" if name == "graph" else _HINTS[kind]  # a graph may be an object of NetworkX
        found[name] = Member(path, kind, hint, re.sub(r"--[a-z][a-z-]*", lambda of: argument_of(of[0]), text))
    of_model = {name: Member(f"model.{name}", "any", hint, text) for name, (hint, text) in _MODEL_MEMBERS.items()}
    model = Member("model.preset", "any", "str | Mapping[str, Any]", "The name of a model, or its configuration")
    data_set = Member("data.dataset", "text", "str", "A data set of the catalogue")
    return {**found, "model": model, **of_model, "dataset": data_set}


def argument_of(flag: str) -> str:
    """--weight-decay -> weight_decay; a word of Python gets a line: --from -> from_."""
    name = flag.removeprefix("--").replace("-", "_")
    return name + "_" if keyword.iskeyword(name) else name


def explicit(*roots: str, without: str = "") -> Callable[[Function], Function]:
    """Shows the arguments below these parts of a configuration, which the function takes as **arguments, in its
    signature, for completion and help."""

    def shown(function: Function) -> Function:
        signature = inspect.signature(function)
        fixed = [of for of in signature.parameters.values() if of.kind != inspect.Parameter.VAR_KEYWORD]
        taken = {without, *(of.name for of in fixed)}
        added = {name: of for name, of in members().items() if of.root in roots and name not in taken}
        keyword_only = inspect.Parameter.KEYWORD_ONLY
        parameters = [
            inspect.Parameter(name, keyword_only, default=None, annotation=f"{of.hint} | None")
            for name, of in added.items()
        ]
        function.__signature__ = signature.replace(parameters=[*fixed, *parameters])  # type: ignore[attr-defined]
        lines = "\n".join(f"    {name}: {of.help}" for name, of in added.items())
        function.__doc__ = f"{inspect.cleandoc(function.__doc__ or '')}\n\nArguments by name:\n{lines}\n"
        return function

    return shown


def configuration(
    arguments: Mapping[str, Any], base: Mapping[str, Any] | str | os.PathLike[str] | None = None
) -> dict[str, Any]:
    """The configuration that says the same as the arguments, over `base`, a configuration or its file.

    Raises:
        UsageError: For an argument that is not known.
    """
    read = json.loads(_core.read_config_file(os.fspath(base))) if isinstance(base, (str, os.PathLike)) else base
    config: dict[str, Any] = json.loads(json.dumps(dict(read or {}), default=_plain))
    for name, value in arguments.items():
        if value is None:
            continue
        if name == "dataset" and not isinstance(value, (str, os.PathLike)):
            tables = "tables are edges, nodes, molecules and so on"
            raise _core.UsageError(f"dataset: expected the name of a data set, got {type(value).__name__}; {tables}")
        if name == "dataset" and os.fspath(value).endswith(".edgewise"):
            name = "frozen"
        if name == "model":
            _set(config, "model.preset", value) if isinstance(value, str) else config.update(model=value)
            continue
        if name not in members():
            raise _core.UsageError(_unknown(name))
        member = members()[name]
        _set(config, member.path, [value] if member.kind == "list" and isinstance(value, str) else value)
    return config


def as_json(config: Mapping[str, Any]) -> str:
    try:
        return json.dumps(config, default=_plain, allow_nan=False)
    except _core.UsageError:
        raise
    except ValueError:
        raise _core.UsageError("configuration: expected finite numbers") from None


def call_text(function: str, dataset: str | None, arguments: Mapping[str, Any]) -> str:
    """The call with these arguments, as a person would repeat it: tables in memory by their types alone."""
    first = [] if dataset is None else [repr(os.fspath(dataset))]
    return f"{function}({', '.join([*first, *(f'{name}={_shown(of)}' for name, of in arguments.items() if of is not None)])})"


def _shown(value: Any) -> str:
    plain = os.fspath(value) if isinstance(value, os.PathLike) else value
    parts = plain if isinstance(plain, (list, tuple)) else [plain]
    is_short = len(parts) <= 20 and all(isinstance(of, (str, bool, int, float)) for of in parts)
    return repr(plain) if is_short else type(value).__name__


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    raise _core.UsageError(f"configuration: expected numbers, texts, lists and mappings, got {type(value).__name__}")


def _set(config: dict[str, Any], path: str, value: Any) -> None:
    *parents, last = path.split(".")
    for name in parents:
        config = config.setdefault(name, {})
    config[last] = value


# What other libraries call an argument.
_OTHER_NAMES = {
    "lr": "learning_rate",
    "eta": "learning_rate",
    "n_epochs": "epochs",
    "num_epochs": "epochs",
    "max_epochs": "epochs",
    "max_iter": "epochs",
    "random_state": "seed",
    "random_seed": "seed",
    "target": "label",
    "y": "label",
    "smiles": "molecules",
    "edge_index": "edges",
    "x": "nodes",
    "num_heads": "heads",
    "n_heads": "heads",
    "num_layers": "layers",
    "n_layers": "layers",
    "hidden_channels": "hidden",
    "hidden_size": "hidden",
    "wd": "weight_decay",
}


def _unknown(name: str) -> str:
    usual = [_OTHER_NAMES[name]] if name in _OTHER_NAMES else []
    close = usual or difflib.get_close_matches(name, list(members()), n=1)
    return f"unknown argument {name}" + (f" (did you mean {close[0]}?)" if close else "")
