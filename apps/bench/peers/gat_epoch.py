"""One training epoch of GAT on a citation network: Edgewise compared to PyTorch Geometric, in turns, in one run.

The model is the one of the paper as GATConv implements it (8 heads x 8, one output head, eight on PubMed, dropout of
inputs and of attention weights, Adam with L2). An epoch is one full-batch step: forward, backward, update. Rounds of
both alternate, so that a slow moment of the machine affects both. PyTorch Geometric runs in its own process, so that
its peak memory can be measured.

Edgewise computes only the nodes that two layers see from the training nodes, which have the loss. PyTorch Geometric is
given all nodes, as in its examples, or with --seen only the same nodes (k_hop_subgraph).

    pip install -r apps/bench/peers/requirements.txt
    EDGEWISE_DATA=... python apps/bench/peers/gat_epoch.py --name cora --edgewise build/edgewise --threads 2
"""

import argparse
import csv
import gzip
import json
import os
import resource
import statistics
import sys
import time

from turns import Parser, Server, count, fail, require, require_program, run

STEPS = 60
WARM_UP = 10
LAYERS = 2
OUTPUT_HEADS = {"cora": 1, "citeseer": 1, "pubmed": 8}


def load(folder):
    """Features with rows that sum to one, edges in both directions, labels and training mask, as tensors."""
    import numpy
    import torch

    def rows(name, opener=open):
        with opener(os.path.join(folder, name), "rt") as file:
            return list(csv.reader(line for line in file if not line.startswith("#")))[1:]

    labels = torch.tensor([int(row[1]) for row in rows("labels.csv")])
    words = numpy.array(rows("features.csv.gz", gzip.open), numpy.float64)
    features = numpy.zeros((len(labels), int(words[:, 1].max()) + 1), numpy.float32)
    features[words[:, 0].astype(int), words[:, 1].astype(int)] = words[:, 2]
    features /= numpy.maximum(features.sum(1, keepdims=True), 1e-12)  # a paper may have no words
    edges = numpy.array([[int(a), int(b)] for a, b in rows("edges.csv")]).T
    both = torch.tensor(numpy.concatenate([edges, edges[::-1]], 1))
    train = torch.tensor([row[1] == "train" for row in rows("split.csv")])
    return torch.tensor(features), both, labels, train


def seen_by_training_nodes(features, edges, labels, train):
    """The same tensors for the nodes that the layers see from the training nodes."""
    import torch
    from torch_geometric.utils import k_hop_subgraph

    nodes, edges, places, _ = k_hop_subgraph(train.nonzero().flatten(), LAYERS, edges, relabel_nodes=True,
                                             num_nodes=len(labels))
    train = torch.zeros(len(nodes), dtype=torch.bool)
    train[places] = True
    return features[nodes].contiguous(), edges, labels[nodes], train


def serve_pyg(folder, output_heads, threads, only_seen):
    """Times rounds of training steps: answers each line of standard input with a line of JSON."""
    import torch
    import torch.nn.functional as F
    from torch_geometric.nn import GATConv

    torch.set_num_threads(threads)
    features, edges, labels, train = load(folder)
    classes = int(labels.max()) + 1
    if only_seen:
        features, edges, labels, train = seen_by_training_nodes(features, edges, labels, train)

    class Gat(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.first = GATConv(features.shape[1], 8, heads=8, dropout=0.6)
            self.second = GATConv(64, classes, heads=output_heads, concat=False, dropout=0.6)

        def forward(self, x):
            x = F.dropout(x, 0.6, self.training)
            x = F.elu(self.first(x, edges))
            x = F.dropout(x, 0.6, self.training)
            return self.second(x, edges)

    model = Gat()
    optimiser = torch.optim.Adam(model.parameters(), lr=0.005, weight_decay=5e-4)
    model.train()
    for _ in sys.stdin:
        milliseconds = []
        for _ in range(STEPS):
            start = time.perf_counter()
            optimiser.zero_grad()
            F.cross_entropy(model(features)[train], labels[train]).backward()
            optimiser.step()
            milliseconds.append(1000 * (time.perf_counter() - start))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(json.dumps({"epoch_ms": statistics.median(milliseconds[WARM_UP:]), "peak_rss_mib": peak}), flush=True)


def run_edgewise(binary, name, threads):
    command = [binary, "train", name, "--epochs", str(10 * STEPS), "--patience", "0", "--threads", str(threads),
               "--json"]
    for difference in ("dropout_per_head=false", "feature_dropout=0", "score_bias=false"):  # options that GATConv lacks
        command += ["--set", "model." + difference]
    return json.loads(run(command).splitlines()[-1])


def main():
    parser = Parser(description=__doc__.splitlines()[0])
    parser.add_argument("--name", choices=OUTPUT_HEADS, default="cora", help="of the network")
    parser.add_argument("--edgewise", default="build/edgewise", help="the command line that was built")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seen", action="store_true", help="PyTorch Geometric, too, only on what training nodes see")
    parser.add_argument("--serve-pyg", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if "EDGEWISE_DATA" not in os.environ:
        fail("set EDGEWISE_DATA to the folder that has the data sets")
    folder = os.path.join(os.environ["EDGEWISE_DATA"], arguments.name)
    require("numpy", "torch", "torch_geometric")
    if arguments.serve_pyg:
        serve_pyg(folder, OUTPUT_HEADS[arguments.name], arguments.threads, arguments.seen)
        return

    require_program(arguments.edgewise, "--edgewise")
    peer = Server([sys.executable, __file__, "--serve-pyg", "--name", arguments.name,
                   "--threads", str(arguments.threads)] + ["--seen"] * arguments.seen)
    results = {"PyTorch Geometric": [], "Edgewise": []}
    for round_number in range(arguments.rounds + 1):
        pyg = peer.ask("round")
        ours = run_edgewise(arguments.edgewise, arguments.name, arguments.threads)
        if round_number > 0:  # the first one warms up
            results["PyTorch Geometric"].append(pyg)
            results["Edgewise"].append(ours)
    peer.close()

    print(f"GAT on {arguments.name}, one training epoch, {count(arguments.threads, 'thread')}, {arguments.rounds} rounds in turns")
    for name, rounds in results.items():
        times = [r["epoch_ms"] for r in rounds]
        print(f"{name:18} median {statistics.median(times):8.2f} ms   min {min(times):8.2f}   max {max(times):8.2f}"
              f"   peak memory {max(r['peak_rss_mib'] for r in rounds):6.0f} MiB")
    ratios = [p["epoch_ms"] / e["epoch_ms"] for p, e in zip(*results.values())]
    print(f"ratio, round by round: median {statistics.median(ratios):.1f}   min {min(ratios):.1f}   max {max(ratios):.1f}")


if __name__ == "__main__":
    main()
