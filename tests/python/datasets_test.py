"""edgewise.datasets: from what somebody downloaded to the files of the catalogue."""

import gzip
import hashlib
import json
import pathlib
import struct
import subprocess
import sys
import zipfile

import numpy
import pytest

from edgewise import datasets


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The folder with a catalogue, for downloads, and data/ for what is put in place."""
    monkeypatch.setenv("EDGEWISE_DATASETS", str(tmp_path))
    monkeypatch.setenv("EDGEWISE_DATA", f"{tmp_path}/data:/elsewhere")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write_catalogue(folder, name, form, files):
    """One set; files are (role, path, text)."""
    entries = [{"role": role, "path": path, "sha256": hashlib.sha256(text.encode()).hexdigest()} for role, path, text in files]
    catalogue = {"version": 1, "datasets": [{"name": name, "format": form, "files": entries}]}
    (folder / "catalogue.json").write_text(json.dumps(catalogue))


def write_zip(path, files):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, contents in files.items():
            archive.writestr(name, contents)
    return path


# Pickles as Python 2 wrote them.


def integer(number):
    return b"J" + struct.pack("<i", number)


def text(words):
    words = words.encode("latin1")
    return b"T" + struct.pack("<i", len(words)) + words


def name(module, of):
    return f"c{module}\n{of}\n".encode()


def array(values, kind):
    values = numpy.asarray(values, kind)
    sizes = b"(" + b"".join(map(integer, values.shape)) + b"t"
    dtype = name("numpy", "dtype") + text(kind[1:]) + integer(0) + integer(1) + b"\x87R(" + integer(3) + text("<") + b"NNNtb"
    made = name("numpy.core.multiarray", "_reconstruct") + name("numpy", "ndarray") + integer(0) + b"\x85" + text("b") + b"\x87R("
    return made + integer(1) + sizes + dtype + b"\x89" + text(values.tobytes().decode("latin1")) + b"tb"


def pickled(value):
    return b"\x80\x02" + value + b"."


def matrix(rows, columns, offsets, indices):
    members = {"indptr": array(offsets, "<i4"), "indices": array(indices, "<i4"), "data": array([1] * len(indices), "<f4")}
    state = text("_shape") + integer(rows) + integer(columns) + b"\x86"
    state += b"".join(text(member) + value for member, value in members.items())
    return pickled(name("scipy.sparse.csr", "csr_matrix") + b")\x81}(" + state + b"ub")


def labels(classes):
    return pickled(array([[int(of == 0), int(of == 1)] for of in classes], "<i4"))


def planetoid():
    """502 nodes with a label to train or validate on, and nodes 503 and 505 to test."""
    neighbours = integer(0) + b"](" + integer(503) + integer(1) + b"e" + integer(1) + b"](" + integer(0) + integer(1) + b"e"
    graph = pickled(name("collections", "defaultdict") + name("__builtin__", "list") + b"\x85R(" + neighbours + b"u")
    return {
        "p/ind.toy.x": matrix(2, 3, [0, 1, 2], [0, 1]),
        "p/ind.toy.y": labels([0, 1]),
        "p/ind.toy.allx": matrix(502, 3, range(503), [node % 3 for node in range(502)]),
        "p/ind.toy.ally": labels([node % 2 for node in range(502)]),
        "p/ind.toy.tx": matrix(2, 3, [0, 2, 2], [2, 0]),
        "p/ind.toy.ty": labels([1, 0]),
        "p/ind.toy.graph": graph,
        "p/ind.toy.test.index": "505\n503\n",
    }


@pytest.fixture
def toy(folder):
    """A catalogue with a set in the format of Planetoid."""
    files = [("edges", "toy/edges.csv", "source,target\n0,1\n0,503\n"), ("features", "toy/features.csv.gz", "?")]
    write_catalogue(folder, "toy", "rows", [*files, ("labels", "toy/labels.csv", "?"), ("split", "toy/split.csv", "?")])
    return folder


def check_refused(folder, archive, problem):
    with pytest.raises(ValueError) as caught:
        datasets.place("toy", archive)
    assert problem in str(caught.value) and "\n" not in str(caught.value)
    assert not (folder / "data/toy/edges.csv").exists()


def test_files_of_a_zip_a_folder_and_a_file_compressed_or_not(folder):
    edges, targets, features = "id_1,id_2\n0,1\n", "id,page_type\n0,a\n1,b\n", '{"0": [1], "1": []}'
    files = [("edges", "pages/pages_edges.csv.gz", edges), ("features", "pages/pages_features.json.gz", features)]
    write_catalogue(folder, "pages", "musae", [*files, ("labels", "pages/pages_target.csv", targets), ("other", "pages/MORE", "")])
    of_snap = {"pages/musae_pages_edges.csv": edges, "pages/musae_pages_target.csv": gzip.compress(targets.encode())}
    write_zip("pages.zip", {"pages/README.txt": "by SNAP", **of_snap, "pages/musae_pages_features.json": features})
    placed = [str(folder / "data/pages" / name) for name in ("pages_edges.csv.gz", "pages_features.json.gz", "pages_target.csv")]
    assert datasets.place("pages", "pages.zip") == [*placed, f"{folder}/data/pages/MORE: is not in pages.zip"]
    assert gzip.decompress(pathlib.Path(placed[0]).read_bytes()).decode() == edges
    assert pathlib.Path(placed[2]).read_text() == targets
    assert sorted(path.name for path in (folder / "data/pages").iterdir()) == sorted(pathlib.Path(path).name for path in placed)

    pathlib.Path(placed[2]).write_text(targets + "2,c\n")
    lines = datasets.place("pages", folder / "data/pages")
    assert lines[:3] == [*placed[:2], f"{placed[2]}: another version than that of the catalogue"]


def test_the_only_file_of_a_set_whatever_its_name(folder):
    write_catalogue(folder, "water", "molecules", [("molecules", "water/table.csv", "smiles,y\nCCO,1\n")])
    pathlib.Path("download").write_bytes(gzip.compress(b"smiles,y\nCCO,1\n"))
    assert datasets.place("water", "download") == [f"{folder}/data/water/table.csv"]
    assert pathlib.Path("data/water/table.csv").read_text() == "smiles,y\nCCO,1\n"


def test_the_raw_files_of_planetoid_are_converted(toy):
    datasets.place("toy", write_zip("planetoid.zip", planetoid()))
    read = {path.name: path.read_bytes() for path in (toy / "data/toy").iterdir()}
    assert read["edges.csv"] == b"source,target\n0,1\n0,503\n"  # each once, no loops
    features = gzip.decompress(read["features.csv.gz"])
    assert features.startswith(b"# nodes=506 features=3 nnz=504\nnode,feature,value\n0,0,1\n1,1,1\n")
    assert features.endswith(b"\n501,0,1\n505,0,1\n505,2,1\n")  # the first line of tx is of node 505
    assert read["labels.csv"].endswith(b"\n501,1\n502,-1\n503,0\n504,-1\n505,1\n")
    assert b"\n1,train\n2,val\n" in read["split.csv"]
    assert read["split.csv"].endswith(b"\n501,val\n502,none\n503,test\n504,none\n505,test\n")


def test_what_cannot_be_used_is_refused_in_one_line(toy):
    check_refused(toy, "none.zip", "none.zip: no such file or folder")
    write_zip("other.zip", {"readme.md": "nothing"})
    check_refused(toy, "other.zip", "other.zip: expected edges.csv, or ind.toy.* of toy, but has no such file")
    for trap in ("../../edges.csv", "/etc/edges.csv", "a\\..\\edges.csv", "a/../../edges.csv"):
        check_refused(toy, write_zip("trap.zip", {trap: "source,target\n"}), "has a file whose name leads out of it")
    whole = pathlib.Path(write_zip("whole.zip", planetoid())).read_bytes()
    pathlib.Path("half.zip").write_bytes(whole[: len(whole) // 2])
    check_refused(toy, "half.zip", "is a damaged or truncated zip")
    damaged = bytearray(whole)
    damaged[whole.index(b"ind.toy.allx") + 40] ^= 0x55
    pathlib.Path("damaged.zip").write_bytes(damaged)
    check_refused(toy, "damaged.zip", "ind.toy.allx: is damaged")
    pathlib.Path("page.zip").write_text("<html>404</html>")
    check_refused(toy, "page.zip", "page.zip: is not a zip archive")
    pathlib.Path("page").write_text("<html>404</html>")
    check_refused(toy, "page", "page: expected edges.csv, or ind.toy.* of toy, but is not a zip archive")
    pathlib.Path("edges.csv.tgz").write_bytes(b"\x1f\x8brubbish")
    check_refused(toy, "edges.csv.tgz", "unpack it, and pass the folder")
    pathlib.Path("edges.csv").write_bytes(b"\x1f\x8brubbish")
    (toy / "files").mkdir()
    pathlib.Path("edges.csv").rename("files/edges.csv")
    check_refused(toy, "files", "files/edges.csv: damaged or truncated gzip data")


def test_raw_files_that_do_not_fit_are_refused(toy):
    files = planetoid()
    for member, contents, problem in [
        ("test.index", "505\n99999999999\n", 'line 2: expected a node, got "99999999999"'),
        ("test.index", "505\n-1\n", 'line 2: expected a node, got "-1"'),
        ("test.index", "505\n505\n", "expected a node a line, each once"),
        ("test.index", "505\n", "the files ind.toy.* do not fit each other"),
        ("tx", matrix(2, 3, [0, 2, 2], [2, 3]), "ind.toy.tx: expected a SciPy matrix of compressed rows"),
        ("tx", matrix(2, 3, [0, 3, 2], [2, 0]), "ind.toy.tx: expected a SciPy matrix of compressed rows"),
        ("tx", labels([0, 1]), "ind.toy.tx: expected a SciPy matrix of compressed rows"),
        ("y", pickled(array([1, 2], "<i4")), "ind.toy.y: expected rows of zeros with one 1"),
        ("y", pickled(integer(7)), "ind.toy.y: expected a NumPy array"),
        ("y", labels([0, 1]).replace(text("i4"), text("O8")), "ind.toy.y: expected a NumPy array"),
        ("graph", pickled(b"}" + integer(0) + b"]" + integer(506) + b"as"), "expected nodes from 0 to 505, got an edge of 0 and 506"),
        ("graph", pickled(b"}" + integer(0) + integer(1) + b"s"), "ind.toy.graph: expected the neighbours of nodes"),
    ]:
        check_refused(toy, write_zip("wrong.zip", {**files, f"p/ind.toy.{member}": contents}), problem)
    del files["p/ind.toy.test.index"]
    check_refused(toy, write_zip("part.zip", files), "part.zip: has no ind.toy.test.index")


def test_no_more_is_read_than_the_limit(toy, monkeypatch):
    monkeypatch.setattr(datasets, "_MOST_BYTES", 1 << 20)
    bomb = b"0,1\n" * (1 << 18) + b"0,1\n"
    check_refused(toy, write_zip("bomb.zip", {"edges.csv": bomb}), "edges.csv: is larger than 1 MiB")
    check_refused(toy, write_zip("packed.zip", {"edges.csv.gz": gzip.compress(bomb)}), "edges.csv.gz: is larger than 1 MiB")
    lie = pathlib.Path("bomb.zip").read_bytes()
    place = lie.index(b"PK\x01\x02") + 24  # how large it says the file is
    pathlib.Path("lie.zip").write_bytes(lie[:place] + struct.pack("<i", 100) + lie[place + 4 :])
    check_refused(toy, "lie.zip", "edges.csv: is damaged or truncated")
    monkeypatch.setattr(datasets, "_MOST_FILES", 3)
    check_refused(toy, write_zip("many.zip", dict.fromkeys("abcd", "")), "has more than 3 files")


def test_nothing_that_a_pickle_names_is_called(toy):
    touch = text("touch owned")
    for code, problem in [
        (name("os", "system") + b"(" + touch + b"tR", "names os.system"),
        (name("posix", "system") + touch + b"\x85R", "names posix.system"),
        (name("__builtin__", "eval") + touch + b"\x85R", "names __builtin__.eval"),
        (name("builtins", "exec") + touch + b"\x85R", "names builtins.exec"),
        (name("subprocess", "Popen") + touch + b"\x85\x81", "names subprocess.Popen"),
        (name("numpy", "load") + touch + b"\x85R", "names numpy.load"),
        (name("numpy", "ndarray.tofile") + touch + b"\x85R", "names numpy.ndarray.tofile"),
        (name("numpy.core.multiarray", "fromfile") + touch + b"\x85R", "names numpy.core.multiarray.fromfile"),
        (b"(" + touch + b"ios\nsystem\n", "operation INST"),
        (text("os") + text("system") + b"\x93" + touch + b"\x85R", "operation STACK_GLOBAL"),
        (touch + b"Q", "operation BINPERSID"),
        (b"\x82\x01" + touch + b"\x85R", "operation EXT1"),
        (name("numpy", "ndarray") + b"N}" + text("__init__") + name("numpy", "dtype") + b"s\x86b", "missing 1 required"),
    ]:
        check_refused(toy, write_zip("code.zip", {**planetoid(), "p/ind.toy.allx": pickled(code)}), problem)
    assert not list(toy.rglob("owned"))


def test_damaged_and_greedy_pickles_are_refused():
    def read(contents):
        return datasets._unpickled("file", contents)

    good = pickled(b"}(" + text("a") + integer(-5) + text("b") + b"](" + integer(1) + integer(2) + b"eu")
    assert read(good) == {"a": -5, "b": [1, 2]}
    damaged = [good[:length] for length in range(len(good))]
    damaged += [b"\x80\x02.", b"\x80\x02R.", b"\x80\x02t.", b"\x80\x02h\x07.", b"\x80\x02]KK\x01s.", b"\x80\x02\xff."]
    damaged += [pickled(b"N" + b"\x85" * 1_000_000)]  # a tuple in a tuple in ...
    damaged += [pickled(b"}" + b"N" + b"\x85" * 1_000_000 + b"Ns")]  # as a key
    damaged += [pickled(b"Nr\xff\xff\xff\x7f"), pickled(b"\x96" + struct.pack("<q", 1 << 40))]
    for contents in damaged:
        with pytest.raises(ValueError, match="^file: [^\n]+$"):
            read(contents)
    read(pickled(b"]q\x01h\x01a"))  # in itself
    read(pickled(b"]" * 100_000 + b"a" * 99_999))


def test_the_command(toy, monkeypatch):
    def run(*arguments):
        return subprocess.run([sys.executable, "-m", "edgewise.datasets", *arguments], capture_output=True, text=True)

    write_zip("planetoid.zip", planetoid())
    result = run("toy", "--from", "planetoid.zip")
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines()[0] == f"{toy}/data/toy/edges.csv"
    result = run("tay", "--from", "planetoid.zip")
    assert (result.returncode, result.stderr) == (1, 'error: "tay" is not in the catalogue; did you mean toy?\n')
    monkeypatch.delenv("EDGEWISE_DATA")
    assert run("toy", "--from", "planetoid.zip").stderr == "error: set EDGEWISE_DATA to the folder for data sets\n"
    monkeypatch.delenv("EDGEWISE_DATASETS")  # that of the package
    assert run("purchases", "--from", "planetoid.zip").stderr == "error: purchases is there already: it is shipped\n"
