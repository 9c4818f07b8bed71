"""Estimators with the manners of scikit-learn: `get_params`, `clone`, `fit`, `predict`, `score`, `GridSearchCV`.

:

    classifier = edgewise.NodeClassifier().fit(graph, X, y)
    classifier.predict(graph, X)
    regressor = edgewise.MoleculeRegressor(ensemble=5).fit(smiles, values)
    regressor.predict_interval(["CCO"], 0.9)

Arguments that are None are left to `edgewise.train`. `model_` is the `edgewise.Model` after `fit`.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin  # type: ignore[import-untyped, unused-ignore]
from sklearn.utils.multiclass import check_classification_targets  # type: ignore[import-untyped, unused-ignore]
from sklearn.utils.validation import check_is_fitted, column_or_1d  # type: ignore[import-untyped, unused-ignore]

from edgewise import _core
from edgewise._jobs import Model, train
from edgewise._network import Network, attribute_of, in_order_of, network_of
from edgewise._results import Effects, Predictions
from edgewise._tables import Columns, as_array, is_missing, texts

__all__ = ["MoleculeClassifier", "MoleculeRegressor", "NodeClassifier"]


class _Estimator(BaseEstimator):  # type: ignore[misc]
    """What the estimators share: the arguments of `edgewise.train` that a search may want to change."""

    def __init__(
        self,
        model: str | None = None,
        *,
        epochs: int | None = None,
        learning_rate: float | None = None,
        weight_decay: float | None = None,
        hidden: int | None = None,
        layers: int | None = None,
        heads: int | None = None,
        dropout: float | None = None,
        ensemble: int | None = None,
        budget: str | None = None,
        seed: int = 0,
        config: Mapping[str, Any] | None = None,
    ) -> None:
        self.model = model
        self.epochs = epochs
        self.learning_rate = learning_rate
        self.weight_decay = weight_decay
        self.hidden = hidden
        self.layers = layers
        self.heads = heads
        self.dropout = dropout
        self.ensemble = ensemble
        self.budget = budget
        self.seed = seed
        self.config = config

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model to a safetensors file, for `edgewise.load` and `edgewise predict`; see `Model.save`."""
        self._fitted().save(path)

    def report(self, path: str | os.PathLike[str]) -> None:
        """Writes a page of HTML about the training; see `Model.report`."""
        self._fitted().report(path)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False  # checks of scikit-learn give numbers
        return tags

    def _required(self, y: Any) -> Any:
        if y is None:
            raise _core.UsageError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        return y

    def _train(self, **data: Any) -> None:
        with _as_here():
            self.model_: Model = train(**{**self.get_params(deep=False), **data})

    def _fitted(self) -> Model:
        check_is_fitted(self, "model_")
        return self.model_


class _Classifier(ClassifierMixin):  # type: ignore[misc]
    """Classes of any type as texts, which a model has."""

    def _train_on(self, y: np.ndarray, tables: Callable[[list[str]], dict[str, Any]]) -> None:
        """Trains on the classes `y` [items], of which some may be missing; `tables` has the data with their texts."""
        is_known = np.array([not is_missing(of) for of in y], dtype=bool)
        known = np.array(y[is_known].tolist())
        check_classification_targets(known)
        classes, numbers = np.unique(known, return_inverse=True)
        if len(classes) < 2:
            raise _core.UsageError(f"{type(self).__name__}: expected at least 2 classes, got {len(classes)} class")
        texts = _texts_of(classes)
        column = np.full(len(y), "", dtype=object)
        column[is_known] = [texts[number] for number in numbers]
        self._train(**tables(column.tolist()), label="y", task="classification", missing=["empty"])
        self.classes_, self._texts = classes, texts

    def _effects(self, effects: Any, item: Any) -> Effects:
        """Effects on the classes of `y`."""
        own = dict(zip(self._texts, self.classes_.tolist()))
        spelt = {label: own[text] for label, text in zip(self.model_.labels, self.model_.label_texts)}
        return _renamed(effects, item, spelt)

    def _by_class(self, predictions: Predictions, values: np.ndarray) -> np.ndarray:
        """Columns of values [items, classes] in the order of `classes_`."""
        return values[:, [predictions.label_texts.index(text) for text in self._texts]]

    def _sets(self, predictions: Predictions) -> np.ndarray:
        assert predictions.sets is not None
        return self._by_class(predictions, predictions.sets)


class _MoleculeEstimator(_Estimator):
    """X is a sequence of SMILES, or a table of one column."""

    def explain(self, smiles: str) -> Effects:
        """What the prediction for a molecule owes to each of its atoms, bonds and side groups; see `Model.explain`."""
        effects = self._fitted().explain(molecules={"smiles": _smiles([smiles])}, row=1)
        return self._effects(effects, smiles)

    def _effects(self, effects: Any, item: Any) -> Effects:
        return _renamed(effects, item, {})

    def _predictions(self, X: Any, level: float | None = None) -> Predictions:
        return self._fitted().predict(molecules={"smiles": _smiles(X)}, intervals=level)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = tags.input_tags.one_d_array = True
        return tags


class MoleculeRegressor(RegressorMixin, _MoleculeEstimator):  # type: ignore[misc]
    """Predicts a property, or several, of molecules from their SMILES.

    Args:
        model: As for `edgewise.train`: by default several are tried.
        epochs, learning_rate, weight_decay, hidden, layers, heads, dropout, ensemble, budget, seed, config: As for
            `edgewise.train`.
    """

    def fit(self, X: Any, y: Any) -> MoleculeRegressor:
        """`y` [molecules] or [molecules, properties]; NaN where one is not known."""
        smiles = _smiles(X)
        try:
            values = np.asarray(as_array(self._required(y)), dtype=float)
        except (TypeError, ValueError) as error:
            raise _core.UsageError(f"y: expected numbers: {error}") from None
        if values.ndim not in (1, 2) or len(values) != len(smiles):
            expected = f"{len(smiles)} values, or rows of values, one for each molecule"
            raise _core.UsageError(f"y: expected {expected}, got {list(values.shape)}")
        labels = _names_of_targets(y, 1 if values.ndim == 1 else values.shape[1])
        table = Columns(["smiles", *labels], [smiles, values.reshape(len(values), len(labels))])
        self._train(molecules=table, label=labels, task="regression")
        self._is_single = values.ndim == 1
        return self

    def predict(self, X: Any) -> np.ndarray:
        """[molecules], or [molecules, properties]; NaN for one that cannot be read."""
        return self._of_molecules(self._predictions(X).values)

    def predict_interval(self, X: Any, level: float = 0.9) -> np.ndarray:
        """Ends of intervals that hold a share `level` of the truths, for molecules drawn as those of training were.

        Returns:
            Lower and upper ends [molecules, 2], or [molecules, properties, 2].

        Raises:
            UsageError: If the level needs more validation molecules than there were: 9 for 0.9, 99 for 0.99.
        """
        predictions = self._predictions(X, level)
        assert predictions.lower is not None and predictions.upper is not None
        return self._of_molecules(np.stack([predictions.lower, predictions.upper], axis=-1))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def _of_molecules(self, values: np.ndarray) -> np.ndarray:
        return (values[:, 0] if self._is_single else values).astype(float)


class MoleculeClassifier(_Classifier, _MoleculeEstimator):
    """Predicts the class of molecules from their SMILES. The arguments are those of `MoleculeRegressor`."""

    def fit(self, X: Any, y: Any) -> MoleculeClassifier:
        """`y` [molecules]: the classes; NaN or None where one is not known."""
        smiles, classes = _smiles(X), _column(self._required(y))
        if len(classes) != len(smiles):
            raise _core.UsageError(f"y: expected {len(smiles)} values, one for each molecule, got {len(classes)}")
        self._train_on(classes, lambda column: {"molecules": {"smiles": smiles, "y": column}})
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        """[molecules, classes], in the order of `classes_`; NaN for a molecule that cannot be read."""
        predictions = self._predictions(X)
        return self._by_class(predictions, predictions.values)

    def predict_set(self, X: Any, level: float = 0.9) -> np.ndarray:
        """Whether a class belongs to the set of a molecule [molecules, classes]; sets hold a share `level` of the truths."""
        return self._sets(self._predictions(X, level))

    def predict(self, X: Any) -> np.ndarray:
        """The most probable class of each molecule. One that cannot be read is a DataError."""
        predictions = self._predictions(X)
        for row, problem in predictions.problems.items():
            smiles = _smiles(X)[row - 1]
            raise _core.DataError(f'molecule {row}, "{smiles}": {problem}; predict_proba gives NaN for it')
        predicted: np.ndarray = self.classes_[self._by_class(predictions, predictions.values).argmax(axis=1)]
        return predicted


class NodeClassifier(_Classifier, _Estimator):
    """Predicts the classes of the nodes of a network that have none. The arguments are those of `MoleculeRegressor`.

    The nodes are linked, so that they cannot be split by `GridSearchCV`: `edgewise.tune` searches.
    """

    def fit(
        self, graph: Any, X: Any = None, y: Any = None, *, directed: bool | None = None, split: Any = None
    ) -> NodeClassifier:
        """Trains on the nodes with a class.

        Args:
            graph: A graph of NetworkX or PyTorch Geometric; a matrix of SciPy with an entry (source, target), which is
                the weight unless all are 1; integers [2, edges], sources and then targets, as rows of X; or a table of
                edges, or its file.
            X: Numbers [nodes, features], which are read where they are: an array, a sparse matrix of SciPy, or a
                DataFrame. The rows are the nodes in the order of the graph, or those that the index of a DataFrame
                names. By default what the graph says of its nodes.
            y: The classes [nodes], in the same order, or by name: a dict or a Series; -1, NaN or None where one is not
                known (of two classes -1 is one). Or the name of a column of X, or of an attribute of the nodes of the graph. By default the `y` of
                a graph of PyTorch Geometric.
            directed: Whether only the targets attend to the sources, or also the other way; by default what the graph
                says, and if it says nothing, both.
            split: "train", "validation", "test" or "" [nodes], in the same order, or by name; by default the masks of a
                graph of PyTorch Geometric, or else drawn.
        """
        with _as_here():
            network, labels = self._network_and_labels(graph, X, y)
        parts = network.split if split is None else _column(in_order_of(network.names, split, "split"))
        for name, column in (("y", labels), ("split", parts)):
            if column is not None and len(column) != len(network.names):
                raise _core.UsageError(f"{name}: expected {len(network.names)} values, one for each node, got {len(column)}")
        more = {} if parts is None else {"split": texts(parts)}
        is_directed = network.is_directed if directed is None else directed
        self._train_on(labels, lambda column: {**network.tables({"y": column, **more}), "directed": is_directed})
        self.nodes_ = network.names.tolist() if isinstance(network.names, np.ndarray) else list(network.names)
        self._width = network.width()
        return self

    def predict_proba(self, graph: Any = None, X: Any = None) -> np.ndarray:
        """[nodes, classes], in the order of `classes_`; by default of the network of `fit`."""
        predictions = self._predictions(graph, X)
        return self._by_class(predictions, predictions.values)

    def predict_set(self, graph: Any = None, X: Any = None, *, level: float = 0.9) -> np.ndarray:
        """Whether a class belongs to the set of a node [nodes, classes]; sets hold a share `level` of the truths."""
        return self._sets(self._predictions(graph, X, level))

    def predict(self, graph: Any = None, X: Any = None) -> np.ndarray:
        """The most probable class of each node; by default of the network of `fit`."""
        best = self.predict_proba(graph, X).argmax(axis=1)
        predicted: np.ndarray = self.classes_[best]
        return predicted

    def score(self, graph: Any = None, X: Any = None, y: Any = None) -> float:
        """The accuracy on the nodes of a network whose class is known."""
        _, labels = self._network_and_labels(graph, X, y)
        is_known = np.array([not is_missing(of) for of in labels], dtype=bool)
        if not is_known.any():
            raise _core.UsageError("y: expected the classes of some nodes, but none is known")
        predicted = self.predict(graph, X).tolist()
        return float(np.mean([predicted[i] == labels[i] for i in np.flatnonzero(is_known)]))

    def explain(self, node: Any, graph: Any = None, X: Any = None) -> Effects:
        """What the prediction for a node owes to its neighbours and features; see `Model.explain`.

        Args:
            node: Its name; of nodes without names the number of its row, from 0.
            graph, X: Another network than that of `fit`.
        """
        if node is None:
            raise _core.UsageError("explain: expected the name of a node")
        return self._effects(self._fitted().explain(node=node, **self._data(graph, X)), node)

    def _network_and_labels(self, graph: Any, X: Any, y: Any) -> tuple[Network, np.ndarray]:
        """The network without its classes, and these; see `fit`."""
        name = y if isinstance(y, str) else ""
        if name and isinstance(X, Mapping) and name in X:
            X, y = {column: of for column, of in X.items() if column != name}, X[name]
        elif name and hasattr(X, "columns") and name in (getattr(X, "column_names", None) or X.columns):
            X, y = X.drop(columns=name) if hasattr(X, "iloc") else X.drop([name]), X[name]
        elif name:
            y = attribute_of(graph, name)
        network = network_of(graph, X, y)
        y = network.y if y is None else y
        if y is None:
            raise _core.UsageError("y: expected the classes of the nodes, as the graph has none")
        labels = _column(in_order_of(network.names, y, "y"))
        others = {of for of in labels.tolist() if not is_missing(of)} - {-1}
        if len(others) != 1:  # else -1 is a class
            labels[[not is_missing(of) and of == -1 for of in labels.tolist()]] = None
        return network.without(name), labels

    def _predictions(self, graph: Any, X: Any, level: float | None = None) -> Predictions:
        model = self._fitted()
        with _as_here():
            return model.predict(**self._data(graph, X), intervals=level)

    def _data(self, graph: Any, X: Any) -> dict[str, Any]:
        if graph is None and X is not None:
            raise _core.UsageError("NodeClassifier: expected a graph with X")
        if graph is None:
            return {}
        with _as_here():
            network = network_of(graph, X)
        if network.width() != self._width:
            raise _core.UsageError(f"X: expected {self._width}, as in fit, got {network.width()}")
        return network.tables({})


def _texts_of(classes: np.ndarray) -> list[str]:
    """The classes as texts, or, if a reader would change or mix up any of these, other texts."""
    whole = classes.dtype.kind == "f" and bool((classes == np.floor(classes)).all())
    texts = [str(int(of)) if whole else str(of) for of in classes.tolist()]
    return texts if all(map(_is_kept, texts)) else [f"class {i}" for i in range(len(texts))]


def _is_kept(text: str) -> bool:
    """Whether a reader has it as it is: not blanks around it, nor numbers but small ones as `str` writes them."""
    try:
        float(text)
    except ValueError:
        return bool(text) and text == text.strip()
    return text.isdigit() and str(int(text)) == text and int(text) < 1 << 24


def _column(values: Any) -> np.ndarray:
    """Values [items] as objects: those of an array, a tensor, a Series, a list, or a matrix of one column."""
    is_list = isinstance(values, (list, tuple))
    array = np.empty(len(values), dtype=object) if is_list else as_array(values)
    if is_list:
        array[:] = values
    return column_or_1d(array, warn=True).astype(object)  # type: ignore[no-any-return]


def _names_of_targets(y: Any, count: int) -> list[str]:
    """Those of the columns of a DataFrame, or of a Series."""
    named = list(map(str, y.columns)) if hasattr(y, "columns") else [str(y.name)] if getattr(y, "name", None) is not None else []
    is_usable = len(set(named)) == count and "smiles" not in named
    return named if is_usable else ["y"] if count == 1 else [f"y{i}" for i in range(count)]


def _renamed(effects: Any, item: Any, spelt: Mapping[Any, Any]) -> Effects:
    """Effects with the item as it was asked for, and other classes."""
    assert isinstance(effects, Effects)
    effects.item, effects.of = item, spelt.get(effects.of, effects.of)
    effects.prediction = {spelt.get(label, label): value for label, value in effects.prediction.items()}
    return effects


@contextlib.contextmanager
def _as_here() -> Iterator[None]:
    """Errors about tables, with the names that they have in `fit` and `predict`."""
    try:
        yield
    except _core.Error as error:
        text = re.sub(r"^(edges|nodes|features|molecules)(?=:)", lambda of: "graph" if of[1] == "edges" else "X", str(error))
        raise type(error)(text) from None


def _smiles(X: Any) -> list[str]:
    texts = np.asarray(X, dtype=object)
    if texts.ndim == 2 and texts.shape[1] == 1:
        texts = texts[:, 0]
    if texts.ndim != 1:
        raise _core.UsageError(f"expected X as SMILES, one for each molecule, got {type(X).__name__} {list(texts.shape)}")
    if (row := next((i for i, text in enumerate(texts) if not isinstance(text, str)), None)) is not None:
        raise _core.UsageError(f"expected X as SMILES, one for each molecule, got {texts[row]!r} in row {row}")
    if len(texts) == 0:
        raise _core.UsageError("expected X as SMILES, one for each molecule, got none")
    return list(map(str, texts))
