"""Estimators with the manners of scikit-learn: `get_params`, `clone`, `fit`, `predict`, `score`, `GridSearchCV`.

::

    regressor = edgewise.sklearn.MoleculeRegressor(epochs=50)
    regressor.fit(smiles, values).predict(["CCO"])

Arguments that are None are left to `edgewise.train`. `model_` is the `edgewise.Model` after `fit`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin  # type: ignore[import-untyped, unused-ignore]
from sklearn.utils.validation import check_is_fitted  # type: ignore[import-untyped, unused-ignore]

from edgewise import _core
from edgewise._jobs import Predictions, train
from edgewise._tables import Columns, columns_of, matrix_columns, sparse_columns

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
        self.seed = seed
        self.config = config

    def _train(self, **data: Any) -> None:
        self.model_ = train(**{**self.get_params(deep=False), **data})


class _Classifier(ClassifierMixin):  # type: ignore[misc]
    """Classes as words that no reader takes for numbers."""

    def _encoded(self, labels: np.ndarray) -> list[str]:
        self.classes_, numbers = np.unique(labels, return_inverse=True)
        if len(self.classes_) < 2:
            raise _core.UsageError(f"{type(self).__name__}: expected at least 2 classes, got {len(self.classes_)}")
        return [f"class {number}" for number in numbers]

    def _by_class(self, predictions: Predictions) -> np.ndarray:
        """[items, classes] in the order of `classes_`."""
        return predictions.values[:, [predictions.labels.index(f"class {i}") for i in range(len(self.classes_))]]


class _MoleculeEstimator(_Estimator):
    """X is a sequence of SMILES, or a table of one column."""

    def _predictions(self, X: Any) -> Predictions:
        check_is_fitted(self, "model_")
        return self.model_.predict(molecules={"smiles": _smiles(X)})


class MoleculeRegressor(RegressorMixin, _MoleculeEstimator):  # type: ignore[misc]
    """Predicts a property, or several, of molecules from their SMILES.

    Args:
        model: As for `edgewise.train`: by default several are tried.
        epochs, learning_rate, weight_decay, hidden, layers, heads, dropout, seed, config: As for `edgewise.train`.
    """

    def fit(self, X: Any, y: ArrayLike) -> MoleculeRegressor:
        """`y` [molecules] or [molecules, properties]; NaN where one is not known."""
        values = np.asarray(y, dtype=float)
        self._is_single = values.ndim == 1
        names, columns = matrix_columns("y", values.reshape(len(values), -1), "y")
        self._train(molecules=Columns(["smiles", *names], [_smiles(X), columns]), label=names[0] if self._is_single else names)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """[molecules], or [molecules, properties]; NaN for one that cannot be read."""
        values = self._predictions(X).values
        return values[:, 0] if self._is_single else values


class MoleculeClassifier(_Classifier, _MoleculeEstimator):
    """Predicts the class of molecules from their SMILES. The arguments are those of `MoleculeRegressor`."""

    def fit(self, X: Any, y: ArrayLike) -> MoleculeClassifier:
        """`y` [molecules]: the classes."""
        self._train(molecules={"smiles": _smiles(X), "y": self._encoded(np.asarray(y))}, label="y")
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        """[molecules, classes], in the order of `classes_`; NaN for a molecule that cannot be read."""
        return self._by_class(self._predictions(X))

    def predict(self, X: Any) -> np.ndarray:
        """The most probable class of each molecule. One that cannot be read is a DataError."""
        predictions = self._predictions(X)
        for name, problem in predictions.problems.items():
            raise _core.DataError(f"molecule {name}: {problem}")
        predicted: np.ndarray = self.classes_[self._by_class(predictions).argmax(axis=1)]
        return predicted


class NodeClassifier(_Classifier, _Estimator):
    """Predicts the classes of the nodes of a network that have none. The arguments are those of `MoleculeRegressor`.

    Rows of X are linked by the edges, so that the nodes cannot be split by `GridSearchCV`: `edgewise.tune` searches.
    """

    def fit(
        self, X: Any, y: ArrayLike, *, edges: Any, directed: bool = False, split: ArrayLike | None = None
    ) -> NodeClassifier:
        """Trains on the nodes with a class.

        Args:
            X: Numbers [nodes, features], which are read where they are: an array, a sparse matrix of SciPy, or a
                DataFrame.
            y: The classes [nodes]; -1, NaN or None where it is not known.
            edges: Integers [2, edges]: sources, then targets, as rows of X. Or a sparse matrix with an entry (source,
                target), which is the weight unless all are 1; or a graph of NetworkX, whose nodes have the order of the
                rows, or of PyTorch Geometric.
            directed: Whether only the targets attend to the sources; otherwise also the other way.
            split: "train", "validation", "test" or "" [nodes]; by default drawn.
        """
        labels = np.asarray(y, dtype=object)
        is_known = np.array([label is not None and label == label and label != -1 for label in labels], dtype=bool)
        texts = np.full(len(labels), "", dtype=object)
        texts[is_known] = self._encoded(np.array(labels[is_known].tolist()))
        more = {"y": texts.tolist(), **({} if split is None else {"split": [str(part) for part in np.asarray(split)]})}
        self._train(**self._tables(X, edges, more), label="y", directed=directed)
        return self

    def predict_proba(self, X: Any = None, *, edges: Any = None) -> np.ndarray:
        """[nodes, classes], in the order of `classes_`; by default of the network of `fit`."""
        check_is_fitted(self, "model_")
        if (X is None) != (edges is None):
            raise _core.UsageError("NodeClassifier: another network needs X and edges")
        data: Any = {} if X is None else self._tables(X, edges, {})
        return self._by_class(self.model_.predict(**data))

    def predict(self, X: Any = None, *, edges: Any = None) -> np.ndarray:
        """The most probable class of each node; by default of the network of `fit`."""
        best = self.predict_proba(X, edges=edges).argmax(axis=1)
        predicted: np.ndarray = self.classes_[best]
        return predicted

    def _tables(self, X: Any, edges: Any, more: Mapping[str, list[str]]) -> dict[str, Columns]:
        """The tables, with `more` columns of the nodes."""
        tables = {"edges": columns_of("edges", edges)}
        if hasattr(X, "tocoo"):
            tables["features"], features = sparse_columns(X), Columns([], [])
        elif hasattr(X, "columns"):
            features = columns_of("X", X)
        else:
            names, part = matrix_columns("x", X, "X")
            features = Columns(names, [part])
        rows = X.shape[0] if hasattr(X, "shape") else len(X)
        for name, column in more.items():
            if len(column) != rows:
                raise _core.UsageError(f"{name}: expected {rows} values, one for each row of X, got {len(column)}")
        parts = [np.arange(rows), *features.parts, *more.values()]
        return {**tables, "nodes": Columns(["id", *features.names, *more], parts)}


def _smiles(X: Any) -> list[str]:
    texts = np.asarray(X, dtype=object)
    if texts.ndim == 2 and texts.shape[1] == 1:
        texts = texts[:, 0]
    if texts.ndim != 1 or not all(isinstance(text, str) for text in texts):
        raise _core.UsageError("expected X as SMILES, one for each molecule")
    return texts.tolist()  # type: ignore[no-any-return]
