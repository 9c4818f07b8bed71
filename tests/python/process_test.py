"""What the package does when processes and threads start and end."""

import multiprocessing
import os
import pathlib
import shutil
import subprocess
import sys

import numpy as np
import pytest

import edgewise

PREAMBLE = """
import logging, threading, numpy as np, edgewise
logging.getLogger("edgewise").setLevel(logging.ERROR)
started = threading.Event()
def leave_while(work):
    threading.Thread(target=work, daemon=True).start()
    started.wait()
"""
ATTEND = """
mask = edgewise.Mask(np.random.randint(0, 2000, (2, 200000)), 2000)
x = np.ones((2000, 64), "f4")
def work():
    while True:
        edgewise.attend(mask, x, x, x, heads=4)
        started.set()
leave_while(work)
"""
TRAIN = """
nodes = {"id": list(range(600)), "a": [i % 7 for i in range(600)], "y": [i % 2 for i in range(600)]}
edges = {"source": list(range(598)), "target": list(range(2, 600))}
def work():
    edgewise.train(edges=edges, nodes=nodes, label="y", model="gat", epochs=1000000, patience=1000000,
                   on_epoch=lambda epoch: started.set())
leave_while(work)
"""
AT_EXIT = """
import atexit
atexit.register(lambda: print(edgewise.attend(edgewise.Mask([[0], [0]], 1), *np.ones((3, 1, 4))).sum()))
edgewise.threads()
"""


def run(script):
    return subprocess.run([sys.executable, "-c", PREAMBLE + script], capture_output=True, text=True, timeout=300)


@pytest.mark.parametrize("script", [ATTEND, TRAIN], ids=["attend", "train"])
def test_the_interpreter_may_end_while_a_thread_computes(script):
    for _ in range(3):
        result = run(script)
        assert (result.returncode, result.stderr) == (0, "")


def test_what_runs_at_exit_may_compute():
    result = run(AT_EXIT)
    assert (result.returncode, result.stdout, result.stderr) == (0, "4.0\n", "")


def attend_once(seed):
    x = np.random.default_rng(seed).normal(size=(3000, 16)).astype("f4")
    mask = edgewise.Mask.by_rule("band:4", 3000)
    return edgewise.attend(mask, x, x, x, heads=2)


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="processes are not forked here")
def test_a_forked_process_computes_the_same():
    before = edgewise.threads()
    edgewise.set_threads(3)
    expected = [attend_once(seed) for seed in range(4)]  # uses threads, which a forked process does not have
    with multiprocessing.get_context("fork").Pool(2) as pool:
        found = pool.map_async(attend_once, range(4)).get(timeout=120)
    edgewise.set_threads(before)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.skipif(shutil.which("qemu-x86_64") is None, reason="there is no qemu-x86_64 (Debian: qemu-user)")
@pytest.mark.parametrize("processor", ["Nehalem", "Haswell"])
def test_another_processor_can_import_it_or_is_told_why_not(processor):
    # The module that knows it alone: not every Python can be emulated with NumPy.
    script = "import importlib.util, sys; spec = importlib.util.spec_from_file_location('_instructions', sys.argv[1]); "
    script += "module = importlib.util.module_from_spec(spec); spec.loader.exec_module(module); print(module.missing())"
    path = edgewise._instructions.__file__
    emulated = ["qemu-x86_64", "-cpu", processor, sys.executable]
    known = subprocess.run([*emulated, "-c", script, path], capture_output=True, text=True, check=True, timeout=300)
    if known.stdout == "\n":
        return  # it was built for this processor
    folder = pathlib.Path(edgewise.__file__).parent.parent
    result = subprocess.run(
        [*emulated, "-c", "import edgewise"],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "PYTHONPATH": os.fspath(folder)},
    )
    assert result.returncode == 1
    assert result.stderr.splitlines()[-1].startswith(
        f"ImportError: edgewise was built for instructions that this processor lacks ({known.stdout.strip()}): "
    )
    assert "EDGEWISE_ARCH=x86-64" in result.stderr
