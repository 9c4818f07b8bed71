"""Films by genre (imdb-typed): models of relations of Edgewise beside those of PyTorch Geometric.

Accuracy: Edgewise draws the splits (60 % to train on, 20 % to validate, 20 % to test, a split a seed), PyTorch
Geometric takes the same. Both see a film's own columns (numbers scaled by the training films, and their logarithms; a
column for each category and for missing values), and which person or keyword a node is, if it has two edges or more, as
a learnt row. Each edge is of a relation in its direction, and of another one in reverse.

    EDGEWISE_DATA=... python apps/bench/peers/kinds.py --edgewise build/edgewise --models rgcn,rgat,hgt --runs 5

Those of PyTorch Geometric are as in its examples: a linear map of each kind (ReLU), two layers of RGCNConv, HGTConv
or, for rgat, a GATv2Conv of each relation beside a linear map (HeteroConv; RGATConv takes ten seconds an epoch here, as
it has a matrix for each edge), and a linear map to the classes; Adam, a step over all nodes an epoch, at most 300, ended
50 after the best validation accuracy, whose weights are tested. --settings all tries two dropouts and rates, of which
the best on validation films counts.

An epoch of both, in turns: --epochs (with --compiled also under torch.compile).

    EDGEWISE_DATA=... python apps/bench/peers/kinds.py --epochs --models rgcn --compiled --threads 1
"""

import csv
import gzip
import itertools
import json
import math
import pathlib
import statistics
import sys
import tempfile
import time

from turns import (Parser, add_peers, answer_rounds, count, data_folder, fail, integer, peers_of, print_rounds,
                   require_peers, require_program, run, take_turns, versions)

RELATIONS = {"directed": "person", "acted": "person", "keywords": "keyword"}  # files, and the kind that they lead from
FILES = ["--edges", "person:directed:movie={}/directed.csv.gz", "--edges", "person:acted:movie={}/acted.csv.gz",
         "--edges", "keyword:describes:movie={}/keywords.csv.gz", "--nodes", "movie={}/movies.csv.gz",
         "--label", "movie.genre", "--ignore", "movie.genres,movie.title"]
NUMBERS, CATEGORIES = ("year", "minutes", "budget"), ("rating", "language", "country")
MODELS = ("rgcn", "rgat", "hgt")
HEADS = 8
STEPS, WARM_UP = 12, 2  # of a round of epochs


def rows_of(folder, name):
    with gzip.open(folder / f"{name}.csv.gz", "rt") as file:
        return list(csv.DictReader(file))


def load(folder, train):
    """Features of films, how many rows are learnt of each other kind, edges by relation, and classes (-1: none).
    `train`: names of the films that numbers are scaled by; None: all."""
    import numpy
    import torch

    films = rows_of(folder, "movies")
    place = {film["movie"]: i for i, film in enumerate(films)}
    known = [i for i, film in enumerate(films) if train is None or film["movie"] in train]
    columns = []
    for name in NUMBERS:
        values = numpy.array([float(film[name] or "nan") for film in films])
        for scaled in (values, numpy.log1p(values)):
            of_known = scaled[known][~numpy.isnan(scaled[known])]
            columns.append(numpy.nan_to_num((scaled - of_known.mean()) / of_known.std()))
        columns.append(numpy.isnan(values))
    for name in CATEGORIES:
        for category in sorted({films[i][name] for i in known}):
            columns.append(numpy.array([film[name] == category for film in films]))
    names = {"person": {}, "keyword": {}}
    edges = {}
    for relation, kind in RELATIONS.items():
        ends = [(names[kind].setdefault(row[kind], len(names[kind])), place[row["movie"]])
                for row in rows_of(folder, relation)]
        edges[kind, relation, "movie"] = torch.tensor(ends).T
        edges["movie", "rev_" + relation, kind] = edges[kind, relation, "movie"].flip(0)
    learnt = {}
    for kind, of_kind in names.items():
        ends = torch.cat([e[0] for (source, _, _), e in edges.items() if source == kind])
        degree = torch.bincount(ends, minlength=len(of_kind))
        rows = torch.zeros(len(of_kind), dtype=torch.long)  # row 0 stays zeros: for those with one edge
        rows[degree > 1] = torch.arange(1, int((degree > 1).sum()) + 1)
        learnt[kind] = rows
    genres = sorted({film["genre"] for film in films} - {""})
    labels = torch.tensor([genres.index(film["genre"]) if film["genre"] else -1 for film in films])
    return torch.tensor(numpy.stack(columns, 1), dtype=torch.float32), learnt, edges, labels


def make_model(name, features, learnt, edges, classes, hidden, dropout):
    import torch
    import torch.nn.functional as F
    from torch_geometric.nn import GATv2Conv, HeteroConv, HGTConv, RGCNConv

    sizes = {"movie": len(features), **{kind: len(rows) for kind, rows in learnt.items()}}
    kinds = list(sizes)
    first = dict(zip(kinds, itertools.accumulate([0] + list(sizes.values()))))
    if name == "hgt":
        convs = [HGTConv(hidden, hidden, (kinds, list(edges)), HEADS) for _ in range(2)]
    elif name == "rgcn":
        convs = [RGCNConv(hidden, hidden, len(edges)) for _ in range(2)]
    else:
        convs = [HeteroConv({relation: GATv2Conv(hidden, hidden // HEADS, heads=HEADS, add_self_loops=False)
                             for relation in edges}) for _ in range(2)]
    all_edges = torch.cat([e + torch.tensor([[first[s]], [first[t]]]) for (s, _, t), e in edges.items()], 1)
    relation = torch.repeat_interleave(torch.arange(len(edges)), torch.tensor([e.shape[1] for e in edges.values()]))

    class Relational(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.own = torch.nn.Linear(features.shape[1], hidden)
            self.names = torch.nn.ModuleDict({kind: torch.nn.Embedding(int(rows.max()) + 1, hidden, padding_idx=0)
                                              for kind, rows in learnt.items()})
            self.bias = torch.nn.ParameterDict({kind: torch.nn.Parameter(torch.zeros(hidden)) for kind in learnt})
            self.convs = torch.nn.ModuleList(convs)
            self.roots = torch.nn.ModuleList(torch.nn.Linear(hidden, hidden) for _ in convs)  # of rgat
            self.head = torch.nn.Linear(hidden, classes)

        def forward(self):
            x = {"movie": self.own(features)}
            for kind, rows in learnt.items():
                x[kind] = self.names[kind](rows) + self.bias[kind]
            x = {kind: F.dropout(torch.relu(of_kind), dropout, self.training) for kind, of_kind in x.items()}
            if name != "rgcn":
                for conv, root in zip(self.convs, self.roots):
                    x = {kind: y if name == "hgt" else F.elu(y + root(x[kind])) for kind, y in conv(x, edges).items()}
                    x = {kind: F.dropout(of_kind, dropout, self.training) for kind, of_kind in x.items()}
                return self.head(x["movie"])
            x = torch.cat([x[kind] for kind in kinds])
            for conv in self.convs:
                x = F.dropout(torch.relu(conv(x, all_edges, relation)), dropout, self.training)
            return self.head(x[:len(features)])

    return Relational()


def fit(name, folder, split, seed, setting):
    """Accuracy on validation and test films of the weights that are best on validation films."""
    import torch
    import torch.nn.functional as F

    hidden, dropout, rate = setting
    torch.manual_seed(seed)
    films = [film["movie"] for film in rows_of(folder, "movies")]
    features, learnt, edges, labels = load(folder, {film for film in films if split.get(film) == "train"})
    parts = {part: torch.tensor([split.get(film) == part for film in films]) & (labels >= 0)
             for part in ("train", "validation", "test")}
    model = make_model(name, features, learnt, edges, int(labels.max()) + 1, hidden, dropout)
    optimiser = torch.optim.Adam(model.parameters(), lr=rate, weight_decay=5e-4)
    best, best_epoch, kept = -1, 0, None
    for epoch in range(300):
        model.train()
        optimiser.zero_grad()
        F.cross_entropy(model()[parts["train"]], labels[parts["train"]]).backward()
        optimiser.step()
        model.eval()
        with torch.no_grad():
            right = model().argmax(1) == labels
        accuracy = {part: right[rows].float().mean().item() for part, rows in parts.items()}
        if accuracy["validation"] > best:
            best, best_epoch, kept = accuracy["validation"], epoch, accuracy
        if epoch - best_epoch >= 50:
            break
    return kept["validation"], kept["test"]


def spread(values):
    mean = statistics.mean(values)
    return f"{mean:.3f} ± {statistics.stdev(values):.3f}" if len(values) > 1 else f"{mean:.3f}"


def run_edgewise(arguments, folder, *more):
    files = [part.format(folder) for part in FILES]
    command = [arguments.edgewise, "train", *files, "--threads", str(arguments.threads), "--json", *more]
    return json.loads(run(command).splitlines()[-1])


def measure_accuracy(arguments, folder):
    import torch

    torch.set_num_threads(arguments.threads)
    settings = [(64, 0.5, 0.01)]
    if arguments.settings == "all":
        settings = list(itertools.product((64,), (0.2, 0.5), (0.003, 0.01)))
    with tempfile.TemporaryDirectory() as place:
        for name in arguments.models:
            start = time.monotonic()
            said = run_edgewise(arguments, folder, "--model", name, "--runs", str(arguments.runs), "--save-splits",
                                place)
            ours = said["test"]["accuracy"]["values"]
            print(f"{name}: Edgewise {spread(ours)}, {time.monotonic() - start:.0f} s", flush=True)
            theirs = []
            start = time.monotonic()
            for seed in range(arguments.runs):
                with open(pathlib.Path(place) / f"split-{seed}.csv") as file:
                    split = {row["node"]: row["split"] for row in csv.DictReader(file)}
                theirs.append(max(fit(name, folder, split, seed, setting) for setting in settings)[1])
            differences = [a - b for a, b in zip(ours, theirs)]
            error = statistics.stdev(differences) / math.sqrt(len(differences)) if len(differences) > 1 else math.nan
            print(f"{name}: PyTorch Geometric {spread(theirs)}, {time.monotonic() - start:.0f} s; Edgewise ahead by "
                  f"{statistics.mean(differences):+.3f}, standard error {error:.3f}", flush=True)


def serve(kind, folder, name, threads):
    """Times rounds of training steps: answers each line of standard input with a line of JSON."""
    import torch
    import torch.nn.functional as F

    torch.set_num_threads(threads)
    features, learnt, edges, labels = load(folder, None)
    train = (labels >= 0).nonzero().flatten()
    train = train[: int(0.6 * len(train))]
    model = make_model(name, features, learnt, edges, int(labels.max()) + 1, 64, 0.5)
    optimiser = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=5e-4, fused=kind == "compiled")
    model.train()
    run_model = torch.compile(model) if kind == "compiled" else model

    def step():
        optimiser.zero_grad()
        F.cross_entropy(run_model()[train], labels[train]).backward()
        optimiser.step()

    answer_rounds(step, "epoch_ms", STEPS - WARM_UP, WARM_UP)


def measure_epochs(arguments, folder):
    for name in arguments.models:
        command = [sys.executable, __file__, "--models", name, "--threads", str(arguments.threads)]
        sides = peers_of(arguments, command)
        sides["Edgewise"] = lambda name=name: run_edgewise(arguments, folder, "--model", name, "--epochs", "60",
                                                           "--patience", "0", "--set", "model.hidden=64")
        print(f"{name} on films by genre, one training epoch, {count(arguments.threads, 'thread')}, {arguments.rounds} "
              f"rounds in turns; {versions(arguments)}", flush=True)
        print_rounds(take_turns(sides, arguments.rounds), "epoch_ms")


def main():
    parser = Parser(description=__doc__.splitlines()[0])
    parser.add_argument("--edgewise", default="build/edgewise", help="the command line that was built")
    parser.add_argument("--models", type=lambda text: text.split(","), default=list(MODELS), help="of rgcn,rgat,hgt")
    parser.add_argument("--runs", type=integer(1), default=5, help="seeds, each with a split of its own")
    parser.add_argument("--settings", choices=("one", "all"), default="one", help="that PyTorch Geometric tries")
    parser.add_argument("--epochs", action="store_true", help="time epochs instead")
    parser.add_argument("--rounds", type=integer(1), default=5)
    parser.add_argument("--threads", type=integer(1), default=1)
    add_peers(parser)
    arguments = parser.parse_args()
    if wrong := set(arguments.models) - set(MODELS):
        fail(f"--models: expected some of {', '.join(MODELS)}, got {', '.join(sorted(wrong))}", 2)
    folder = pathlib.Path(data_folder("imdb-typed"))
    require_peers(arguments)
    if arguments.serve:
        serve(arguments.serve, folder, arguments.models[0], arguments.threads)
        return
    require_program(arguments.edgewise, "--edgewise")
    (measure_epochs if arguments.epochs else measure_accuracy)(arguments, folder)


if __name__ == "__main__":
    main()
