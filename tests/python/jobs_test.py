"""edgewise.train, edgewise.load and models."""

import concurrent.futures
import copy
import json
import logging
import os
import pathlib
import pickle
import signal
import subprocess

import numpy as np
import pandas
import pytest

import edgewise
from edgewise._tables import texts
from purchases import FILES

QUICK = {"label": "buys", "directed": True, "model": "gcn", "hidden": 8, "epochs": 10}


@pytest.fixture(scope="module")
def model():
    return edgewise.train(**FILES, **QUICK)


def test_pairs_are_written(tmp_path):
    lines = [f"{'ab'[i % 2]}{'cd'[i // 2 % 2]}{'ef'[i // 4 % 2]}\t{'AB'[i % 2]} {'CD'[i // 2 % 2]}" for i in range(60)]
    (tmp_path / "pairs.tsv").write_text("\n".join(lines) + "\n")
    model = edgewise.train(pairs=tmp_path / "pairs.tsv", source_tokens="characters", target_tokens="words", hidden=16,
                           layers=1, epochs=3, patience=0)
    hypotheses = model.write(["ace", "bdf"], beam=3)
    assert [len(found) for found in hypotheses] == [3, 3]
    assert hypotheses[0][0].log_probability >= hypotheses[0][1].log_probability
    assert model.write("ace", beam=3) == hypotheses[:1]
    with pytest.raises(edgewise.UsageError, match="beam: expected 1 or more, got 0"):
        model.write("ace", beam=0)
    with pytest.raises(edgewise.UsageError, match="use write"):
        model.predict()


def test_only_models_of_pairs_write(model):
    with pytest.raises(edgewise.ModelError, match="not trained on pairs"):
        model.write("ace")


def test_ties_are_suggested_and_scored(tmp_path):
    # Twelve circles of seven, in each of which two do not know each other.
    pairs = [(i, j) for i in range(84) for j in range(i) if i // 7 == j // 7 and i - j != 6]
    edges = {"source": [i for i, _ in pairs], "target": [j for _, j in pairs]}
    model = edgewise.train(edges=edges, task="links", model="adamic_adar")
    found = model.suggest(top=2, nodes_to_predict=0)
    assert found.sources == [0, 0] and found.targets[0] == 6 and found.ranks.tolist() == [1, 2]
    assert not found.known.any() and list(found.to_pandas().columns) == ["source", "target", "probability", "rank", "known"]
    assert len(model.suggest(top=2)) == 2 * 84
    scored = model.score_links([(0, 6), (0, 1), (0, 80)])
    assert scored.known.tolist() == [False, True, False] and scored.ranks.tolist() == [1, 2, 3]
    assert scored.probabilities[0] == found.probabilities[0]
    model.save(tmp_path / "links.safetensors")
    again = edgewise.load(tmp_path / "links.safetensors").score_links([(0, 6)], edges=edges)
    assert again.probabilities[0] == scored.probabilities[0]
    with pytest.raises(edgewise.UsageError, match='pairs: "99" is not one of the'):
        model.score_links([(0, 99)])
    of_all = model.evaluate(negatives="all")
    assert of_all["ranked_among"] == "all nodes without a tie there"
    assert of_all["metrics"]["roc_auc"] == model.evaluate()["metrics"]["roc_auc"]
    with pytest.raises(edgewise.UsageError, match="beside itself"):
        model.score_links([(3, 3)])
    effects = model.explain(node=(0, 6))
    assert effects.item == (0, 6)
    assert {part["kind"] for part in effects.parts} <= {"common neighbour", "tie", "feature"}
    with pytest.raises(edgewise.UsageError, match="not one of the"):
        model.explain(node=(0, 99))
    with pytest.raises(edgewise.UsageError, match="suggest or score_links"):
        model.predict()


def test_only_models_of_ties_suggest(model):
    with pytest.raises(edgewise.ModelError, match="not which ties there are"):
        model.suggest()


def friends():
    """Two circles of six people; whoever is in the second one buys."""
    people = [f"p{i}" for i in range(12)]
    pairs = [(i, j) for i in range(12) for j in range(12) if i != j and i // 6 == j // 6]
    nodes = {
        "id": people,
        "age": [20 + i for i in range(12)],
        "buys": ["no"] * 6 + ["yes"] * 6,
        "split": ["train", "train", "train", "validation", "test", "test"] * 2,
    }
    return {"edges": {"source": [people[i] for i, _ in pairs], "target": [people[j] for _, j in pairs]}, "nodes": nodes}


WORDS = ["good", "fine", "bad", "poor"]
SMILES = ["C" * n + "O" for n in range(1, 25)]
OTHER_TABLES = {
    "molecules": (
        {"molecules": {"smiles": SMILES, "logS": [1 - 0.5 * n for n in range(24)]}},
        {"label": "logS", "model": "sum_features"},
    ),
    "texts": (
        {"texts": {"text": [f"a {WORDS[i % 4]} plot" for i in range(24)], "mood": ["up", "up", "down", "down"] * 6}},
        {"label": "mood", "model": "attention", "hidden": 8, "heads": 2},
    ),
    "graphs": (
        {
            "nodes": {"graph": [f"g{i // 3}" for i in range(72)], "size": [i % 5 for i in range(72)]},
            "graphs": {"graph": [f"g{i}" for i in range(24)], "kind": ["a", "b"] * 12},
        },
        {"label": "kind", "graph_column": "graph", "model": "attention", "hidden": 8, "heads": 2},
    ),
    "features": (
        {
            **friends(),
            "features": {"node": [f"p{i}" for i in range(12)], "feature": [i // 6 for i in range(12)],
                         "value": [1] * 12},
        },
        {"label": "buys", "model": "gcn"},
    ),
}


def test_trains_on_files_and_predicts(model):
    assert model.task == "classification" and model.labels == ["no", "yes"]
    assert model.metrics["test"]["accuracy"] > 0.6
    assert model.runs[0]["epochs"] == 10 and "choice" not in model.runs[0]
    predictions = model.predict()
    np.testing.assert_array_equal(predictions.values, model.predictions.values)
    assert len(predictions) == 2000 and predictions.names[0] == "p0" and predictions.values.shape == (2000, 2)
    np.testing.assert_allclose(predictions.values.sum(axis=1), 1, atol=1e-5)
    assert predictions.predicted[0] == ("yes" if predictions.values[0, 1] > 0.5 else "no")
    assert predictions.deviations is None and predictions.problems == {}
    assert repr(predictions) == "Predictions(2000 items, classification of no, yes)"


def test_evaluates_parts_and_other_data(model):
    result = model.evaluate()
    assert result["part"] == "test" and result["metrics"] == pytest.approx(model.metrics["test"])
    assert result["classes"]["yes"]["support"] + result["classes"]["no"]["support"] == result["items"] == result["nodes"]
    assert [of["class"] for of in result["per_class"]] == result["labels"] == ["no", "yes"]
    assert np.shape(result["confusion"]) == (2, 2)
    assert model.evaluate(part="validation")["metrics"] == pytest.approx(model.metrics["validation"])
    with pytest.raises(edgewise.UsageError, match="expected train, validation, test or all"):
        model.evaluate(part="tests")


def test_a_saved_model_is_the_same(model, tmp_path):
    path = tmp_path / "model.safetensors"
    model.save(path)
    loaded = edgewise.load(path)
    np.testing.assert_array_equal(loaded.predict().values, model.predictions.values)
    assert loaded.metrics == model.metrics and repr(loaded) == "Model(classification of no, yes)"
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(edgewise.ModelError, match="model.safetensors"):
        edgewise.load(path)
    with pytest.raises(edgewise.DataError, match="No such file"):
        edgewise.load(tmp_path / "none")


def test_tables_are_read_as_files_are(model):
    tables = {name: pandas.read_csv(path, dtype=str) for name, path in FILES.items()}
    from_frames = edgewise.train(**tables, **QUICK)
    np.testing.assert_array_equal(from_frames.predictions.values, model.predictions.values)
    mappings = {name: table.to_dict("list") for name, table in tables.items()}
    np.testing.assert_array_equal(model.predict(**mappings).values, model.predictions.values)


def test_a_model_of_tables_uses_those_of_training(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tables = friends()
    trained = edgewise.train(**tables, label="buys", model="gat", hidden=8, epochs=3)
    others = pandas.DataFrame({**tables["nodes"], "buys": tables["nodes"]["buys"][::-1], "age": 99})
    others.to_csv("nodes.csv", index=False)
    pandas.DataFrame(tables["edges"]).iloc[:5].to_csv("edges.csv", index=False)
    tables["nodes"]["age"] = [0] * 12  # training took a copy
    for twin in (trained, pickle.loads(pickle.dumps(trained)), copy.deepcopy(trained)):
        np.testing.assert_array_equal(twin.predict().values, trained.predictions.values)
        assert twin.evaluate()["metrics"] == pytest.approx(trained.metrics["test"])
        assert twin.evaluate()["part"] == "test"
        assert len(twin.attention()) == 60 + 12


def test_training_on_samples():
    job = {**friends(), "label": "buys", "model": "sage", "epochs": 3, "sample": "2,2", "batch_size": 4}
    trained = edgewise.train(**job)
    np.testing.assert_array_equal(edgewise.train(**job).predictions.values, trained.predictions.values)
    np.testing.assert_array_equal(trained.predict(**friends()).values, trained.predictions.values)
    assert np.any(edgewise.train(**job, replace=True).predictions.values != trained.predictions.values)
    with pytest.raises(edgewise.UsageError, match="sample: expected fan-outs such as 15,10"):
        edgewise.train(**{**job, "sample": "many"})


def test_a_frozen_network(tmp_path):
    program = os.environ.get("EDGEWISE_PROGRAM")
    if program is None:
        pytest.skip("no program to freeze a network with: EDGEWISE_PROGRAM")
    network = str(tmp_path / "net.edgewise")
    files = ["--edges", FILES["edges"], "--nodes", FILES["nodes"], "--label", "buys", "--directed"]
    subprocess.run([program, "data", "freeze", *files, "--parts", "3", "--out", network, "--quiet"], check=True)
    for arguments in ({"model": "gcn"}, {"model": "sage", "sample": "3,2", "batch_size": 100, "memory": "1M"}):
        trained = edgewise.train(network, **arguments, hidden=8, epochs=3)
        np.testing.assert_array_equal(trained.predict(network).values, trained.predictions.values)
        assert trained.evaluate(network)["metrics"] == pytest.approx(trained.metrics["test"])
        trained.save(tmp_path / "model.safetensors")
        loaded = edgewise.load(tmp_path / "model.safetensors")
        np.testing.assert_array_equal(loaded.predict(frozen=network).values, trained.predictions.values)
    with pytest.raises(edgewise.UsageError, match="for models of layers; name one, such as gatv2"):
        edgewise.train(network)
    with pytest.raises(edgewise.UsageError, match="give the tables that it was made of"):
        trained.attention()


def test_new_nodes_among_the_edges_of_training(caplog):
    trained = edgewise.train(**friends(), label="buys", model="gcn", epochs=3)
    with caplog.at_level(logging.WARNING, logger="edgewise"):
        predictions = trained.predict(nodes=friends()["nodes"])
    np.testing.assert_array_equal(predictions.values, trained.predictions.values)
    assert "edges: uses the edges of training, because edges is not given" in caplog.text


def test_a_saved_model_of_tables_needs_data(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    edgewise.train(**friends(), label="buys", model="gat", hidden=8, epochs=3).save("model.safetensors")
    for name, table in friends().items():
        pandas.DataFrame(table).to_csv(f"{name}.csv", index=False)
    loaded = edgewise.load("model.safetensors")
    for use in (loaded.predict, loaded.evaluate, loaded.attention):
        with pytest.raises(edgewise.UsageError, match="^model.safetensors: .*tables in memory, .*: give edges, nodes$"):
            use()
    with pytest.raises(edgewise.UsageError, match="give edges$"):
        loaded.predict(nodes=friends()["nodes"])
    assert len(loaded.predict(**friends())) == 12
    assert len(loaded.predict(edges="edges.csv", nodes="nodes.csv")) == 12


@pytest.mark.parametrize("name", ["molecules", "texts", "graphs", "features"])
def test_every_kind_of_table_is_kept(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tables, options = OTHER_TABLES[name]
    trained = edgewise.train(**tables, epochs=2, **options)
    pathlib.Path(f"{name}.csv").write_text("nothing of use\n")
    np.testing.assert_array_equal(trained.predict().values, trained.predictions.values)
    assert trained.evaluate()["part"] == "test"
    trained.save("model.safetensors")
    with pytest.raises(edgewise.UsageError, match=f"tables in memory.* give .*{name}"):
        edgewise.load("model.safetensors").predict()


def test_what_cells_become():
    missing = [None, float("nan"), np.float32("nan"), pandas.NA, pandas.NaT]
    cells = [*missing, True, np.bool_(False), 7, 2.5, np.int64(3), "a"]
    assert texts(cells) == ["", "", "", "", "", "true", "false", "7", "2.5", "3", "a"]


def test_cells_with_commas_quotes_and_lines():
    tables = friends()
    tables["nodes"]["city"] = ["Delft, NL", 'the "Hague"', "two\nlines", None, "", "Arles"] * 2
    trained = edgewise.train(**tables, label="buys", model="mlp", epochs=3)
    tables["nodes"]["city"] = ["Delft, NL"] * 12
    assert trained.predict(**tables).values.shape == (12, 2)


def test_errors_name_the_table_and_the_line():
    tables = friends()
    tables["edges"]["target"][2] = "nobody"
    with pytest.raises(edgewise.DataError, match=r"^edges:4: .*nobody"):
        edgewise.train(**tables, label="buys", model="gcn", epochs=1)
    with pytest.raises(edgewise.UsageError, match=r"nodes: expected columns of one length, got \[1, 2\]"):
        edgewise.train(edges=friends()["edges"], nodes={"id": ["a", "b"], "buys": ["no"]}, label="buys")
    with pytest.raises(edgewise.UsageError, match="nodes: expected a table with columns, got none"):
        edgewise.train(edges=friends()["edges"], nodes={}, label="buys")


def test_molecules():
    alcohols = {"smiles": ["C" * n + "O" for n in range(1, 25)], "logS": [1 - 0.5 * n for n in range(1, 25)]}
    trained = edgewise.train(molecules=alcohols, label="logS", model="sum_features", seed=1)
    assert trained.task == "regression"
    predictions = trained.predict(molecules={"smiles": ["CCCO", "not a molecule", "CCCCCCCO"]})
    assert np.isfinite(predictions.values[[0, 2]]).all() and np.isnan(predictions.values[1]).all()
    assert list(predictions.problems) == [2] and predictions.values[0, 0] > predictions.values[2, 0]
    frame = predictions.to_pandas()
    assert list(frame.index) == [1, 2, 3] and "logS" in frame


def test_several_labels():
    tables = friends()
    tables["nodes"].update(sings=["0", "1"] * 6, buys=["0"] * 6 + ["1"] * 6)
    trained = edgewise.train(**tables, label=["buys", "sings"], task="multilabel", model="mlp", epochs=3)
    assert trained.task == "multilabel" and all(isinstance(labels, list) for labels in trained.predictions.predicted)
    assert set(trained.evaluate(part="all", **tables)["targets"]) == {"buys", "sings"}


def test_attention_by_name():
    trained = edgewise.train(**friends(), label="buys", model="gat", hidden=8, heads=2, epochs=3)
    attention = trained.attention(**friends())
    rows = {(source, target) for source, target in zip(attention.sources, attention.targets)}
    assert len(attention) == len(rows) == 60 + 12 and [layer.shape[1] for layer in attention.layers] == [2, 1]
    sums = attention.to_pandas().groupby("target")[["layer_1_head_1", "layer_2_head_1"]].sum()
    np.testing.assert_allclose(sums, 1, atol=1e-5)
    edges = friends()["edges"]
    for source, target, edge in zip(attention.sources, attention.targets, attention.edges):
        assert source == target if edge == -1 else {edges["source"][edge], edges["target"][edge]} == {source, target}
    of_one = trained.attention(node="p3", **friends())
    assert set(of_one.targets) == {"p3"} and len(of_one) == 6
    with pytest.raises(edgewise.UsageError, match='no node "nobody"'):
        trained.attention(node="nobody", **friends())
    with pytest.raises(edgewise.UsageError, match="expected one that the model attends over, edges"):
        trained.attention(mask="complete", **friends())
    with pytest.raises(edgewise.ModelError, match="no attention layer"):
        edgewise.train(**friends(), label="buys", model="gcn", epochs=2).attention(**friends())


def test_a_choice_says_why():
    trained = edgewise.train(**friends(), label="buys", epochs=5)
    choice = trained.runs[0]["choice"]
    assert choice["reason"] and {candidate["model"] for candidate in choice["candidates"]} >= {"mlp", "gat"}


def test_runs_keep_the_best():
    trained = edgewise.train(**friends(), label="buys", model="mlp", epochs=5, runs=3, split="random")
    assert len(trained.runs) == 3
    assert trained.metrics["validation"]["accuracy"] == max(run["validation"]["accuracy"] for run in trained.runs)


def test_a_configuration_and_arguments_over_it(tmp_path):
    data = {**{name: str(path) for name, path in FILES.items()}, "label": "buys"}
    config = {"data": data, "model": {"preset": "mlp"}, "training": {"epochs": 2}}
    assert edgewise.train(config=config).runs[0]["epochs"] == 2
    assert edgewise.train(config=config, epochs=np.int64(3)).runs[0]["epochs"] == 3
    path = tmp_path / "job.json"
    path.write_text(json.dumps(config))
    assert edgewise.train(config=path, model={"preset": "gcn", "hidden": 4}).training["model"]["hidden"] == 4
    assert config["training"] == {"epochs": 2}  # is not changed


def test_notes_go_to_the_logger(caplog):
    trained = edgewise.train(**friends(), label="buys", model="gcn", epochs=2)
    tables = friends()
    tables["nodes"]["age"][3] = None
    with caplog.at_level(logging.WARNING, logger="edgewise"):
        trained.predict(**tables)
    assert [record.getMessage() for record in caplog.records] == [
        'column "age": 1 node has no value, unlike all in training',
        '1 node is unlike those of training (column "unlike"), such as "p3": no age',
    ]


def test_on_epoch():
    records = []
    edgewise.train(**friends(), label="buys", model="gcn", epochs=4, on_epoch=records.append)
    assert [record["epoch"] for record in records] == [1, 2, 3, 4]
    assert all(record["loss"] > 0 and record["validation_metric"] is not None for record in records)


def test_an_exception_and_an_interrupt_end_training(interruptible):
    def fail(record):
        raise RuntimeError(f"enough at {record['epoch']}")

    def interrupt(record):
        signal.raise_signal(signal.SIGINT)

    for model in ("gcn", "auto"):
        with pytest.raises(RuntimeError, match="enough at 1"):
            edgewise.train(**friends(), label="buys", model=model, on_epoch=fail)
        with pytest.raises(KeyboardInterrupt):
            edgewise.train(**friends(), label="buys", model=model, on_epoch=interrupt)


def test_predicts_some_nodes_only(model):
    some = model.predict(nodes_to_predict=["p7", "p3", "p1999"])
    assert some.names == ["p7", "p3", "p1999"]
    np.testing.assert_array_equal(some.values, model.predictions.values[[7, 3, 1999]])
    assert model.predict(nodes_to_predict="p7").values.shape == (1, 2)
    assert model.predict(nodes_to_predict=[]).values.shape == (0, 2)
    with pytest.raises(edgewise.UsageError, match='nodes_to_predict: there is no node "p9999"'):
        model.predict(nodes_to_predict=["p3", "p9999"])
    molecules = edgewise.train("hydrophilicity", model="sage", epochs=1)
    with pytest.raises(edgewise.UsageError, match="not for molecules"):
        molecules.predict(nodes_to_predict=["1"])


def test_embeddings_are_the_inputs_of_the_last_layer(model):
    predictions = model.predict(embeddings=True)
    assert model.predict().embeddings is None
    assert predictions.embeddings.shape[0] == 2000 and np.isfinite(predictions.embeddings).all()
    some = model.predict(embeddings=True, nodes_to_predict=["p7"])
    np.testing.assert_array_equal(some.embeddings[0], predictions.embeddings[7])


def test_a_long_table_of_molecules_is_predicted_in_pieces():
    model = edgewise.train("hydrophilicity", model="sage", epochs=1)
    smiles = ["CCO", "C1CC", "c1ccccc1"] * 400  # more than are predicted at once
    predictions = model.predict(molecules={"smiles": smiles}, embeddings=True)
    short = model.predict(molecules={"smiles": smiles[:3]}, embeddings=True)
    np.testing.assert_array_equal(predictions.values, np.tile(short.values, (400, 1)))
    np.testing.assert_array_equal(predictions.embeddings, np.tile(short.embeddings, (400, 1)))
    assert np.isnan(short.values[1]).all() and np.isnan(short.embeddings[1]).all()
    assert len(predictions.problems) == 400 and "ring" in predictions.problems[1199]


def test_a_model_is_pickled_and_copied(model):
    for twin in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert twin.labels == model.labels and twin.runs == model.runs
        np.testing.assert_array_equal(twin.predict().values, model.predictions.values)
        np.testing.assert_array_equal(twin.predictions.values, model.predictions.values)
    twin = pickle.loads(pickle.dumps(edgewise.train("purchases", model="mlp", epochs=1)))
    with pytest.raises(edgewise.ModelError, match="^the model: the model has no attention layer"):
        twin.attention()


def test_uses_of_one_model_may_overlap(model):
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda _: model.predict().values, range(8)))
    assert all((values == model.predictions.values).all() for values in results)


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"epoch": 3}, r"unknown argument epoch \(did you mean epochs\?\)"),
        ({"lr": 0.1}, r"unknown argument lr \(did you mean learning_rate\?\)"),
        ({"random_state": 1}, r"unknown argument random_state \(did you mean seed\?\)"),
        ({"epochs": "many"}, "training.epochs: expected an integer"),
        ({"epochs": -1}, "training.epochs"),
        ({"dropout": float("nan")}, "expected finite numbers"),
        ({"hidden": object()}, "expected numbers, texts, lists and mappings, got object"),
        ({"model": "gatt"}, 'did you mean "gat"'),
        ({"model": "label_propagation"}, "leaves no model"),
        ({"config": {"trainning": {}}}, 'unknown member "trainning"'),
        ({"config": {"training": {"epoch": 1}}}, 'unknown member "epoch"'),
    ],
)
def test_refuses_wrong_arguments(arguments, message):
    with pytest.raises(edgewise.UsageError, match=message):
        edgewise.train(**{**friends(), "label": "buys", "model": "gcn", **arguments})


def test_refuses_a_wrong_configuration_file(tmp_path):
    path = tmp_path / "job.json"
    path.write_text('{"training": ')
    with pytest.raises(edgewise.DataError, match="job.json"):
        edgewise.train(config=path)
    with pytest.raises(edgewise.DataError, match="cannot be read"):
        edgewise.train(config=os.fspath(tmp_path / "none.json"))
