"""Reference values for layers without an import of their own, and for a model of several layers, from PyTorch Geometric.

Run in the folder of this file, with torch, torch_geometric and safetensors installed (made with 2.13.0, 2.8.1):
    python make_models.py

Each file holds: x [N, F], edges [2, E] (source row, target row), the output y, the random r that makes the loss
sum(r * y), and the gradient of x ("grad.x") of that loss; those of models with relations also edge_attr [E, 2], which
says of which relation an edge is. The metadata "model" is the configuration in Edgewise. The
files of layers have their parameters under the names and in the shapes of Edgewise, with their gradients ("grad." and
the name); that of the model has the state as torch saves it, under "state.". No dropout.
"""
import json
import torch
from safetensors.torch import save_file
from torch_geometric.nn import (APPNP, BatchNorm, GATConv, GATv2Conv, GCNConv, HeteroConv, MessagePassing, RGCNConv,
                                SAGEConv)
from torch_geometric.utils import softmax

N, IN = 7, 5
# Without self loops. Node 6 attends to nothing unless self loops are added; node 0 has five sources.
EDGES = torch.tensor([[1, 2, 3, 4, 6, 0, 2, 3, 5, 0, 1], [0, 0, 0, 0, 0, 1, 1, 4, 4, 5, 3]])


def drawn(module):
    for parameter in module.parameters():
        torch.nn.init.uniform_(parameter, -0.8, 0.8)
    return module


RELATION = torch.tensor([0, 1, 0, 0, 1, 1, 0, 1, 0, 0, 1])  # of each edge


def save(name, model, call, ours=None, state=None, more=None):
    """ours: name -> (parameter, conversion of its tensor to ours)."""
    x = (2 * torch.rand(N, IN) - 1).requires_grad_()
    y = call(x)
    r = 2 * torch.rand_like(y) - 1
    (r * y).sum().backward()
    tensors = {"x": x, "edges": EDGES, "y": y, "r": r, "grad.x": x.grad, **(more or {})}
    for key, (parameter, convert) in (ours or {}).items():
        tensors[key] = convert(parameter)
        tensors[f"grad.{key}"] = convert(parameter.grad)
    for key, value in (state or {}).items():
        tensors[f"state.{key}"] = value
    tensors = {key: value.detach().float().clone().contiguous() for key, value in tensors.items()}
    save_file(tensors, f"{name}.safetensors", metadata={"model": json.dumps(model)})


def transposed(tensor):
    return tensor.t()


def row(tensor):
    return tensor.reshape(1, -1)


def sage():
    layer = drawn(SAGEConv(IN, 4))
    save("sage", {"blocks": [{"type": "sage", "width": 4}]}, lambda x: layer(x, EDGES),
         {"blocks.0.weight": (layer.lin_l.weight, transposed), "blocks.0.bias": (layer.lin_l.bias, row),
          "blocks.0.residual.weight": (layer.lin_r.weight, transposed)})
    bare = drawn(SAGEConv(IN, 4, root_weight=False, bias=False))
    save("sage_bare", {"blocks": [{"type": "sage", "width": 4, "root": False, "bias": False}]},
         lambda x: bare(x, EDGES), {"blocks.0.weight": (bare.lin_l.weight, transposed)})


def appnp():
    walk = APPNP(K=3, alpha=0.2)
    save("appnp", {"graph": {"self_loops": True}, "blocks": [{"type": "appnp", "steps": 3, "restart": 0.2}]},
         lambda x: walk(x, EDGES))
    bare = APPNP(K=4, alpha=0.1, add_self_loops=False)
    save("appnp_bare", {"blocks": [{"type": "appnp", "steps": 4, "restart": 0.1}]}, lambda x: bare(x, EDGES))


class Additive(MessagePassing):
    """Additive attention (Bahdanau et al. 2015): v . tanh(W q + U k), with torch's Linear and the softmax of PyG."""

    def __init__(self, width, heads):
        super().__init__(aggr="add", node_dim=0)
        self.query, self.key = torch.nn.Linear(IN, width * heads), torch.nn.Linear(IN, width * heads)
        self.vector = torch.nn.Parameter(torch.empty(1, heads, width))
        self.bias = torch.nn.Parameter(torch.empty(width * heads))
        self.shape = (-1, heads, width)

    def forward(self, x):
        query, key = self.query(x).view(self.shape), self.key(x).view(self.shape)
        return self.propagate(EDGES, query=query, key=key, size=(N, N)).flatten(1) + self.bias

    def message(self, query_i, key_j, index, ptr, size_i):
        scores = (self.vector * torch.tanh(query_i + key_j)).sum(2)
        return softmax(scores, index, ptr, size_i).unsqueeze(2) * key_j


def bahdanau():
    layer = drawn(Additive(4, 3))
    save("bahdanau", {"blocks": [{"type": "bahdanau", "width": 4, "heads": 3}]}, layer,
         {"blocks.0.key.weight": (layer.key.weight, transposed), "blocks.0.key.bias": (layer.key.bias, row),
          "blocks.0.query.weight": (layer.query.weight, transposed), "blocks.0.query.bias": (layer.query.bias, row),
          "blocks.0.attention_vector": (layer.vector, row), "blocks.0.bias": (layer.bias, row)})


def rgcn():
    first, second = drawn(RGCNConv(IN, 4, 2, aggr="mean")), drawn(RGCNConv(4, 3, 2, aggr="mean"))
    ours = {}
    for block, layer in ((1, first), (4, second)):
        branches = f"blocks.{block}.branches"
        ours |= {f"{branches}.0.0.weight": (layer.root, torch.clone), f"{branches}.0.0.bias": (layer.bias, row),
                 f"{branches}.1.0.weight": (layer.weight, lambda tensor: tensor[0]),
                 f"{branches}.2.0.weight": (layer.weight, lambda tensor: tensor[1])}
    save("rgcn", {"preset": "rgcn", "relations": 2, "layers": 2, "hidden": 4, "dropout": 0},
         lambda x: second(torch.relu(first(x, EDGES, RELATION)), EDGES, RELATION), ours,
         more={"edge_attr": torch.nn.functional.one_hot(RELATION)})


def rgat():
    names = [("node", str(k), "node") for k in range(2)]
    layers = [drawn(GATv2Conv(IN, 3, heads=2, add_self_loops=False)) for _ in names]
    own, head = drawn(torch.nn.Linear(IN, 6)), drawn(torch.nn.Linear(6, 2))
    along = HeteroConv(dict(zip(names, layers)), aggr="sum")
    edges = {name: EDGES[:, RELATION == k] for k, name in enumerate(names)}
    ours = {"blocks.1.branches.0.0.weight": (own.weight, transposed), "blocks.1.branches.0.0.bias": (own.bias, row),
            "blocks.4.weight": (head.weight, transposed), "blocks.4.bias": (head.bias, row)}
    for k, layer in enumerate(layers):
        block = f"blocks.1.branches.{k + 1}.0"
        ours |= {f"{block}.key.weight": (layer.lin_l.weight, transposed), f"{block}.key.bias": (layer.lin_l.bias, row),
                 f"{block}.query.weight": (layer.lin_r.weight, transposed),
                 f"{block}.query.bias": (layer.lin_r.bias, row), f"{block}.attention_vector": (layer.att, row),
                 f"{block}.bias": (layer.bias, row)}
    save("rgat", {"preset": "rgat", "relations": 2, "layers": 1, "hidden": 6, "heads": 2, "dropout": 0},
         lambda x: head(torch.nn.functional.elu(own(x) + along({"node": x}, edges)["node"])), ours,
         more={"edge_attr": torch.nn.functional.one_hot(RELATION)})


class Several(torch.nn.Module):
    """Layers of five kinds, in evaluation."""

    def __init__(self):
        super().__init__()
        self.conv1 = GATConv(IN, 4, heads=2)
        self.norm1 = BatchNorm(8)
        self.conv2 = GATv2Conv(8, 3, heads=2, concat=False)
        self.norm2 = torch.nn.LayerNorm(3)
        self.conv3 = GCNConv(3, 6)
        self.head = torch.nn.Linear(6, 2)

    def forward(self, x):
        x = torch.nn.functional.elu(self.norm1(self.conv1(x, EDGES)))
        x = torch.relu(self.norm2(self.conv2(x, EDGES)))
        return self.head(torch.tanh(self.conv3(x, EDGES)))


def several():
    module = drawn(Several())
    module.norm1.module.running_mean.uniform_(-0.5, 0.5)
    module.norm1.module.running_var.uniform_(0.5, 2)
    module.eval()
    blocks = [{"type": "gat", "width": 4, "heads": 2}, {"type": "batch_norm"}, {"type": "activation", "function": "elu"},
              {"type": "gatv2", "width": 3, "heads": 2, "merge": "mean"}, {"type": "layer_norm"},
              {"type": "activation", "function": "relu"}, {"type": "gcn", "width": 6, "activation": "tanh"},
              {"type": "linear", "width": 2}]
    save("several_layers", {"graph": {"self_loops": True}, "blocks": blocks}, module, state=module.state_dict())


if __name__ == "__main__":
    torch.manual_seed(1)
    sage()
    appnp()
    bahdanau()
    several()
    rgcn()
    rgat()
