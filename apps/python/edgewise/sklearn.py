"""Estimators with the manners of scikit-learn: `get_params`, `clone`, `fit`, `predict`, `score`, `GridSearchCV`.

::

    classifier = edgewise.NodeClassifier().fit(graph, X, y)
    classifier.predict(graph, X)
    regressor = edgewise.MoleculeRegressor(ensemble=5).fit(smiles, values)
    regressor.predict_interval(["CCO"], 0.9)

Arguments that are None are left to `edgewise.train`. `model_` is the `edgewise.Model` after `fit`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin  # type: ignore[import-untyped, unused-ignore]
from sklearn.utils.multiclass import check_classification_targets  # type: ignore[import-untyped, unused-ignore]
from sklearn.utils.validation import check_is_fitted, column_or_1d  # type: ignore[import-untyped, unused-ignore]

from edgewise import _core
from edgewise._jobs import Model, train
from edgewise._network import Network, attribute_of, in_order_of, network_of
from edgewise._results import Effects, Predictions
from edgewise._tables import Columns, is_missing, matrix_columns

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
        """Writes a page of HTML about the training; see `TrainedModel.report`."""
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
        self.model_: Model = train(**{**self.get_params(deep=False), **data})

    def _fitted(self) -> Model:
        check_is_fitted(self, "model_")
        return self.model_


class _Classifier(ClassifierMixin):  # type: ignore[misc]
    """Classes of any type as texts, which a model has."""

    def _encoded(self, labels: np.ndarray) -> list[str]:
        self.classes_, numbers = np.unique(labels, return_inverse=True)
        if len(self.classes_) < 2:
            raise _core.UsageError(f"{type(self).__name__}: expected at least 2 classes, got {len(self.classes_)} class")
        self._texts = _texts_of(self.classes_)
        return [self._texts[number] for number in numbers]

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
        assert isinstance(effects, Effects)
        return effects

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

    def fit(self, X: Any, y: ArrayLike) -> MoleculeRegressor:
        """`y` [molecules] or [molecules, properties]; NaN where one is not known."""
        values = np.asarray(self._required(y), dtype=float)
        self._is_single = values.ndim == 1
        names, columns = matrix_columns("y", values.reshape(len(values), -1), "y")
        labels = [names[0].rstrip("0")] if self._is_single else names
        table = Columns(["smiles", *labels], [_smiles(X), columns])
        self._train(molecules=table, label=labels, task="regression")
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

    def fit(self, X: Any, y: ArrayLike) -> MoleculeClassifier:
        """`y` [molecules]: the classes."""
        classes = column_or_1d(self._required(y), warn=True)
        check_classification_targets(classes)
        table = {"smiles": _smiles(X), "y": self._encoded(classes)}
        self._train(molecules=table, label="y", task="classification", missing=["empty"])
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
        for name, problem in predictions.problems.items():
            raise _core.DataError(f"molecule {name}: {problem}")
        predicted: np.ndarray = self.classes_[self._by_class(predictions, predictions.values).argmax(axis=1)]
        return predicted


class NodeClassifier(_Classifier, _Estimator):
    """Predicts the classes of the nodes of a network that have none. The arguments are those of `MoleculeRegressor`.

    The nodes are linked, so that they cannot be split by `GridSearchCV`: `edgewise.tune` searches.
    """

    def fit(
        self, graph: Any, X: Any = None, y: Any = None, *, directed: bool | None = None, split: ArrayLike | None = None
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
                known. Or the name of a column of X, or of an attribute of the nodes of the graph. By default the `y` of
                a graph of PyTorch Geometric.
            directed: Whether only the targets attend to the sources, or also the other way; by default what the graph
                says, and if it says nothing, both.
            split: "train", "validation", "test" or "" [nodes]; by default the masks of a graph of PyTorch Geometric,
                or else drawn.
        """
        network, labels = self._network_and_labels(graph, X, y)
        is_known = np.array([not is_missing(label) and label != -1 for label in labels], dtype=bool)
        texts = np.full(len(labels), "", dtype=object)
        texts[is_known] = self._encoded(np.array(labels[is_known].tolist()))
        parts = network.split if split is None else np.asarray(split)
        more = {"y": texts.tolist(), **({} if parts is None else {"split": [str(part) for part in parts]})}
        for name, column in more.items():
            if len(column) != len(network.names):
                raise _core.UsageError(f"{name}: expected {len(network.names)} values, one for each node, got {len(column)}")
        is_directed = network.is_directed if directed is None else directed
        self._train(
            **network.tables(more), label="y", task="classification", missing=["empty"], directed=is_directed
        )
        self.nodes_ = list(network.names)
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

    def score(self, graph: Any, X: Any = None, y: Any = None) -> float:
        """The accuracy on the nodes of a network whose class is known."""
        _, labels = self._network_and_labels(graph, X, y)
        is_known = np.isin(labels, self.classes_)
        return float((self.predict(graph, X)[is_known] == labels[is_known]).mean())

    def explain(self, node: Any, graph: Any = None, X: Any = None) -> Effects:
        """What the prediction for a node owes to its neighbours and features; see `Model.explain`.

        Args:
            node: Its name; of nodes without names the number of its row, from 0.
            graph, X: Another network than that of `fit`.
        """
        effects = self._fitted().explain(node=node, **self._data(graph, X))
        assert isinstance(effects, Effects)
        return effects

    def _network_and_labels(self, graph: Any, X: Any, y: Any) -> tuple[Network, np.ndarray]:
        """The network without its classes, and these; see `fit`."""
        name = y if isinstance(y, str) else ""
        if hasattr(X, "columns") and name in X.columns:
            X, y = X.drop(columns=name), X[name]
        elif name:
            y = attribute_of(graph, name)
        network = network_of(graph, X, y)
        y = network.y if y is None else y
        if y is None:
            raise _core.UsageError("y: expected the classes of the nodes, as the graph has none")
        labels = in_order_of(network.names, y, "y")
        return network.without(name), np.array(labels if isinstance(labels, list) else np.asarray(labels), dtype=object)

    def _predictions(self, graph: Any, X: Any, level: float | None = None) -> Predictions:
        return self._fitted().predict(**self._data(graph, X), intervals=level)

    def _data(self, graph: Any, X: Any) -> dict[str, Any]:
        if graph is None and X is not None:
            raise _core.UsageError("NodeClassifier: expected a graph with X")
        return {} if graph is None else network_of(graph, X).tables({})


def _texts_of(classes: np.ndarray) -> list[str]:
    """The classes as texts, or, if a reader would change or mix up any of these, other texts."""
    texts = [str(of) for of in classes]
    are_kept = len(set(texts)) == len(texts) and all(text and text == text.strip() for text in texts)
    return texts if are_kept else [f"class {i}" for i in range(len(texts))]


def _smiles(X: Any) -> list[str]:
    texts = np.asarray(X, dtype=object)
    if texts.ndim == 2 and texts.shape[1] == 1:
        texts = texts[:, 0]
    if texts.ndim != 1 or not all(isinstance(text, str) for text in texts):
        raise _core.UsageError("expected X as SMILES, one for each molecule")
    return texts.tolist()  # type: ignore[no-any-return]
