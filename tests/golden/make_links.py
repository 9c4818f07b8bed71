"""Reference values for readouts of links, from PyTorch: one small safetensors file per case.

Run in the folder of this file, with torch and safetensors installed (made with 2.13.0):
    python make_links.py

Common neighbours are those of the adjacency matrix A of an undirected graph, as neural common neighbours (Wang et al.
2024) finds them: the row of A of one end times that of the other. Each file holds: x [N, F], adjacency [N, N], links
[2, L] (source row, target row), the parameters under the names and in the shapes of Edgewise, the output y [L, C], the
random r that makes the loss sum(r * y), and the gradients of x ("grad.x") and of the parameters ("grad." and their
name) of that loss. The metadata "model" is the configuration of the same blocks.
"""
import json

import torch
import torch.nn.functional as F
from safetensors.torch import save_file

NODES, IN, HIDDEN, HEADS, HEAD, OUT = 12, 5, 8, 2, 6, 3
LINKS = [[0, 1, 3, 5, 7, 2, 11, 4], [4, 0, 9, 6, 8, 2, 0, 0]]  # one of a node with itself; node 11 has no edges


class Parameters:
    def __init__(self):
        self.all = {}

    def __call__(self, name, *shape):
        if name not in self.all:
            self.all[name] = (1.6 * torch.rand(shape) - 0.8).requires_grad_()
        return self.all[name]

    def linear(self, name, x, columns):
        return x @ self(name + "weight", x.shape[1], columns) + self(name + "bias", 1, columns)


def graph():
    adjacency = torch.triu((torch.rand(NODES, NODES) < 0.35).float(), 1)
    adjacency[:, NODES - 1] = 0
    return adjacency + adjacency.t()


def joint(kind, parameters, h, pair, common):
    if kind == "none":
        return []
    if kind == "sum":
        return [common @ h]
    q, k, v = (parameters.linear(f"blocks.1.{name}.", rows, HIDDEN).reshape(-1, HEADS, HIDDEN // HEADS).transpose(0, 1)
               for name, rows in (("query", pair), ("key", h), ("value", h)))
    some = common.sum(1) > 0
    attended = F.scaled_dot_product_attention(q, k, v, attn_mask=(common > 0) | ~some[:, None])
    attended = attended.transpose(0, 1).reshape(-1, HIDDEN) * some[:, None]
    return [attended, torch.log1p(common.sum(1, keepdim=True))]


def save(kind, common_kind):
    parameters = Parameters()
    x = (2 * torch.rand(NODES, IN) - 1).requires_grad_()
    adjacency = graph()
    source, target = torch.tensor(LINKS)
    h = parameters.linear("blocks.0.", x, HIDDEN)
    s, t = h[source], h[target]
    if kind == "bilinear":
        s = s @ parameters("blocks.1.source.weight", HIDDEN, HIDDEN)
        t = t @ parameters("blocks.1.target.weight", HIDDEN, HIDDEN)
    pair = s * t
    first = (s * t).sum(1, keepdim=True) if kind == "dot" else pair
    rows = torch.cat([first, *joint(common_kind, parameters, h, pair, adjacency[source] * adjacency[target])], dim=1)
    y = parameters.linear("blocks.4.", parameters.linear("blocks.2.", rows, HEAD).relu(), OUT)
    r = 2 * torch.rand_like(y) - 1
    (r * y).sum().backward()
    tensors = {"x": x, "adjacency": adjacency, "links": torch.tensor(LINKS), "y": y, "r": r, "grad.x": x.grad}
    for name, parameter in parameters.all.items():
        tensors[name], tensors[f"grad.{name}"] = parameter, parameter.grad
    model = {"blocks": [{"type": "linear", "width": HIDDEN},
                        {"type": "link_readout", "kind": kind, "common": common_kind, "heads": HEADS},
                        {"type": "linear", "width": HEAD}, {"type": "activation", "function": "relu"},
                        {"type": "linear", "width": "outputs"}]}
    save_file({key: value.detach().float().clone().contiguous() for key, value in tensors.items()},
              f"links_{kind}_{common_kind}.safetensors", metadata={"model": json.dumps(model)})


torch.manual_seed(1)
for kind, common in (("product", "sum"), ("product", "attention"), ("bilinear", "none"), ("dot", "attention")):
    save(kind, common)
