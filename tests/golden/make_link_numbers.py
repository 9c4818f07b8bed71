"""Writes link_numbers.json: numbers of pairs of nodes by networkx and NumPy.

Run in this folder with NumPy, SciPy and networkx (made with networkx 3.6.1): python make_link_numbers.py
"""
import json

import networkx as nx
import numpy as np

rng = np.random.default_rng(7)


def numbers(graph, u, v):
    nodes = sorted(graph)
    adjacency = nx.to_numpy_array(graph, nodelist=nodes, weight=None)
    katz = sum(0.05**k * np.linalg.matrix_power(adjacency, k) for k in (1, 2, 3))
    rank = {a: nx.pagerank(graph, 0.85, personalization={a: 1}, weight=None, tol=1e-13, max_iter=1000) for a in (u, v)}
    pair = [(u, v)]
    return {"common_neighbours": len(list(nx.common_neighbors(graph, u, v))),
            "adamic_adar": next(nx.adamic_adar_index(graph, pair))[2],
            "resource_allocation": next(nx.resource_allocation_index(graph, pair))[2],
            "jaccard": next(nx.jaccard_coefficient(graph, pair))[2],
            "preferential_attachment": float(np.log1p(next(nx.preferential_attachment(graph, pair))[2])),
            "katz": float(katz[u, v]),
            "personalised_pagerank": rank[u][v] + rank[v][u]}


def case(graph, pairs):
    """`kept` are the numbers of each pair, `omitted` those without its tie."""
    kept, omitted = [], []
    for u, v in pairs:
        kept.append(numbers(graph, u, v))
        other = graph.copy()
        other.remove_edges_from([(u, v)])
        omitted.append(numbers(other, u, v))
    return {"nodes": len(graph), "ties": [list(e) for e in graph.edges], "pairs": pairs, "kept": kept,
            "omitted": omitted}


def some_pairs(graph):
    ties = list(graph.edges)
    pairs = [ties[i] for i in rng.choice(len(ties), 12, replace=False)]
    pairs += [rng.choice(len(graph), 2, replace=False) for _ in range(12)]
    return [[int(u), int(v)] for u, v in pairs]


karate = nx.karate_club_graph()
random = nx.gnm_random_graph(40, 70, seed=3)
with open("link_numbers.json", "w") as out:
    json.dump({"cases": [case(g, some_pairs(g)) for g in (karate, random)]}, out)
    out.write("\n")
