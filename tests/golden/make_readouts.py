"""Reference values for the readouts, from PyTorch Geometric: one small safetensors file per case.

Run in the folder of this file, with torch, torch_geometric and safetensors installed (made with 2.13.0, 2.8.1):
    python make_readouts.py

Each file holds: x [N, F], sizes [graphs] (nodes of each graph, in order), edges [2, E] (source row, target row) and
edge_attr [E, F_e] if there are some, the parameters under the names and in the shapes of Edgewise, the output y
[graphs, C], the random r that makes the loss sum(r * y), and the gradients of x ("grad.x") and of the parameters ("grad."
and their name) of that loss. The metadata "model" is the configuration of the same blocks.
"""
import json
import math
import torch
from safetensors.torch import save_file
from torch_geometric.nn import GATv2Conv, aggr

IN = 5
SIZES = [3, 0, 1, 6, 4]  # includes a graph without nodes; PyTorch Geometric gives zeros for it, except in Set2Set


def save(name, block, sizes, call, ours, more_blocks=(), more_tensors=None):
    """ours: name -> (parameter, conversion of its tensor to ours)."""
    x = (2 * torch.rand(sum(sizes), IN) - 1).requires_grad_()
    index = torch.repeat_interleave(torch.arange(len(sizes)), torch.tensor(sizes))
    y = call(x, index, len(sizes))
    r = 2 * torch.rand_like(y) - 1
    (r * y).sum().backward()
    tensors = {**(more_tensors or {}), "x": x, "sizes": torch.tensor(sizes), "y": y, "r": r, "grad.x": x.grad}
    for key, (parameter, convert) in ours.items():
        tensors[f"blocks.0.{key}"] = convert(parameter)
        tensors[f"grad.blocks.0.{key}"] = convert(parameter.grad)
    tensors = {key: value.detach().float().clone().contiguous() for key, value in tensors.items()}
    save_file(tensors, f"readout_{name}.safetensors", metadata={"model": json.dumps({"blocks": [block, *more_blocks]})})


def transposed(tensor):
    return tensor.t()


def row(tensor):
    return tensor.reshape(1, -1)


def drawn(module):
    for parameter in module.parameters():
        torch.nn.init.uniform_(parameter, -0.8, 0.8)
    return module


def attentional():
    gate = drawn(torch.nn.Linear(IN, 1, bias=False))
    pool = aggr.AttentionalAggregation(gate)
    save("attention", {"type": "attention_readout"}, SIZES, lambda x, i, n: pool(x, i, dim_size=n),
         {"gate.weight": (gate.weight, transposed)})

    # As many heads as columns: one gate per column, called "feature-level" gating there.
    first, second = drawn(torch.nn.Linear(IN, 6)), drawn(torch.nn.Linear(6, 4, bias=False))
    value = drawn(torch.nn.Linear(IN, 4))
    gated = aggr.AttentionalAggregation(torch.nn.Sequential(first, torch.nn.ReLU(), second), value)
    save("attention_gated", {"type": "attention_readout", "heads": 4, "width": 1, "hidden": 6}, SIZES,
         lambda x, i, n: gated(x, i, dim_size=n),
         {"hidden.weight": (first.weight, transposed), "hidden.bias": (first.bias, row),
          "gate.weight": (second.weight, transposed),
          "value.weight": (value.weight, transposed), "value.bias": (value.bias, row)})


def set2set():
    pool = drawn(aggr.Set2Set(IN, processing_steps=3))
    # PyTorch adds two biases in the LSTM; Edgewise has one.
    torch.nn.init.zeros_(pool.lstm.bias_hh_l0)
    save("set2set", {"type": "set2set", "steps": 3}, [3, 2, 1, 6], lambda x, i, n: pool(x, i, dim_size=n),
         {"input.weight": (pool.lstm.weight_ih_l0, transposed), "input.bias": (pool.lstm.bias_ih_l0, row),
          "hidden.weight": (pool.lstm.weight_hh_l0, transposed)})


def query():
    """PyTorch's attention, graph by graph."""
    heads, width = 3, 4
    key, value = drawn(torch.nn.Linear(IN, heads * width)), drawn(torch.nn.Linear(IN, heads * width))
    ask = (2 * torch.rand(1, heads * width) - 1).requires_grad_()

    def call(x, index, count):
        split = lambda rows: rows.reshape(-1, heads, width).transpose(0, 1)
        rows = []
        for graph in range(count):
            nodes = x[index == graph]
            if len(nodes) == 0:
                rows.append(torch.zeros(heads * width))
                continue
            found = torch.nn.functional.scaled_dot_product_attention(
                split(ask), split(key(nodes)), split(value(nodes)), scale=1 / math.sqrt(width))
            rows.append(found.transpose(0, 1).reshape(-1))
        return torch.stack(rows)

    save("query", {"type": "query_readout", "heads": heads, "width": width}, SIZES, call,
         {"query": (ask, row), "key.weight": (key.weight, transposed), "key.bias": (key.bias, row),
          "value.weight": (value.weight, transposed), "value.bias": (value.bias, row)})


def edge_value():
    """GATv2 on two graphs, with the edges in the value too: PyTorch Geometric's attention weights times their map."""
    heads, width, edge = 3, 4, 2
    edges = torch.tensor([[1, 2, 0, 2, 1, 4, 5, 3], [0, 0, 1, 1, 2, 3, 3, 4]])
    edge_attr = 2 * torch.rand(edges.shape[1], edge) - 1
    conv = drawn(GATv2Conv(IN, width, heads=heads, edge_dim=edge, add_self_loops=False))
    value_edge = (2 * torch.rand(edge, heads * width) - 1).requires_grad_()

    def call(x, index, count):
        y, (_, alpha) = conv(x, edges, edge_attr, return_attention_weights=True)
        extra = alpha.unsqueeze(-1) * (edge_attr @ value_edge).reshape(-1, heads, width)
        y = y + torch.zeros(len(x), heads * width).index_add(0, edges[1], extra.reshape(-1, heads * width))
        return aggr.MeanAggregation()(y, index, dim_size=count)

    save("gatv2_edge_value", {"type": "gatv2", "heads": heads, "width": width, "edge_value": True}, [3, 3], call,
         {"key.weight": (conv.lin_l.weight, transposed), "key.bias": (conv.lin_l.bias, row),
          "query.weight": (conv.lin_r.weight, transposed), "query.bias": (conv.lin_r.bias, row),
          "attention_vector": (conv.att, row), "edge_weight": (conv.lin_edge.weight, transposed),
          "value_edge_weight": (value_edge, lambda tensor: tensor), "bias": (conv.bias, row)},
         [{"type": "readout", "kind": "mean"}], {"edges": edges, "edge_attr": edge_attr})


def main():
    torch.manual_seed(1)
    pools = {"sum": aggr.SumAggregation(), "mean": aggr.MeanAggregation(), "max": aggr.MaxAggregation()}
    for name, pool in pools.items():
        save(name, {"type": "readout", "kind": name}, SIZES, lambda x, i, n: pool(x, i, dim_size=n), {})
    save("sum_mean_max", {"type": "readout", "kind": "sum_mean_max"}, SIZES,
         lambda x, i, n: torch.cat([pool(x, i, dim_size=n) for pool in pools.values()], dim=1), {})
    attentional()
    query()
    set2set()
    edge_value()


main()
