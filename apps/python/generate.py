"""Writes what the package says of its arguments, and of its compiled module, for editors and type checkers.

    python apps/python/generate.py          # into apps/python/edgewise; needs the package and nanobind

`_arguments.py` comes from the library's tables of fields, `_core.pyi` from the bindings. The tests compare both.
"""

import importlib
import pathlib
import sys
import textwrap

FOLDER = pathlib.Path(__file__).parent / "edgewise"
HEADER = '''"""The arguments of `train`, `compare`, `tune` and of predictions.

Written by apps/python/generate.py from the library's tables; do not edit.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, TypedDict, Union

Path = Union[str, "os.PathLike[str]"]
Table = Union[Path, Mapping[str, Any], Any]  # a file, columns by name, or a DataFrame
'''


def arguments():
    """The text of `_arguments.py`."""
    members = importlib.import_module("edgewise._configuration").members()
    of_data = [name for name, member in members.items() if member.root == "data" and name != "dataset"]
    of_train = ["model", "budget"]  # others have arguments of these names for what is not the same
    others = [name for name, member in members.items() if member.root != "data" and name not in of_train]
    groups = [
        ("DataArguments(TypedDict, total=False)", "What the data is.", of_data),
        ("JobArguments(DataArguments, total=False)", "The data, the split, the model and its training.", others),
        ("TrainArguments(JobArguments, total=False)", "The arguments of `train`.", of_train),
    ]
    parts = [HEADER]
    for title, doc, names in groups:
        lines = [f"class {title}:", f'    """{doc}"""', ""]
        for name in names:
            help_text = textwrap.wrap(f'"""{members[name].help}"""', 112)
            lines += [f"    {name}: {members[name].hint} | None", *(f"    {line}" for line in help_text)]
        parts.append("\n\n" + "\n".join(lines) + "\n")
    return "".join(parts)


def core():
    """The text of `_core.pyi`."""
    from nanobind.stubgen import StubGen

    stub = StubGen(importlib.import_module("edgewise._core"))
    stub.put(importlib.import_module("edgewise._core"))
    return stub.get()


if __name__ == "__main__":
    del sys.path[0]  # where the package has no compiled module
    (FOLDER / "_arguments.py").write_text(arguments())
    (FOLDER / "_core.pyi").write_text(core())
