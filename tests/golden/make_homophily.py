"""Writes homophily.json: random graphs with classes, and their homophily by networkx and NumPy.

Run in this folder with NumPy and networkx (made with networkx 3.6.1): python make_homophily.py
"""
import json

import networkx as nx
import numpy as np

rng = np.random.default_rng(11)


def case(nodes, edges, classes, same, unknown):
    """Includes edges in both directions, repeated edges and self loops; some classes are unknown (-1)."""
    truth = rng.integers(0, classes, nodes)
    truth[rng.random(nodes) < 0.4] = 0  # unbalanced
    pairs = []
    while len(pairs) < edges:
        u, v = rng.integers(0, nodes, 2)
        if rng.random() < (same if truth[u] == truth[v] else 1 - same):
            pairs.append((int(u), int(v)))
    truth[rng.random(nodes) < unknown] = -1
    graph = nx.Graph((u, v) for u, v in pairs if u != v and truth[u] >= 0 and truth[v] >= 0)
    nx.set_node_attributes(graph, {v: int(truth[v]) for v in graph}, "class")
    ends = np.array([[truth[u], truth[v]] for u, v in graph.edges])
    edge = float((ends[:, 0] == ends[:, 1]).mean())
    # Platonov et al. 2023, eq. 2, written out; and networkx's assortativity, which is the same number.
    degrees = np.array([sum(d for v, d in graph.degree if truth[v] == k) for k in range(classes)])
    expected = float(((degrees / (2 * len(ends))) ** 2).sum())
    adjusted = (edge - expected) / (1 - expected)
    assert abs(adjusted - nx.attribute_assortativity_coefficient(graph, "class")) < 1e-12
    return {"classes": truth.tolist(), "sources": [u for u, _ in pairs], "targets": [v for _, v in pairs],
            "count": classes, "pairs": len(ends), "edge": edge, "adjusted": adjusted}


cases = [case(40, 120, 3, 0.8, 0), case(40, 120, 3, 0.2, 0.2), case(60, 200, 2, 0.5, 0.1), case(30, 60, 5, 0.95, 0.3)]
with open("homophily.json", "w") as out:
    json.dump({"cases": cases}, out)
    out.write("\n")
