"""One training epoch of ties on a network: Edgewise compared to PyTorch Geometric, in turns, in one run.

The same on both sides: GAT (two layers, 8 heads x 8, dropout of inputs and of attention weights), the product of the rows
of both ends into a perceptron (64 hidden units), two drawn pairs without a tie for each tie, binary cross-entropy, Adam.
An epoch is ten steps; each asks for a tenth of the training ties, and sees the edges of the others alone. Numbers of
pairs and common neighbours, which Edgewise has by default, are left out. Each runs in its own process, whose peak memory
is measured.

    pip install -r apps/bench/peers/requirements.txt
    EDGEWISE_DATA=... python apps/bench/peers/links_epoch.py --name cora --edgewise build/edgewise --threads 1 --compiled

With --compiled the model of PyTorch Geometric also runs under torch.compile, with the fused Adam; it is compiled in the
round that warms up. Its features are dense, or with --sparse a sparse tensor, whichever is faster for it.
"""

import json
import os
import sys
import tempfile

from links import SETS, ties_of, write_split
from turns import (Parser, add_peers, answer_rounds, count, data_folder, peers_of, print_rounds, require_peers,
                   require_program, run, take_turns, versions)

EPOCHS = {"cora": 5, "musae-facebook": 1}
FOLDS, NEGATIVES, HEADS, WIDTH = 10, 2, 8, 64
DROPOUT, RATE = 0.1, 0.005


def features_of(name):
    """[nodes, words]"""
    import gzip

    import torch

    folder = data_folder(name)
    if name == "musae-facebook":
        with gzip.open(os.path.join(folder, "facebook_features.json.gz"), "rt") as file:
            words = {int(node): set(some) for node, some in json.load(file).items()}
        places = [(node, word) for node, some in words.items() for word in some]
        values = [1.0] * len(places)
        nodes = len(words)
    else:
        with gzip.open(os.path.join(folder, "features.csv.gz"), "rt") as file:
            nodes = int(next(file).split("nodes=")[1].split()[0])
            rows = [line.split(",") for line in list(file)[1:]]
        places = [(int(row[0]), int(row[1])) for row in rows]
        values = [float(row[2]) for row in rows]
    columns = 1 + max(word for _, word in places)
    size = (nodes, columns)
    return torch.sparse_coo_tensor(torch.tensor(places).t(), torch.tensor(values), size, check_invariants=True).coalesce()


def make_model(inputs):
    import torch
    import torch.nn.functional as F
    from torch_geometric.nn import GATConv

    class Links(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.first = GATConv(inputs, WIDTH // HEADS, heads=HEADS, dropout=DROPOUT)
            self.second = GATConv(WIDTH, WIDTH // HEADS, heads=HEADS, dropout=DROPOUT)
            self.hidden, self.output = torch.nn.Linear(WIDTH, WIDTH), torch.nn.Linear(WIDTH, 1)

        def forward(self, x, edges, pairs):
            if not x.is_sparse:
                x = F.dropout(x, DROPOUT, self.training)
            x = F.elu(self.first(x, edges))
            x = F.elu(self.second(F.dropout(x, DROPOUT, self.training), edges))
            product = x[pairs[0]] * x[pairs[1]]
            return self.output(F.dropout(F.relu(self.hidden(product)), DROPOUT, self.training)).squeeze(-1)

    return Links()


def serve(kind, name, threads, is_sparse):
    """Times rounds of epochs: answers each line of standard input with a line of JSON."""
    import torch
    import torch.nn.functional as F

    torch.set_num_threads(threads)
    torch.manual_seed(0)
    x = features_of(name)
    if not is_sparse:
        x = x.to_dense()
    ties = torch.tensor(ties_of(SETS[name][1]))
    ties = ties[torch.randperm(len(ties))[:round(0.85 * len(ties))]]
    folds = []
    for fold in torch.arange(len(ties)).chunk(FOLDS):
        is_left = torch.ones(len(ties), dtype=torch.bool)
        is_left[fold] = False
        folds.append((ties[fold], torch.cat([ties[is_left], ties[is_left].flip(1)]).t().contiguous()))
    model = make_model(x.shape[1])
    optimiser = torch.optim.Adam(model.parameters(), lr=RATE, fused=kind == "compiled")
    model.train()
    run_model = torch.compile(model, dynamic=True) if kind == "compiled" else model

    def step(asked, edges):
        others = asked.repeat(NEGATIVES, 1)
        end = torch.randint(2, (len(others),))
        others[torch.arange(len(others)), end] = torch.randint(x.shape[0], (len(others),))
        optimiser.zero_grad()
        logits = run_model(x, edges, torch.cat([asked, others]).t())
        truth = torch.cat([torch.ones(len(asked)), torch.zeros(len(others))])
        F.binary_cross_entropy_with_logits(logits, truth).backward()
        optimiser.step()

    def epoch():
        for asked, edges in folds:
            step(asked, edges)

    answer_rounds(epoch, "epoch_ms", EPOCHS[name])


def edgewise_config():
    attention = {"type": "gat", "heads": HEADS, "width": WIDTH // HEADS, "attention_dropout": DROPOUT}
    dropout = {"type": "dropout", "probability": DROPOUT}
    blocks = [dropout, attention, {"type": "activation", "function": "elu"}, dropout, attention,
              {"type": "activation", "function": "elu"}, {"type": "link_readout", "kind": "product", "common": "none"},
              {"type": "linear", "width": WIDTH}, {"type": "activation", "function": "relu"}, dropout,
              {"type": "linear", "width": "outputs"}]
    return {"schema": "edgewise.config/1", "data": {"task": "links"}, "model": {"graph": {"self_loops": True}, "blocks": blocks}}


def run_edgewise(binary, name, threads, folder):
    config, split = os.path.join(folder, "config.json"), os.path.join(folder, "split.csv")
    if not os.path.exists(split):
        write_split(ties_of(SETS[name][1]), 0, split)
        with open(config, "w") as file:
            json.dump(edgewise_config(), file)
    epochs = EPOCHS[name]
    return json.loads(run([binary, "train", name, "--config", config, "--split-file", split, "--epochs", str(epochs),
                             "--evaluate-every", str(epochs), "--patience", "0", "--learning-rate", str(RATE),
                             "--weight-decay", "0", "--threads", str(threads), "--json"]).splitlines()[-1])


def main():
    parser = Parser(description=__doc__.splitlines()[0])
    parser.add_argument("--name", choices=EPOCHS, default="cora", help="of the network")
    parser.add_argument("--edgewise", default="build/edgewise", help="the command line that was built")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--sparse", action="store_true", help="sparse features, without their dropout, for the others")
    add_peers(parser)
    arguments = parser.parse_args()
    require_peers(arguments)
    if arguments.serve:
        serve(arguments.serve, arguments.name, arguments.threads, arguments.sparse)
        return
    require_program(arguments.edgewise, "--edgewise")
    command = [sys.executable, __file__, "--name", arguments.name, "--threads", str(arguments.threads)]
    sides = peers_of(arguments, command + ["--sparse"] * arguments.sparse)
    with tempfile.TemporaryDirectory() as folder:
        sides["Edgewise"] = lambda: run_edgewise(arguments.edgewise, arguments.name, arguments.threads, folder)
        print(f"GAT of ties on {arguments.name}, one training epoch of {FOLDS} steps, "
              f"{count(arguments.threads, 'thread')}, {arguments.rounds} rounds in turns; {versions(arguments)}")
        print_rounds(take_turns(sides, arguments.rounds), "epoch_ms")


if __name__ == "__main__":
    main()
