"""Training models and predicting with them."""

from __future__ import annotations

import contextlib
import json
import logging
import numbers
import operator
import os
import pathlib
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from edgewise import _core, _html
from edgewise._configuration import as_json, call_text, configuration, explicit
from edgewise._progress import Progress, of_epoch
from edgewise._results import Effects, Explanation, Hypothesis, Links, ModelAttention, Predictions
from edgewise._spelling import Spelling
from edgewise._tables import Columns, Tables

if TYPE_CHECKING:
    import pandas  # type: ignore[import-untyped, unused-ignore]
    from typing_extensions import Unpack

    from edgewise._arguments import DataArguments, TrainArguments

_log = logging.getLogger("edgewise")


class Model:
    """A trained model with everything that it needs to predict on new data; made by `train` and `load`.

    It can be copied and pickled, for other processes and for joblib.

    Attributes:
        task: "classification", "multilabel", "regression" or "counts".
        labels: The classes, spelt as in `Predictions`, the labels or the targets.
        label_texts: The same as texts, as files have them.
        training: How the model was trained: its options, epochs and metrics.
    """

    def __init__(
        self, core: _core.Model, tables: Mapping[str, Columns] | None = None, are_labels_texts: bool = False
    ) -> None:
        """`tables` are those of training that were in memory, from `Tables.copied`."""
        self._core = core
        self._tables = dict(tables or {})
        self._are_labels_texts = are_labels_texts
        self._page = ""  # about the training
        info = json.loads(core.info())
        self.task: str = info["task"]
        self.label_texts: list[str] = info["labels"]
        spelling = Spelling(are_labels_texts=are_labels_texts or info["shape"] != "classes")
        self.labels: list[Any] = spelling.labels(self.label_texts)
        self.training: dict[str, Any] = info["training"]

    @property
    def metrics(self) -> dict[str, dict[str, float]]:
        """The metrics at the end of training, on the parts "validation" and "test"."""
        return {part: self.training[part] for part in ("validation", "test") if part in self.training}

    @explicit("data")
    def predict(
        self,
        dataset: str | None = None,
        *,
        nodes_to_predict: Any = None,
        embeddings: bool = False,
        intervals: float | None = None,
        **data: Unpack[DataArguments],
    ) -> Predictions:
        """Predicts every node or graph.

        Args:
            dataset: A data set of the catalogue.
            nodes_to_predict: The name of a node or several: predicts only these, at the cost of what they see.
            embeddings: Whether to keep the inputs of the last layer, too.
            intervals: Adds sets of classes, or intervals around numbers, that hold this share of the truths of items that
                are drawn as the validation items were, such as 0.9.
            data: What to predict, as for `train`: `edges`, `nodes`, `molecules` and so on, files or tables. By default,
                the data of training: the same files, or its tables, which a trained model keeps, also when copied or
                pickled, but not in the file of `save`.

        Raises:
            UsageError: For a name that no node has, for names where graphs have the labels, and for intervals that need
                more validation items than there were.
            ModelError: If the data does not fit the model.
            DataError: If a file or a table cannot be used as it is.
        """
        wanted = None if nodes_to_predict is None else _names(nodes_to_predict)
        if intervals is not None and not (isinstance(intervals, numbers.Real) and 0 < intervals < 1):
            raise _core.UsageError(f"intervals: expected a share between 0 and 1, got {intervals!r}")
        with self._given(dataset, data) as given:
            over = configuration({"dataset": dataset, **given.arguments})
            names = None if wanted is None else list(map(str, wanted))
            core = self._core.predict(as_json(over), given.core, names, embeddings, float(intervals or 0))
        tell(map(given.readable, core.notes))
        predictions = Predictions(core, self._spelling(given))
        predictions.index = given.index(predictions.rows)
        if wanted is not None:
            predictions.names = wanted
        return predictions

    @explicit("data")
    def suggest(
        self, dataset: str | None = None, *, top: int = 10, nodes_to_predict: Any = None, **data: Unpack[DataArguments]
    ) -> Links:
        """The likeliest new ties of each node: what a model of ties (`task="links"`) is for.

        Args:
            dataset: A data set of the catalogue.
            top: How many for each node.
            nodes_to_predict: The name of a node or several: only their ties.
            data: The network to suggest in, as for `predict`.

        Raises:
            UsageError: For a name that no node has.
            ModelError: If the model is not one of ties, or the data does not fit it.
            DataError: If a file or a table cannot be used as it is.
        """
        wanted = None if nodes_to_predict is None else list(map(str, _names(nodes_to_predict)))
        with self._given(dataset, data) as given:
            over = as_json(configuration({"dataset": dataset, **given.arguments}))
            core = self._core.suggest(over, given.core, wanted, top)
        tell(map(given.readable, core.notes))
        return Links(core, self._spelling(given))

    @explicit("data")
    def score_links(
        self, pairs: Iterable[tuple[Any, Any]], dataset: str | None = None, **data: Unpack[DataArguments]
    ) -> Links:
        """How likely pairs of nodes have a tie, by a model of ties.

        Args:
            pairs: The names of two nodes each.
            dataset: A data set of the catalogue.
            data: The network, as for `predict`.

        Raises:
            UsageError: For a name that no node has, or a node beside itself.
            ModelError: If the model is not one of ties, or the data does not fit it.
            DataError: If a file or a table cannot be used as it is.
        """
        ends = [(str(source), str(target)) for source, target in pairs]
        with self._given(dataset, data) as given:
            over = as_json(configuration({"dataset": dataset, **given.arguments}))
            core = self._core.score_links(over, given.core, [end[0] for end in ends], [end[1] for end in ends])
        tell(map(given.readable, core.notes))
        return Links(core, self._spelling(given))

    def write(self, sources: str | Iterable[str], *, beam: int = 5) -> list[list[Hypothesis]]:
        """Writes targets for sources: what a model of pairs predicts.

        Args:
            sources: A text or several.
            beam: How many hypotheses go on in each step, and are returned for each source.

        Returns:
            For each source its hypotheses, best first.

        Raises:
            ModelError: If the model was not trained on pairs of texts.
            DataError: If a source is longer than the model was trained for.
        """
        texts = [sources] if isinstance(sources, str) else list(sources)
        return [[Hypothesis(*one) for one in found] for found in json.loads(self._core.write(texts, beam))]

    @explicit("data")
    def evaluate(
        self,
        dataset: str | None = None,
        *,
        part: str = "auto",
        negatives: str | os.PathLike[str] = "",
        **data: Unpack[DataArguments],
    ) -> dict[str, Any]:
        """The metrics on items whose label is known.

        Args:
            dataset: A data set of the catalogue.
            part: "train", "validation", "test" or "all"; by default the test part of the split, or all of other data.
            negatives: Of ties, what the true node is ranked among in place of drawn ones: "all", or a CSV file of pairs
                without ties.
            data: As for `predict`.

        Returns:
            What `edgewise evaluate --json` prints of the evaluation: "part", "metrics", "per_class", "confusion" and so
            on; and the number of "items", those of "per_class" in "classes" by their class, and the metrics of several
            "targets" by their target.

        Raises:
            UsageError: If the data has no such part.
            ModelError: If the data does not fit the model.
            DataError: If a file or a table cannot be used as it is.
        """
        with self._given(dataset, data) as given:
            over = configuration({"dataset": dataset, **given.arguments})
            result: dict[str, Any] = json.loads(self._core.evaluate(as_json(over), given.core, part, os.fspath(negatives)))
        tell(map(given.readable, result.pop("notes")))
        own = self._labels_by_text
        for of in result.get("per_class", []):
            of["class"] = own.get(of["class"], of["class"])
        if "labels" in result:
            result["labels"] = [own.get(name, name) for name in result["labels"]]
        if "positive_class" in result:
            result["positive_class"] = own.get(result["positive_class"], result["positive_class"])
        result["classes"] = {of["class"]: of for of in result.get("per_class", [])}
        result["targets"] = {of.pop("target"): of for of in result.get("targets", [])}
        return result

    @explicit("data")
    def report(
        self,
        path: str | os.PathLike[str],
        dataset: str | None = None,
        *,
        part: str = "auto",
        **data: Unpack[DataArguments],
    ) -> None:
        """Writes a page of HTML: how good the model is, with charts, and what it was measured on.

        The page needs nothing but itself. Of a model that was just trained, without data, it is about the training: also
        its learning curves, and what was tried.

        Args:
            path: The file, which is replaced once the page is complete.
            dataset, part, data: As for `evaluate`.

        Raises:
            UsageError, ModelError, DataError: As `evaluate`, and for a model of pairs.
        """
        if self._page and dataset is None and part == "auto" and not data:
            return _core.write_file(os.fspath(path), self._page)
        with self._given(dataset, data) as given:
            over = configuration({"dataset": dataset, **given.arguments})
            call = call_text("model.report", dataset, data)
            page = self._core.evaluation_page(as_json(over), given.core, part, "the model", call)
        _core.write_file(os.fspath(path), given.readable(page))

    @explicit("data")
    def attention(
        self, dataset: str | None = None, *, node: Any = None, mask: str | None = None, **data: Unpack[DataArguments]
    ) -> ModelAttention:
        """Whom the nodes attend to, in a model whose nodes have the labels; of an average, in the first that attends.

        Args:
            dataset: A data set of the catalogue.
            node: The name of a node: only that one.
            mask: The layers over this mask; by default those along edges, if there are any.
            data: As for `predict`.

        Raises:
            UsageError: For a node or a mask that is not there.
            ModelError: If no layer is attention, or the data does not fit the model.
            DataError: If a file or a table cannot be used as it is.
        """
        with self._given(dataset, data) as given:
            over = configuration({"dataset": dataset, **given.arguments})
            core = self._core.attention(as_json(over), given.core, mask or "", "" if node is None else str(node))
        tell(map(given.readable, core.notes))
        return ModelAttention(core, self._spelling(given))

    @explicit("data")
    def explain(
        self,
        dataset: str | None = None,
        *,
        row: int | None = None,
        node: Any = None,
        by: str = "deletion",
        of: Any = None,
        **data: Unpack[DataArguments],
    ) -> Effects | Explanation:
        """What one prediction owes to each part of what the model sees, or where the model looks.

        Args:
            dataset: A data set of the catalogue.
            row: The molecule or graph, by its row in the table, from 1.
            node: The node, by its name, in a model whose nodes have the labels; of a model of ties, a pair of nodes;
                of a model of labels of edges, the pair of nodes of an edge.
            by: "deletion" leaves out each part in turn and predicts again. "attention" says which atoms and bonds, or
                nodes and edges of a graph, receive the attention; of an average, in the first model that attends.
            of: With "deletion": the class, label or target to explain; by default the predicted class, the most
                probable label, or the first target.
            data: As for `predict`.

        Returns:
            `Effects`, or with "attention" an `Explanation`.

        Raises:
            UsageError: If there is no such row or node, or for attention to nodes: see `attention`.
            ModelError: With "attention" if no layer is attention; if the data does not fit the model.
            DataError: If a file or a table cannot be used as it is, or the row has no graph.
        """
        if row is None and node is None:
            raise _core.UsageError("explain: expected the row of a molecule or graph, or the name of a node")
        if by not in ("deletion", "attention"):
            raise _core.UsageError(f'explain: by: expected "deletion" or "attention", got {by!r}')
        if by == "attention" and (node is not None or of is not None):
            raise _core.UsageError("explain: node and of are for deletion; `attention` is about nodes")
        with self._given(dataset, data) as given:
            over = as_json(configuration({"dataset": dataset, **given.arguments}))
            place = 0 if row is None and node is not None else operator.index(row)  # type: ignore[arg-type]
            if by == "attention":
                result = json.loads(self._core.explain(over, given.core, place))
            else:
                name = "" if node is None else _name_of(node)
                label = "" if of is None else next((text for text, own in self._labels_by_text.items() if own == of), str(of))
                result = json.loads(self._core.explain_by_deletion(over, given.core, place, name, label))
        tell(map(given.readable, result["notes"]))
        item = row if node is None else node
        return Effects(result, item, self._labels_by_text) if by == "deletion" else Explanation(result)

    @property
    def _labels_by_text(self) -> dict[str, Any]:
        return dict(zip(self.label_texts, self.labels))

    def _spelling(self, given: Tables) -> Spelling:
        return Spelling(given.are_names_texts(), self._are_labels_texts)

    def _given(self, dataset: str | None, data: Mapping[str, Any]) -> Tables:
        return Tables(data, self._tables if dataset is None else {})

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model to a safetensors file, which `load` and `edgewise predict` read.

        Tables that it was trained on are not in the file: whoever reads it must give data.
        """
        self._core.save(os.fspath(path))

    def __getstate__(self) -> dict[str, Any]:
        with _scratch_file() as path:
            self.save(path)
            return {**self.__dict__, "_core": path.read_bytes()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        with _scratch_file() as path:
            path.write_bytes(state["_core"])
            self.__dict__.update(state, _core=_core.load(os.fspath(path), "the model"))

    def __repr__(self) -> str:
        return f"Model({self.task} of {', '.join(map(str, self.labels))})"

    def _repr_html_(self) -> str:
        metrics = list(self.metrics.get("test", {}))
        rows = [[part, *(values.get(name) for name in metrics)] for part, values in self.metrics.items()]
        return _html.table(repr(self), ["part", *metrics], rows)


class TrainedModel(Model):
    """A model that was just trained.

    Attributes:
        predictions: For every item of the data.
        runs: For each run its metrics on the parts "train", "validation" and "test", its epochs, and, if the model was
            chosen among several, the choice.
        notes: What was noticed about the data and the training.
    """

    def __init__(self, core: _core.Training, notes: list[str], given: Tables, tables: Mapping[str, Columns]) -> None:
        super().__init__(core.model, tables, given.are_labels_texts())
        self.predictions = Predictions(core.predictions, self._spelling(given))
        self.predictions.index = given.index(len(self.predictions))
        self.runs: list[dict[str, Any]] = json.loads(core.runs)
        self.notes = notes
        self._page = given.readable(core.page)

    def _repr_html_(self) -> str:
        return super()._repr_html_() + _html.framed(self._page)


@explicit("data", "split", "model", "training")
def train(
    dataset: str | None = None,
    *,
    config: Mapping[str, Any] | str | os.PathLike[str] | None = None,
    on_epoch: Callable[[dict[str, Any]], None] | None = None,
    progress: bool | None = None,
    **arguments: Unpack[TrainArguments],
) -> TrainedModel:
    """Trains a model for the nodes of a network, for molecules, or for other graphs.

    The arguments are the flags of `edgewise train`, with underscores: `edges`, `nodes`, `molecules`, `label`,
    `directed`, `model`, `epochs`, `seed`, `runs` and so on. A table may be a file, a DataFrame, or a mapping from names
    to columns; `edges` also an edge index [2, edges] or a matrix of SciPy with an entry (source, target), and `graph` a
    graph of NetworkX or PyTorch Geometric with its nodes. All are read where they are. Unless a model is named, several are tried and the best on the validation items is kept.

    Args:
        dataset: A data set of the catalogue, or a frozen network (.edgewise), in place of files.
        config: A configuration as for `edgewise train --config`, or its file. The arguments override it.
        on_epoch: Called after every epoch with a dict of "model", "epoch", "loss", "validation_loss" and
            "validation_metric". An exception ends training, as Ctrl-C does.
        progress: Whether to show how far the job is; by default on a terminal and in a notebook.

    Returns:
        The best model of all runs.

    Raises:
        UsageError: For a wrong argument or configuration.
        DataError: If a file or a table cannot be used as it is.
        NumericalError: If training makes numbers that are not finite.
    """
    with Tables(arguments) as given, Progress(progress, of_epoch, on_epoch) as shown:
        kept = given.copied()
        merged = configuration({"dataset": dataset, **given.arguments}, config)
        call = call_text("edgewise.train", dataset, {"config": config, **arguments})
        core = _core.train(as_json(merged), call, shown.hook, given.core)
    notes = [given.readable(note) for note in core.notes]
    tell(notes)
    return TrainedModel(core, notes, given, kept)


def load(path: str | os.PathLike[str]) -> Model:
    """Reads a model that `Model.save` or `edgewise train --out` wrote.

    Raises:
        ModelError: If the file is damaged or no such model.
    """
    return Model(_core.load(os.fspath(path), os.fspath(path)))


@contextlib.contextmanager
def _scratch_file() -> Iterator[pathlib.Path]:
    with tempfile.TemporaryDirectory(prefix="edgewise-") as folder:
        yield pathlib.Path(folder) / "model.safetensors"


def _names(given: Any) -> list[Any]:
    if isinstance(given, np.ndarray):
        return np.atleast_1d(given).tolist()
    return list(given) if isinstance(given, Iterable) and not isinstance(given, str) else [given]


def _name_of(item: Any) -> str:
    """A node by its name; a pair of nodes as two fields of a CSV file."""
    if not isinstance(item, tuple):
        return str(item)
    quoted = ('"' + text.replace('"', '""') + '"' if set(text) & set(',"\r\n') else text for text in map(str, item))
    return ",".join(quoted)


def tell(notes: Iterable[str]) -> None:
    """Logs what was noticed about data or training."""
    for note in notes:
        _log.warning("%s", note)
