"""Graph attention along the edges, on the CPU.

Attention over any mask:

    mask = edgewise.Mask(edge_index, nodes=3)
    out = edgewise.attend(mask, query, key, value, heads=4)

The same with gradients, in PyTorch: see `edgewise.torch`.

Models for the nodes of a network, for molecules and for other graphs:

    model = edgewise.train(edges="friends.csv", nodes="people.csv", label="buys", directed=True)
    predictions = model.predict()

The same for scikit-learn:

    classifier = edgewise.NodeClassifier().fit(graph, X, y)
"""

from typing import TYPE_CHECKING, Any

from edgewise._load import load_core

_module, instructions = load_core()

from edgewise._arguments import DataArguments
from edgewise._attention import attend
from edgewise._comparison import Comparison, compare
from edgewise._core import DataError, Error, ModelError, NumericalError, UsageError, set_threads, threads
from edgewise._jobs import Model, TrainedModel, load, train
from edgewise._mask import Mask
from edgewise._results import Effects, Explanation, Hypothesis, Links, ModelAttention, Predictions
from edgewise._search import Search, tune

if TYPE_CHECKING:
    from edgewise.sklearn import MoleculeClassifier, MoleculeRegressor, NodeClassifier

__version__: str = _module.version
__all__ = [
    "Comparison",
    "DataArguments",
    "DataError",
    "Effects",
    "Error",
    "Explanation",
    "Hypothesis",
    "Links",
    "Mask",
    "Model",
    "ModelAttention",
    "ModelError",
    "MoleculeClassifier",
    "MoleculeRegressor",
    "NodeClassifier",
    "NumericalError",
    "Predictions",
    "Search",
    "TrainedModel",
    "UsageError",
    "attend",
    "compare",
    "instructions",
    "load",
    "set_threads",
    "threads",
    "train",
    "tune",
]


def __getattr__(name: str) -> Any:
    """The estimators, which need scikit-learn, when they are first used."""
    if name not in ("MoleculeClassifier", "MoleculeRegressor", "NodeClassifier"):
        raise AttributeError(f"module 'edgewise' has no attribute '{name}'")
    import edgewise.sklearn

    return getattr(edgewise.sklearn, name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__", "sklearn", "torch"])
