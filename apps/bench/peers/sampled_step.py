"""One training step over sampled neighbours: Edgewise compared to DGL, in turns, in one run.

Two layers of GraphSAGE with mean aggregation (64 features, 64 hidden columns, 16 classes, dropout 0.5 between them) on
a generated network with communities, fan-outs 15 and 10, batches of 1024 nodes, Adam. DGL draws with its NeighborSampler and
DataLoader, in the thread that trains (--workers 0) or in processes of their own, and gathers the features of the input
nodes. Both get the same edges; features and labels are random numbers. A round is a number of steps, timed from the
start of an epoch; drawing alone is timed too. Rounds of both alternate, so that a slow moment of the machine affects
both. Each runs in its own process.

    pip install -r apps/bench/peers/requirements.txt
    pip install --no-deps dgl==1.1.3; pip install psutil tqdm requests networkx packaging
    python apps/bench/peers/sampled_step.py --bench build/bench_sampling --nodes 1000000 --degree 16 --threads 1,2
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
import time

from turns import Parser, Server, count, integer, list_of, require, require_program, run, take_turns

FEATURES, HIDDEN, CLASSES = 64, 64, 16
FAN_OUTS, BATCH = [15, 10], 1024


def load(path):
    """The network that bench_sampling wrote, as a DGL graph that draws in the direction of attention."""
    import dgl
    import numpy
    import torch

    with open(path, "rb") as file:
        header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
        numbers = numpy.fromfile(file, numpy.float32)
    nodes = int(header.pop("__metadata__")["nodes"])
    ends = {name: torch.from_numpy(numbers[about["data_offsets"][0] // 4:about["data_offsets"][1] // 4]).long()
            for name, about in header.items()}
    graph = dgl.graph((ends["sources"], ends["targets"]), num_nodes=nodes).formats(["csc"])
    graph.create_formats_()
    return graph


def serve(path, threads, steps, workers):
    """Times rounds of training steps: answers each line of standard input with a line of JSON."""
    import dgl
    import torch
    import torch.nn.functional as F
    from dgl.nn import SAGEConv

    torch.set_num_threads(threads)
    graph = load(path)
    features = torch.rand(graph.num_nodes(), FEATURES)
    labels = torch.randint(CLASSES, (graph.num_nodes(),))

    class Sage(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.first = SAGEConv(FEATURES, HIDDEN, "mean", activation=F.relu)
            self.second = SAGEConv(HIDDEN, CLASSES, "mean", feat_drop=0.5)

        def forward(self, blocks, x):
            return self.second(blocks[1], self.first(blocks[0], x))

    model = Sage()
    optimiser = torch.optim.Adam(model.parameters(), lr=0.005)
    sampler = dgl.dataloading.NeighborSampler(FAN_OUTS)
    loader = dgl.dataloading.DataLoader(graph, torch.arange(steps * BATCH), sampler, batch_size=BATCH, shuffle=True,
                                        num_workers=workers)

    def train():
        for inputs, outputs, blocks in loader:
            optimiser.zero_grad()
            F.cross_entropy(model(blocks, features[inputs]), labels[outputs]).backward()
            optimiser.step()

    def draw():
        for _ in loader:
            pass

    def milliseconds(body):
        start = time.perf_counter()
        body()
        return 1000 * (time.perf_counter() - start) / steps

    for _ in sys.stdin:
        print(json.dumps({"step_ms": milliseconds(train), "draw_ms": milliseconds(draw)}), flush=True)


def main():
    parser = Parser(description=__doc__.splitlines()[0])
    parser.add_argument("--bench", default="build/bench_sampling", help="the benchmark program that was built")
    parser.add_argument("--nodes", type=integer(BATCH), default=1_000_000)
    parser.add_argument("--degree", type=integer(1), default=16, help="edges drawn into a node")
    parser.add_argument("--threads", type=list_of(int), default=[1, 2])
    parser.add_argument("--steps", type=integer(1), default=20, help="of a round")
    parser.add_argument("--rounds", type=integer(1), default=5)
    parser.add_argument("--workers", type=integer(0), default=0, help="processes that draw for DGL")
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    require("numpy", "torch", "dgl")
    if arguments.serve:
        serve(arguments.serve, arguments.threads[0], arguments.steps, arguments.workers)
        return

    require_program(arguments.bench, "--bench")
    from importlib.metadata import version
    print(f"GraphSAGE over sampled neighbours, {arguments.nodes:,} nodes, about {arguments.degree} edges into each, fan-outs "
          f"{FAN_OUTS}, {BATCH} nodes a step, {arguments.rounds} rounds of {count(arguments.steps, 'step')} in turns; "
          f"DGL {version('dgl')} on PyTorch {version('torch')}, {count(arguments.workers, 'worker')}")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "network.safetensors")
        run([arguments.bench, "--write", path, str(arguments.nodes), str(arguments.degree)])
        for threads in arguments.threads:
            compare(arguments, path, threads)


def compare(arguments, path, threads):
    peer = Server([sys.executable, __file__, "--serve", path, "--threads", str(threads), "--steps",
                   str(arguments.steps), "--workers", str(arguments.workers)],
                  OMP_NUM_THREADS=str(threads), DGLBACKEND="pytorch")
    ours = Server([arguments.bench, str(arguments.nodes), str(arguments.degree), str(threads), str(arguments.steps)])
    results = take_turns({"DGL": lambda: peer.ask("round"), "Edgewise": lambda: ours.ask("round")}, arguments.rounds)
    for server in (peer, ours):
        server.close()
    print(count(threads, "thread"))
    for name, what in (("step_ms", "step"), ("draw_ms", "drawing alone")):
        for side, rounds in results.items():
            times = [r[name] for r in rounds]
            print(f"  {what:13} {side:8} median {statistics.median(times):8.2f} ms   min {min(times):8.2f}"
                  f"   max {max(times):8.2f}")
        ratios = [p[name] / e[name] for p, e in zip(results["DGL"], results["Edgewise"])]
        print(f"  {what:13} ratio, round by round: median {statistics.median(ratios):.1f}   min {min(ratios):.1f}"
              f"   max {max(ratios):.1f}")


if __name__ == "__main__":
    main()
