"""Training models and predicting with them."""

from __future__ import annotations

import contextlib
import json
import logging
import operator
import os
import pathlib
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from edgewise import _core, _html
from edgewise._configuration import as_json, configuration, explicit
from edgewise._progress import Progress, of_epoch
from edgewise._tables import Columns, Tables

if TYPE_CHECKING:
    import pandas  # type: ignore[import-untyped, unused-ignore]
    from typing_extensions import Unpack

    from edgewise._arguments import DataArguments, TrainArguments

_log = logging.getLogger("edgewise")


class Hypothesis(NamedTuple):
    """What a model of pairs writes for a source."""

    text: str
    log_probability: float
    """Natural logarithm of the probability of all its tokens, and of the end after them."""


class Predictions:
    """Predictions for nodes or graphs, in the order of the data or of the nodes that were asked for.

    Attributes:
        names: Of the nodes or graphs.
        labels: The classes, the labels or the targets: the columns of `values`.
        task: "classification", "multilabel" or "regression".
        values: Probabilities, or values in the units of the targets [items, labels]; NaN for a molecule that could not
            be read.
        deviations: How far the models of an ensemble or an average are apart [items, labels]; None for a single model.
        embeddings: The inputs of the last layer [items, width], if asked for; else None.
        problems: Why a molecule could not be read, by its name.
    """

    def __init__(self, core: _core.Predictions) -> None:
        self.names: list[str] = core.names
        self.labels: list[str] = core.labels
        self.task: str = core.task
        self.values: np.ndarray = core.values()
        deviations = core.deviations()
        self.deviations: np.ndarray | None = deviations if deviations.size > 0 else None
        embeddings = core.embeddings()
        self.embeddings: np.ndarray | None = embeddings if embeddings.size > 0 else None
        self.problems: dict[str, str] = {name: text for name, text in zip(self.names, core.problems) if text}

    @property
    def predicted(self) -> list[Any]:
        """For each item the most probable class; the list of labels of at least 0.5; or the values, one if alone."""
        if self.task == "classification":
            return [None if np.isnan(row[0]) else self.labels[int(row.argmax())] for row in self.values]
        if self.task == "multilabel":
            return [[label for label, value in zip(self.labels, row) if value >= 0.5] for row in self.values]
        values: list[Any] = self.values[:, 0].tolist() if len(self.labels) == 1 else self.values.tolist()
        return values

    def to_pandas(self) -> pandas.DataFrame:
        """A DataFrame with a row for each item: its name as the index, the prediction, and a column for each label."""
        import pandas

        prefix = "" if self.task == "regression" else "p_"
        columns: dict[str, Any] = {} if self.task == "regression" else {"predicted": self.predicted}
        columns.update({prefix + label: self.values[:, i] for i, label in enumerate(self.labels)})
        if self.deviations is not None:
            columns.update({f"std_{label}": self.deviations[:, i] for i, label in enumerate(self.labels)})
        return pandas.DataFrame(columns, index=pandas.Index(self.names, name="name"))

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        return f"Predictions({len(self)} items, {self.task} of {', '.join(self.labels)})"

    def _repr_html_(self) -> str:
        answers = list(zip(self.names[: _html.ROWS_SHOWN], self.predicted, self.values.tolist()))
        if self.task == "regression":
            return _html.table(repr(self), ["name", *self.labels], [[name, *row] for name, _, row in answers], len(self))
        rows = [[name, found, *row] for name, found, row in answers]
        return _html.table(repr(self), ["name", "predicted", *self.labels], rows, len(self))


class ModelAttention:
    """Whom the nodes attend to.

    Attributes:
        sources, targets: Names: in row i, `targets[i]` attends to `sources[i]`.
        edges: The row of the edge in the table of edges [rows], from 0; -1 for an added self loop.
        layers: The attention weights of each layer [rows, heads].
    """

    def __init__(self, core: _core.ModelAttention) -> None:
        self.sources: list[str] = core.sources
        self.targets: list[str] = core.targets
        self.edges: np.ndarray = core.edges()
        self.layers: list[np.ndarray] = core.layers()

    def to_pandas(self) -> pandas.DataFrame:
        """A DataFrame with a row for each edge: source, target, and a column for each layer and head, from 1."""
        import pandas

        columns: dict[str, Any] = {"source": self.sources, "target": self.targets}
        for number, layer in enumerate(self.layers, 1):
            columns.update({f"layer_{number}_head_{h + 1}": layer[:, h] for h in range(layer.shape[1])})
        return pandas.DataFrame(columns)

    def __len__(self) -> int:
        return len(self.sources)

    def __repr__(self) -> str:
        return f"ModelAttention({len(self)} edges, {len(self.layers)} layers)"


class Explanation:
    """Which parts of a graph or a molecule receive the attention. A notebook shows the picture of a molecule.

    Attributes:
        row: Of the graph in its table, from 1.
        prediction: For each label its probability or value.
        names: Of the nodes: their own, or numbers from 0, for atoms in the order of their SMILES.
        tokens: The words or characters that the nodes are, if they are.
        nodes: The share of attention of each node: of the readout's, or, if it has none, along edges.
        is_by_readout: Whether `nodes` is the readout's.
        edges: Source and target of each edge or bond, as places in `names` [edges, 2].
        edge_attention: The attention along each edge, a mean over layers and heads; empty if no layer has any.
        svg: A picture of a molecule, its atoms and bonds coloured by their attention; None for other graphs.
    """

    def __init__(self, result: Mapping[str, Any]) -> None:
        self.row: int = result["row"]
        self.prediction: dict[str, float] = result["prediction"]
        self.names: list[str] = result["names"]
        self.tokens: list[str] = result["tokens"]
        self.nodes = np.array(result["nodes"], dtype=float)
        self.is_by_readout: bool = result["is_by_readout"]
        self.edges = np.array(result["edges"], dtype=np.int64).reshape(-1, 2)
        self.edge_attention = np.array(result["edge_attention"], dtype=float)
        self.svg: str | None = result["svg"]

    def to_pandas(self) -> pandas.DataFrame:
        """A DataFrame with a row for each node, by name: its token, if any, and its share of attention."""
        import pandas

        columns: dict[str, Any] = {"token": self.tokens} if self.tokens else {}
        return pandas.DataFrame({**columns, "attention": self.nodes}, index=pandas.Index(self.names, name="node"))

    def _repr_svg_(self) -> str | None:
        return self.svg

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        return f"Explanation(row {self.row}, {len(self)} nodes, {self.prediction})"


class Effects:
    """What a prediction would be without each part of what the model sees. A notebook shows the picture of a molecule.

    Attributes:
        item: The row of a graph in its table, from 1, or the name of a node.
        prediction: For each label its probability or value.
        of: What the effects are on: a class, a label or a target.
        value: Its probability or value.
        parts: For each part a dict of its "kind" ("atom", "bond", "side group", "neighbour", "feature", ...), its name as
            "part", its "nodes", its "effect", which is the value minus that "without" the part, and for a side group
            the SMILES of the "rest".
        svg: A picture of a molecule with its atoms and bonds, or of a node with its neighbours and features, coloured by
            their effects; None for other graphs.
    """

    def __init__(self, result: Mapping[str, Any]) -> None:
        self.item: int | str = result["row"] if "row" in result else result["node"]
        self.prediction: dict[str, float] = result["prediction"]
        self.of: str = result["of"]
        self.value: float = result["value"]
        self.parts: list[dict[str, Any]] = result["parts"]
        self.svg: str | None = result["svg"]

    def to_pandas(self) -> pandas.DataFrame:
        """A DataFrame with a row for each part, those with the largest effects first."""
        import pandas

        columns = ["kind", "part", "effect", "without"]
        table = pandas.DataFrame([{name: part[name] for name in columns} for part in self.parts], columns=columns)
        return table.sort_values("effect", key=abs, ascending=False, kind="stable", ignore_index=True)

    def _repr_svg_(self) -> str | None:
        return self.svg

    def __len__(self) -> int:
        return len(self.parts)

    def __repr__(self) -> str:
        return f"Effects({self.item!r}, {len(self)} parts, {self.of}: {self.value:.4g})"

    def _repr_html_(self) -> str | None:
        if self.svg is not None and isinstance(self.item, int):
            return None  # the picture of a molecule says it all
        columns = ["kind", "part", "effect", "without"]
        parts = sorted(self.parts, key=lambda part: -abs(part["effect"]))
        return _html.table(repr(self), columns, [[part[name] for name in columns] for part in parts])


class Model:
    """A trained model with everything that it needs to predict on new data; made by `train` and `load`.

    It can be copied and pickled, for other processes and for joblib.

    Attributes:
        task: "classification", "multilabel" or "regression".
        labels: The classes, the labels or the targets.
        training: How the model was trained: its options, epochs and metrics.
    """

    def __init__(self, core: _core.Model, tables: Mapping[str, Columns] | None = None) -> None:
        """`tables` are those of training that were in memory, from `Tables.copied`."""
        self._core = core
        self._tables = dict(tables or {})
        info = json.loads(core.info())
        self.task: str = info["task"]
        self.labels: list[str] = info["labels"]
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
        nodes_to_predict: str | Iterable[Any] | None = None,
        embeddings: bool = False,
        **data: Unpack[DataArguments],
    ) -> Predictions:
        """Predicts every node or graph.

        Args:
            dataset: A data set of the catalogue.
            nodes_to_predict: The name of a node or several: predicts only these, at the cost of what they see.
            embeddings: Whether to keep the inputs of the last layer, too.
            data: What to predict, as for `train`: `edges`, `nodes`, `molecules` and so on, files or tables. By default,
                the data of training: the same files, or its tables, which a trained model keeps, also when copied or
                pickled, but not in the file of `save`.

        Raises:
            UsageError: For a name that no node has, and for names where graphs have the labels.
            ModelError: If the data does not fit the model.
            DataError: If a file or a table cannot be used as it is.
        """
        wanted = None if nodes_to_predict is None else _names(nodes_to_predict)
        with self._given(dataset, data) as given:
            over = configuration({"dataset": dataset, **given.arguments})
            core = self._core.predict(as_json(over), given.core, wanted, embeddings)
        tell(map(given.readable, core.notes))
        return Predictions(core)

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
    def evaluate(self, dataset: str | None = None, *, part: str = "auto", **data: Unpack[DataArguments]) -> dict[str, Any]:
        """The metrics on items whose label is known.

        Args:
            dataset: A data set of the catalogue.
            part: "train", "validation", "test" or "all"; by default the test part of the split, or all of other data.
            data: As for `predict`.

        Returns:
            "part", the number of "items", their "metrics", and those of each of the "classes", or of several "targets".

        Raises:
            UsageError: If the data has no such part.
            ModelError: If the data does not fit the model.
            DataError: If a file or a table cannot be used as it is.
        """
        with self._given(dataset, data) as given:
            over = configuration({"dataset": dataset, **given.arguments})
            result: dict[str, Any] = json.loads(self._core.evaluate(as_json(over), given.core, part))
        tell(map(given.readable, result.pop("notes")))
        return result

    @explicit("data")
    def attention(
        self, dataset: str | None = None, *, node: str | None = None, mask: str | None = None, **data: Unpack[DataArguments]
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
        return ModelAttention(core)

    @explicit("data")
    def explain(
        self,
        dataset: str | None = None,
        *,
        row: int | None = None,
        node: str | None = None,
        by: str = "deletion",
        of: str | None = None,
        **data: Unpack[DataArguments],
    ) -> Effects | Explanation:
        """What one prediction owes to each part of what the model sees, or where the model looks.

        Args:
            dataset: A data set of the catalogue.
            row: The molecule or graph, by its row in the table, from 1.
            node: The node, by its name, in a model whose nodes have the labels.
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
                name = "" if node is None else str(node)
                result = json.loads(self._core.explain_by_deletion(over, given.core, place, name, of or ""))
        tell(map(given.readable, result["notes"]))
        return Effects(result) if by == "deletion" else Explanation(result)

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
        return f"Model({self.task} of {', '.join(self.labels)})"

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

    def __init__(self, core: _core.Training, notes: list[str], tables: Mapping[str, Columns]) -> None:
        super().__init__(core.model, tables)
        self.predictions = Predictions(core.predictions)
        self.runs: list[dict[str, Any]] = json.loads(core.report)
        self.notes = notes


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
        core = _core.train(as_json(merged), shown.hook, given.core)
    notes = [given.readable(note) for note in core.notes]
    tell(notes)
    return TrainedModel(core, notes, kept)


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


def _names(given: str | Iterable[Any]) -> list[str]:
    return [given] if isinstance(given, str) else [str(name) for name in given]


def tell(notes: Iterable[str]) -> None:
    """Logs what was noticed about data or training."""
    for note in notes:
        _log.warning("%s", note)
