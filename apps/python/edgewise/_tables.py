"""Tables in memory, which the library reads where they are, in place of files."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, Union

import numpy as np

from edgewise import _core

# Arguments that may be tables, with their kind: "table", or "tables" if they may be several files.
TABLES = {
    path.removeprefix("data."): kind
    for _, path, kind, _ in json.loads(_core.config_flags())
    if kind in ("table", "tables")
}

Part = Union[list[str], np.ndarray]


class Columns(NamedTuple):
    """A table: the names of all columns, and parts that hold one each, or a matrix that holds several.

    `texts` are the columns that came as texts, and not as numbers or other objects that are only spelt as texts.
    """

    names: list[str]
    parts: list[Part]
    comment: str = ""
    texts: frozenset[str] = frozenset()
    index: Any = None  # of a DataFrame

    def copied(self) -> Columns:
        return self._replace(parts=[part.copy() if isinstance(part, np.ndarray) else part for part in self.parts])


class Tables:
    """The arguments of a job, with paths in place of tables.

    Attributes:
        arguments: The given ones, with what the library calls each table.
        core: The tables by these paths.
    """

    def __init__(self, arguments: Mapping[str, Any], kept: Mapping[str, Columns] | None = None) -> None:
        """`kept` are tables of training, for those whose arguments are not given."""
        self.arguments = dict(arguments)
        graph = self.arguments.get("graph")
        if is_of_kinds := _is_of_kinds(graph):
            self._take_kinds(graph, is_training=kept is None)
        if not is_of_kinds and _is_object(graph):
            self._take_graph(graph, is_training=kept is None)
        values = {name: self.arguments.get(name) for name in TABLES}
        kinds = {name: of for name, value in values.items() if (of := _kinds_of(name, value)) is not None}
        self._given = {
            name: columns_of(name, value) for name, value in values.items() if name not in kinds and is_table(name, value)
        }
        self.arguments.update({name: _path(name) for name in self._given})
        for name, of_kinds in kinds.items():
            tables = {kind: columns_of(name, table) for kind, table in of_kinds.items() if not _is_file(table)}
            self._given.update({f"{name}:{kind}": table for kind, table in tables.items()})
            self.arguments[name] = {kind: _path(f"{name}:{kind}") if kind in tables else of for kind, of in of_kinds.items()}
        of_kinds_given = {f"{name}:{kind}" for name, of_kinds in kinds.items() for kind in of_kinds}
        used = {
            name: table
            for name, table in (kept or {}).items()
            if values.get(of := name.split(":")[0]) is None or (of in kinds and name not in of_kinds_given)
        }
        self._used = {**used, **self._given}
        self.core = {
            _path(name): _core.Columns(table.names, table.parts, table.comment) for name, table in self._used.items()
        }

    def _take_kinds(self, graph: Any, is_training: bool) -> None:
        from edgewise._hetero import tables_of_hetero

        nodes, edges = tables_of_hetero(graph)
        self.arguments["graph"] = None
        for name, tables in (("nodes", nodes), ("edges", edges)):
            if self.arguments.get(name) is not None:
                raise _core.UsageError(f"give one of {name} and graph, not both")
            self.arguments[name] = tables
        features = {name for table in edges.values() for name in table.names[2:]}
        if is_training and features and self.arguments.get("edge_features") is None:
            self.arguments["edge_features"] = sorted(features)

    def _take_graph(self, graph: Any, is_training: bool) -> None:
        self.arguments["graph"] = None
        edges, nodes, is_directed = tables_of_graph(graph)
        for name, table in (("edges", edges), ("nodes", nodes)):
            if name == "edges" and self.arguments.get(name) is not None:
                raise _core.UsageError("give one of edges and graph, not both")
            if self.arguments.get(name) is None:
                self.arguments[name] = table
        if is_training and is_directed and self.arguments.get("directed") is None:
            self.arguments["directed"] = True

    def index(self, items: int) -> Any:
        """The index of the DataFrame with the molecules, reactions or graphs, which has a row for each of the items, if there is one."""
        index = next((self._used[name].index for name in ("molecules", "reactions", "graphs") if name in self._used), None)
        return index if index is not None and len(index) == items else None

    def are_names_texts(self) -> bool:
        """Whether the names of the items are texts in the table that has them, if that is in memory."""
        table = next((self._used[name] for name in ("nodes", "edges") if name in self._used), None)
        if table is None or not table.texts:
            return False
        given = self.arguments.get("id")
        usual = next((name for name in ("id", "node", "node_id", "name") for of in table.names if of.lower() == name), None)
        return (given or usual or table.names[0]) in table.texts

    def are_labels_texts(self) -> bool:
        """Whether the labels are texts in a table in memory."""
        label = self.arguments.get("label") or self.arguments.get("target")
        return any(label in table.texts for table in self._used.values()) if isinstance(label, str) else False

    def copied(self) -> dict[str, Columns]:
        """The tables among the arguments, as they are now."""
        return {name: table.copied() for name, table in self._given.items()}

    def __enter__(self) -> Tables:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: Any) -> None:
        if isinstance(error, _core.Error) and (text := self.readable(str(error))) != str(error):
            raise type(error)(text) from None

    def readable(self, text: str) -> str:
        """The text with the names of arguments in place of the paths of tables."""
        for name in self._given:
            if ":" in name:
                text = text.replace(_path(name), name.replace(":", " ", 1))
        for name in TABLES:
            text = text.replace(_path(name), name)
        return text


def _path(name: str) -> str:
    return f"memory:{name}"


def _is_file(value: Any) -> bool:
    return isinstance(value, (str, os.PathLike)) or _are_files(value)


def _kinds_of(name: str, value: Any) -> dict[str, Any] | None:
    """Tables or files by the names of kinds, or of relations (also as ("people", "buys", "products")); None for another
    value, such as columns by name."""
    if TABLES[name] != "tables" or not isinstance(value, Mapping) or not value:
        return None
    if not all(_is_file(of) or isinstance(of, (Mapping, Columns)) or hasattr(of, "columns") for of in value.values()):
        return None
    named = {":".join(map(str, of)) if isinstance(of, tuple) else str(of): table for of, table in value.items()}
    may_be_columns = any(type(of) in (list, tuple) for of in named.values())  # of texts, such as names
    return None if may_be_columns and not all(":" in of for of in named) else named


def is_table(name: str, value: Any) -> bool:
    if TABLES[name] == "tables" and _are_files(value):
        return False
    return isinstance(value, (Columns, Mapping)) or hasattr(value, "columns") or _is_object(value)


def _is_object(value: Any) -> bool:
    """Whether it is an array, a matrix or a graph: no file, and no table with named columns."""
    is_array = isinstance(value, (list, tuple)) or any(hasattr(value, of) for of in ("shape", "edge_index", "adjacency"))
    return is_array and not isinstance(value, str) and not hasattr(value, "columns")


def _is_of_kinds(graph: Any) -> bool:
    """Whether it is a graph of several kinds of nodes, of PyTorch Geometric or DGL."""
    return any(hasattr(graph, of) for of in ("node_types", "canonical_etypes"))


def _are_files(value: Any) -> bool:
    """Whether it is a list of names of files, which are read one after the other."""
    return isinstance(value, (list, tuple)) and len(value) > 0 and all(isinstance(of, (str, os.PathLike)) for of in value)


def columns_of(name: str, table: Any) -> Columns:
    """The columns of a table; of an array or a matrix of edges those of its edges."""
    if isinstance(table, Columns):
        return table
    if _is_object(table):
        if name != "edges":
            raise _core.UsageError(f"{name}: expected a file, a DataFrame or columns by name, got {type(table).__name__}")
        return edge_columns(table)
    index = getattr(table, "index", None) if hasattr(table, "iloc") else None
    if getattr(index, "name", None) is not None and index.name not in table.columns:
        table = table.reset_index()  # an index with a name is a column
    names = list(getattr(table, "column_names", None) or (table.columns if hasattr(table, "columns") else table))
    if twice := next((column for column in names if names.count(column) > 1), None):
        raise _core.UsageError(f'{name}: column "{twice}" is there more than once')
    columns = [table[column] for column in names]
    parts = [part_of(column) for column in columns]
    if not names:
        raise _core.UsageError(f"{name}: expected a table with columns, got none")
    lengths = {len(part) for part in parts}
    if len(lengths) > 1:
        raise _core.UsageError(f"{name}: expected columns of one length, got {sorted(lengths)}")
    are_texts = frozenset(str(name) for name, column, part in zip(names, columns, parts) if _has_texts(column, part))
    return Columns([str(column) for column in names], parts, texts=are_texts, index=index)


def _has_texts(column: Any, part: Part) -> bool:
    """Whether the first cell that is not missing is a text."""
    if isinstance(part, np.ndarray):
        return False
    cells = (of.as_py() if hasattr(of, "as_py") else of for of in column)  # pyarrow has scalars of its own
    return isinstance(next((of for of in cells if not is_missing(of)), None), str)


def part_of(column: Any) -> Part:
    """Numbers where they are, if an array holds them; else texts, "" where one is missing."""
    array = column.to_numpy() if hasattr(column, "to_numpy") else as_array(column) if hasattr(column, "detach") else column
    if isinstance(array, np.ndarray) and array.ndim == 1 and array.dtype.kind in "iuf":
        numbers = numbers_of(array)
        if numbers is not None:
            return numbers
    if isinstance(array, np.ndarray) and array.dtype == object and array.ndim == 1:
        return texts(array.tolist())
    return texts(column.to_pylist() if hasattr(column, "to_pylist") else column)


def numbers_of(array: np.ndarray) -> np.ndarray | None:
    """The array, or one with the same numbers in 32 or 64 bits; nothing if there is none."""
    kinds = {"f": (np.float32, np.float64), "i": (np.int32, np.int64), "u": (np.int64, np.int64)}
    narrow, wide = kinds[array.dtype.kind]
    if array.dtype in (narrow, wide):
        return array
    if array.dtype.kind == "u" and array.size > 0 and array.max() > np.iinfo(np.int64).max:
        return None
    return array.astype(narrow if array.dtype.itemsize < 4 else wide)


def texts(column: Iterable[Any]) -> list[str]:
    return [value if type(value) is str else "" if is_missing(value) else _text(value) for value in column]


def is_missing(value: Any) -> bool:
    if isinstance(value, (float, np.floating)):
        return bool(np.isnan(value))
    return value is None or type(value).__name__ in ("NAType", "NaTType")  # the latter two of pandas


def _text(value: Any) -> str:
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    return str(value.tolist() if isinstance(value, np.ndarray) else value)  # NumPy leaves out what is in the middle


def as_array(values: Any) -> np.ndarray:
    """An array of NumPy, also of a tensor of PyTorch with gradients or with 16 bits."""
    if hasattr(values, "detach"):
        values = values.detach().cpu()
        values = values.to_dense() if str(values.layout) != "torch.strided" else values
        values = values.float() if str(values.dtype) == "torch.bfloat16" else values
    return np.asarray(values)


def matrix_columns(prefix: str, values: Any, name: str) -> tuple[list[str], Part]:
    """The names and the part of a matrix [rows, columns] of numbers."""
    matrix = as_array(values)
    if matrix.dtype == object:
        try:
            matrix = matrix.astype(float)
        except (TypeError, ValueError):
            pass
    if matrix.ndim != 2 or matrix.dtype.kind not in "iufb":
        raise _core.UsageError(f"{name}: expected numbers [rows, columns], got {matrix.dtype} {list(matrix.shape)}")
    numbers = numbers_of(matrix.astype(np.int32) if matrix.dtype.kind == "b" else matrix)
    assert numbers is not None
    return [f"{prefix}{i}" for i in range(matrix.shape[1])], numbers


def sparse_columns(matrix: Any, names: list[str] | None = None) -> Columns:
    """The features of rows: those of a SciPy matrix [rows, features] that are stored, and not 0. By default rows are
    named by their numbers."""
    entries = matrix.tocoo(copy=True)
    entries.sum_duplicates()
    entries.eliminate_zeros()
    rows: Part = _integers(entries.row) if names is None else [names[row] for row in entries.row]
    parts: list[Part] = [rows, _integers(entries.col), entries.data.astype(float)]
    return Columns(["node", "feature", "value"], parts, f" features={matrix.shape[1]} nnz={entries.nnz}")


def edge_columns(edges: Any) -> Columns:
    """Edges of an edge index [2, edges], of a SciPy matrix with an entry (source, target), or of a graph of NetworkX or
    PyTorch Geometric, whose nodes are numbered."""
    if hasattr(edges, "tocoo"):
        return _of_matrix(edges)
    if hasattr(edges, "adjacency"):
        import networkx  # type: ignore[import-untyped, unused-ignore]

        return _of_networkx(networkx.convert_node_labels_to_integers(edges))
    given = edges.edge_index if hasattr(edges, "edge_index") else edges
    try:
        index = as_array(given)
    except ValueError:  # rows of several lengths
        index = np.empty(0)
    if index.ndim != 2 or index.shape[0] != 2 or (index.dtype.kind not in "iu" and index.size > 0):
        hint = ": transpose it" if index.ndim == 2 and index.shape[1] == 2 else ""
        raise _core.UsageError(f"edges: expected integers [2, edges], got {index.dtype} {list(index.shape)}{hint}")
    names, parts = ["source", "target"], [_integers(index[0]), _integers(index[1])]
    if (weights := getattr(edges, "edge_weight", None)) is not None:
        names, parts = [*names, "weight"], [*parts, as_array(weights).astype(float).reshape(-1)]
    if (attributes := getattr(edges, "edge_attr", None)) is not None:
        found = as_array(attributes)
        more, part = matrix_columns("edge", found.reshape(len(found), -1), "edge_attr")
        return Columns([*names, *more], [*parts, part])
    return Columns(names, list(parts))


def _integers(numbers: Any) -> np.ndarray:
    array = np.asarray(numbers)
    return array if array.dtype in (np.int32, np.int64) else array.astype(np.int64)


def _of_matrix(matrix: Any) -> Columns:
    entries = matrix.tocoo()
    if entries.shape[0] != entries.shape[1] or entries.data.dtype.kind == "c":
        raise _core.UsageError(
            f"edges: expected a square matrix of real numbers, got {entries.data.dtype} {list(entries.shape)}"
        )
    names, parts = ["source", "target"], [_integers(entries.row), _integers(entries.col)]
    if (entries.data == 1).all():
        return Columns(names, list(parts))
    return Columns([*names, "weight"], [*parts, entries.data.astype(float)])


def _of_networkx(graph: Any) -> Columns:
    found = list(graph.edges(data=True))
    attributes = sorted({str(name) for _, _, of in found for name in of})
    ends = {"source": [source for source, _, _ in found], "target": [target for _, target, _ in found]}
    return columns_of("edges", _joined(ends, {name: [of.get(name) for _, _, of in found] for name in attributes}))


def _attribute_columns(name: str, values: list[Any]) -> dict[str, list[Any]]:
    """The column of an attribute; of lists of numbers, those of their places: x0, x1, ..."""
    lists = [of for of in values if isinstance(of, (list, tuple, np.ndarray))]
    lengths = {len(of) for of in lists}
    if not lists or len(lists) < sum(of is not None for of in values) or len(lengths) != 1 or np.asarray(lists).dtype.kind not in "iufb":
        return {name: values}
    return {f"{name}{i}": [None if of is None else of[i] for of in values] for i in range(lengths.pop())}


def _joined(own: Mapping[str, Any], attributes: Mapping[str, Any]) -> dict[str, Any]:
    if taken := next((name for name in own if name in attributes), None):
        raise _core.UsageError(f'graph: rename the attribute "{taken}", which is what the names of nodes are called here')
    return {**own, **attributes}


def tables_of_graph(graph: Any) -> tuple[Columns, Columns, bool]:
    """The edges and the nodes of a graph of NetworkX or PyTorch Geometric, and whether it is directed."""
    if hasattr(graph, "adjacency"):
        found = list(graph.nodes(data=True))
        names = sorted({str(name) for _, of in found for name in of})
        attributes: dict[str, list[Any]] = {}
        for name in names:
            attributes.update(_attribute_columns(name, [of.get(name) for _, of in found]))
        nodes = columns_of("nodes", _joined({"id": [node for node, _ in found]}, attributes))
        return _of_networkx(graph), nodes, graph.is_directed()
    if not hasattr(graph, "edge_index"):
        raise _core.UsageError(
            f"graph: expected a file, or a graph of NetworkX or PyTorch Geometric, got {type(graph).__name__}: "
            "edges takes arrays and matrices"
        )
    rows = np.arange(graph.num_nodes)
    names, parts = ["id"], [rows]
    if graph.x is not None:
        more, part = matrix_columns("x", graph.x, "graph.x")
        names, parts = [*names, *more], [*parts, part]
    columns: dict[str, Any] = {}
    if graph.y is not None:
        columns["y"] = as_array(graph.y)
    if (masks := split_of_masks(graph, len(rows))) is not None:
        columns["split"] = masks
    return edge_columns(graph), Columns([*names, *columns], [*parts, *map(part_of, columns.values())]), True


def split_of_masks(graph: Any, nodes: int) -> np.ndarray | None:
    """The parts of the nodes by the masks of a graph of PyTorch Geometric; None if it has no mask of training.

    Raises:
        UsageError: For masks of several splits.
    """
    split = np.full(nodes, "", dtype=object)
    if getattr(graph, "train_mask", None) is None:
        return None
    for part, name in (("test", "test_mask"), ("validation", "val_mask"), ("train", "train_mask")):
        mask = getattr(graph, name, None)
        if mask is None:
            continue
        if np.ndim(mask) != 1:
            raise _core.UsageError(f"graph: {name} has several splits: keep one, as in graph.{name} = graph.{name}[:, 0]")
        split[np.asarray(mask, dtype=bool)] = part
    return split
