"""Writes masks.json: who attends to whom within k edges, the distances, and which edges share a node, computed with
NetworkX (pip install networkx).

Usage: python make_masks.py > masks.json
"""

import json

import networkx as nx

# Bonds by the position of their atoms in the SMILES.
MOLECULES = {
    "CCO": [(0, 1), (1, 2)],
    "CC(=O)Oc1ccccc1C(=O)O": [
        (0, 1), (1, 2), (1, 3), (3, 4), (4, 5), (5, 6), (6, 7), (7, 8), (8, 9), (9, 4), (9, 10), (10, 11), (10, 12),
    ],
    "CN1C=NC2=C1C(=O)N(C(=O)N2C)C": [
        (0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 1), (5, 6), (6, 7), (6, 8), (8, 9), (9, 10), (9, 11), (11, 4),
        (11, 12), (8, 13),
    ],
    "[Na+].[Cl-]": [],
}


def graph_of(edges, nodes):
    graph = nx.Graph()
    graph.add_nodes_from(range(nodes))
    graph.add_edges_from(edges)
    return graph


def slots(graph, hops, with_loops=False):
    """[node that attends, node that it attends to, edges between them], in the order of a mask's slots."""
    found = []
    for row in sorted(graph):
        lengths = nx.single_source_shortest_path_length(graph, row, cutoff=hops)
        found += [[row, column, lengths[column]] for column in sorted(lengths) if with_loops or column != row]
    return found


def check_power(graph, hops):
    """The pairs are the edges of the k-th power."""
    power = {frozenset(edge) for edge in nx.power(graph, hops).edges}
    assert power == {frozenset(slot[:2]) for slot in slots(graph, hops)}


def line_slots(graph):
    """[edge that attends, edge that it attends to], itself included, of edges in the order of their nodes."""
    places = {edge: place for place, edge in enumerate(sorted(tuple(sorted(edge)) for edge in graph.edges))}
    line = nx.line_graph(graph)
    pairs = [(places[tuple(sorted(a))], places[tuple(sorted(b))]) for a, b in line.edges]
    return sorted([[a, b] for a, b in pairs] + [[b, a] for a, b in pairs] + [[a, a] for a in places.values()])


molecules = []
for smiles, bonds in MOLECULES.items():
    nodes = max((atom for bond in bonds for atom in bond), default=1) + 1
    molecule = graph_of(bonds, nodes)
    check_power(molecule, 2)
    molecules.append({"smiles": smiles, "k_hop_2": slots(molecule, 2), "k_hop_3_loops": slots(molecule, 3, True),
                      "line": line_slots(molecule)})

club = nx.karate_club_graph()
check_power(club, 2)
print(json.dumps({
    "networkx": nx.__version__,
    "molecules": molecules,
    "karate_club": {"edges": [list(edge) for edge in club.edges], "k_hop_2": slots(club, 2), "line": line_slots(club)},
}))
