"""Reference values for layers without an import of their own, and for a model of several layers, from PyTorch Geometric.

Run in the folder of this file, with torch, torch_geometric and safetensors installed (made with 2.13.0, 2.8.1):
    python make_models.py

Each file holds: x [N, F], edges [2, E] (source row, target row), the output y, the random r that makes the loss
sum(r * y), and the gradient of x ("grad.x") of that loss; those of models with relations also edge_attr [E, relations],
which says of which relation an edge is. The metadata "model" is the configuration in Edgewise. The
files of layers have their parameters under the names and in the shapes of Edgewise, with their gradients ("grad." and
the name); that of the model has the state as torch saves it, under "state.". No dropout.
"""
import json
import torch
from safetensors.torch import save_file
from torch_geometric.nn import (APPNP, BatchNorm, GATConv, GATv2Conv, GCNConv, HeteroConv, HGTConv, MessagePassing,
                                RGCNConv, SAGEConv)
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
        ours |= {f"blocks.{block}.root.weight": (layer.root, torch.clone),
                 f"blocks.{block}.root.bias": (layer.bias, row),
                 f"blocks.{block}.relations.1.weight": (layer.weight, lambda tensor: tensor[0]),
                 f"blocks.{block}.relations.2.weight": (layer.weight, lambda tensor: tensor[1])}
    save("rgcn", {"preset": "rgcn", "relations": 2, "layers": 2, "hidden": 4, "dropout": 0},
         lambda x: second(torch.relu(first(x, EDGES, RELATION)), EDGES, RELATION), ours,
         more={"edge_attr": torch.nn.functional.one_hot(RELATION)})


def rgcn_bases():
    relation = torch.tensor([0, 1, 0, 0, 1, 2, 0, 1, 2, 0, 1])
    layer = drawn(RGCNConv(IN, 4, 3, num_bases=2, aggr="mean"))
    save("rgcn_bases", {"blocks": [{"type": "rgcn", "width": 4, "relations": 3, "bases": 2}]},
         lambda x: layer(x, EDGES, relation),
         {"blocks.0.root.weight": (layer.root, torch.clone), "blocks.0.root.bias": (layer.bias, row),
          "blocks.0.bases": (layer.weight, lambda tensor: tensor.flatten(1)),
          "blocks.0.coefficients": (layer.comp, torch.clone)},
         more={"edge_attr": torch.nn.functional.one_hot(relation)})


def rgat():
    names = [("node", str(k), "node") for k in range(2)]
    layers = [GATv2Conv(IN, 3, heads=2, add_self_loops=False) for _ in names]
    for layer in layers:
        layer.bias = None  # the sum of all has one
        drawn(layer)
    own, head = drawn(torch.nn.Linear(IN, 6)), drawn(torch.nn.Linear(6, 2))
    along = HeteroConv(dict(zip(names, layers)), aggr="sum")
    edges = {name: EDGES[:, RELATION == k] for k, name in enumerate(names)}
    ours = {"blocks.1.residual.weight": (own.weight, transposed), "blocks.1.bias": (own.bias, row),
            "blocks.4.weight": (head.weight, transposed), "blocks.4.bias": (head.bias, row)}
    for k, layer in enumerate(layers):
        block = f"blocks.1.relations.{k + 1}"
        ours |= {f"{block}.key.weight": (layer.lin_l.weight, transposed), f"{block}.key.bias": (layer.lin_l.bias, row),
                 f"{block}.query.weight": (layer.lin_r.weight, transposed),
                 f"{block}.query.bias": (layer.lin_r.bias, row), f"{block}.attention_vector": (layer.att, row)}
    save("rgat", {"preset": "rgat", "relations": 2, "layers": 1, "hidden": 6, "heads": 2, "dropout": 0},
         lambda x: head(torch.nn.functional.elu(own(x) + along({"node": x}, edges)["node"])), ours,
         more={"edge_attr": torch.nn.functional.one_hot(RELATION)})


def hgt():
    """Nodes 0 to 3 are of one kind, 4 to 6 of another. Queries and outputs have the same maps for both. The keys of a
    relation have three factors there, of which Edgewise has the product, and its values two: they have no gradients."""
    kinds = {"a": slice(0, 4), "b": slice(4, 7)}
    names = [("a", "to", "a"), ("a", "by", "a"), ("b", "to", "a"), ("a", "to", "b"), ("b", "to", "b")]
    relation = torch.tensor([0, 1, 0, 2, 2, 0, 1, 3, 4, 3, 0])
    heads, width = 2, 3
    layer = drawn(HGTConv(IN, heads * width, (list(kinds), names), heads))
    torch.nn.init.uniform_(layer.p_rel["a__by__a"], 0.5, 2)
    columns = torch.arange(3 * heads * width).view(3, -1)  # of keys, queries and values
    first, second = layer.kqv_lin.lins["a"], layer.kqv_lin.lins["b"]
    with torch.no_grad():
        second.weight[columns[1]], second.bias[columns[1]] = first.weight[columns[1]], first.bias[columns[1]]
        for own, other in zip(layer.out_lin.lins["b"].parameters(), layer.out_lin.lins["a"].parameters()):
            own.copy_(other)
    edges = {name: EDGES[:, relation == k] for k, name in enumerate(names)}
    local = {(s, r, t): edge - torch.tensor([[kinds[s].start], [kinds[t].start]]) for (s, r, t), edge in edges.items()}

    def call(x):
        out = layer({kind: x[rows] for kind, rows in kinds.items()}, local)
        return torch.cat([out[kind] for kind in kinds])

    def product(k, source, part, factors, scales):
        lin = layer.kqv_lin.lins[source]
        both = torch.cat([lin.weight.t(), lin.bias[None]])[:, columns[part]].view(IN + 1, heads, width)
        of = factors.weight[k::len(names)] * scales.view(heads, 1, 1)
        return torch.einsum("ihd,hde->ihe", both, of).reshape(IN + 1, -1)

    more = {"edge_attr": torch.nn.functional.one_hot(relation),
            "blocks.0.query.weight": first.weight[columns[1]].t(), "blocks.0.query.bias": row(first.bias[columns[1]]),
            "blocks.2.weight": layer.out_lin.lins["a"].weight.t(), "blocks.2.bias": row(layer.out_lin.lins["a"].bias)}
    for k, name in enumerate(names):
        keys = product(k, name[0], 0, layer.k_rel, layer.p_rel["__".join(name)])
        values = product(k, name[0], 2, layer.v_rel, torch.ones(heads))
        for what, both in (("key", keys), ("value", values)):
            more |= {f"blocks.0.relations.{k + 1}.{what}.weight": both[:-1],
                     f"blocks.0.relations.{k + 1}.{what}.bias": both[-1:]}
    save("hgt", {"blocks": [{"type": "dot_product", "heads": heads, "width": width, "relations": len(names)},
                            {"type": "activation", "function": "gelu"}, {"type": "linear", "width": heads * width}]},
         call, more=more)


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
    hgt()
    rgcn_bases()
