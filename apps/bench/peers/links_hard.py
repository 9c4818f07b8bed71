"""Ties ranked among hard pairs, as in HeaRT (Li et al. 2023), by Edgewise and by a GAT of PyTorch Geometric.

    pip install -r apps/bench/peers/requirements.txt scipy
    EDGEWISE_DATA=... python apps/bench/peers/links_hard.py --edgewise build/edgewise --data cora --seeds 5
    EDGEWISE_DATA=... python apps/bench/peers/links_hard.py --edgewise build/edgewise --data cora --peer --seeds 5

The authors' splits and pairs are on a server of their university, so both are made here, by their recipe (sections 5.1
and 5.2): ties are cut 85/5/10 (links.py, seed 0), and each validation and test tie has 500 pairs without a tie, 250 for
each of its ends: the nodes that rank first by resource allocation, personalised PageRank (both in the training ties) or
the cosine of the features, whichever is the least rank. The reciprocal rank of a tie is among these 500 together.

Models are trained on the training ties, and see them alone. `--peer` is a GAT of one layer with a perceptron on the
product of both ends, in the authors' settings: steps of 1024 ties that are left out of the messages, uniform pairs, the
epoch of the best validation rank of every fifth, until ten are no better. `--options` are flags of `edgewise train`,
`--part validation` is to choose them by.
"""

import argparse
import csv
import gzip
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

import numpy
import scipy.sparse

from links import SETS, ties_of, write_split

HARD = 250
PAGERANK_STEPS, RESTART = 60, 0.15
PEER = {"cora": (0.01, 0.5, 0.0, 128, 2), "citeseer": (0.01, 0.3, 1e-7, 256, 3), "pubmed": (0.01, 0.1, 0.0, 256, 3)}


def features_of(name):
    path = pathlib.Path(os.environ["EDGEWISE_DATA"]) / name / "features.csv.gz"
    with gzip.open(path, "rt") as file:
        head = dict(field.split("=") for field in next(file).lstrip("# ").split())
        next(file)
        rows = numpy.loadtxt(file, delimiter=",")
    places = rows[:, 0].astype(int), rows[:, 1].astype(int)
    return path, scipy.sparse.csr_matrix((rows[:, 2], places), shape=(int(head["nodes"]), int(head["features"])))


def symmetric(ties, count):
    ones = numpy.ones(2 * len(ties))
    return scipy.sparse.csr_matrix((ones, (ties.T.ravel(), ties[:, ::-1].T.ravel())), shape=(count, count))


def read_parts(split):
    parts = {"train": [], "validation": [], "test": []}
    with open(split) as file:
        for row in csv.DictReader(file):
            parts[row["split"]].append((int(row["source"]), int(row["target"])))
    return {part: numpy.array(ties) for part, ties in parts.items()}


def scaled(matrix, factors):
    return (scipy.sparse.diags(factors) @ matrix).tocsr()


def inverse(values):
    return numpy.divide(1, values, out=numpy.zeros_like(values, dtype=float), where=values > 0)


class Scores:
    """Three scores of all nodes for some: [nodes asked for, all nodes]."""

    def __init__(self, train, features):
        self.adjacency = symmetric(train, features.shape[0])
        self.by_degree = scaled(self.adjacency, inverse(numpy.asarray(self.adjacency.sum(1)).ravel()))
        lengths = numpy.sqrt(numpy.asarray(features.multiply(features).sum(1)).ravel())
        self.features = scaled(features, inverse(lengths))

    def of(self, nodes):
        allocation = (self.adjacency[nodes] @ self.by_degree).toarray()
        starts = numpy.zeros_like(allocation)
        starts[numpy.arange(len(nodes)), nodes] = 1
        rank = starts
        for _ in range(PAGERANK_STEPS):
            rank = RESTART * starts + (1 - RESTART) * (self.by_degree.T @ rank.T).T
        return allocation, rank, (self.features[nodes] @ self.features.T).toarray()


def least_ranks(scores, is_known):
    """Of each node the least of its ranks, 1 the best; infinite where no score is positive, or the tie is known."""
    least = numpy.full(len(is_known), numpy.inf)
    for score in scores:
        values = numpy.where(is_known, 0, score)
        places = numpy.flatnonzero(values > 0)
        ascending = numpy.sort(values[places])
        ranks = 1 + len(places) - numpy.searchsorted(ascending, values[places], side="right")
        least[places] = numpy.minimum(least[places], ranks)
    return least


def hard_pairs(ties, known, scores, random, at_once=256):
    """[ties, 2 HARD, 2]: pairs with the source, then with the target of each."""
    ends = numpy.unique(ties)
    pairs = numpy.empty((len(ties), 2 * HARD, 2), dtype=int)
    for begin in range(0, len(ends), at_once):
        some = ends[begin:begin + at_once]
        of_some = scores.of(some)
        for place, node in enumerate(some):
            for column in (0, 1):
                for tie in numpy.flatnonzero(ties[:, column] == node):
                    other = ties[tie, 1 - column]
                    is_known = numpy.zeros(known.shape[0], dtype=bool)
                    is_known[known[node].indices] = True
                    is_known[[node, other]] = True
                    least = least_ranks([score[place] for score in of_some], is_known)
                    least[is_known] = numpy.nan  # last
                    order = numpy.lexsort((random.random(len(least)), least))
                    rows = pairs[tie, column * HARD:(column + 1) * HARD]
                    rows[:, column], rows[:, 1 - column] = node, order[:HARD]
    return pairs


def make_pairs(name, folder):
    split, file = folder / f"{name}-0.csv", folder / f"{name}-pairs.npz"
    if not split.exists():
        write_split(ties_of(SETS[name][1]), 0, split)
    parts = read_parts(split)
    path, features = features_of(name)
    if not file.exists():
        scores, random = Scores(parts["train"], features), numpy.random.default_rng(0)
        known = symmetric(parts["train"], features.shape[0])
        validation = hard_pairs(parts["validation"], known, scores, random)
        known = known + symmetric(parts["validation"], features.shape[0])
        numpy.savez(file, validation=validation, test=hard_pairs(parts["test"], known, scores, random))
    return split, parts, path, features, numpy.load(file)


def reciprocal_rank(of_ties, of_pairs):
    """Equal scores share the middle rank."""
    better = (of_pairs > of_ties[:, None]).sum(1)
    equal = (of_pairs == of_ties[:, None]).sum(1)
    return float(numpy.mean(1 / (1 + better + equal / 2)))


def run(command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(done.stderr)
    return done.stdout


def train_edgewise(arguments, name, seed, folder):
    split, parts, path, features, pairs = make_pairs(name, folder)
    nodes, ties, asked, train, model, out = (folder / f"{name}-{file}" for file in (
        "nodes.csv", "ties.csv", "asked.csv", "train.csv", "model.safetensors", "scored.csv"))
    nodes.write_text("id\n" + "".join(f"{node}\n" for node in range(features.shape[0])))
    for to, some in ((ties, numpy.concatenate(list(parts.values()))), (train, parts["train"])):
        numpy.savetxt(to, some, "%d", ",", header="source,target", comments="")
    positive = parts[arguments.part]
    rows = numpy.concatenate([positive[:, None], pairs[arguments.part]], axis=1).reshape(-1, 2)
    numpy.savetxt(asked, rows, "%d", ",", header="source,target", comments="")
    data = ["--nodes", nodes, "--features", path]
    run([arguments.edgewise, "train", "--edges", ties, *data, "--task", "links", "--split-file", split, "--seed", seed,
         "--threads", arguments.threads, "--out", model, *arguments.options.split()])
    run([arguments.edgewise, "predict", model, "--edges", train, *data, "--links", asked, "--out", out])
    scores = numpy.loadtxt(out, delimiter=",", skiprows=1, usecols=2).reshape(len(positive), -1)
    return reciprocal_rank(scores[:, 0], scores[:, 1:])


def train_peer(arguments, name, seed, folder):
    import torch
    from torch_geometric.nn import GATConv

    _, parts, _, features, pairs = make_pairs(name, folder)
    rate, dropout, decay, width, layers = PEER[name]
    torch.manual_seed(seed)
    torch.set_num_threads(int(arguments.threads))
    x, train = torch.tensor(features.toarray(), dtype=torch.float), torch.tensor(parts["train"])
    encoder = GATConv(x.shape[1], width)
    maps = [torch.nn.Linear(width, width if layer + 1 < layers else 1) for layer in range(layers)]
    decoder = torch.nn.Sequential(*[part for one in maps[:-1]
                                    for part in (one, torch.nn.ReLU(), torch.nn.Dropout(dropout))], maps[-1])
    parameters = [*encoder.parameters(), *decoder.parameters()]
    optimiser = torch.optim.Adam(parameters, lr=rate, weight_decay=decay)

    def encode(ties):
        return encoder(x, torch.cat([ties, ties.flip(1)]).t())

    def score(rows, of):
        return decoder(rows[of[..., 0]] * rows[of[..., 1]]).squeeze(-1)

    @torch.no_grad()
    def judge(part):
        decoder.eval()
        rows = encode(train)
        of_pairs = [score(rows, torch.tensor(some)) for some in numpy.array_split(pairs[part], 64)]
        return reciprocal_rank(score(rows, torch.tensor(parts[part])).numpy(), torch.cat(of_pairs).numpy())

    best, result, waited = -1.0, 0.0, 0
    for epoch in range(1, 10_000):
        decoder.train()
        for some in torch.randperm(len(train)).split(1024):
            is_left = torch.ones(len(train), dtype=torch.bool)
            is_left[some] = False
            rows, ties = encode(train[is_left]), train[some]
            logits = score(rows, torch.cat([ties, torch.randint(len(x), ties.shape)]))
            truth = torch.cat([torch.ones(len(some)), torch.zeros(len(some))])
            optimiser.zero_grad()
            torch.nn.functional.binary_cross_entropy_with_logits(logits, truth).backward()
            torch.nn.utils.clip_grad_norm_(parameters, 1.0)
            optimiser.step()
        if epoch % 5 == 0:
            value = judge("validation")
            waited += 1
            if value > best:
                best, waited = value, 0
                result = value if arguments.part == "validation" else judge("test")
            if waited > 10:
                break
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--edgewise", default="build/edgewise")
    parser.add_argument("--data", nargs="+", choices=list(PEER), default=list(PEER))
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--part", choices=["validation", "test"], default="test")
    parser.add_argument("--options", default="--model link_trees")
    parser.add_argument("--peer", action="store_true")
    parser.add_argument("--threads", default="1")
    parser.add_argument("--folder", default="", help="where splits and pairs are kept")
    arguments = parser.parse_args()
    folder = pathlib.Path(arguments.folder or tempfile.mkdtemp())
    folder.mkdir(parents=True, exist_ok=True)
    what = "GAT of PyTorch Geometric" if arguments.peer else arguments.options
    for name in arguments.data:
        values, seconds = [], []
        for seed in range(arguments.seeds):
            start = time.monotonic()
            values.append((train_peer if arguments.peer else train_edgewise)(arguments, name, seed, folder))
            seconds.append(time.monotonic() - start)
        spread = f" ± {statistics.stdev(values):.4f}" if len(values) > 1 else ""
        print(f"{name}, {arguments.part}, {what}: MRR {statistics.mean(values):.4f}{spread} "
              f"({statistics.median(seconds):.0f} s)", flush=True)


if __name__ == "__main__":
    main()
