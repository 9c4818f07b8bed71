"""The wheel: what it contains, its command line, and a server of it."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile

import pytest

import edgewise
import purchases

FOLDER = pathlib.Path(edgewise.__file__).parent
COMMAND = pathlib.Path(sys.executable).with_name("edgewise")
pytestmark = pytest.mark.skipif(not COMMAND.exists(), reason="installed from the sources, not from a wheel")


def run(*arguments, program=COMMAND, **options):
    return subprocess.run([program, *arguments], capture_output=True, text=True, timeout=300, **options)


def test_the_command_line_has_the_catalogue_and_trains(tmp_path):
    assert run("version").stdout == run("version", program=FOLDER / "bin/edgewise").stdout
    assert "purchases" in run("data", "list").stdout
    result = run("train", "purchases", "--model", "gcn", "--epochs", "5", "--out", "m.safetensors", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert edgewise.load(tmp_path / "m.safetensors").metrics["test"]["accuracy"] > 0.5


def test_libraries_come_from_the_wheel():
    loaded = {line.split()[-1] for line in pathlib.Path("/proc/self/maps").read_text().splitlines() if ".so" in line}
    assert any("libRDKitGraphMol-" in path for path in loaded)
    ours = [path for path in loaded if path.startswith(os.fspath(FOLDER))]
    assert ours and not any(pathlib.Path(path).name.startswith("libstdc++") for path in ours)
    assert (FOLDER / "licences").is_dir() and any((FOLDER / "licences").iterdir())


def test_instructions_can_be_chosen_and_not_above_what_is_there():
    assert edgewise.instructions in ("native", "x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4")
    wrong = {**os.environ, "EDGEWISE_INSTRUCTIONS": "x86-64-v9"}
    result = run("version", env=wrong)
    assert result.returncode == 2
    assert "EDGEWISE_INSTRUCTIONS: expected x86-64" in result.stderr and "got x86-64-v9" in result.stderr
    result = run("-c", "import edgewise", program=sys.executable, env=wrong)
    assert "ImportError: EDGEWISE_INSTRUCTIONS: expected one of" in result.stderr
    lowest = {**os.environ, "EDGEWISE_INSTRUCTIONS": "x86-64"}
    assert run("-c", "import edgewise; print(edgewise.instructions)", program=sys.executable, env=lowest).stdout


def test_the_archive_runs_where_it_is_unpacked(tmp_path):
    with tarfile.open(os.environ["EDGEWISE_ARCHIVE"]) as archive:
        archive.extractall(tmp_path)
    (top,) = tmp_path.iterdir()
    assert not list(top.rglob("*.py")) and not list(top.rglob("_core*"))
    moved = top.rename(tmp_path / "moved")
    result = run("data", "list", program=moved / "bin/edgewise", cwd="/")
    assert "purchases" in result.stdout, result.stderr


def test_a_client_of_a_server(tmp_path):
    for file in ("friends.csv", "people.csv"):
        shutil.copy(purchases.FOLDER / file, tmp_path)
    edgewise.train(
        edges=tmp_path / "friends.csv", nodes=tmp_path / "people.csv", label="buys", model="gcn", epochs=3
    ).save(tmp_path / "m.safetensors")
    command = [COMMAND, "serve", "m.safetensors", "--socket", "answers.socket"]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as server:
        while "ready" not in (line := server.stderr.readline()):
            assert line
        example = pathlib.Path(__file__).parent / "examples" / "serve_client.py"
        result = run(example, program=sys.executable, cwd=tmp_path)
        server.terminate()
    assert result.returncode == 0, result.stderr
    assert [row["node"] for row in json.loads(result.stdout.replace("'", '"'))] == ["p0", "p1"]
    assert server.returncode == 0


@pytest.mark.skipif(shutil.which("qemu-x86_64") is None, reason="there is no qemu-x86_64 (Debian: qemu-user)")
@pytest.mark.parametrize(
    "processor, level", [("qemu64", "x86-64"), ("Nehalem", "x86-64"), ("Haswell", "x86-64-v3"), ("max", "x86-64-v3")]
)
def test_the_launcher_takes_the_most_that_a_processor_has(processor, level, tmp_path):
    (tmp_path / "bin").mkdir()
    shutil.copy(FOLDER / "bin/edgewise", tmp_path / "bin")
    for name in ("x86-64", "x86-64-v3", "x86-64-v4"):
        program = tmp_path / name / "edgewise"
        program.parent.mkdir()
        program.write_text(f"#!/bin/sh\necho {name}\n")
        program.chmod(0o755)
    emulated = ["-cpu", processor, tmp_path / "bin/edgewise"]
    environment = {key: value for key, value in os.environ.items() if key != "EDGEWISE_INSTRUCTIONS"}
    assert run(*emulated, program="qemu-x86_64", env=environment).stdout == f"{level}\n"
    forced = run(*emulated, program="qemu-x86_64", env={**environment, "EDGEWISE_INSTRUCTIONS": "x86-64"})
    assert forced.stdout == "x86-64\n"
