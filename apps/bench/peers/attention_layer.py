"""One attention layer on a random graph: Edgewise beside PyTorch Geometric, in turns, in one run.

64 features in, 4 heads x 16 out, with projections and biases: TransformerConv, GATConv, GATv2Conv, forward, and forward
and backward to the weights. Both work on the same edges and features, which bench_attention_layer writes; self loops
are added by neither. Each layer and pass has a process for either side, which take turns, so that a slow moment of the
machine hits both; the peak memory is that of the process above what it has before its first call. Prints the table
of docs/benchmarks.md.

    pip install -r apps/bench/peers/requirements.txt
    python apps/bench/peers/attention_layer.py --bench build/bench_attention_layer --threads 2
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

LAYERS = {"dot_product": "TransformerConv", "gat": "GATConv", "gatv2": "GATv2Conv"}
PASSES = ["forward", "training"]
STORAGES = ["float32", "bfloat16"]
MEBIBYTE = 2**20


class PeakMemory:
    """How far the resident memory of this process rises above where it was; Linux only, as Edgewise measures it."""

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
        return self.read("VmHWM") - self.start


def serve_pyg(path, score, name, threads):
    """Answers each line of standard input, a number of calls, with a line of JSON."""
    import numpy
    import torch
    import torch_geometric.nn

    torch.set_num_threads(threads)
    with open(path, "rb") as file:
        nodes, edge_count = numpy.fromfile(file, numpy.int64, 2)
        edges = torch.from_numpy(numpy.fromfile(file, numpy.int64, 2 * edge_count).reshape(2, edge_count))
        features = torch.from_numpy(numpy.fromfile(file, numpy.float32, nodes * 64).reshape(nodes, 64))
    options = {} if score == "dot_product" else {"add_self_loops": False}
    layer = getattr(torch_geometric.nn, LAYERS[score])(64, 16, heads=4, **options)

    def call():
        if name == "forward":
            with torch.no_grad():
                layer(features, edges)
        else:
            layer.zero_grad()
            (layer(features, edges) * features).sum().backward()

    peak = PeakMemory()
    call()
    peak_bytes = peak.bytes()
    for line in sys.stdin:
        times = []
        for _ in range(int(line)):
            start = time.perf_counter()
            call()
            times.append(1000 * (time.perf_counter() - start))
        print(json.dumps({"layer_ms": times, "peak_bytes": peak_bytes}), flush=True)


class Server:
    """A process that times calls when it is asked to."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.times = {"layer_ms": [], "operator_ms": []}
        self.peak_bytes = None

    def run(self, calls):
        print(calls, file=self.process.stdin, flush=True)
        answer = json.loads(self.process.stdout.readline())
        for name, times in self.times.items():
            times += answer.get(name, [])
        self.peak_bytes = answer["peak_bytes"]

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def cells(times, peak_bytes):
    memory = f"{peak_bytes / MEBIBYTE:,.0f} MiB" if peak_bytes is not None else "–"
    return f"{statistics.median(times):,.1f} ms | {min(times):,.1f} ms | {memory}"


def measure(arguments, graph, score, name):
    threads = str(arguments.threads)
    ours = {storage: Server([arguments.bench, graph, score, name, threads, storage]) for storage in STORAGES}
    peer = Server([sys.executable, __file__, "--serve-pyg", graph, "--layer", score, "--pass", name, "--threads", threads])
    for _ in range(arguments.rounds):
        peer.run(1)
        for server in ours.values():
            server.run(arguments.calls)
    for server in [peer, *ours.values()]:
        server.close()
    what = f"{LAYERS[score]}, {'forward' if name == 'forward' else 'forward and backward'}"
    theirs = peer.times["layer_ms"]
    print(f"| {what} | PyTorch Geometric | {cells(theirs, peer.peak_bytes)} |")
    for storage, server in ours.items():
        layer = server.times["layer_ms"]
        ratio = statistics.median(theirs) / statistics.median(layer)
        memory = f"{peer.peak_bytes / server.peak_bytes:.0f}" if server.peak_bytes else "–"
        print(f"| | Edgewise, {storage} | {cells(layer, server.peak_bytes)} |")
        print(f"| | of this, attention alone | {cells(server.times['operator_ms'], None)} |")
        print(f"| | ratio | {ratio:.1f} | {min(theirs) / min(layer):.1f} | {memory} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bench", default="build/bench_attention_layer", help="the benchmark that was built")
    parser.add_argument("--nodes", type=int, default=100_000)
    parser.add_argument("--degree", type=int, default=16, help="edges into each node")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--calls", type=int, default=5, help="of Edgewise a round; PyTorch Geometric has one")
    parser.add_argument("--layer", choices=LAYERS, help="one layer only")
    parser.add_argument("--pass", dest="name", choices=PASSES, help="one pass only")
    parser.add_argument("--serve-pyg", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.serve_pyg:
        serve_pyg(arguments.serve_pyg, arguments.layer, arguments.name, arguments.threads)
        return

    from importlib.metadata import version

    with tempfile.TemporaryDirectory() as folder:
        graph = os.path.join(folder, "graph.bin")
        subprocess.run([arguments.bench, "--write", graph, str(arguments.nodes), str(arguments.degree)], check=True)
        print(f"{arguments.nodes:,} nodes, {arguments.nodes * arguments.degree:,} edges, 64 in, 4 heads × 16 out, "
              f"{arguments.threads} threads; PyTorch Geometric {version('torch_geometric')} on PyTorch "
              f"{version('torch')}; {arguments.rounds} rounds in turns\n")
        print("| layer, pass | | median | least | peak memory |\n|---|---|---|---|---|", flush=True)
        for score in [arguments.layer] if arguments.layer else LAYERS:
            for name in [arguments.name] if arguments.name else PASSES:
                measure(arguments, graph, score, name)


if __name__ == "__main__":
    main()
