"""edgewise.compare."""

import signal

import pytest

import edgewise
from purchases import DATA

QUICK = {**DATA, "epochs": 5, "runs": 2}


def test_compares_models_on_the_same_splits():
    records = []
    comparison = edgewise.compare(**QUICK, models=["mlp", "gcn"], on_model=records.append)
    assert comparison.metric == "accuracy" and len(comparison) == 2
    assert [record["model"] for record in records] == ["mlp", "gcn"]
    tests = {of["model"]: of["test"] for of in comparison.models}
    assert {record["model"]: record["test"] for record in records} == {name: of["mean"] for name, of in tests.items()}
    model = edgewise.train(**QUICK, model="gcn")
    assert tests["gcn"]["values"] == [run["test"]["accuracy"] for run in model.runs]
    assert comparison.best == comparison.models[0]["model"]
    assert comparison.verdict[-1].startswith(f"use {comparison.best}: ")
    assert repr(comparison) == f"Comparison(2 models by accuracy, best {comparison.best})"


def test_the_best_can_be_trained():
    comparison = edgewise.compare(**QUICK, models=["gcn + labels"])
    assert comparison.best == "gcn + labels"
    assert comparison.config["model"] == {"preset": "gcn"}
    model = edgewise.train(**QUICK, config=comparison.config)
    values = comparison.models[0]["validation"]["values"]
    assert [run["validation"]["accuracy"] for run in model.runs] == values


def test_the_best_that_leaves_a_model_can_be_trained():
    comparison = edgewise.compare(**QUICK, models=["label_propagation", "mlp"])
    assert comparison.best == "label_propagation" and comparison.config == {"model": {"preset": "mlp"}}
    assert edgewise.compare(**QUICK, models="label_propagation").config is None


def test_makes_five_runs_and_tries_variants_unless_told_otherwise():
    comparison = edgewise.compare(**DATA, models="mlp", epochs=1)
    assert len(comparison.models[0]["test"]["values"]) == 5
    names = [of["model"] for of in edgewise.compare(**DATA, epochs=1, runs=1).models]
    assert len(names) > 4 and any(name.endswith(" + labels") for name in names)


def test_tells_which_models_are_skipped(caplog):
    comparison = edgewise.compare(**QUICK, models=["fingerprint", "mlp"])
    assert comparison.notes == [note for note in comparison.notes if note.startswith("fingerprint is skipped: ")]
    assert caplog.messages == comparison.notes != []


def test_becomes_a_table():
    pytest.importorskip("pandas")
    table = edgewise.compare(**QUICK, models=["mlp", "gcn"]).to_pandas()
    assert sorted(table.index) == ["gcn", "mlp"] and table["beside_best"].iloc[0] == 0
    assert list(table.columns)[:4] == ["validation", "validation_std", "test", "test_std"]


def test_is_continued_from_its_log(tmp_path):
    log = tmp_path / "log.json"
    first = edgewise.compare(**QUICK, models="mlp", log=log)
    records = []
    again = edgewise.compare(**QUICK, models=["mlp", "gcn"], log=log, on_model=records.append)
    assert records[0]["seconds"] == first.models[0]["seconds"]
    assert again.models == edgewise.compare(**QUICK, models=["mlp", "gcn"], log=log).models
    with pytest.raises(edgewise.DataError, match="log.json: is of another comparison; give log another name"):
        edgewise.compare(**{**QUICK, "epochs": 6}, models="mlp", log=log)


def test_an_exception_and_an_interrupt_end_a_comparison(interruptible):
    def fail(record):
        raise RuntimeError("enough of " + record["model"])

    with pytest.raises(RuntimeError, match="enough of mlp"):
        edgewise.compare(**QUICK, models=["mlp", "gcn"], on_model=fail)
    with pytest.raises(KeyboardInterrupt):
        edgewise.compare(**QUICK, models=["mlp", "gcn"], on_model=lambda _: signal.raise_signal(signal.SIGINT))


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"models": ["gatt"]}, 'did you mean "gat"'),
        ({"models": ["fingerprint"]}, "compare: no model fits the data: fingerprint is skipped: .*for graphs"),
        ({"models": ["mlp", "mlp"]}, 'models: "mlp" is there more than once'),
        ({"model": "gcn"}, "model: expected models, a list of names"),
        ({"epochs": -1}, "training.epochs"),
        ({"metric": "rmse"}, "rmse"),
        ({"task": "masked_atoms"}, "^task: masked_atoms"),
    ],
)
def test_refuses_wrong_arguments(arguments, message):
    with pytest.raises(edgewise.UsageError, match=message):
        edgewise.compare(**{**QUICK, **arguments})
