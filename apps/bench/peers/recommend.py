"""Recommendation between two kinds of nodes, beside popularity, nearest neighbours and matrix factors.

    python3 apps/bench/peers/recommend.py --edgewise build/edgewise --data shop imdb --seeds 3
    python3 apps/bench/peers/recommend.py --edgewise build/edgewise --pairs ratings.csv   # two columns: source,target

For each seed, the ties of the relation are cut 85/5/10 by NumPy's default_rng(seed). Edgewise gets a file of the first
two parts alone, and a split of it; the others get the first part. Each test tie is ranked at each of its ends among 100
nodes of the same kind that have no tie there, drawn by NumPy, the same for all; equal scores share the middle rank. The
settings of the others (neighbours, factors, regularisation) are those of the best validation ties. EDGEWISE_DATA is
needed for imdb. Needs NumPy and SciPy.
"""

import argparse
import csv
import gzip
import itertools
import json
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

import numpy
import scipy.sparse
import scipy.sparse.linalg

CANDIDATES = 100


def read_pairs(path):
    opened = gzip.open(path, "rt") if str(path).endswith(".gz") else open(path)
    with opened as file:
        rows = list(csv.reader(file))
    return list(dict.fromkeys((row[0], row[1]) for row in rows[1:]))


class Network:
    """The ties of the relation as numbers, and the files of the rest."""

    def __init__(self, name, relation, pairs, files):
        self.name, self.relation, self.files = name, relation, files  # files: other arguments of the command line
        self.sources = list(dict.fromkeys(a for a, _ in pairs))
        self.targets = list(dict.fromkeys(b for _, b in pairs))
        places = [{name: i for i, name in enumerate(names)} for names in (self.sources, self.targets)]
        self.ties = numpy.array([(places[0][a], places[1][b]) for a, b in pairs])

    def add_tables(self, folder):
        """Kinds without a table get one of their names: some nodes have no ties but those of the test."""
        for kind, names in zip(self.relation.split(":")[::2], (self.sources, self.targets)):
            if any(part.startswith(f"{kind}=") for part in self.files):
                continue
            path = folder / f"{self.name}-{kind}.csv"
            with open(path, "w") as file:
                csv.writer(file, lineterminator="\n").writerows([["id"], *([name] for name in names)])
            self.files = [*self.files, "--nodes", f"{kind}={path}"]

    def write(self, path, ties, roles=None):
        with open(path, "w") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["source", "target"] + (["split"] if roles is not None else []))
            for i, (a, b) in enumerate(ties):
                writer.writerow([self.sources[a], self.targets[b]] + ([roles[i]] if roles is not None else []))


def shop(edgewise, folder, people, products, seed):
    where = folder / f"shop-{people}-{products}-{seed}"
    subprocess.run([edgewise, "data", "generate", "shop", "--out", str(where), "--people", str(people), "--products",
                    str(products), "--seed", str(seed)], check=True, capture_output=True)
    files = ["--nodes", f"people={where}/people.csv", "--nodes", f"products={where}/products.csv",
             "--edges", f"people:knows:people={where}/friends.csv", "--ignore", "churned"]
    return Network(where.name, "people:buys:products", read_pairs(where / "purchases.csv"), files)


def imdb():
    root = pathlib.Path(os.environ["EDGEWISE_DATA"]) / "imdb-typed"
    files = ["--nodes", f"movie={root}/movies.csv.gz", "--edges", f"person:directed:movie={root}/directed.csv.gz",
             "--edges", f"keyword:describes:movie={root}/keywords.csv.gz", "--ignore", "movie.title",
             "--unknown-nodes", "add"]  # directors who never act
    return Network("imdb", "person:acted:movie", read_pairs(root / "acted.csv.gz"), files)


def cut(network, seed):
    order = numpy.random.default_rng(seed).permutation(len(network.ties))
    test, validation = int(0.1 * len(order)), int(0.05 * len(order))
    return (network.ties[order[test + validation:]], network.ties[order[test:test + validation]],
            network.ties[order[:test]])


def candidates(network, ties, seed):
    """[ties, 2, CANDIDATES]: in place of the target, in place of the source."""
    known = {(a, b) for a, b in network.ties}
    random = numpy.random.default_rng(1000 + seed)
    counts = (len(network.targets), len(network.sources))
    drawn = numpy.empty((len(ties), 2, CANDIDATES), dtype=int)
    for i, (a, b) in enumerate(ties):
        for end in (0, 1):
            found = 0
            while found < CANDIDATES:
                node = int(random.integers(counts[end]))
                if ((a, node) if end == 0 else (node, b)) not in known:
                    drawn[i, end, found] = node
                    found += 1
    return drawn


def measures(own, of_targets, of_sources):
    """MRR and Hits@10 of scores: [ties], [ties, CANDIDATES] twice."""
    ranks = []
    for others in (of_targets, of_sources):
        better, equal = (others > own[:, None]).sum(1), (others == own[:, None]).sum(1)
        ranks.append(1 + better + equal / 2)
    ranks = numpy.concatenate(ranks)
    return float((1 / ranks).mean()), float((ranks <= 10.5).mean())


def measure_scores(scores, ties, drawn):
    a, b = ties[:, 0], ties[:, 1]
    return measures(scores[a, b], scores[a[:, None], drawn[:, 0]], scores[drawn[:, 1], b[:, None]])


def popularity(matrix):
    yield "", numpy.add.outer(numpy.log1p(matrix.sum(1).A1), numpy.log1p(matrix.sum(0).A1))


def nearest(matrix):
    """Item-based nearest neighbours by the cosine (Sarwar et al. 2001)."""
    unit = matrix @ scipy.sparse.diags(1 / numpy.sqrt(numpy.maximum(matrix.sum(0).A1, 1)))
    alike = (unit.T @ unit).toarray()
    numpy.fill_diagonal(alike, 0)
    for most in (20, 100, 0):
        kept = alike.copy()
        if 0 < most < len(kept):
            kept[kept < numpy.partition(kept, -most, axis=0)[-most]] = 0
        yield f"{most or 'all'} neighbours", matrix @ kept


def singular_values(matrix):
    """PureSVD (Cremonesi et al. 2010), and the same of the matrix that is divided by the roots of the degrees."""
    roots = [numpy.sqrt(numpy.maximum(matrix.sum(axis).A1, 1)) for axis in (1, 0)]
    scaled = scipy.sparse.diags(1 / roots[0]) @ matrix @ scipy.sparse.diags(1 / roots[1])
    for name, of in (("plain", matrix), ("scaled", scaled)):
        u, s, v = scipy.sparse.linalg.svds(of.astype(float), k=min(128, min(of.shape) - 1),
                                           v0=numpy.ones(min(of.shape)))
        order = numpy.argsort(-s)
        for count in (8, 32, 128):
            some = order[:count]
            scores = (u[:, some] * s[some]) @ v[some]
            if name == "scaled":
                scores = roots[0][:, None] * scores * roots[1]
            yield f"{name}, {count} factors", scores


def alternating(matrix):
    """Alternating least squares for implicit feedback (Hu, Koren, Volinsky 2008)."""
    for factors, penalty in itertools.product((16, 64), (1.0, 10.0)):
        random = numpy.random.default_rng(1)
        rows = [0.1 * random.standard_normal((count, factors)) for count in matrix.shape]
        confidence = 20.0
        for _ in range(12):
            for side, of in ((0, matrix.tocsr()), (1, matrix.T.tocsr())):
                other = rows[1 - side]
                gram = other.T @ other + penalty * numpy.eye(factors)
                for i in range(of.shape[0]):
                    mine = other[of.indices[of.indptr[i]:of.indptr[i + 1]]]
                    left = gram + confidence * mine.T @ mine
                    rows[side][i] = numpy.linalg.solve(left, (1 + confidence) * mine.sum(0))
        yield f"{factors} factors, penalty {penalty:g}", rows[0] @ rows[1].T


def linear(matrix):
    """EASE (Steck 2019): the closed form of a linear autoencoder."""
    gram = (matrix.T @ matrix).toarray().astype(float)
    for penalty in (10.0, 100.0, 1000.0):
        inverse = numpy.linalg.inv(gram + penalty * numpy.eye(len(gram)))
        weights = -inverse / numpy.diag(inverse)
        numpy.fill_diagonal(weights, 0)
        yield f"penalty {penalty:g}", matrix @ weights


OTHERS = {"popularity": popularity, "item_nearest": nearest, "svd": singular_values, "als": alternating, "ease": linear}


def measure_others(network, parts, drawn, names):
    train, validation, test = parts
    matrix = scipy.sparse.csr_matrix((numpy.ones(len(train), dtype=numpy.float32), (train[:, 0], train[:, 1])),
                                     shape=(len(network.sources), len(network.targets)))
    of_validation = candidates(network, validation, 77)
    for name in names:
        start, best = time.monotonic(), None
        for setting, scores in OTHERS[name](matrix):
            value = measure_scores(scores, validation, of_validation)[0]
            if best is None or value > best[0]:
                best = (value, measure_scores(scores, test, drawn), setting)
        yield name, best[1], time.monotonic() - start, best[2]


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(" ".join(command) + "\n" + done.stderr)
    return done.stdout


def measure_edgewise(network, parts, drawn, model, arguments, folder, seed):
    train, validation, test = parts
    files = {name: str(folder / f"{network.name}-{seed}-{name}.csv")
             for name in ("ties", "train", "split", "pairs", "out")}
    both = numpy.concatenate([train, validation])
    network.write(files["ties"], both)
    network.write(files["split"], both, ["train"] * len(train) + ["validation"] * len(validation))
    network.write(files["train"], train)
    pairs = [test]
    pairs.append(numpy.stack([numpy.repeat(test[:, 0], CANDIDATES), drawn[:, 0].ravel()], axis=1))
    pairs.append(numpy.stack([drawn[:, 1].ravel(), numpy.repeat(test[:, 1], CANDIDATES)], axis=1))
    network.write(files["pairs"], numpy.concatenate(pairs))
    common = ["--threads", arguments.threads]
    saved = str(folder / "model.safetensors")
    start = time.monotonic()
    command = [arguments.edgewise, "train", *network.files, "--edges", f"{network.relation}={files['ties']}", "--task",
               "links", "--relation", network.relation, "--split-file", files["split"], "--seed", str(seed), "--out",
               saved, "--json", *common]
    said = run(command + (["--model", model] if model else []))
    seconds = time.monotonic() - start
    again = []
    for part in (part for part in network.files if "=" in part):
        again += ["--edges" if ":" in part.split("=")[0] else "--nodes", part]
    run([arguments.edgewise, "predict", saved, *again, "--edges", f"{network.relation}={files['train']}", "--links",
         files["pairs"], "--out", files["out"], *common])
    with open(files["out"]) as file:
        scores = numpy.array([float(row["probability"]) for row in csv.DictReader(file)])
    count = len(test)
    own, rest = scores[:count], scores[count:].reshape(2, count, CANDIDATES)
    return measures(own, rest[0], rest[1]), seconds, json.loads(said.strip().splitlines()[-1]).get("choice", "")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--edgewise", default="build/edgewise")
    parser.add_argument("--data", nargs="*", help="shop, imdb; both, unless there are --pairs")
    parser.add_argument("--pairs", nargs="*", default=[])
    parser.add_argument("--people", type=int, default=1500)
    parser.add_argument("--products", type=int, default=200)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--models", nargs="*", default=[""], help='models of Edgewise; "": its choice')
    parser.add_argument("--others", nargs="*", default=list(OTHERS))
    parser.add_argument("--threads", default="2")
    arguments = parser.parse_args()
    if arguments.data is None:
        arguments.data = [] if arguments.pairs else ["shop", "imdb"]
    folder = pathlib.Path(tempfile.mkdtemp())
    sets = {"shop": lambda: shop(arguments.edgewise, folder, arguments.people, arguments.products, 1), "imdb": imdb}
    networks = [sets[name]() for name in arguments.data]
    networks += [Network(pathlib.Path(path).stem, "source:to:target", read_pairs(path), []) for path in arguments.pairs]
    for network in networks:
        network.add_tables(folder)
        print(f"{network.name}: {len(network.sources)} x {len(network.targets)}, {len(network.ties)} ties", flush=True)
        results = {}
        for seed in range(arguments.seeds):
            parts = cut(network, seed)
            drawn = candidates(network, parts[2], seed)
            for name, found, seconds, setting in measure_others(network, parts, drawn, arguments.others):
                results.setdefault(name, []).append((*found, seconds))
                print(f"  {seed} {name}: MRR {found[0]:.4f} Hits@10 {found[1]:.4f} ({seconds:.0f} s) {setting}",
                      flush=True)
            for model in arguments.models:
                found, seconds, choice = measure_edgewise(network, parts, drawn, model, arguments, folder, seed)
                name = f"edgewise {model or 'default'}"
                results.setdefault(name, []).append((*found, seconds))
                print(f"  {seed} {name}: MRR {found[0]:.4f} Hits@10 {found[1]:.4f} ({seconds:.0f} s) {choice}",
                      flush=True)
        for name, rows in results.items():
            spread = [statistics.stdev(row[i] for row in rows) if len(rows) > 1 else 0 for i in (0, 1)]
            means = [statistics.mean(row[i] for row in rows) for i in (0, 1, 2)]
            print(f"{network.name} {name}: MRR {means[0]:.4f} ± {spread[0]:.4f}, Hits@10 {means[1]:.4f} ± "
                  f"{spread[1]:.4f}, {means[2]:.0f} s", flush=True)


if __name__ == "__main__":
    main()
