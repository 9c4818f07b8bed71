"""Writes small random graphs with NetworkX, igraph and SciPy in every format that they write and we read, and
expected.json with what each file holds: computed from the graphs in memory, never by reading a file back. Dates are
removed from the files.

Run in this folder with networkx, igraph, scipy and pydot (made with networkx 3.6.1, igraph 1.0.0, scipy 1.17.1,
pydot 4.0.1): python make_graphs.py
"""
import json
import math
import pathlib
import random
import re
import warnings

import igraph
import networkx as nx
import scipy.io

HOSTILE = ["zoë", "a b", "x&y<z>", "it's", "#tag", "-1", "07", "日本", "1e5", "None", "node"]
PLAIN = ["zoë", "x&y<z>", "it's", "tag!", "-1", "07", "日本", "1e5", "None", "node"]  # for formats that split at blanks
ASCII = ["x&y<z>", "it's", "tag!", "-1", "07", "1e5", "None", "node", "a,b"]  # all that igraph allows in LGL
QUOTED = ['say "hi"', "back\\slash", 'ends\\', "tab\tname", "[1-3]", "*Arcs", "%%", "&#65;", "]]>"]
CITIES = ["Paris", "São Paulo", "a;b,c", "<&>", "it's", "x\\y"]

expected = {}


def random_graph(seed, directed, names, multi=False):
    """Six to nine nodes, one of them isolated, one with a self loop; attributes of all types, some missing."""
    rng = random.Random(seed)
    kind = {(False, False): nx.Graph, (True, False): nx.DiGraph, (False, True): nx.MultiGraph,
            (True, True): nx.MultiDiGraph}[directed, multi]
    graph = kind()
    nodes = rng.sample(names, min(len(names), rng.randint(6, 9)))
    for node in nodes:
        attributes = {"age": rng.randint(-5, 2**20), "score": rng.choice([0.5, 1e-20, -2.5e30, 0.1, 3.0]),
                      "reading": rng.choice([1.5, math.nan, math.inf, -math.inf, -0.25]), "city": rng.choice(CITIES),
                      "zip": rng.choice(["007", "12", "1e3"]), "member": rng.random() < 0.5}
        graph.add_node(node, **{key: value for key, value in attributes.items() if rng.random() < 0.8})
    linked = nodes[:-1]  # the last is isolated
    graph.add_edge(linked[0], linked[0])
    for source, target in zip(linked, linked[1:]):
        graph.add_edge(source, target)
    while graph.number_of_edges() < 2 * len(nodes) - 3:
        source, target = rng.sample(linked, 2)
        if multi or not graph.has_edge(source, target):
            graph.add_edge(source, target)
    for *_, attributes in graph.edges(data=True):
        attributes["weight"] = rng.randint(1, 400) / 16
        attributes["since"] = rng.randint(1990, 2020)
        attributes["kind"] = rng.choice(["friend", "kin & co", "ä"])
    return graph


def without(graph, *names):
    """A copy without these attributes of nodes and edges."""
    copy = graph.copy()
    for attributes in [data for _, data in copy.nodes(data=True)] + [data for *_, data in copy.edges(data=True)]:
        for name in names:
            attributes.pop(name, None)
    return copy


def plain(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def note(file, graph, name=str, weight="weight", convert=plain, directed=None):
    """Adds what `file` holds to expected.json."""
    expected[file] = {
        "directed": graph.is_directed() if directed is None else directed,
        "nodes": [{"": name(node), **{key: convert(value) for key, value in data.items()}}
                  for node, data in graph.nodes(data=True)],
        "edges": [{"source": name(source), "target": name(target),
                   **{key: convert(value) for key, value in data.items() if key != weight},
                   "weight": data.get(weight, 1.0)} for source, target, data in graph.edges(data=True)]}


def as_texts(graph):
    """Pajek holds texts alone."""
    copy = without(graph, "reading", "member")
    for data in [data for _, data in copy.nodes(data=True)]:
        data.update({key: str(value) for key, value in data.items()})
    for *_, data in copy.edges(data=True):
        data.update({key: str(value) for key, value in data.items() if key != "weight"})
    return copy


def use_numbers(file):
    """A column without a type is of numbers if all its values are."""
    for rows in expected[file]["nodes"], expected[file]["edges"]:
        for column in {key for row in rows for key in row} - {"", "source", "target"}:
            try:
                numbers = [float(row[column]) if column in row else None for row in rows]
            except ValueError:
                continue
            for row, number in zip(rows, numbers):
                if number is not None:
                    row[column] = number


def untyped(graph):
    """DOT has no types: a column is of numbers if all its values are."""
    return without(graph, "zip", "reading", "member")


def write_json(file, data):
    with open(file, "w", encoding="utf-8") as out:
        json.dump(data, out)
        out.write("\n")


def by_networkx(stem, graph):
    nx.write_graphml(graph, f"{stem}.nx.graphml")
    note(f"{stem}.nx.graphml", graph)
    nx.write_gexf(graph, f"{stem}.nx.gexf")
    note(f"{stem}.nx.gexf", graph)
    write_json(f"{stem}.node_link.json", nx.node_link_data(graph, edges="links"))
    note(f"{stem}.node_link.json", graph)
    write_json(f"{stem}.adjacency.json", nx.adjacency_data(graph))
    note(f"{stem}.adjacency.json", graph)
    write_json(f"{stem}.cytoscape.json", nx.cytoscape_data(graph))
    note(f"{stem}.cytoscape.json", graph)
    gml = without(graph, "reading", "member")
    nx.write_gml(gml, f"{stem}.nx.gml")
    note(f"{stem}.nx.gml", gml)
    if not graph.is_multigraph() and not set(graph) & set(QUOTED):
        dot = nx.relabel_nodes(untyped(graph), {n: n for n in graph})
        for *_, data in dot.edges(data=True):
            data["kind"] = f'"{data["kind"]}"'
        for _, data in dot.nodes(data=True):
            if "city" in data:
                data["city"] = '"' + data["city"] + '"'
        quoted = nx.relabel_nodes(dot, {n: f'"{n}"' for n in dot})
        nx.nx_pydot.write_dot(quoted, f"{stem}.nx.dot")
        note(f"{stem}.nx.dot", untyped(graph))


def by_pajek(stem, graph):
    pajek = as_texts(graph)
    nx.write_pajek(pajek, f"{stem}.nx.net")
    note(f"{stem}.nx.net", pajek)
    use_numbers(f"{stem}.nx.net")


def by_lists(stem, graph):
    """Formats that hold names and weights alone, which may have no blanks."""
    bare = nx.create_empty_copy(graph, with_data=False)
    bare.add_edges_from((u, v) for u, v, *_ in graph.edges)
    nx.write_adjlist(bare, f"{stem}.nx.adjlist")
    note(f"{stem}.nx.adjlist", bare, directed=False)
    linked = graph.edge_subgraph(graph.edges).copy()
    nx.write_edgelist(linked, f"{stem}.nx.edgelist")
    for _, data in linked.nodes(data=True):
        data.clear()
    note(f"{stem}.nx.edgelist", linked, directed=False)
    matrix = nx.to_scipy_sparse_array(graph)
    scipy.io.mmwrite(f"{stem}.real.mtx", matrix)
    numbered = nx.convert_node_labels_to_integers(without(graph, "since", "kind", "age", "score", "reading", "city",
                                                          "zip", "member"), first_label=1)
    note(f"{stem}.real.mtx", numbered)
    scipy.io.mmwrite(f"{stem}.pattern.mtx", matrix, field="pattern", comment="made by SciPy")
    note(f"{stem}.pattern.mtx", without(numbered, "weight"))


def by_igraph(stem, graph):
    """igraph names nodes n0, n1, ... in GraphML, and by their numbers in GML; the names are the attribute "name"."""
    numbered = nx.convert_node_labels_to_integers(graph)
    for node, name in zip(numbered, graph):
        numbered.nodes[node]["name"] = name
    columns = ["name", "age", "score", "city", "zip", "member"]
    # igraph has no missing values in memory but NaN; here every node has every value.
    rng = random.Random(stem)
    for _, data in numbered.nodes(data=True):
        data.pop("reading", None)
        for key, fallback in [("age", 3), ("score", math.nan), ("city", "Oslo"), ("zip", "01"), ("member", True)]:
            data.setdefault(key, fallback)
    full = igraph.Graph(n=len(numbered), edges=[(u, v) for u, v, *_ in numbered.edges], directed=graph.is_directed())
    for column in columns:
        full.vs[column] = [numbered.nodes[node][column] for node in numbered]
    for column in ["weight", "since", "kind"]:
        full.es[column] = [data[column] for *_, data in numbered.edges(data=True)]
    full.write_graphml(f"{stem}.igraph.graphml")
    note(f"{stem}.igraph.graphml", numbered, name=lambda node: f"n{node}")
    gml = without(numbered, "member", "score")
    del full.vs["member"], full.vs["score"]
    full.write_gml(f"{stem}.igraph.gml")
    note(f"{stem}.igraph.gml", gml)
    full.es["label"] = full.es["kind"]
    del full.es["kind"], full.vs["city"], full.vs["zip"], full.vs["age"]
    full.vs["id"] = full.vs["name"]
    full.write_pajek(f"{stem}.igraph.net")
    labelled = without(numbered, "member", "score", "city", "zip", "age")
    for *_, data in labelled.edges(data=True):
        data["label"] = data.pop("kind")
    bare = without(labelled, "since", "name")
    note(f"{stem}.igraph.net", bare, name=lambda node: numbered.nodes[node]["name"])
    full.write_dot(f"{stem}.igraph.dot")
    for _, data in labelled.nodes(data=True):
        data["id"] = data["name"]
    note(f"{stem}.igraph.dot", labelled)


def by_igraph_lists(stem, graph):
    named = igraph.Graph(n=len(graph), directed=False)
    named.vs["name"] = list(graph)
    index = {node: i for i, node in enumerate(graph)}
    named.add_edges([(index[u], index[v]) for u, v, *_ in graph.edges])
    named.es["weight"] = [data["weight"] for *_, data in graph.edges(data=True)]
    bare = without(graph, "since", "kind", "age", "score", "reading", "city", "zip", "member")
    named.write_lgl(f"{stem}.igraph.lgl", names="name", weights="weight", isolates=True)
    note(f"{stem}.igraph.lgl", bare)
    named.write_ncol(f"{stem}.igraph.ncol", names="name", weights="weight")
    note(f"{stem}.igraph.ncol", bare.subgraph([node for node in bare if bare.degree(node) > 0]))


warnings.simplefilter("ignore")
for seed, directed in enumerate([False, True]):
    stem = f"{'directed' if directed else 'undirected'}{seed}"
    graph = random_graph(seed, directed, HOSTILE)
    by_networkx(stem, graph)
    by_pajek(stem, graph)
    by_igraph(stem, graph)
    spaceless = random_graph(100 + seed, directed, PLAIN)
    by_lists(stem, spaceless)
    if not directed:
        by_igraph_lists(stem, random_graph(200 + seed, directed, ASCII))
for seed, directed in enumerate([False, True]):
    by_networkx(f"quoted{'directed' if directed else 'undirected'}", random_graph(400 + seed, directed, QUOTED))
    by_networkx(f"multi{'directed' if directed else 'undirected'}", random_graph(300 + seed, directed, HOSTILE, True))
for file in expected:
    path = pathlib.Path(file)
    path.write_text(re.sub(r"\w{3} \w{3} +\d+ [\d:]{8} \d{4}|\d{4}-\d\d-\d\d", "", path.read_text("utf-8")), "utf-8")
write_json("expected.json", expected)
