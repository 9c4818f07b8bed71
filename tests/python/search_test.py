"""edgewise.tune."""

import signal

import pytest

import edgewise
from purchases import DATA

QUICK = {**DATA, "epochs": 9, "seed": 1}


def validations(search):
    return [training["validation"] for training in search.trainings]


def test_finds_a_configuration_that_train_takes():
    records = []
    search = edgewise.tune(**QUICK, models=["mlp", "gcn"], brackets=2, on_training=records.append)
    assert search.metric == "accuracy" and len(search) == 2 + 1 + 1 + 9 + 3 + 1
    assert [record["settings"] for record in records] == [training["settings"] for training in search.trainings]
    assert search.best in search.trainings and search.best["epochs"] == 9
    model = edgewise.train(**QUICK, config=search.config)
    assert model.metrics["validation"]["accuracy"] == search.best["validation"]
    assert repr(search) == f"Search(17 trainings, best accuracy {search.best['validation']:.4g})"


def test_arguments_hold_for_all_trials_and_the_configuration_is_where_they_start():
    config = {"model": {"preset": "gcn", "layers": 3}, "training": {"patience": 50, "learning_rate": 0.25}}
    search = edgewise.tune(**QUICK, hidden=8, brackets=1, config=config)
    assert search.config["model"] == {"preset": "gcn", "hidden": 8, "layers": 3}
    assert search.config["training"] == {"epochs": 9, "seed": 1, "patience": 50, "learning_rate": 0.25}
    search = edgewise.tune(**QUICK, models="gcn", hidden=8, brackets=2, config=config)
    assert len({str(training["settings"]) for training in search.trainings}) > 2
    assert search.config["model"]["hidden"] == 8 and search.config["training"]["patience"] == 50


def test_is_continued_from_its_log(tmp_path):
    pandas = pytest.importorskip("pandas")
    tables = {name: pandas.read_csv(DATA[name], dtype=str) for name in ("edges", "nodes")}
    quick = {**QUICK, **tables, "models": ["mlp", "gcn"]}
    whole = edgewise.tune(**quick, brackets=2)
    edgewise.tune(**quick, brackets=1, log=tmp_path / "log.json")
    records = []
    rest = edgewise.tune(**quick, brackets=2, log=tmp_path / "log.json", on_training=records.append)
    assert validations(rest) == validations(whole) and len(records) == len(whole) - 4
    with pytest.raises(edgewise.DataError, match="log.json: is of another search"):
        edgewise.tune(**{**quick, "seed": 2}, brackets=2, log=tmp_path / "log.json")


def test_becomes_a_table():
    pytest.importorskip("pandas")
    table = edgewise.tune(**QUICK, models=["mlp", "gcn"], brackets=1).to_pandas()
    assert list(table["epochs"]) == [1, 1, 3, 9] and set(table["settings.model.preset"]) == {"mlp", "gcn"}


def test_tells_which_trials_cannot_be_trained(caplog):
    search = edgewise.tune(**QUICK, models=["mlp", "gat"], heads=2, brackets=1)
    assert any('unknown member "heads"' in note for note in search.notes)
    assert caplog.messages == search.notes
    assert search.trainings[0]["validation"] is None and search.config["model"]["preset"] == "gat"


def test_an_exception_and_an_interrupt_end_a_search(interruptible):
    def fail(record):
        raise RuntimeError(f"enough of trial {record['trial']}")

    with pytest.raises(RuntimeError, match="enough of trial 0"):
        edgewise.tune(**QUICK, models="mlp", brackets=1, on_training=fail)
    with pytest.raises(KeyboardInterrupt):
        edgewise.tune(**QUICK, models="mlp", brackets=1, on_training=lambda _: signal.raise_signal(signal.SIGINT))


def test_a_log_that_cannot_be_written_is_refused_before_training(tmp_path):
    records = []
    with pytest.raises(edgewise.DataError, match="log.json: .*cannot be written"):
        edgewise.tune(**QUICK, models="gcn", log=tmp_path / "absent" / "log.json", on_training=records.append)
    assert records == []


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"budget": "soon"}, '^budget: expected a time such as 90s, 10m or 2h, got "soon"'),
        ({"budget": 600}, '^budget: expected a time such as "90s", "10m" or "2h", got 600'),
        ({"budget": "5m", "brackets": 1}, "^brackets: replaces the time limit of budget"),
        ({"brackets": 0}, "^brackets: expected at least 1, got 0"),
        ({"models": ["gcn", "gcn"]}, 'models: "gcn" is there more than once'),
        ({"models": ["gcnn"]}, 'did you mean "gcn"'),
        ({"models": "label_propagation"}, "^models: label_propagation has nothing to tune"),
        ({"models": "gcn", "model": "gat"}, "^model: names the one model to tune"),
        ({"models": "mlp", "heads": 2, "brackets": 1}, "no trial could be trained: .*unknown member"),
        ({"metric": "rmse", "brackets": 1}, "training.metric: expected one of accuracy"),
    ],
)
def test_wrong_arguments_say_what_was_expected(arguments, message):
    with pytest.raises(edgewise.UsageError, match=message):
        edgewise.tune(**QUICK, **arguments)
