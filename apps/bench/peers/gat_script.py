"""PyTorch Geometric's example of GAT on Cora, and the same script over edgewise.torch: time an epoch, and accuracy.

The script is `examples/gat.py` of PyTorch Geometric: an epoch trains and then measures all three parts of the data. Of
ours three lines differ: the import, the one that makes the model, and the input, which is not dropped out by hand. The
two take turns, each in a process of its own. Accuracy is that on the test items in the epoch with the highest on the
validation items, as the example prints it.

    pip install -r apps/bench/peers/requirements.txt ./apps/python
    EDGEWISE_DATA=... python apps/bench/peers/gat_script.py --threads 2 --rounds 5
    EDGEWISE_DATA=... python apps/bench/peers/gat_script.py --threads 1 --runs 10

With --layers the third is their script with our layers, dropout and sparse features instead of our model. With --runs
whole trainings of 200 epochs are made in place of timing.
"""

import argparse
import csv
import json
import os
import statistics
import sys
import time

from gat_epoch import load
from turns import MEBIBYTE, Parser, PeakMemory, Server, count, data_folder, integer, print_rounds, require, take_turns

EPOCHS = 200
TIMED = 30
WARM_UP = 5
SIDES = {"pyg": "PyTorch Geometric", "layers": "Edgewise, layers", "model": "Edgewise, model"}


def make_model(kind, inputs, classes):
    import torch
    import torch.nn.functional as F

    if kind == "model":
        from edgewise.torch import GAT

        return GAT(inputs, 64, 2, classes, heads=(8, 1), dropout=0.6, input_dropout=0.6, act="elu")
    if kind == "layers":
        from edgewise.torch import GATConv, dropout
    else:
        from torch_geometric.nn import GATConv

        dropout = F.dropout

    class Gat(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.conv1 = GATConv(inputs, 8, 8, dropout=0.6)
            self.conv2 = GATConv(64, classes, heads=1, concat=False, dropout=0.6)

        def forward(self, x, edge_index):
            x = dropout(x, p=0.6, training=self.training)
            x = F.elu(self.conv1(x, edge_index))
            x = dropout(x, p=0.6, training=self.training)
            return self.conv2(x, edge_index)

    return Gat()


def parts(folder):
    import torch

    with open(os.path.join(folder, "split.csv")) as file:
        names = [row[1] for row in csv.reader(line for line in file if not line.startswith("#"))][1:]
    return [torch.tensor([name == part for name in names]) for part in ("train", "val", "test")]


class Script:
    def __init__(self, kind, folder):
        import torch
        import torch.nn.functional as F

        x, self.edge_index, self.y, _ = load(folder)
        self.masks = parts(folder)
        self.model = make_model(kind, x.shape[1], int(self.y.max()) + 1)
        if kind == "layers":
            from edgewise.torch import SparseFeatures

            x = SparseFeatures(x)
        self.x, self.cross_entropy, self.no_grad = x, F.cross_entropy, torch.no_grad
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=0.005, weight_decay=5e-4)

    def train(self):
        self.model.train()
        self.optimizer.zero_grad()
        out = self.model(self.x, self.edge_index)
        loss = self.cross_entropy(out[self.masks[0]], self.y[self.masks[0]])
        loss.backward()
        self.optimizer.step()
        return loss.item()

    def test(self):
        self.model.eval()
        with self.no_grad():
            pred = self.model(self.x, self.edge_index).argmax(dim=-1)
        return [int((pred[mask] == self.y[mask]).sum()) / int(mask.sum()) for mask in self.masks]


def serve(arguments, folder):
    """Answers a seed with the accuracy of a training, and anything else with the times of some epochs."""
    import torch

    torch.set_num_threads(arguments.threads)
    if arguments.serve != "pyg":
        import edgewise

        edgewise.set_threads(arguments.threads)
    script = Script(arguments.serve, folder)
    for line in sys.stdin:
        if line.strip().isdigit():
            torch.manual_seed(int(line))
            script = Script(arguments.serve, folder)
            best = (0, 0)
            for _ in range(EPOCHS):
                script.train()
                _, validation, test = script.test()
                best = max(best, (validation, test), key=lambda of: of[0])
            print(json.dumps({"accuracy": best[1]}), flush=True)
            continue
        peak, milliseconds = PeakMemory(), []
        for _ in range(TIMED):
            start = time.perf_counter()
            script.train()
            script.test()
            milliseconds.append(1000 * (time.perf_counter() - start))
        print(json.dumps({"epoch_ms": statistics.median(milliseconds[WARM_UP:]),
                          "peak_rss_mib": peak.of_process() / MEBIBYTE}), flush=True)


def main():
    parser = Parser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--runs", type=integer(1), help="trainings with the seeds from 1 on, in place of timing")
    parser.add_argument("--layers", action="store_true", help="run their script with our layers too")
    parser.add_argument("--serve", choices=SIDES, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    folder = data_folder("cora")
    require("numpy", "torch", "torch_geometric", "edgewise")
    if arguments.serve:
        serve(arguments, folder)
        return

    from importlib.metadata import version

    command = [sys.executable, __file__, "--threads", str(arguments.threads)]
    kinds = [kind for kind in SIDES if kind != "layers" or arguments.layers]
    servers = {SIDES[kind]: Server([*command, "--serve", kind], OMP_NUM_THREADS=str(arguments.threads))
               for kind in kinds}
    print(f"{'Training' if arguments.runs else 'An epoch'} of examples/gat.py on Cora, "
          f"{count(arguments.threads, 'thread')}; PyTorch Geometric {version('torch_geometric')} on PyTorch "
          f"{version('torch')}")
    if arguments.runs is None:
        calls = {name: lambda server=server: server.ask("round") for name, server in servers.items()}
        print_rounds(take_turns(calls, arguments.rounds), "epoch_ms")
        return
    for name, server in servers.items():
        found = [server.ask(str(seed))["accuracy"] for seed in range(1, arguments.runs + 1)]
        deviation = statistics.stdev(found) if len(found) > 1 else 0.0
        print(f"{name:17} accuracy {statistics.mean(found):.4f} ± {deviation:.4f} of {count(arguments.runs, 'run')}")


if __name__ == "__main__":
    main()
