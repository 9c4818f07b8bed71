"""Ties of a network, beside PyTorch Geometric and heuristics: splits that both sides read, and what Edgewise reaches.

    EDGEWISE_DATA=... python3 apps/bench/peers/links.py --edgewise build/edgewise --data cora --seeds 5
    EDGEWISE_DATA=... python3 apps/bench/peers/links.py --splits FOLDER   # only writes the splits
    python3 apps/bench/peers/links.py --edges net.csv --model link_trees  # an edge list with a header
    pip install -r apps/bench/peers/requirements.txt
    python apps/bench/peers/links.py --edges net.csv --peer               # encoders of PyTorch Geometric

For each seed, ties are cut 85/5/10 by NumPy's default_rng(seed) into SEED.csv (source,target,split). The model is chosen
and trained on the first two parts; the test ties are judged once: the mean reciprocal rank of each end among 100 drawn
nodes that have no tie there, ties in rank in the middle. `--model NAME` trains one model in place of the choice.

`--peer` trains GCN, GAT (4 heads) and SAGE of two layers with 128 columns on a learnt row of each node, as the nodes of a
list have no features, and a perceptron on the product of both ends: Adam at 0.005, 200 steps over all training ties and
as many drawn pairs, the weights of the best validation rank of every tenth. The best encoder of each split counts.
"""

import argparse
import csv
import gzip
import json
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

import numpy

SETS = {
    "cora": ("cora", "cora/edges.csv"),
    "citeseer": ("citeseer", "citeseer/edges.csv"),
    "pubmed": ("pubmed", "pubmed/edges.csv"),
    "musae-facebook": ("musae-facebook", "musae-facebook/*edges*"),
}
CANDIDATES = 100


def open_text(path):
    return gzip.open(path, "rt") if str(path).endswith(".gz") else open(path)


def path_of(pattern):
    root = pathlib.Path(os.environ["EDGEWISE_DATA"])
    return sorted(root.glob(pattern + "*" if not pattern.endswith("*") else pattern))[0]


def ties_of(pattern):
    return ties_in(path_of(pattern))


def ties_in(path):
    """The ties as the file names them, without loops; a tie and its reverse are one."""
    with open_text(path) as file:
        rows = list(csv.reader(file))[1:]
    edges = numpy.unique(numpy.sort(numpy.array([row[:2] for row in rows], dtype=int), axis=1), axis=0)
    return edges[edges[:, 0] != edges[:, 1]]


def write_split(ties, seed, path):
    order = numpy.random.default_rng(seed).permutation(len(ties))
    test, validation = int(0.1 * len(ties)), int(0.05 * len(ties))
    roles = numpy.full(len(ties), "train", dtype=object)
    roles[order[:test]] = "test"
    roles[order[test:test + validation]] = "validation"
    with open(path, "w") as file:
        file.write("source,target,split\n")
        for (source, target), role in zip(ties, roles):
            file.write(f"{source},{target},{role}\n")


def peer(ties, split, seed):
    """The test rank of each encoder."""
    import torch
    import torch.nn.functional as F
    from torch_geometric.nn import GATConv, GCNConv, SAGEConv

    torch.set_num_threads(1)
    nodes = int(ties.max()) + 1
    known = {(int(u), int(v)) for u, v in ties} | {(int(v), int(u)) for u, v in ties}
    with open(split) as file:
        rows = list(csv.DictReader(file))
    parts = {part: numpy.array([(int(row["source"]), int(row["target"])) for row in rows if row["split"] == part])
             for part in ("train", "validation", "test")}

    def reciprocal_rank(score, asked):
        random, values = numpy.random.default_rng(99), []
        for kept, replaced in ((0, 1), (1, 0)):
            source = numpy.repeat(asked[:, kept], CANDIDATES)
            other = random.integers(0, nodes, len(source))
            absent = [(int(u), int(v)) not in known and u != v for u, v in zip(source, other)]
            scores = numpy.where(absent, score(numpy.c_[source, other]), -numpy.inf).reshape(len(asked), CANDIDATES)
            own = score(asked[:, [kept, replaced]])[:, None]
            values.append((1 / (1 + (scores > own).sum(1) + 0.5 * (scores == own).sum(1))).mean())
        return float(numpy.mean(values))

    train = torch.tensor(parts["train"])
    edges = torch.cat([train, train.flip(1)]).T.contiguous()
    found = {}
    for name, layer in {"gcn": lambda: GCNConv(128, 128), "gat": lambda: GATConv(128, 32, heads=4),
                        "sage": lambda: SAGEConv(128, 128)}.items():
        torch.manual_seed(seed)
        rows_of_nodes, first, second = torch.nn.Embedding(nodes, 128), layer(), layer()
        readout = torch.nn.Sequential(torch.nn.Linear(128, 128), torch.nn.ReLU(), torch.nn.Dropout(0.2),
                                      torch.nn.Linear(128, 1))
        model = torch.nn.ModuleList([rows_of_nodes, first, second, readout])
        optimiser = torch.optim.Adam(model.parameters(), lr=0.005)

        def encode():
            x = F.dropout(rows_of_nodes.weight, 0.3, model.training)
            return second(F.dropout(F.relu(first(x, edges)), 0.3, model.training), edges)

        def logits(x, pairs):
            return readout(x[pairs[:, 0]] * x[pairs[:, 1]]).squeeze(-1)

        best = -1
        for step in range(1, 201):
            model.train()
            pairs = torch.cat([train, torch.randint(0, nodes, train.shape)])
            target = torch.cat([torch.ones(len(train)), torch.zeros(len(train))])
            optimiser.zero_grad()
            F.binary_cross_entropy_with_logits(logits(encode(), pairs), target).backward()
            optimiser.step()
            if step % 10:
                continue
            model.eval()
            with torch.no_grad():
                x = encode()
                score = lambda pairs: logits(x, torch.tensor(pairs)).numpy()
                value = reciprocal_rank(score, parts["validation"])
                if value > best:
                    best, found[name] = value, reciprocal_rank(score, parts["test"])
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--edgewise", default="build/edgewise")
    parser.add_argument("--data", nargs="+", default=list(SETS))
    parser.add_argument("--edges", nargs="+", default=[], help="edge lists in place of the data; their nodes are numbers")
    parser.add_argument("--peer", action="store_true", help="PyTorch Geometric on the edge lists, not Edgewise")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--model", default="")
    parser.add_argument("--threads", default="2")
    parser.add_argument("--splits", default="")
    arguments = parser.parse_args()
    folder = pathlib.Path(arguments.splits or tempfile.mkdtemp())
    folder.mkdir(parents=True, exist_ok=True)
    if arguments.peer and not arguments.edges:
        parser.error("--peer is for --edges")
    lists = {pathlib.Path(path).stem: path for path in arguments.edges}
    for name in lists or arguments.data:
        ties = ties_in(lists[name]) if lists else ties_of(SETS[name][1])
        data = ["--edges", lists[name], "--directed=false"] if lists else [SETS[name][0]]
        values, seconds = [], []
        for seed in range(arguments.seeds):
            split = folder / f"{name}-{seed}.csv"
            write_split(ties, seed, split)
            if arguments.splits:
                continue
            if arguments.peer:
                found = peer(ties, split, seed)
                values.append(max(found.values()))
                print(f"{name} seed {seed}: MRR {found}", flush=True)
                continue
            command = [arguments.edgewise, "train", *data, "--task", "links", "--split-file", str(split), "--seed",
                       str(seed), "--threads", arguments.threads, "--json"]
            if arguments.model:
                command += ["--model", arguments.model]
            start = time.monotonic()
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode != 0:
                raise SystemExit(done.stderr)
            result = json.loads(done.stdout.strip().splitlines()[-1])
            values.append(result["test"]["mrr"]["mean"])
            seconds.append(time.monotonic() - start)
            print(f"{name} seed {seed}: MRR {values[-1]:.4f} ({seconds[-1]:.0f} s) {result.get('choice', '')}", flush=True)
        if len(values) > 1:
            time_text = f", {statistics.median(seconds):.0f} s" if seconds else ""
            print(f"{name}: MRR {statistics.mean(values):.4f} ± {statistics.stdev(values):.4f}{time_text}", flush=True)


if __name__ == "__main__":
    main()
