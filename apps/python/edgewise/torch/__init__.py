"""Attention over a mask for PyTorch, with gradients, and layers that use it.

The layers take the place of those of PyTorch Geometric: they have the same arguments, parameters and results:

    layer = edgewise.torch.GATConv(16, 8, heads=4)
    out = layer(x, edge_index)

Models of several layers run as one operation, and read features of which most are 0 at the cost of the others:

    model = edgewise.torch.GAT(1433, 64, 2, 7, heads=(8, 1), dropout=0.6, input_dropout=0.6, act="elu")

The mask of an `edge_index` is made when a layer first sees the tensor, and kept as long as the tensor is there and
unchanged. One that is made before does the same, and keeps the features of edges, too:

    mask = edgewise.Mask(edge_index, nodes, self_loops=True, edge_features=edge_attr)
    out = layer(x, mask)

The kernel computes in float32 on the CPU; bfloat16 and float16 are converted. What it does not do, float64, gradients
of the features of edges, gradients of attention weights and gradients of gradients, is computed with operations of
PyTorch, which takes the memory of edges * heads * columns. Threads are those of `edgewise.set_threads`, not of PyTorch.
"""

from edgewise.torch._attention import attend
from edgewise.torch._layers import GATConv, GATv2Conv, TransformerConv
from edgewise.torch._models import GAT, GATv2, Transformer
from edgewise.torch._sparse import Dropout, Linear, SparseFeatures, dropout

__all__ = [
    "Dropout",
    "GAT",
    "GATConv",
    "GATv2",
    "GATv2Conv",
    "Linear",
    "SparseFeatures",
    "Transformer",
    "TransformerConv",
    "attend",
    "dropout",
]
