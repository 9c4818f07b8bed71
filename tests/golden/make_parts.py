"""Reference values for graphs of several parts, with PyTorch: an encoder of its own for each part, attention across the
parts, and a readout of each.

Run in the folder of this file, with torch and safetensors installed (made with 2.13.0):
    python make_parts.py

parts.safetensors holds: x [N, F], edges [2, E] (source row, target row, within parts), sizes [parts] (nodes of each
part, two parts a graph), weights [parts, 1], the parameters under the names and in the shapes of Edgewise, the output y
[graphs, 2 C], the random r that makes the loss sum(r * y), and the gradients of x ("grad.x") and of the parameters
("grad." and their name) of that loss. The metadata "model" is the configuration. Each encoder sees its own nodes alone.
"""
import json
import math
import torch
import torch.nn.functional as F
from safetensors.torch import save_file

IN, WIDTH, HEADS = 3, 4, 2
SIZES = [3, 2, 1, 4, 2, 0]  # the last graph is a single part
MODEL = {"blocks": [
    {"type": "part_encoders", "count": 2, "blocks": [{"type": "gatv2", "heads": HEADS, "width": WIDTH // HEADS}]},
    {"type": "residual", "blocks": [{"type": "dot_product", "mask": "cross", "heads": HEADS, "width": WIDTH // HEADS,
                                     "output_projection": True}]},
    {"type": "components", "count": 2, "blocks": [{"type": "readout", "kind": "sum"}]}]}

parameters = {}


def parameter(name, *shape):
    return parameters.setdefault(name, (2 * torch.rand(*shape) - 1).requires_grad_())


def linear(name, x, width):
    return x @ parameter(name + "weight", x.shape[1], width) + parameter(name + "bias", 1, width)


def heads(x):
    return x.reshape(len(x), HEADS, WIDTH // HEADS)


def gatv2(name, x, edges):
    """Every node has a source."""
    key, query = heads(linear(name + "key.", x, WIDTH)), heads(linear(name + "query.", x, WIDTH))
    vector = parameter(name + "attention_vector", 1, WIDTH).reshape(1, HEADS, -1)
    rows = []
    for node in range(len(x)):
        sources = [s for s, t in edges if t == node]
        score = (vector * F.leaky_relu(key[sources] + query[node], 0.2)).sum(-1)
        rows.append((F.softmax(score, 0)[..., None] * key[sources]).sum(0).reshape(-1))
    return torch.stack(rows) + parameter(name + "bias", 1, WIDTH)


def cross(name, x, others):
    """What nodes get from `others`, which may be none; then the projection, as of zeros."""
    q = heads(linear(name + "query.", x, WIDTH))
    k, v = heads(linear(name + "key.", others, WIDTH)), heads(linear(name + "value.", others, WIDTH))
    score = torch.einsum("ihd,jhd->ijh", q, k) / math.sqrt(WIDTH // HEADS)
    found = torch.einsum("ijh,jhd->ihd", F.softmax(score, 1), v).reshape(len(x), WIDTH)
    return linear(name + "output.", found, WIDTH)


torch.manual_seed(1)
x = (2 * torch.rand(sum(SIZES), IN) - 1).requires_grad_()
offsets = [sum(SIZES[:p]) for p in range(len(SIZES) + 1)]
weights = torch.rand(len(SIZES), 1)
# A ring within each part, and itself.
within = [[(i, i) for i in range(size)] + [(i, (i + 1) % size) for i in range(size) if size > 1] for size in SIZES]
edges = [(offsets[p] + s, offsets[p] + t) for p, pairs in enumerate(within) for s, t in pairs]
encoded = [gatv2(f"blocks.0.parts.{p % 2}.0.", x[offsets[p]:offsets[p + 1]], within[p]) if SIZES[p]
           else torch.zeros(0, WIDTH) for p in range(len(SIZES))]
read = []
for p, rows in enumerate(encoded):
    rows = rows + cross("blocks.1.0.", rows, encoded[p ^ 1])
    read.append(weights[p] * rows.sum(0))
y = torch.stack(read).reshape(len(SIZES) // 2, -1)
r = 2 * torch.rand_like(y) - 1
(r * y).sum().backward()
tensors = {"x": x, "edges": torch.tensor(edges).t(), "sizes": torch.tensor(SIZES), "weights": weights, "y": y, "r": r,
           "grad.x": x.grad}
for name, value in parameters.items():
    tensors[name], tensors["grad." + name] = value, value.grad
save_file({key: value.detach().float().clone().contiguous() for key, value in tensors.items()}, "parts.safetensors",
          metadata={"model": json.dumps(MODEL)})
