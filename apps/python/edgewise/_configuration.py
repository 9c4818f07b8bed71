"""From keyword arguments to the configuration of a job."""

from __future__ import annotations

import csv
import difflib
import functools
import json
import os
import pathlib
import tempfile
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from edgewise import _core

# Members of the model, which depend on its kind: the library does not list them.
_MODEL_MEMBERS = ("heads", "hidden", "layers", "mask", "readout", "dropout", "attention_dropout")

# Arguments that may be tables, and the files they become.
_TABLES = ("edges", "nodes", "molecules", "features", "graphs", "texts")


@functools.cache
def _members() -> dict[str, tuple[str, str]]:
    """The path and the type of what each argument sets: weight_decay -> ("training.weight_decay", "number")."""
    flags = {
        flag.removeprefix("--").replace("-", "_"): (path, kind) for flag, path, kind in json.loads(_core.config_flags())
    }
    of_model = {name: (f"model.{name}", "any") for name in _MODEL_MEMBERS}
    return {**flags, **of_model, "dataset": ("data.dataset", "text")}


def configuration(
    arguments: Mapping[str, Any], base: Mapping[str, Any] | str | os.PathLike[str] | None = None
) -> dict[str, Any]:
    """The configuration that says the same as the arguments, over `base`, a configuration or its file.

    Raises:
        UsageError: For an argument that is not known.
    """
    if isinstance(base, (str, os.PathLike)):
        base = json.loads(_core.read_config_file(os.fspath(base)))
    config = json.loads(json.dumps(dict(base or {}), default=_plain))
    for name, value in arguments.items():
        if value is None:
            continue
        if name == "model":
            _set(config, "model.preset", value) if isinstance(value, str) else config.update(model=value)
            continue
        if name not in _members():
            raise _core.UsageError(_unknown(name))
        path, kind = _members()[name]
        if kind == "list" and isinstance(value, str):
            value = [value]
        _set(config, path, value)
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
    close = usual or difflib.get_close_matches(name, [*_members(), "model"], n=1)
    return f"unknown argument {name}" + (f" (did you mean {close[0]}?)" if close else "")
