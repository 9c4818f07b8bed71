"""Writes samples.json: parts of a random graph by PyTorch Geometric, and how often NumPy draws a node into a sample.

Run in this folder with torch_geometric and NumPy (made with 2.8.1 and 2.4.6): python make_samples.py

"neighbourhood" is all that the items are computed from in two steps, "induced" all edges among some nodes. "drawn" are
the shares of samples that have a node, if a node of each of two steps keeps up to two of its edges.
"""
import json

import numpy
import torch
from torch_geometric.utils import k_hop_subgraph, subgraph

NODES, EDGES, STEPS, FAN_OUT, DRAWS = 24, 70, 2, 2, 200_000
rng = numpy.random.default_rng(4)


def edges_of(index):
    return sorted([int(source), int(target)] for source, target in index.T)


def draw(sources, items):
    """Hamilton et al. 2017, algorithm 2: each step draws for all nodes so far."""
    nodes = set(items)
    for _ in range(STEPS):
        for node in list(nodes):
            known = sources[node]
            nodes.update(rng.choice(known, min(FAN_OUT, len(known)), replace=False).tolist() if known else [])
    return nodes


def main():
    pairs = rng.permutation(NODES * NODES)
    pairs = [(int(p) // NODES, int(p) % NODES) for p in pairs if p // NODES != p % NODES][:EDGES]
    index = torch.tensor(pairs).T
    items = [3, 17]
    nodes, within, _, _ = k_hop_subgraph(items, STEPS, index, directed=True, num_nodes=NODES)
    some = sorted(rng.choice(NODES, 12, replace=False).tolist())
    sources = [[source for source, target in pairs if target == node] for node in range(NODES)]
    counts = numpy.zeros(NODES)
    for _ in range(DRAWS):
        counts[list(draw(sources, items))] += 1
    with open("samples.json", "w", encoding="utf-8") as file:
        json.dump({"nodes": NODES, "edges": edges_of(index), "items": items,
                   "neighbourhood": {"nodes": sorted(nodes.tolist()), "edges": edges_of(within)},
                   "induced": {"nodes": some, "edges": edges_of(subgraph(some, index)[0])},
                   "fan_out": FAN_OUT, "steps": STEPS, "draws": DRAWS, "drawn": (counts / DRAWS).tolist()}, file)
        file.write("\n")


main()
