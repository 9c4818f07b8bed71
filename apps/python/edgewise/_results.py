"""What models answer."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from edgewise import _core, _html
from edgewise._spelling import Spelling

if TYPE_CHECKING:
    import pandas  # type: ignore[import-untyped, unused-ignore]


class Hypothesis(NamedTuple):
    """What a model of pairs writes for a source."""

    text: str
    log_probability: float
    """Natural logarithm of the probability of all its tokens, and of the end after them."""


class Predictions:
    """Predictions for nodes or graphs, in the order of the data or of the nodes that were asked for.

    Names and classes are integers if all are whole numbers, and bool if all are true or false, as pandas reads a file;
    texts of a table in memory stay texts.

    Attributes:
        names: Of the nodes or graphs.
        labels: The classes, the labels or the targets: the columns of `values`.
        label_texts: The same as texts, as files have them.
        task: "classification", "multilabel", "regression" or "counts".
        values: Probabilities, or values in the units of the targets [items, labels]; NaN for a molecule that could not
            be read.
        deviations: The deviation of the error that is expected [items, labels]; None if nothing tells it.
        lower, upper: Ends of the intervals that were asked for [items, targets]; else None.
        sets: Sets that were asked for: whether a class belongs to that of an item [items, classes]. Of several labels,
            whether each may be absent, and whether it may be present [items, labels, 2]. Else None.
        similarity: Of molecules to the nearest one of training, from 0 to 1 [items]; None if the model cannot tell.
        unlike: How an item is unlike all of training, "" if it is not; None if the model cannot tell.
        embeddings: The inputs of the last layer [items, width], if asked for; else None.
        problems: Why a molecule could not be read, by its name.
        lists: Of atoms and bonds: columns of lists by name, one for each molecule, None for one that could not be read;
            also "bonds", with the places of their two atoms from 0. Else None.
        index: That of the DataFrame with the molecules or graphs; else None.
    """

    def __init__(self, core: _core.Predictions, spelling: Spelling) -> None:
        self.names: list[Any] = spelling.names(core.names)
        self.task: str = core.task
        self._shape: str = core.shape
        self.label_texts: list[str] = core.labels
        self.labels: list[Any] = spelling.labels(core.labels) if core.shape == "classes" else core.labels
        self.values: np.ndarray = core.values()
        self.deviations = _unless_empty(core.deviations())
        self.embeddings = _unless_empty(core.embeddings())
        self.lower, self.upper = _unless_empty(core.lower()), _unless_empty(core.upper())
        self.sets = _unless_empty(core.sets() > 0)
        if self.sets is not None and self._shape == "flags":
            self.sets = self.sets.reshape(len(self.sets), len(self.labels), 2)
        self.similarity = _unless_empty(np.asarray(core.similarity))
        self.unlike: list[str] | None = core.unlike or None
        self.index: Any = None
        self.lists: dict[str, list[Any]] | None = {
            name: [json.loads(cell) if cell else None for cell in cells] for name, cells in core.lists()
        } or None
        rows = self.names if self.lists is None else range(1, len(core.problems) + 1)
        self.problems: dict[Any, str] = {name: text for name, text in zip(rows, core.problems) if text}

    @property
    def predicted(self) -> list[Any]:
        """For each item the most probable class; the list of labels of at least 0.5; or the values, one if alone."""
        if self._shape == "classes":
            return [None if np.isnan(row[0]) else self.labels[int(row.argmax())] for row in self.values]
        if self._shape == "flags":
            return [[label for label, value in zip(self.labels, row) if value >= 0.5] for row in self.values]
        values: list[Any] = self.values[:, 0].tolist() if len(self.labels) == 1 else self.values.tolist()
        return values

    def to_pandas(self) -> pandas.DataFrame:
        """A DataFrame with a row for each item: the prediction, and a column for each label. The index is that of a
        DataFrame with the molecules or graphs; else the names. Of atoms and bonds a row for each molecule, of lists."""
        import pandas

        if self.lists is not None:
            return pandas.DataFrame(self.lists, index=self.index)
        prefix = "" if self._shape == "numbers" else "p_"
        columns: dict[str, Any] = {} if self._shape == "numbers" else {"predicted": self.predicted}
        columns.update({f"{prefix}{label}": self.values[:, i] for i, label in enumerate(self.labels)})
        for name, part in (("std", self.deviations), ("lower", self.lower), ("upper", self.upper)):
            if part is not None:
                columns.update({f"{name}_{label}": part[:, i] for i, label in enumerate(self.labels)})
        if self.sets is not None:
            columns.update(self._columns_of_sets(self.sets))
        if self.similarity is not None:
            columns["similarity"] = self.similarity
        if self.unlike is not None:
            columns["unlike"] = self.unlike
        index = pandas.Index(self.names, name="name") if self.index is None else self.index
        return pandas.DataFrame(columns, index=index)

    def _columns_of_sets(self, sets: np.ndarray) -> dict[str, list[list[Any]]]:
        if self._shape == "classes":
            return {"set": [[self.labels[i] for i in np.flatnonzero(row)] for row in sets]}
        return {f"set_{label}": [np.flatnonzero(row).tolist() for row in sets[:, i]] for i, label in enumerate(self.labels)}

    @property
    def rows(self) -> int:
        """How many there are in `to_pandas`."""
        return len(self) if self.lists is None else len(next(iter(self.lists.values())))

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        return f"Predictions({len(self)} items, {self.task} of {', '.join(map(str, self.labels))})"

    def _repr_html_(self) -> str:
        answers = list(zip(self.names[: _html.ROWS_SHOWN], self.predicted, self.values.tolist()))
        if self._shape == "numbers":
            return _html.table(repr(self), ["name", *self.labels], [[name, *row] for name, _, row in answers], len(self))
        rows = [[name, str(found), *row] for name, found, row in answers]
        return _html.table(repr(self), ["name", "predicted", *map(str, self.labels)], rows, len(self))


def _unless_empty(array: np.ndarray) -> np.ndarray | None:
    return array if array.size > 0 else None


class Links:
    """Pairs of nodes, and how likely each is a tie.

    Attributes:
        sources, targets: Names of the ends [pairs].
        probabilities: Of a tie, among as many pairs that are ties as that are none [pairs].
        ranks: Places among the pairs of the same source, from 1 [pairs].
        known: Whether the network has the tie [pairs].
    """

    def __init__(self, core: _core.Links, spelling: Spelling) -> None:
        names = spelling.names([*core.sources, *core.targets])
        count = len(core.sources)
        self.sources: list[Any] = names[:count]
        self.targets: list[Any] = names[count:]
        self.probabilities = np.asarray(core.probabilities, dtype=np.float32)
        self.ranks = np.asarray(core.ranks, dtype=np.int64)
        self.known = np.asarray(core.known, dtype=bool)

    def to_pandas(self) -> pandas.DataFrame:
        """A DataFrame with a row for each pair."""
        import pandas

        names = ("source", "target", "probability", "rank", "known")
        return pandas.DataFrame(dict(zip(names, self._columns())))

    def _columns(self) -> tuple[Any, ...]:
        return self.sources, self.targets, self.probabilities, self.ranks, self.known

    def __len__(self) -> int:
        return len(self.sources)

    def __repr__(self) -> str:
        return f"Links({len(self)} pairs)"

    def _repr_html_(self) -> str:
        rows = [list(row) for row in list(zip(*self._columns()))[: _html.ROWS_SHOWN]]
        return _html.table(repr(self), ["source", "target", "probability", "rank", "known"], rows, len(self))


class ModelAttention:
    """Whom the nodes attend to.

    Attributes:
        sources, targets: Names: in row i, `targets[i]` attends to `sources[i]`.
        edges: The row of the edge in the table of edges [rows], from 0; -1 for an added self loop.
        layers: The attention weights of each layer [rows, heads].
    """

    def __init__(self, core: _core.ModelAttention, spelling: Spelling) -> None:
        names = spelling.names([*core.sources, *core.targets])
        self.sources: list[Any] = names[: len(core.sources)]
        self.targets: list[Any] = names[len(core.sources) :]
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
        svg: A picture of the molecules or of a reaction, atoms and bonds coloured by their attention; None for other
            graphs.
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
    """What a prediction would be without each part of what the model sees. A notebook shows the picture, if there is one.

    Attributes:
        item: The row of a graph in its table, from 1, or the name of a node.
        prediction: For each label its probability or value.
        of: What the effects are on: a class, a label or a target.
        value: Its probability or value.
        parts: For each part a dict of its "kind" ("atom", "bond", "side group", "neighbour", "feature", ...), its name as
            "part", its "nodes", its "effect", which is the value minus that "without" the part, and for a side group
            the SMILES of the "rest".
        svg: A picture of the molecules or of both sides of a reaction, with atoms and bonds, or of a node with its
            neighbours and features, coloured by their effects; None for other graphs.
    """

    def __init__(self, result: Mapping[str, Any], item: Any, labels: Mapping[str, Any]) -> None:
        """`item` is the row or the node as it was asked for; `labels` are the classes by their texts."""
        self.item: Any = item
        self.prediction: dict[Any, float] = {labels.get(name, name): value for name, value in result["prediction"].items()}
        self.of: Any = labels.get(result["of"], result["of"])
        self.value: float = result["value"]
        self.parts: list[dict[str, Any]] = result["parts"]
        self.svg: str | None = result["svg"]
        self._is_molecule = "row" in result

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
        if self.svg is not None and self._is_molecule:
            return None  # the picture of a molecule says it all
        columns = ["kind", "part", "effect", "without"]
        parts = sorted(self.parts, key=lambda part: -abs(part["effect"]))
        table = _html.table(repr(self), columns, [[part[name] for name in columns] for part in parts])
        picture = "" if self.svg is None else self.svg[self.svg.index("<svg") :]  # without what begins a file
        return picture + table
