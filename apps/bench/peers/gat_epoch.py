"""One training epoch of GAT on a citation network: Edgewise compared to PyTorch Geometric and DGL, in turns, in one run.

The model is the one of the paper as GATConv implements it (8 heads x 8, one output head, eight on PubMed, dropout of
inputs and of attention weights, Adam with L2). An epoch is one full-batch step: forward, backward, update. All take
turns, so that a slow moment of the machine affects all. Each runs in its own process, whose peak memory is measured.

Edgewise computes only the nodes that two layers see from the training nodes, which have the loss. The others are given
all nodes, as in the examples of PyTorch Geometric, or with --seen only the same nodes (k_hop_subgraph).

    pip install -r apps/bench/peers/requirements.txt
    EDGEWISE_DATA=... python apps/bench/peers/gat_epoch.py --name cora --edgewise build/edgewise --threads 2

With --compiled the model of PyTorch Geometric also runs under torch.compile, with the fused Adam; it is compiled in the
round that warms up. With --dgl its layers are DGL's, with --torch those of edgewise.torch (pip install ./apps/python),
in an otherwise unchanged script.
"""

import csv
import gzip
import json
import os
import sys

from turns import (Parser, add_peers, answer_rounds, count, data_folder, peers_of, print_rounds, require_peers,
                   require_program, run, take_turns, versions)

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


def make_model(kind, inputs, classes, output_heads, edges, nodes):
    """The model, from the layers of PyTorch Geometric, DGL or edgewise.torch."""
    import torch
    import torch.nn.functional as F

    if kind == "dgl":
        import dgl
        from dgl.nn import GATConv as OfDgl

        graph = dgl.add_self_loop(dgl.graph((edges[0], edges[1]), num_nodes=nodes))
        graph.create_formats_()

    def layer(columns, width, heads, concat):
        if kind == "dgl":
            return OfDgl(columns, width, heads, attn_drop=0.6)
        if kind == "torch":
            from edgewise.torch import GATConv
        else:
            from torch_geometric.nn import GATConv
        return GATConv(columns, width, heads=heads, concat=concat, dropout=0.6)

    class Gat(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.first = layer(inputs, 8, 8, True)
            self.second = layer(64, classes, output_heads, False)

        def forward(self, x):
            x = F.dropout(x, 0.6, self.training)
            x = self.first(graph, x).flatten(1) if kind == "dgl" else self.first(x, edges)
            x = F.dropout(F.elu(x), 0.6, self.training)
            return self.second(graph, x).mean(1) if kind == "dgl" else self.second(x, edges)

    return Gat()


def serve(kind, folder, output_heads, threads, only_seen):
    """Times rounds of training steps: answers each line of standard input with a line of JSON."""
    import torch
    import torch.nn.functional as F

    torch.set_num_threads(threads)
    if kind == "torch":
        import edgewise

        edgewise.set_threads(threads)
    features, edges, labels, train = load(folder)
    if only_seen:
        features, edges, labels, train = seen_by_training_nodes(features, edges, labels, train)
    model = make_model(kind, features.shape[1], int(labels.max()) + 1, output_heads, edges, len(labels))
    optimiser = torch.optim.Adam(model.parameters(), lr=0.005, weight_decay=5e-4, fused=kind == "compiled")
    model.train()
    run_model = torch.compile(model) if kind == "compiled" else model

    def step():
        optimiser.zero_grad()
        F.cross_entropy(run_model(features)[train], labels[train]).backward()
        optimiser.step()

    answer_rounds(step, "epoch_ms", STEPS - WARM_UP, WARM_UP)


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
    parser.add_argument("--seen", action="store_true", help="the others, too, only on what training nodes see")
    add_peers(parser)
    arguments = parser.parse_args()
    folder = data_folder(arguments.name)
    require_peers(arguments)
    if arguments.serve:
        serve(arguments.serve, folder, OUTPUT_HEADS[arguments.name], arguments.threads, arguments.seen)
        return

    require_program(arguments.edgewise, "--edgewise")
    command = [sys.executable, __file__, "--name", arguments.name, "--threads", str(arguments.threads)]
    sides = peers_of(arguments, command + ["--seen"] * arguments.seen)
    sides["Edgewise"] = lambda: run_edgewise(arguments.edgewise, arguments.name, arguments.threads)
    print(f"GAT on {arguments.name}, one training epoch, {count(arguments.threads, 'thread')}, "
          f"{arguments.rounds} rounds in turns; {versions(arguments)}")
    print_rounds(take_turns(sides, arguments.rounds), "epoch_ms")


if __name__ == "__main__":
    main()
