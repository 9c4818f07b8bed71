"""From keyword arguments to the configuration of a job."""

from __future__ import annotations

import csv
import difflib
import functools
import inspect
import json
import keyword
import os
import pathlib
import re
import tempfile
import zlib
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

# Arguments that may be tables, and the files they become.
_TABLES = ("edges", "nodes", "molecules", "features", "graphs", "texts")

# Arguments that are other files or folders.
_PATHS = (
    "graph", "frozen", "tu", "pairs", "source_texts", "target_texts", "source_rows", "merges", "split_file", "from_",
)  # fmt: skip

_HINTS = {
    "boolean": "bool", "integer": "int", "number": "float", "text": "str", "list": "str | Sequence[str]",
}  # fmt: skip


class Member(NamedTuple):
    """What an argument sets."""

    path: str  # in the configuration
    kind: str  # "boolean", "integer", "number", "text", "list" or "any"
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
        hint = "Table" if name in _TABLES else "Path" if name in _PATHS else _HINTS[kind]
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


class TableFiles:
    """Files in place of tables (a DataFrame, or a mapping of columns), so that they are read as any other file.

    Attributes:
        arguments: The given ones, with the file of each table.
        kept: The files of those in `contents` whose arguments are not given, by the names of these.
        names: The name of each file in messages, by its path.
    """

    def __init__(self, arguments: Mapping[str, Any], contents: Mapping[str, bytes] | None = None) -> None:
        """`contents` are those of other tables, from `compressed`."""
        self.arguments = dict(arguments)
        self.kept: dict[str, str] = {}
        self.names: dict[str, str] = {}
        self._contents = {name: text for name, text in (contents or {}).items() if arguments.get(name) is None}
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def __enter__(self) -> TableFiles:
        tables = {name: self.arguments[name] for name in _TABLES if _is_table(self.arguments.get(name))}
        if tables or self._contents:
            self._folder = tempfile.TemporaryDirectory(prefix="edgewise-")
        for name, table in tables.items():
            self.arguments[name] = self._new_path(name)
            _write_table(self.arguments[name], name, table)
        for name, text in self._contents.items():
            self.kept[name] = self._new_path(name)
            pathlib.Path(self.kept[name]).write_bytes(zlib.decompress(text))
        return self

    def _new_path(self, name: str) -> str:
        assert self._folder is not None
        path = os.path.join(self._folder.name, f"{name}.csv")
        self.names[path] = f"{name}.csv"
        return path

    def compressed(self) -> dict[str, bytes]:
        """The contents of the tables among the arguments, as they are now."""
        files = {name: self.arguments.get(name) for name in _TABLES}
        return {
            name: zlib.compress(pathlib.Path(path).read_bytes(), level=1)
            for name, path in files.items()
            if path in self.names
        }

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: Any) -> None:
        if self._folder is not None:
            self._folder.cleanup()
        if isinstance(error, _core.Error) and (text := self.readable(str(error))) != str(error):
            raise type(error)(text) from None

    def readable(self, text: str) -> str:
        """The text with the names of tables in place of the paths of their files."""
        for path, name in self.names.items():
            text = text.replace(path, name)
        return text


def _is_table(value: Any) -> bool:
    return isinstance(value, Mapping) or hasattr(value, "columns")


def _write_table(path: str, name: str, table: Any) -> None:
    columns = list(table.columns if hasattr(table, "columns") else table)
    values = [_texts(table[column]) for column in columns]
    if not columns:
        raise _core.UsageError(f"{name}: expected a table with columns, got none")
    lengths = {len(column) for column in values}
    if len(lengths) > 1:
        raise _core.UsageError(f"{name}: expected columns of one length, got {sorted(lengths)}")
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*values))


def _texts(column: Any) -> list[str]:
    return ["" if _is_missing(value) else _text(value) for value in column]


def _is_missing(value: Any) -> bool:
    if isinstance(value, (float, np.floating)):
        return bool(np.isnan(value))
    return value is None or type(value).__name__ in ("NAType", "NaTType")  # the latter two of pandas


def _text(value: Any) -> str:
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    return str(value)


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
