"""Networks of several kinds of nodes."""

import os
import subprocess
import types

import numpy as np
import pandas
import pytest

import edgewise

PEOPLE, PRODUCTS = 120, 24
QUICK = {"label": "people.churned", "model": "rgcn", "hidden": 8, "epochs": 5, "seed": 1}


@pytest.fixture(scope="module")
def shop():
    """People 0 ... and products 0 ..., who buy of two groups; what a person buys says whether they leave."""
    random = np.random.default_rng(3)
    group = random.integers(0, 2, PEOPLE)
    people = pandas.DataFrame({"id": np.arange(PEOPLE), "age": random.integers(18, 70, PEOPLE)})
    people["churned"] = np.where(group == 1, "yes", "no")
    products = pandas.DataFrame({"id": np.arange(PRODUCTS), "price": random.integers(5, 99, PRODUCTS)})
    bought = {(i, int(random.integers(0, PRODUCTS // 2)) * 2 + int(group[i])) for i in range(PEOPLE) for _ in range(5)}
    purchases = pandas.DataFrame(sorted(bought), columns=["person", "product"])
    friends = pandas.DataFrame({"a": np.arange(PEOPLE - 1), "b": np.arange(1, PEOPLE)})
    return types.SimpleNamespace(people=people, products=products, purchases=purchases, friends=friends)


def tables(shop):
    return {
        "nodes": {"people": shop.people, "products": shop.products},
        "edges": {("people", "buys", "products"): shop.purchases, ("people", "knows", "people"): shop.friends},
    }


def test_keys_are_tuples_or_texts(shop):
    of_tuples = edgewise.train(**tables(shop), **QUICK)
    named = {":".join(relation): table for relation, table in tables(shop)["edges"].items()}
    of_texts = edgewise.train(nodes=tables(shop)["nodes"], edges=named, **QUICK)
    np.testing.assert_array_equal(of_tuples.predictions.values, of_texts.predictions.values)
    assert of_tuples.predictions.names == list(range(PEOPLE))


def test_tables_and_files_are_the_same(shop, tmp_path):
    files = {}
    for name in ("people", "products", "purchases", "friends"):
        getattr(shop, name).to_csv(tmp_path / f"{name}.csv", index=False)
        files[name] = tmp_path / f"{name}.csv"
    mixed = edgewise.train(
        nodes={"people": files["people"], "products": shop.products.to_dict("list")},
        edges={("people", "buys", "products"): files["purchases"], "people:knows:people": shop.friends},
        **QUICK,
    )
    np.testing.assert_array_equal(mixed.predictions.values, edgewise.train(**tables(shop), **QUICK).predictions.values)


def test_a_frozen_network(shop, tmp_path):
    program = os.environ.get("EDGEWISE_PROGRAM")
    if program is None:
        pytest.skip("no program to freeze a network with: EDGEWISE_PROGRAM")
    files = []
    for flag, given in (("--nodes", tables(shop)["nodes"]), ("--edges", tables(shop)["edges"])):
        for key, table in given.items():
            name = key if isinstance(key, str) else ":".join(key)
            path = tmp_path / f"{len(files)}.csv"
            table.to_csv(path, index=False)
            files += [flag, f"{name}={path}"]
    network = tmp_path / "net.edgewise"
    labels = ["--label", QUICK["label"], "--out", network, "--quiet"]
    subprocess.run([program, "data", "freeze", *files, *labels], check=True)
    job = {name: value for name, value in QUICK.items() if name != "label"}
    for trained in (edgewise.train(frozen=network, **job), edgewise.train(str(network), **job, sample="5,3")):
        assert sorted(trained.predictions.names) == list(range(PEOPLE))
        np.testing.assert_array_equal(trained.predict(frozen=network).values, trained.predictions.values)
        assert trained.evaluate(frozen=network)["metrics"] == pytest.approx(trained.metrics["test"])
        of_tables = trained.predict(**tables(shop))
        assert of_tables.names == list(range(PEOPLE))
    ties = edgewise.train(frozen=network, task="links", relation="people:buys:products", model="katz")
    assert len(ties.suggest(top=3)) == 3 * PEOPLE


def test_new_people_are_predicted_with_the_products_of_training(shop):
    model = edgewise.train(**tables(shop), **QUICK)
    np.testing.assert_array_equal(model.predict().values, model.predictions.values)
    found = model.predict(
        nodes={"people": {"id": ["x", "y"], "age": [30, 50]}},
        edges={
            ("people", "buys", "products"): {"person": ["x", "y"], "product": [0, 1]},
            ("people", "knows", "people"): {"a": ["x"], "b": ["y"]},
        },
    )
    assert found.names == ["x", "y"]


def test_products_are_recommended(shop):
    job = {"task": "links", "relation": "people:buys:products", "ignore": ["people.churned"], "seed": 1}
    model = edgewise.train(**tables(shop), **job, model="nearest_targets")
    found = model.suggest(top=3, nodes_to_predict=[0, 7])
    assert found.sources == [0] * 3 + [7] * 3
    assert not found.known.any() and found.ranks.tolist() == [1, 2, 3] * 2
    bought = set(map(tuple, shop.purchases.to_numpy()))
    assert all(target < PRODUCTS and (source, target) not in bought for source, target in zip(found.sources, found.targets))
    assert len(model.suggest(top=1)) == PEOPLE
    scored = model.score_links([(0, found.targets[0]), next(iter(bought))])
    assert scored.known.tolist() == [False, True]
    assert scored.probabilities[0] == found.probabilities[0]
    with pytest.raises(edgewise.UsageError, match=f'pairs: "{PRODUCTS}" is not one of the products'):
        model.score_links([(0, PRODUCTS)])
    with pytest.raises(edgewise.UsageError, match="data.relation|relation: name the relation"):
        edgewise.train(**tables(shop), task="links", model="nearest_targets")


def test_ratings_between_kinds_are_labels_of_edges(shop):
    stars = 3 + (shop.purchases["person"] % 3) - (shop.purchases["product"] % 2)
    rated = {("people", "rates", "products"): shop.purchases.assign(stars=stars)}
    nodes = tables(shop)["nodes"]
    model = edgewise.train(
        nodes=nodes, edges=rated, edge_label="stars", ignore=["people.churned"], task="regression", model="edge_factors"
    )
    assert model.evaluate()["metrics"]["rmse"] < 0.5
    found = model.predict(edges={("people", "rates", "products"): shop.purchases.head(5)})
    assert found.names[0] == f"{shop.purchases['person'][0]},{shop.purchases['product'][0]}"
    np.testing.assert_allclose(found.values[:, 0], stars[:5], atol=0.7)


def test_columns_of_edges_are_features(shop):
    left = shop.people.set_index("id")["churned"].eq("yes")
    amounts = shop.purchases.assign(amount=np.where(shop.purchases["person"].map(left), 5.0, 50.0))
    edges = {("people", "buys", "products"): amounts, ("people", "knows", "people"): shop.friends}
    given = {"label": "people.churned", "model": "neighbour_trees", "seed": 1}
    model = edgewise.train(nodes=tables(shop)["nodes"], edges=edges, edge_features="amount", **given)
    assert model.evaluate()["metrics"]["accuracy"] > 0.9
    without = {("people", "buys", "products"): shop.purchases, ("people", "knows", "people"): shop.friends}
    with pytest.raises(edgewise.UsageError, match="people:buys:products.amount"):
        model.predict(edges=without)


def test_what_does_not_fit_is_said_by_its_argument(shop):
    with pytest.raises(edgewise.UsageError, match="expected KIND.COLUMN with one of the kinds people, products"):
        edgewise.train(**tables(shop), **{**QUICK, "label": "churned"})
    edges = {("people", "buys"): shop.purchases}
    with pytest.raises(edgewise.UsageError, match="expected KIND:RELATION:KIND"):
        edgewise.train(nodes={"people": shop.people}, edges=edges, **QUICK)
    wrong = shop.purchases.assign(product=999)
    with pytest.raises(edgewise.DataError, match='edges people:buys:products.*unknown node products "999"'):
        edgewise.train(nodes=tables(shop)["nodes"], edges={("people", "buys", "products"): wrong}, **QUICK)
    with pytest.raises(edgewise.ModelError, match="trained on the relations"):
        edgewise.train(**tables(shop), **QUICK).predict(edges={("people", "views", "products"): shop.purchases})


class Hetero(dict):
    """As a `HeteroData` of PyTorch Geometric."""

    node_types = property(lambda self: [of for of in self if isinstance(of, str)])
    edge_types = property(lambda self: [of for of in self if isinstance(of, tuple)])


def hetero(shop):
    mask = np.arange(PEOPLE) % 5
    people = types.SimpleNamespace(
        x=shop.people[["age"]].to_numpy(dtype=np.float32),
        y=(shop.people["churned"] == "yes").to_numpy().astype(int),
        num_nodes=PEOPLE,
        train_mask=mask < 3,
        val_mask=mask == 3,
        test_mask=mask == 4,
    )
    index = shop.purchases.to_numpy().T
    return Hetero(
        {
            "people": people,
            "products": types.SimpleNamespace(num_nodes=PRODUCTS),
            ("people", "buys", "products"): types.SimpleNamespace(edge_index=index),
            ("products", "rev_buys", "people"): types.SimpleNamespace(edge_index=index[::-1]),
            ("people", "knows", "people"): types.SimpleNamespace(edge_index=shop.friends.to_numpy().T),
        }
    )


class DglEdges:
    """As the edges of a heterograph of DGL."""

    def __init__(self, of):
        self._of = of

    def __call__(self, etype):
        return tuple(self._of[etype].edge_index)

    def __getitem__(self, etype):
        features = getattr(self._of[etype], "edge_attr", None)
        return types.SimpleNamespace(data={} if features is None else {"feat": features})


class Dgl:
    """As a heterograph of DGL."""

    def __init__(self, of):
        self.ntypes, self.canonical_etypes = of.node_types, of.edge_types
        people = of["people"]
        data = {"feat": people.x, "label": people.y, "train_mask": people.train_mask, "val_mask": people.val_mask,
                "test_mask": people.test_mask}
        self.nodes = {"people": types.SimpleNamespace(data=data), "products": types.SimpleNamespace(data={})}
        self._of = of

    def num_nodes(self, kind):
        return self._of[kind].num_nodes

    @property
    def edges(self):
        return DglEdges(self._of)


def test_graphs_of_other_toolkits(shop):
    job = {**QUICK, "label": "people.y", "task": "classification"}
    graph = hetero(shop)
    split = np.array(["train", "train", "train", "validation", "test"])[np.arange(PEOPLE) % 5]
    nodes = {
        "people": {"id": np.arange(PEOPLE), "x0": graph["people"].x[:, 0], "y": graph["people"].y, "split": split},
        "products": {"id": np.arange(PRODUCTS)},
    }
    expected = edgewise.train(nodes=nodes, edges=tables(shop)["edges"], **job)
    of_pyg = edgewise.train(graph=graph, **job)
    np.testing.assert_array_equal(of_pyg.predictions.values, expected.predictions.values)
    np.testing.assert_array_equal(edgewise.train(graph=Dgl(graph), **job).predictions.values, expected.predictions.values)
    np.testing.assert_array_equal(of_pyg.predict(graph=graph).values, expected.predictions.values)
    with pytest.raises(edgewise.UsageError, match="give one of edges and graph, not both"):
        edgewise.train(graph=graph, edges=tables(shop)["edges"], **job)
    graph["people"].x = graph["people"].x[:7]
    with pytest.raises(edgewise.UsageError, match="expected 120 rows"):
        edgewise.train(graph=graph, **job)


def test_features_of_edges_of_other_toolkits(shop):
    graph = hetero(shop)
    left = graph["people"].y[shop.purchases["person"]]
    graph["people", "buys", "products"].edge_attr = np.stack([left * 1.0, np.ones(len(left))], axis=1)
    job = {"label": "people.y", "task": "classification", "model": "neighbour_trees", "seed": 1}
    model = edgewise.train(graph=graph, **job)
    assert model.evaluate()["metrics"]["accuracy"] > 0.9
    of_dgl = edgewise.train(graph=Dgl(graph), **job)
    np.testing.assert_array_equal(of_dgl.predictions.values, model.predictions.values)
    np.testing.assert_array_equal(model.predict(graph=graph).values, model.predictions.values)
    graph["people", "buys", "products"].edge_attr = np.ones((3, 2))
    with pytest.raises(edgewise.UsageError, match="edge_attr: expected .* rows, got 3"):
        edgewise.train(graph=graph, **job)
