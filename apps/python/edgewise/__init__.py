"""Graph attention along the edges, on the CPU.

Attention over any mask::

    mask = edgewise.Mask(edge_index, nodes=3)
    out = edgewise.attend(mask, query, key, value, heads=4)

The same with gradients, in PyTorch: see `edgewise.torch`.

Models for the nodes of a network, for molecules and for other graphs::

    model = edgewise.train(edges="friends.csv", nodes="people.csv", label="buys", directed=True)
    predictions = model.predict()
"""

from edgewise._load import load_core

_module, instructions = load_core()

from edgewise._arguments import DataArguments
from edgewise._attention import attend
from edgewise._comparison import Comparison, compare
from edgewise._core import DataError, Error, ModelError, NumericalError, UsageError, set_threads, threads
from edgewise._jobs import Effects, Explanation, Hypothesis, Model, ModelAttention, Predictions, load, train
from edgewise._mask import Mask
from edgewise._search import Search, tune

__version__: str = _module.version
__all__ = [
    "Comparison",
    "DataArguments",
    "DataError",
    "Effects",
    "Error",
    "Explanation",
    "Hypothesis",
    "Mask",
    "Model",
    "ModelAttention",
    "ModelError",
    "NumericalError",
    "Predictions",
    "Search",
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
