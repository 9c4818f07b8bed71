"""Reference values for the layers, from PyTorch Geometric: one small safetensors file per case.

Run in the folder of this file, with torch, torch_geometric and safetensors installed (made with 2.13.0, 2.8.1):
    python make_layers.py

Each layer file holds: x [N, F], edges [2, E] (source row, target row), edge_attr [E, F_e] if there is one, the state
of the module under "conv.", its output y, the random r that makes the loss sum(r * y), and the gradients of x ("grad.x")
and of the parameters ("grad.conv.") of that loss. The metadata "model" is the configuration of the same layer in
Edgewise. No dropout. losses.safetensors has the losses.
"""
import json
import torch
import torch.nn.functional as F
from safetensors.torch import save_file
from torch_geometric.nn import GATConv, GATv2Conv, GCN2Conv, GCNConv, TransformerConv

N, IN, EDGE = 7, 5, 3
# Without self loops. Node 6 attends to nothing unless self loops are added; node 0 has five sources.
EDGES = torch.tensor([[1, 2, 3, 4, 6, 0, 2, 3, 5, 0, 1], [0, 0, 0, 0, 0, 1, 1, 4, 4, 5, 3]])


def save(name, tensors, model=None):
    tensors = {key: value.detach().float().clone().contiguous() for key, value in tensors.items()}
    save_file(tensors, f"{name}.safetensors", metadata={"model": json.dumps(model)} if model else None)


def run(module, has_edges, call):
    """The module with random parameters (also those that start as zeros), its output and gradients."""
    for parameter in module.parameters():
        torch.nn.init.uniform_(parameter, -0.8, 0.8)
    x = (2 * torch.rand(N, IN) - 1).requires_grad_()
    edge_attr = 2 * torch.rand(EDGES.shape[1], EDGE) - 1
    y = call(x, edge_attr)
    r = 2 * torch.rand_like(y) - 1
    (r * y).sum().backward()
    tensors = {"x": x, "edges": EDGES, "y": y, "r": r, "grad.x": x.grad}
    if has_edges:
        tensors["edge_attr"] = edge_attr
    for key, value in module.state_dict(keep_vars=True).items():
        tensors[f"conv.{key}"] = value
        if value.grad is not None:
            tensors[f"grad.conv.{key}"] = value.grad
    return tensors


def conv(name, module, block, has_edges=False, self_loops=False):
    call = lambda x, e: module(x, EDGES, edge_attr=e) if has_edges else module(x, EDGES)
    block["edge_features"] = has_edges
    save(name, run(module, has_edges, call), {"graph": {"self_loops": self_loops}, "blocks": [block]})


def plain(name, module, block):
    save(name, run(module, False, lambda x, e: module(x)), {"blocks": [block]})


def main():
    torch.manual_seed(1)
    bare = dict(add_self_loops=False)
    gat = {"type": "gat", "width": 4, "heads": 3}
    conv("gat_concat", GATConv(IN, 4, heads=3, **bare), {**gat})
    conv("gat_mean_loops", GATConv(IN, 4, heads=3, concat=False), {**gat, "merge": "mean"}, self_loops=True)
    conv("gat_edges_residual", GATConv(IN, 4, heads=3, edge_dim=EDGE, residual=True, **bare),
         {**gat, "residual": True}, has_edges=True)
    conv("gat_edges_loops", GATConv(IN, 4, heads=3, edge_dim=EDGE, bias=False, negative_slope=0.1),
         {**gat, "bias": False, "negative_slope": 0.1}, has_edges=True, self_loops=True)

    gatv2 = {"type": "gatv2", "width": 4, "heads": 3}
    conv("gatv2_concat", GATv2Conv(IN, 4, heads=3, **bare), {**gatv2})
    conv("gatv2_mean_edges_loops", GATv2Conv(IN, 4, heads=3, concat=False, edge_dim=EDGE),
         {**gatv2, "merge": "mean"}, has_edges=True, self_loops=True)
    conv("gatv2_shared_residual", GATv2Conv(IN, 4, heads=3, share_weights=True, residual=True, **bare),
         {**gatv2, "share_weights": True, "residual": "projection"})

    dot = {"type": "dot_product", "width": 4, "heads": 3, "residual": "projection"}
    conv("transformer_concat", TransformerConv(IN, 4, heads=3), {**dot})
    conv("transformer_mean_beta", TransformerConv(IN, 4, heads=3, concat=False, beta=True),
         {**dot, "merge": "mean", "beta": True})
    conv("transformer_edges_beta", TransformerConv(IN, 4, heads=3, edge_dim=EDGE, beta=True), {**dot, "beta": True},
         has_edges=True)
    conv("transformer_bare", TransformerConv(IN, 4, heads=3, root_weight=False, bias=False),
         {**dot, "residual": False, "bias": False})

    gcn = GCNConv(IN, 4)
    save("gcn", run(gcn, False, lambda x, e: gcn(x, EDGES)),
         {"graph": {"self_loops": True}, "blocks": [{"type": "gcn", "width": 4}]})
    plain("linear", torch.nn.Linear(IN, 4), {"type": "linear", "width": 4})
    plain("layer_norm", torch.nn.LayerNorm(IN), {"type": "layer_norm"})
    losses()
    batch_norm()
    gcn2()


def losses():
    logits = (6 * torch.rand(N, 4) - 3).requires_grad_()
    classes = torch.tensor([0, 3, 1, 2, 2, 0, 1])
    targets = torch.bernoulli(torch.full((N, 4), 0.4))
    weights = torch.tensor([1.0, 0.5, 2.0, 3.0])
    tensors = {"logits": logits, "classes": classes, "targets": targets, "weights": weights}
    passes = torch.softmax(torch.stack([logits, -0.5 * logits, 2 * logits]), dim=2)
    target = passes.mean(0).detach() ** (1 / 0.5)
    target = target / target.sum(1, keepdim=True)
    values, variances, known = logits[:, :2], logits[:, 2:].exp(), targets[:, :2]
    gaussian = F.gaussian_nll_loss(values, known, variances, reduction="none") * variances.detach() ** 0.5
    for name, loss in {
        "consistency": (passes - target).square().sum(2).mean(),
        "cross_entropy": F.cross_entropy(logits, classes),
        "cross_entropy_weighted": F.cross_entropy(logits, classes, weight=weights),
        "binary_cross_entropy": F.binary_cross_entropy_with_logits(logits, targets),
        "binary_cross_entropy_weighted": F.binary_cross_entropy_with_logits(logits, targets, pos_weight=weights),
        "squared_error": F.mse_loss(logits, targets),
        "gaussian_error": gaussian.mean(),
    }.items():
        tensors[name] = loss
        tensors[f"grad.{name}"] = torch.autograd.grad(loss, logits)[0]
    for name in ["relu", "elu", "gelu", "sigmoid", "tanh"]:
        tensors[f"activation.{name}"] = getattr(torch, name)(logits) if name in ("relu", "sigmoid", "tanh") \
            else getattr(F, name)(logits)
    save("losses", tensors)


def batch_norm():
    """Training mode: y and the gradients are those of the batch; the running moments are those after one step."""
    module = torch.nn.BatchNorm1d(IN)
    tensors = run(module, False, lambda x, e: module(x))
    del tensors["conv.num_batches_tracked"]
    save("batch_norm", tensors, {"blocks": [{"type": "batch_norm"}]})


def gcn2():
    """Two convolutions, the weights under "conv.0." and "conv.1."; the block has both."""
    module = torch.nn.ModuleList(GCN2Conv(IN, alpha=0.2, theta=0.6, layer=layer) for layer in (1, 2))

    def call(x, e):
        h = module[0](x, x, EDGES).relu()
        return module[1](h, x, EDGES).relu()

    save("gcn2", run(module, False, call),
         {"graph": {"self_loops": True}, "blocks": [{"type": "gcn2", "layers": 2, "restart": 0.2, "mapping": 0.6}]})


main()
