"""Puts what you downloaded of a data set where the catalogue looks for it, the first folder of EDGEWISE_DATA:

    python -m edgewise.datasets cora --from planetoid-master.zip

What you downloaded is a zip, a folder, or a single file, any of them with files compressed by gzip. Nothing is
downloaded, nothing is unpacked but the files of the set, and nothing that a pickle names is run."""

from __future__ import annotations

import argparse
import difflib
import gzip
import hashlib
import io
import json
import os
import pathlib
import pickle
import pickletools
import secrets
import sys
import zipfile

from collections.abc import Mapping
from typing import Any, NoReturn

import numpy

__all__ = ["place"]

_MOST_BYTES = 1 << 30  # of a file without gzip
_MOST_FILES = 100_000
_MOST_NODES = 10_000_000


def place(name: str, archive: str | os.PathLike[str]) -> list[str]:
    """Writes the files of the data set `name` of the catalogue, from a zip, a folder or a file: those of the same name,
    compressed or not, also with the prefix "musae_"; the only file of a set, whatever its name; or the raw files of
    Planetoid, ind.NAME.*, which are converted. Returns a line for each file of the set: its path, and what is wrong
    with it. Raises ValueError if files are missing that models need, or if what is there cannot be used."""
    catalogue = json.loads((_catalogue_folder() / "catalogue.json").read_text("utf-8"))
    dataset = _find({entry["name"]: entry for entry in catalogue["datasets"]}, name)
    if dataset.get("shipped"):
        raise ValueError(f"{name} is there already: it is shipped")
    folder = next(filter(None, os.environ.get("EDGEWISE_DATA", "").split(":")), None)
    if folder is None:
        raise ValueError("set EDGEWISE_DATA to the folder for data sets")
    lines = []
    for file, contents in _contents(dataset, Archive(archive)):
        path = pathlib.Path(folder, file["path"])
        if contents is None:
            lines.append(f"{path}: is not in {os.fspath(archive)}")
            continue
        _write(path, contents)
        is_catalogued = hashlib.sha256(contents).hexdigest() == file["sha256"]
        lines.append(f"{path}{'' if is_catalogued else ': another version than that of the catalogue'}")
    return lines


def _catalogue_folder() -> pathlib.Path:
    """That of EDGEWISE_DATASETS, of the wheel, or of the sources that this file is part of."""
    here = pathlib.Path(__file__).resolve().parent
    named = os.environ.get("EDGEWISE_DATASETS")
    for folder in [pathlib.Path(named)] if named else [here / "datasets", here / "../../../datasets"]:
        if (folder / "catalogue.json").is_file():
            return folder
    raise ValueError(f"{named or here}: there is no catalogue.json; set EDGEWISE_DATASETS to the folder that has it")


def _find(datasets: Mapping[str, Any], name: str) -> Any:
    if name in datasets:
        return datasets[name]
    near = [known for known in datasets if len(name) > 2 and name in known]
    near = (near or difflib.get_close_matches(name, datasets))[:3]
    hint = f"did you mean {' or '.join(near)}?" if near else "edgewise data list shows what is"
    raise ValueError(f'"{name}" is not in the catalogue; {hint}')


def _refuse(label: str, problem: str) -> NoReturn:
    raise ValueError(f"{label}: {problem}")


def _contents(dataset: Mapping[str, Any], archive: Archive) -> list[tuple[Mapping[str, Any], bytes | None]]:
    """Each file of the set with what it holds; None for one that models can do without and that is not there."""
    name = dataset["name"]
    is_planetoid = dataset["format"] == "rows" and archive.find_whole(f"ind.{name}.graph") is not None
    converted = _planetoid(archive, name) if is_planetoid else {}
    contents: list[tuple[Mapping[str, Any], bytes | None]] = []
    for file in dataset["files"]:
        wanted = _plain_name(file["path"])
        is_only = archive.is_file and len(dataset["files"]) == 1
        found = archive.names[0] if is_only else archive.find(wanted)
        if wanted in converted:
            contents.append((file, converted[wanted].encode()))
        elif found is not None:
            contents.append((file, archive.read(found)))
        elif file["role"] in ("other", "split"):
            contents.append((file, None))
        else:
            or_raw = f", or ind.{name}.*" if dataset["format"] == "rows" else ""
            but = "is not a zip archive" if archive.is_file else "has no such file"
            _refuse(archive.path, f"expected {wanted}{or_raw} of {name}, but {but}")
    return contents


def _write(path: pathlib.Path, contents: bytes) -> None:
    """Replaces the file once the new one is whole."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        with open(part, "xb") as file:
            file.write(gzip.compress(contents, mtime=0) if path.name.endswith(".gz") else contents)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _plain_name(path: str) -> str:
    name = path.rsplit("/", 1)[-1]
    return name[:-3] if name.endswith(".gz") else name


class Archive:
    """What somebody downloaded: a zip, a folder or a file. Files are read by name; none is ever unpacked."""

    def __init__(self, path: str | os.PathLike[str]):
        self.path = os.fspath(path)
        self.is_file = False
        self._zip: zipfile.ZipFile | None = None
        if os.path.isdir(path):
            self.names = self._files_below()
            return
        if not os.path.isfile(path):
            _refuse(self.path, "is no file or folder" if os.path.exists(path) else "no such file or folder")
        with open(path, "rb") as file:
            begin = file.read(512)
        if begin[257:262] == b"ustar" or begin[:2] == b"7z" or self.path.endswith((".tgz", ".tar.gz")):
            _refuse(self.path, "expected a zip, a folder, or a single file: unpack it, and pass the folder")
        self.is_file = begin[:2] != b"PK"
        if self.is_file and self.path.endswith(".zip"):
            _refuse(self.path, "is not a zip archive")
        self.names = [os.path.basename(self.path)] if self.is_file else self._files_in_zip()

    def _files_below(self) -> list[str]:
        names: list[str] = []
        for folder, _, files in os.walk(self.path):
            paths = [os.path.join(folder, file) for file in files]
            names += [os.path.relpath(path, self.path) for path in paths if os.path.isfile(path)]
            self._check_count(names)
        return names

    def _files_in_zip(self) -> list[str]:
        try:
            self._zip = zipfile.ZipFile(self.path)
        except Exception:  # whatever a damaged file makes of the module
            _refuse(self.path, "is a damaged or truncated zip")
        names = [info.filename for info in self._zip.infolist() if not info.is_dir()]
        self._check_count(names)
        for name in names:  # a trap for programs that unpack it: who made it has nothing good to offer
            if name.startswith("/") or ".." in name.split("/") or "\\" in name:
                _refuse(self.path, f"has a file whose name leads out of it: {name!r}")
        return names

    def _check_count(self, names: list[str]) -> None:
        if len(names) > _MOST_FILES:
            _refuse(self.path, f"has more than {_MOST_FILES} files")

    def find(self, wanted: str) -> str | None:
        """The file of this name, in whatever folder and compressed or not; of several, that with the shortest path."""
        fitting = [name for name in self.names if _plain_name(name) in (wanted, "musae_" + wanted)]
        return min(fitting, key=len, default=None)

    def find_whole(self, wanted: str) -> str | None:
        return next((name for name in self.names if name.rsplit("/", 1)[-1] == wanted), None)

    def read(self, name: str) -> bytes:
        """What a file holds, without gzip."""
        if self._zip is not None:
            label = f"{self.path}: {name}"
            contents = self._read_of_zip(self._zip, label, self._zip.getinfo(name))
        else:
            label = self.path if self.is_file else os.path.join(self.path, name)
            with open(label, "rb") as file:
                contents = _read_to_limit(label, file)
        if contents[:2] != b"\x1f\x8b":
            return contents
        try:
            with gzip.open(io.BytesIO(contents)) as file:
                return _read_to_limit(label, file)
        except ValueError:  # of the limit
            raise
        except Exception:
            _refuse(label, "damaged or truncated gzip data")

    def _read_of_zip(self, whole: zipfile.ZipFile, label: str, info: zipfile.ZipInfo) -> bytes:
        if info.flag_bits & 1:
            _refuse(label, "is encrypted")
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            _refuse(label, "is compressed in an unknown way")
        if info.file_size > _MOST_BYTES:
            _refuse(label, f"is larger than {_MOST_BYTES >> 20} MiB")
        try:
            with whole.open(info) as file:
                return file.read(info.file_size)  # which compares the checksum at the end
        except Exception:
            _refuse(label, "is damaged or truncated")


def _read_to_limit(label: str, file: Any) -> bytes:
    contents: bytes = file.read(_MOST_BYTES + 1)
    if len(contents) > _MOST_BYTES:
        _refuse(label, f"is larger than {_MOST_BYTES >> 20} MiB")
    return contents


# Pickles of Python 2 that hold arrays, matrices and dicts of lists.


class _Made:
    """What a pickle wants made: what it would be called with, and the state that it would be given."""

    def __init__(self, *arguments: Any):
        self.arguments = arguments
        self.state: Any = None

    def __setstate__(self, state: Any) -> None:
        self.state = state


class _Entries(_Made, dict):  # type: ignore[type-arg]
    """For a defaultdict."""


# Every name that these files have, and what stands for it.
_STAND_INS = {
    ("__builtin__", "list"): _Made,
    ("collections", "defaultdict"): _Entries,
    ("numpy", "dtype"): _Made,
    ("numpy", "ndarray"): _Made,
    ("numpy.core.multiarray", "_reconstruct"): _Made,
    ("scipy.sparse.csr", "csr_matrix"): _Made,
}
# Every operation that they have; those of later protocols can claim memory by a number.
_OPERATIONS = set(
    "APPEND APPENDS BINFLOAT BINGET BININT BININT1 BININT2 BINPUT BINSTRING BINUNICODE BUILD EMPTY_DICT EMPTY_LIST "
    "EMPTY_TUPLE GLOBAL LIST LONG1 LONG_BINGET LONG_BINPUT MARK NEWFALSE NEWOBJ NEWTRUE NONE PROTO REDUCE SETITEM "
    "SETITEMS SHORT_BINSTRING STOP TUPLE TUPLE1 TUPLE2 TUPLE3".split()
)
_MOST_TUPLES = 1000  # one in another, a million deep, would exhaust the stack as the key of a dict


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in _STAND_INS:
            raise ValueError(f"the pickle names {module}.{name}, which is no part of a data set")
        return _STAND_INS[module, name]


def _check_operations(contents: bytes) -> None:
    tuples = 0
    for operation, argument, _ in pickletools.genops(contents):
        if operation.name not in _OPERATIONS:
            raise ValueError(f"the operation {operation.name} of the pickle is not read")
        if operation.name == "LONG_BINPUT" and argument > len(contents):  # it is the size of a table
            raise ValueError("the pickle remembers more than it has")
        tuples += operation.name.startswith("TUPLE")
    if tuples > _MOST_TUPLES:
        raise ValueError(f"the pickle has more than {_MOST_TUPLES} tuples")


def _unpickled(label: str, contents: bytes) -> Any:
    """Dicts, lists, tuples, texts, numbers, and `_Made` for all else."""
    try:
        _check_operations(contents)
        return _Unpickler(io.BytesIO(contents), encoding="latin1").load()
    except Exception as problem:  # whatever a damaged file makes of the module
        _refuse(label, str(problem) or "is a damaged pickle")


def _array(label: str, made: Any) -> numpy.ndarray[Any, Any]:
    try:
        _, shape, dtype, by_column, values = made.state
        kind = dtype.state[1] + dtype.arguments[0]
        if kind not in ("<i4", "<i8", "<f4", "<f8") or by_column is not False:
            raise ValueError
        return numpy.frombuffer(values.encode("latin1"), kind).reshape(shape)
    except (AttributeError, IndexError, OverflowError, TypeError, ValueError):
        _refuse(label, "expected a NumPy array of numbers of 4 or 8 bytes, by rows, lowest bytes first")


def _matrix(label: str, made: Any) -> tuple[numpy.ndarray[Any, Any], numpy.ndarray[Any, Any], Any]:
    """A SciPy matrix of compressed rows: row and column of each value, the values, the numbers of rows and columns."""
    state = made.state if isinstance(made, _Made) else None
    if not isinstance(state, dict):
        _refuse(label, "expected a SciPy matrix of compressed rows")
    offsets, columns, values = (_array(label, state.get(member)) for member in ("indptr", "indices", "data"))
    shape = state.get("_shape", state.get("shape"))
    fits = (
        isinstance(shape, tuple)
        and len(shape) == 2
        and all(type(size) is int and 0 <= size <= _MOST_NODES for size in shape)
        and offsets.dtype.kind == columns.dtype.kind == "i"
        and offsets.shape == (shape[0] + 1,)
        and columns.shape == values.shape == (offsets[-1],)
        and offsets[0] == 0
        and bool((offsets[1:] >= offsets[:-1]).all() and (columns >= 0).all() and (columns < shape[1]).all())
    )
    if not fits:
        _refuse(label, "expected a SciPy matrix of compressed rows")
    rows = numpy.repeat(numpy.arange(shape[0]), numpy.diff(offsets))
    return numpy.stack([rows, columns], axis=1), values, shape


def _classes(label: str, made: Any) -> numpy.ndarray[Any, Any]:
    """The classes of rows of zeros with one 1; -1 for a row of zeros."""
    ones = _array(label, made) == 1
    if ones.ndim != 2 or ones.shape[1] < 1:
        _refuse(label, "expected rows of zeros with one 1")
    return numpy.where(ones.any(axis=1), ones.argmax(axis=1), -1)


def _test_nodes(label: str, contents: bytes) -> numpy.ndarray[Any, Any]:
    lines = [line.strip() for line in contents.decode("latin1").splitlines()]
    for number, line in enumerate(lines, 1):
        if line and not (line.isascii() and line.isdigit() and len(line) < 10 and int(line) < _MOST_NODES):
            _refuse(label, f'line {number}: expected a node, got "{line}"')
    nodes = numpy.array([int(line) for line in lines if line], dtype=numpy.int64)
    if len(nodes) == 0 or len(numpy.unique(nodes)) != len(nodes):
        _refuse(label, "expected a node a line, each once")
    return nodes


def _edges(label: str, made: Any, nodes: int) -> str:
    edges = set()
    for node, neighbours in made.items() if isinstance(made, dict) else [(None, None)]:
        for other in neighbours if isinstance(neighbours, list) else [None]:
            if type(node) is not int or type(other) is not int:
                _refuse(label, "expected the neighbours of nodes")
            if not (0 <= node < nodes and 0 <= other < nodes):
                _refuse(label, f"expected nodes from 0 to {nodes - 1}, got an edge of {node!s:.20} and {other!s:.20}")
            if node != other:
                edges.add((min(node, other), max(node, other)))
    return "source,target\n" + "".join(f"{source},{target}\n" for source, target in sorted(edges))


def _features(places: numpy.ndarray[Any, Any], values: numpy.ndarray[Any, Any], nodes: int, columns: int) -> str:
    kept = values != 0
    places, values = places[kept], values[kept].astype(numpy.float32)
    order = numpy.lexsort((places[:, 1], places[:, 0]))
    rows = zip(places[order].tolist(), values[order])
    lines = [f"{row},{column},{str(value).removesuffix('.0')}\n" for (row, column), value in rows]
    return f"# nodes={nodes} features={columns} nnz={len(lines)}\nnode,feature,value\n{''.join(lines)}"


def _planetoid(archive: Archive, name: str) -> dict[str, str]:
    """The raw files of Yang, Cohen and Salakhutdinov 2016, as those of the catalogue. Node i of the test part is the
    one that ind.NAME.test.index names in line i; nodes that no file has, as in CiteSeer, have no features and the label
    -1. Edges are undirected, each once, without self loops."""

    def raw(kind: str) -> tuple[str, bytes]:
        found = archive.find_whole(f"ind.{name}.{kind}")
        if found is None:
            _refuse(archive.path, f"has no ind.{name}.{kind}")
        return f"{archive.path}: {found}", archive.read(found)

    def unpickled(kind: str) -> tuple[str, Any]:
        label, contents = raw(kind)
        return label, _unpickled(label, contents)

    places, values, (rows, columns) = _matrix(*unpickled("allx"))
    test_places, test_values, (test_rows, test_columns) = _matrix(*unpickled("tx"))
    classes, test_classes = _classes(*unpickled("ally")), _classes(*unpickled("ty"))
    test = _test_nodes(*raw("test.index"))
    train = len(_classes(*unpickled("y")))
    validation = train + 500
    sizes = (len(classes), len(test_classes), len(test), test_columns)
    if sizes != (rows, test_rows, test_rows, columns) or validation > rows:
        _refuse(archive.path, f"the files ind.{name}.* do not fit each other")
    nodes = max(rows, int(test.max()) + 1)
    labels = numpy.full(nodes, -1)
    labels[:rows] = classes
    labels[test] = test_classes
    parts = numpy.full(nodes, "none", dtype=object)
    parts[:validation] = "val"
    parts[:train] = "train"
    of_test = parts.copy()
    of_test[test] = "test"
    others = ~numpy.isin(places[:, 0], test)
    test_places[:, 0] = test[test_places[:, 0]]
    all_places = numpy.concatenate([places[others], test_places])
    all_values = numpy.concatenate([values[others], test_values])
    numbers = {part: numpy.flatnonzero(parts == part).tolist() for part in ("train", "val")}
    return {
        "edges.csv": _edges(*unpickled("graph"), nodes),
        "features.csv": _features(all_places, all_values, nodes, columns),
        "labels.csv": "node,label\n" + "".join(f"{node},{label}\n" for node, label in enumerate(labels.tolist())),
        "split.csv": "node,split\n" + "".join(f"{node},{part}\n" for node, part in enumerate(of_test)),
        "split.json": json.dumps({**numbers, "test": sorted(test.tolist())}),
    }


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m edgewise.datasets", description=(__doc__ or "").partition("::")[0])
    parser.add_argument("name", help="the name of the data set; edgewise data list shows them")
    kinds = "Planetoid's ind.*, MUSAE, MoleculeNet, TU Dortmund"
    what = f"what you downloaded, a zip, a folder or a file: {kinds}"
    parser.add_argument("--from", dest="archive", metavar="ARCHIVE", required=True, help=what)
    arguments = parser.parse_args()
    try:
        print("\n".join(place(arguments.name, arguments.archive)))
    except (OSError, ValueError) as problem:
        sys.exit(f"error: {problem}")


if __name__ == "__main__":
    main()
