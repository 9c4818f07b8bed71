"""One attention layer on a random graph: Edgewise compared to PyTorch Geometric, DGL and TinyGNN, in turns, in one run.

64 features in, 64 columns out (4 heads x 16 by default), with projections and biases: TransformerConv, GATConv,
GATv2Conv, forward, and forward and backward to the weights. All use the same edges and features, written by
bench_attention_layer; none adds self loops. For each layer and pass, every side runs in its own process. They take
turns, so that a slow moment of the machine affects all of them. Peak memory is that of the process on top of what it
has before its first call. Prints the tables of docs/benchmarks/speed.md.

With --compiled the layers of PyTorch Geometric also run under torch.compile. They are compiled in the first call, which
counts for neither time nor memory.

With --dgl the layers of DGL run too: DotGatConv, GATConv and GATv2Conv. DotGatConv is less than TransformerConv: one
projection serves query, key and value, and there is neither bias nor skip connection.

TinyGNN only has a forward pass of GAT with one head. It gets the weights of GATConv, and its output must agree with
GATConv's before anything is timed.

    pip install -r apps/bench/peers/requirements.txt
    python apps/bench/peers/attention_layer.py --bench build/bench_attention_layer --threads 2
    pip install --no-deps dgl==1.1.3; pip install psutil tqdm requests networkx packaging
    python apps/bench/peers/attention_layer.py --bench build/bench_attention_layer --threads 1 --compiled --dgl
    python apps/bench/peers/attention_layer.py --tinygnn --layer gat --pass forward --heads 1 --threads 1,2

With --torch the layers of edgewise.torch (pip install ./apps/python) take turns too, called from PyTorch as those of
PyTorch Geometric are.
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
import time

from turns import MEBIBYTE, Parser, PeakMemory, Server, count, fail, list_of, require, require_program, run

LAYERS = {"dot_product": "TransformerConv", "gat": "GATConv", "gatv2": "GATv2Conv"}
DGL_LAYERS = LAYERS | {"dot_product": "DotGatConv"}
PASSES = ["forward", "training"]
COLUMNS = 64  # in, and out for all heads together
AGREEMENT_BOUND = 1e-4  # of the largest entry, as in `edgewise bench attention`


def read_graph(path):
    """Sources and targets of the edges [2, E], and features [N, 64]."""
    import numpy

    with open(path, "rb") as file:
        nodes, edge_count = numpy.fromfile(file, numpy.int64, 2)
        edges = numpy.fromfile(file, numpy.int64, 2 * edge_count).reshape(2, edge_count)
        return edges, numpy.fromfile(file, numpy.float32, nodes * COLUMNS).reshape(nodes, COLUMNS)


def serve(call):
    """Reads a number of calls from each line of standard input and answers with a line of JSON."""
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


def serve_layer(arguments, layer, features, edges, compiles=False):
    """`layer` is called with features and edges; `compiles` if that compiles it the first time."""
    import torch

    def call():
        if arguments.name == "forward":
            with torch.no_grad():
                layer(features, edges)
        else:
            layer.zero_grad()
            (layer(features, edges) * features).sum().backward()

    if compiles:
        call()
    serve(call)


def serve_torch(arguments):
    import edgewise.torch
    import torch

    torch.set_num_threads(arguments.threads[0])
    edgewise.set_threads(arguments.threads[0])
    edges, features = read_graph(arguments.graph)
    make = getattr(edgewise.torch, LAYERS[arguments.layer])
    layer = make(COLUMNS, COLUMNS // arguments.heads, heads=arguments.heads)
    serve_layer(arguments, layer, torch.from_numpy(features), edgewise.Mask(edges, len(features)))


def serve_pyg(arguments):
    import numpy
    import torch
    import torch_geometric.nn

    torch.set_num_threads(arguments.threads[0])
    torch.manual_seed(1)
    edges, features = (torch.from_numpy(array) for array in read_graph(arguments.graph))
    options = {} if arguments.layer == "dot_product" else {"add_self_loops": False}
    make = getattr(torch_geometric.nn, LAYERS[arguments.layer])
    layer = make(COLUMNS, COLUMNS // arguments.heads, heads=arguments.heads, **options)
    if arguments.reference:
        with torch.no_grad():
            torch.nn.init.normal_(layer.bias)
            names = {"weight": layer.lin.weight.T, "of_source": layer.att_src[0], "of_target": layer.att_dst[0],
                     "bias": layer.bias, "output": layer(features, edges)}
        numpy.savez(arguments.reference, **{name: tensor.detach().numpy() for name, tensor in names.items()})
    compiled = arguments.serve == "compiled"
    serve_layer(arguments, torch.compile(layer) if compiled else layer, features, edges, compiled)


def serve_dgl(arguments):
    import dgl
    import dgl.nn
    import torch

    torch.set_num_threads(arguments.threads[0])
    edges, features = read_graph(arguments.graph)
    graph = dgl.graph((torch.from_numpy(edges[0]), torch.from_numpy(edges[1])), num_nodes=len(features))
    graph.create_formats_()
    make = getattr(dgl.nn, DGL_LAYERS[arguments.layer])
    convolution = make(COLUMNS, COLUMNS // arguments.heads, arguments.heads, allow_zero_in_degree=True)

    class Layer(torch.nn.Module):
        """Called like those of PyTorch Geometric."""

        def __init__(self):
            super().__init__()
            self.convolution = convolution

        def forward(self, features, graph):
            return self.convolution(graph, features).flatten(1)

    serve_layer(arguments, Layer(), torch.from_numpy(features), graph)


def serve_tinygnn(arguments):
    """Rows attend to columns: `left` is the half of the attention vector for the target of an edge."""
    import numpy
    from tinygnn import GATLayer, Tensor

    edges, features = read_graph(arguments.graph)
    adjacency = Tensor.from_edge_index(edges[::-1].astype(numpy.int32), len(features))
    inputs = Tensor.from_numpy(features)
    reference = numpy.load(arguments.reference)
    layer = GATLayer(COLUMNS, COLUMNS)
    layer.set_weight(Tensor.from_numpy(reference["weight"]))
    layer.set_attn_left(Tensor.from_numpy(reference["of_target"]))
    layer.set_attn_right(Tensor.from_numpy(reference["of_source"]))
    layer.set_bias(Tensor.from_numpy_1d(reference["bias"]))
    output = layer.forward(adjacency, inputs).to_numpy()
    difference = numpy.abs(output - reference["output"]).max() / numpy.abs(reference["output"]).max()
    if not difference <= AGREEMENT_BOUND:
        fail(f"TinyGNN and GATConv differ by {difference:.2g} of the largest entry, the bound is {AGREEMENT_BOUND:.0e}")
    del edges, features, reference, output
    serve(lambda: layer.forward(adjacency, inputs))


class Side:
    """One participant: a process that times calls on request."""

    def __init__(self, name, command, **environment):
        self.name = name
        self.server = Server(command, **environment)
        self.times = {"layer_ms": [], "operator_ms": []}
        self.peak_bytes = None

    def run(self, calls):
        answer = self.server.ask(calls)
        for name, times in self.times.items():
            times += answer.get(name, [])
        self.peak_bytes = answer["peak_bytes"]


def cells(times, peak_bytes):
    memory = f"{peak_bytes / MEBIBYTE:,.0f} MiB" if peak_bytes is not None else "–"
    return f"{statistics.median(times):,.1f} ms | {min(times):,.1f} ms | {memory}"


def measure(arguments, graph, score, name, threads):
    bench = [arguments.bench, graph, score, name, str(threads)]
    heads = [] if arguments.heads == 4 else [str(arguments.heads)]
    peer_command = [sys.executable, __file__, "--graph", graph, "--layer", score, "--pass", name,
                    "--heads", str(arguments.heads), "--threads", str(threads)]
    if arguments.tinygnn:
        peer_command += ["--reference", graph + ".npz"]
    peers = []
    if not arguments.no_plain:
        peers.append(Side("PyTorch Geometric", peer_command + ["--serve", "pyg"]))
        peers[-1].run(0)  # writes the reference
    if arguments.compiled:
        peers.append(Side("PyTorch Geometric, compiled", peer_command + ["--serve", "compiled"]))
    if arguments.dgl:
        peers.append(Side("DGL", peer_command + ["--serve", "dgl"], OMP_NUM_THREADS=str(threads),
                          DGLBACKEND="pytorch"))
    if arguments.tinygnn:
        peers.append(Side("TinyGNN", peer_command + ["--serve", "tinygnn"], OMP_NUM_THREADS=str(threads)))
        peers[-1].run(0)  # compares itself with the reference
    ours = [Side("Edgewise", bench + heads)]
    if arguments.torch:
        ours.append(Side("Edgewise from PyTorch", peer_command + ["--serve", "torch"], OMP_NUM_THREADS=str(threads)))
    for _ in range(arguments.rounds):
        for peer in peers:
            peer.run(1)
        for side in ours:
            side.run(arguments.calls)
    for side in [*peers, *ours]:
        side.server.close()

    what = f"{LAYERS[score]}, {'forward' if name == 'forward' else 'forward and backward'} "
    for peer in peers:
        print(f"| {what}| {peer.name} | {cells(peer.times['layer_ms'], peer.peak_bytes)} |")
        what = ""
    for side in ours:
        layer = side.times["layer_ms"]
        print(f"| | {side.name} | {cells(layer, side.peak_bytes)} |")
        if side.times["operator_ms"]:
            print(f"| | of this, attention alone | {cells(side.times['operator_ms'], None)} |")
        for peer in peers:
            theirs = peer.times["layer_ms"]
            ratio = statistics.median(theirs) / statistics.median(layer)
            less = peer.peak_bytes / side.peak_bytes if side.peak_bytes else None
            memory = "–" if less is None else f"{less:.0f}" if less >= 10 else f"{less:.1f}"
            over = "ratio" if len(peers) == 1 else f"ratio to {peer.name}"
            print(f"| | {over} | {ratio:.1f} | {min(theirs) / min(layer):.1f} | {memory} |", flush=True)


def main():
    parser = Parser(description=__doc__.splitlines()[0])
    parser.add_argument("--bench", default="build/bench_attention_layer", help="the benchmark that was built")
    parser.add_argument("--nodes", type=int, default=100_000)
    parser.add_argument("--degree", type=int, default=16, help="edges into each node")
    parser.add_argument("--heads", type=int, default=4, choices=[1, 2, 4, 8, 16], help="which share the 64 columns")
    parser.add_argument("--threads", type=list_of(int), default=[2], help="such as 1,2: a table for each")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--calls", type=int, default=5, help="of Edgewise per round; the others have one")
    parser.add_argument("--layer", choices=LAYERS, help="one layer only")
    parser.add_argument("--pass", dest="name", choices=PASSES, help="one pass only")
    parser.add_argument("--tinygnn", action="store_true", help="run it too; needs --layer gat --pass forward --heads 1")
    parser.add_argument("--compiled", action="store_true", help="run PyTorch Geometric under torch.compile too")
    parser.add_argument("--no-plain", action="store_true",
                        help="with --compiled: leave PyTorch Geometric as it is imported out")
    parser.add_argument("--dgl", action="store_true", help="run DGL too")
    parser.add_argument("--torch", action="store_true", help="run the layers of edgewise.torch too")
    for hidden in ("--serve", "--graph", "--reference"):
        parser.add_argument(hidden, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.serve:
        {"pyg": serve_pyg, "compiled": serve_pyg, "dgl": serve_dgl, "tinygnn": serve_tinygnn,
         "torch": serve_torch}[arguments.serve](arguments)
        return
    if arguments.tinygnn and (arguments.layer, arguments.name, arguments.heads) != ("gat", "forward", 1):
        parser.error("--tinygnn has one head of GAT, forward only: add --layer gat --pass forward --heads 1")
    if arguments.no_plain and (arguments.tinygnn or not arguments.compiled):
        parser.error("--no-plain needs --compiled, and TinyGNN is checked against the plain layer")
    require("numpy", "torch", "torch_geometric", *(["tinygnn"] if arguments.tinygnn else []),
            *(["dgl"] if arguments.dgl else []),
            *(["edgewise"] if arguments.torch else []))
    require_program(arguments.bench, "--bench")

    from importlib.metadata import version

    others = f"PyTorch Geometric {version('torch_geometric')} on PyTorch {version('torch')}"
    if arguments.dgl:
        others += f", DGL {version('dgl')}"
    if arguments.tinygnn:
        others += f", TinyGNN {version('tinygnn')}"
    with tempfile.TemporaryDirectory() as folder:
        graph = os.path.join(folder, "graph.bin")
        run([arguments.bench, "--write", graph, str(arguments.nodes), str(arguments.degree)])
        for threads in arguments.threads:
            print(f"{arguments.nodes:,} nodes, {arguments.nodes * arguments.degree:,} edges, {COLUMNS} in, "
                  f"{count(arguments.heads, 'head')} × {COLUMNS // arguments.heads} out, {count(threads, 'thread')}; "
                  f"{others}; {count(arguments.rounds, 'round')} in turns\n")
            print("| layer, pass | | median | least | peak memory |\n|---|---|---|---|---|", flush=True)
            for score in [arguments.layer] if arguments.layer else LAYERS:
                for name in [arguments.name] if arguments.name else PASSES:
                    measure(arguments, graph, score, name, threads)
            print()


if __name__ == "__main__":
    main()
