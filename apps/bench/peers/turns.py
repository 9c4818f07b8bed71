"""Shared by the scripts of this folder: processes that take turns, their peak memory, and one-line errors."""

import argparse
import importlib.util
import json
import os
import shutil
import statistics
import subprocess
import sys
import time

MEBIBYTE = 2**20


class Parser(argparse.ArgumentParser):
    """Reports a wrong flag in one line on standard error, as `edgewise` does."""

    def error(self, message):
        fail(message, 2)


def fail(message, code=1):
    print(f"{os.path.basename(sys.argv[0])}: {message}", file=sys.stderr)
    sys.exit(code)


def integer(least):
    """The type of a flag such as `--epochs 50`."""

    def read(text):
        if not text.isdigit() or int(text) < least:
            raise argparse.ArgumentTypeError(f"expected a whole number of {least} or more, got {text}")
        return int(text)

    return read


def list_of(convert, least=1, most=float("inf")):
    """The type of a flag such as `--threads 1,2`."""

    def read(text):
        try:
            values = [convert(part) for part in text.split(",")]
        except ValueError:
            values = []
        if not values or not all(least <= value <= most for value in values):
            bounds = f"of {least} or more" if most == float("inf") else f"from {least} to {most}"
            raise argparse.ArgumentTypeError(f"expected numbers {bounds}, separated by commas, got {text}")
        return values

    return read


def require(*packages):
    requirements = os.path.join(os.path.dirname(__file__), "requirements.txt")
    for package in packages:
        if importlib.util.find_spec(package) is None:
            fail(f"the package {package} is missing: pip install -r {requirements}")


def require_program(path, flag):
    if shutil.which(path) is None:
        fail(f"{path}: no such program; build Edgewise, and name the program with {flag}")


def count(number, noun):
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def data_folder(name):
    """That of a data set."""
    if "EDGEWISE_DATA" not in os.environ:
        fail("set EDGEWISE_DATA to the folder that has the data sets")
    return os.path.join(os.environ["EDGEWISE_DATA"], name)


class PeakMemory:
    """How far the resident memory of this process rises above its initial size, measured as in Edgewise; Linux only."""

    def __init__(self):
        import ctypes

        ctypes.CDLL(None).malloc_trim(0)
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")
        self.start = self.read("VmRSS")

    @staticmethod
    def read(name):
        with open("/proc/self/status") as file:
            return next(int(line.split()[1]) * 1024 for line in file if line.startswith(name + ":"))

    def bytes(self):
        return max(0, self.of_process() - self.start)

    def of_process(self):
        """The whole of it since then, with its libraries."""
        return self.read("VmHWM")


def run(command):
    """Runs a program that must succeed; returns its standard output."""
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode == 0:
        return result.stdout
    said = result.stderr.strip().splitlines()
    fail(f"'{' '.join(command)}' ended with exit code {result.returncode}" + (f": {said[-1]}" if said else ""))


def answer_rounds(step, time_name, steps=1, warm_up=0):
    """Answers each line of standard input with a line of JSON: the median time of so many steps after those that warm up,
    and the peak memory."""
    for _ in sys.stdin:
        peak = PeakMemory()
        milliseconds = []
        for _ in range(warm_up + steps):
            start = time.perf_counter()
            step()
            milliseconds.append(1000 * (time.perf_counter() - start))
        print(json.dumps({time_name: statistics.median(milliseconds[warm_up:]),
                          "peak_rss_mib": peak.of_process() / MEBIBYTE}), flush=True)


class Server:
    """A process that answers each line of its standard input with a line of JSON."""

    def __init__(self, command, **environment):
        self.command = command
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        env={**os.environ, **environment})

    def ask(self, line):
        try:
            print(line, file=self.process.stdin, flush=True)
            answer = self.process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        if not answer:
            self.fail_after_end(self.process.wait())
        return json.loads(answer)

    def fail_after_end(self, code):
        if code > 0:  # it has reported the reason
            sys.exit(code)
        fail(f"'{' '.join(self.command)}' ended before it answered" + (f", by signal {-code}" if code < 0 else ""))

    def close(self):
        self.process.stdin.close()
        self.process.wait()


PEERS = {"pyg": "PyTorch Geometric", "compiled": "PyTorch Geometric, compiled", "dgl": "DGL",
         "torch": "Edgewise from PyTorch"}


def add_peers(parser):
    """The flags that choose who takes turns with Edgewise, next to PyTorch Geometric as it is imported."""
    parser.add_argument("--compiled", action="store_true", help="run PyTorch Geometric under torch.compile too")
    parser.add_argument("--dgl", action="store_true", help="run DGL too")
    parser.add_argument("--torch", action="store_true", help="run the layers of edgewise.torch too")
    parser.add_argument("--serve", choices=PEERS, help=argparse.SUPPRESS)


def require_peers(arguments):
    require("numpy", "torch", "torch_geometric", *["dgl"] * arguments.dgl, *["edgewise"] * arguments.torch)


def versions(arguments):
    from importlib.metadata import version

    others = f"PyTorch Geometric {version('torch_geometric')} on PyTorch {version('torch')}"
    return others + (f", DGL {version('dgl')}" if arguments.dgl else "")


def peers_of(arguments, command):
    """Calls by name that run a round in a process of their own: `command` with --serve."""
    wanted = ["pyg"] + [kind for kind in ("compiled", "dgl", "torch") if getattr(arguments, kind)]

    def call(kind):
        server = Server(command + ["--serve", kind], OMP_NUM_THREADS=str(arguments.threads), DGLBACKEND="pytorch")
        return lambda: server.ask("round")

    return {PEERS[kind]: call(kind) for kind in wanted}


def take_turns(sides, rounds):
    """The results of each side, round by round, after a round that warms up."""
    results = {name: [] for name in sides}
    for round_number in range(rounds + 1):
        for name, call in sides.items():
            result = call()
            if round_number > 0:
                results[name].append(result)
    return results


def print_rounds(results, time_name):
    """A line for each side, and the ratio of each of the others to Edgewise, the last one, round by round."""
    width = max(len(name) for name in results)
    for name, rounds in results.items():
        times = [r[time_name] for r in rounds]
        print(f"{name:{width}} median {statistics.median(times):8.2f} ms   min {min(times):8.2f}   max {max(times):8.2f}"
              f"   peak memory {max(r['peak_rss_mib'] for r in rounds):6.0f} MiB")
    *peers, (_, ours) = results.items()
    for name, rounds in peers:
        ratios = [p[time_name] / e[time_name] for p, e in zip(rounds, ours)]
        print(f"ratio to {name}, round by round: median {statistics.median(ratios):.1f}   min {min(ratios):.1f}"
              f"   max {max(ratios):.1f}")
