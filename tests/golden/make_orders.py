"""Reference values for operations along an order or a grid, from PyTorch and torchdiffeq: one small safetensors file
per case.

Run in the folder of this file, with torch, torchdiffeq and safetensors installed (made with 2.13.0, 0.2.5):
    python make_orders.py

Each file holds: x [N, F], sizes [graphs] (nodes of each graph, in order), the parameters under the names and in the
shapes of Edgewise, the output y [N, C], the random r that makes the loss sum(r * y), and the gradients of x ("grad.x")
and of the parameters ("grad." and their name) of that loss. The metadata "model" is the configuration of the same
blocks, "grid_columns" the width of the grid, 0 for none.
"""
import json
import sys
import torch
import torch.nn.functional as F
from safetensors.torch import save_file
from torchdiffeq import odeint

IN = 6
SIZES = [3, 1, 7, 4]


def save(name, block, call, ours, sizes=SIZES, grid_columns=0):
    """ours: name -> (parameter, conversion of its tensor to ours)."""
    x = (2 * torch.rand(sum(sizes), IN) - 1).requires_grad_()
    y = torch.cat([call(part) for part in x.split(sizes)])
    r = 2 * torch.rand_like(y) - 1
    (r * y).sum().backward()
    tensors = {"x": x, "sizes": torch.tensor(sizes), "y": y, "r": r, "grad.x": x.grad}
    for key, (parameters, convert) in ours.items():
        tensors[f"blocks.0.{key}"] = convert(*parameters)
        tensors[f"grad.blocks.0.{key}"] = convert(*(p.grad for p in parameters))
    tensors = {key: value.detach().float().clone().contiguous() for key, value in tensors.items()}
    save_file(tensors, f"order_{name}.safetensors",
              metadata={"model": json.dumps({"blocks": [block]}), "grid_columns": str(grid_columns)})


def drawn(module):
    for parameter in module.parameters():
        torch.nn.init.uniform_(parameter, -0.8, 0.8)
    return module


def transposed(tensor):
    return tensor.t()


def row(tensor):
    return tensor.reshape(1, -1)


def lstm():
    net = drawn(torch.nn.LSTM(IN, 4, bidirectional=True))
    with torch.no_grad():  # ours has only one bias
        net.bias_hh_l0.zero_()
        net.bias_hh_l0_reverse.zero_()
    ours = {}
    for prefix, suffix in (("forward.", "l0"), ("backward.", "l0_reverse")):
        ours[prefix + "weight"] = ([getattr(net, "weight_ih_" + suffix)], transposed)
        ours[prefix + "bias"] = ([getattr(net, "bias_ih_" + suffix)], row)
        ours[prefix + "recurrent"] = ([getattr(net, "weight_hh_" + suffix)], transposed)
    save("lstm", {"type": "lstm", "width": 4}, lambda x: net(x)[0], ours)


def convolutions():
    line = drawn(torch.nn.Conv1d(IN, 3, 5, padding=2))
    save("convolution_line", {"type": "convolution", "width": 3, "mask": "band:2+offset"},
         lambda x: line(x.t()[None])[0].t(),
         {"weight": ([line.weight], lambda w: w.permute(2, 1, 0).reshape(-1, 3)), "bias": ([line.bias], row)})
    plane = drawn(torch.nn.Conv2d(IN, 3, 3, padding=1))
    save("convolution_grid", {"type": "convolution", "width": 3, "mask": "grid:3x3+offset"},
         lambda x: plane(x.reshape(-1, 4, IN).permute(2, 0, 1)[None])[0].permute(1, 2, 0).reshape(-1, 3),
         {"weight": ([plane.weight], lambda w: w.permute(2, 3, 1, 0).reshape(-1, 3)), "bias": ([plane.bias], row)},
         sizes=[12, 4, 20], grid_columns=4)


def band_attention():
    heads, width, reach = 2, 3, 2
    maps = {key: drawn(torch.nn.Linear(IN, heads * width)) for key in ("query", "key", "value")}

    def call(x):
        q, k, v = (maps[key](x).reshape(-1, heads, width).transpose(0, 1) for key in maps)
        place = torch.arange(len(x))
        mask = (place[:, None] - place[None]).abs() <= reach
        return F.scaled_dot_product_attention(q, k, v, attn_mask=mask).transpose(0, 1).reshape(-1, heads * width)

    ours = {}
    for key, layer in maps.items():
        ours[f"{key}.weight"] = ([layer.weight], transposed)
        ours[f"{key}.bias"] = ([layer.bias], row)
    save("attention_band", {"type": "dot_product", "width": width, "heads": heads, "mask": "band:2"}, call, ours)


def linear_attention():
    heads, width = 2, 3

    def elu(q, k, v, causal):
        """Katharopoulos et al. 2020, as the weights of all pairs."""
        weights = (F.elu(q) + 1) @ (F.elu(k) + 1).transpose(1, 2)
        if causal:
            weights = weights.tril()
        return weights @ v / (weights.sum(2, keepdim=True) + 1e-6)

    def sgformer(q, k, v):
        """full_attention_conv of the code of Wu et al. 2023, [heads, nodes, columns]."""
        q, k, count = q / q.norm(), k / k.norm(), q.shape[1]
        weights = q @ k.transpose(1, 2)
        y = (weights @ v + count * v) / (weights.sum(2, keepdim=True) + count)
        return y if count > 1 else v

    def case(name, block, attend):
        maps = {key: drawn(torch.nn.Linear(IN, heads * width)) for key in ("query", "key", "value")}

        def call(x):
            q, k, v = (maps[key](x).reshape(-1, heads, width).transpose(0, 1) for key in maps)
            return attend(q, k, v).transpose(0, 1).reshape(-1, heads * width)

        ours = {}
        for key, layer in maps.items():
            ours[f"{key}.weight"] = ([layer.weight], transposed)
            ours[f"{key}.bias"] = ([layer.bias], row)
        save(name, {"type": "linear_attention", "width": width, "heads": heads, **block}, call, ours)

    case("linear_elu", {}, lambda q, k, v: elu(q, k, v, False))
    case("linear_causal", {"causal": True}, lambda q, k, v: elu(q, k, v, True))
    case("linear_sgformer", {"kernel": "sgformer"}, sgformer)


def positions():
    def sinusoidal(x):
        angle = torch.arange(len(x))[:, None] / 10000 ** (torch.arange(0, IN, 2) / IN)[None]
        return x + torch.stack([angle.sin(), angle.cos()], dim=2).reshape(len(x), IN)

    save("positions_sinusoidal", {"type": "positions"}, sinusoidal, {})

    table = drawn(torch.nn.Embedding(5, IN))  # one graph is longer
    save("positions_learned", {"type": "positions", "kind": "learned", "longest": 5},
         lambda x: x + table(torch.arange(len(x)).clamp(max=4)), {"table": ([table.weight], lambda w: w)})

    gates, net = torch.nn.Parameter(2 * torch.rand(4 * IN) - 1), drawn(torch.nn.LSTM(1, IN, bias=True))
    with torch.no_grad():
        net.bias_hh_l0.zero_()
        net.bias_ih_l0.copy_(gates)
    save("positions_recurrent", {"type": "positions", "kind": "recurrent"}, lambda x: x + net(torch.zeros(len(x), 1))[0],
         {"gates": ([net.bias_ih_l0], row), "recurrent": ([net.weight_hh_l0], transposed)})

    hidden, step = 5, 0.25
    first, second = drawn(torch.nn.Linear(IN + 1, hidden)), drawn(torch.nn.Linear(hidden, IN))
    start = torch.nn.Parameter(2 * torch.rand(1, IN) - 1)

    def flow(t, p):
        return second(torch.tanh(first(torch.cat([p, t.reshape(1, 1)], dim=1))))

    def floater(x):
        if len(x) == 1:
            return x + start
        times = step * torch.arange(len(x))
        path = odeint(flow, start, times, method=CLASSICAL)
        return x + path[:, 0]

    ours = {"start": ([start], lambda w: w), "w1": ([first.weight], transposed), "b1": ([first.bias], row),
            "w2": ([second.weight], transposed), "b2": ([second.bias], row)}
    save("positions_floater", {"type": "positions", "kind": "floater", "hidden": hidden, "step": step}, floater, ours)


def register_classical():
    """The classical Runge-Kutta method on the fixed grid of torchdiffeq, whose "rk4" is the 3/8 rule."""
    implementation = sys.modules["torchdiffeq._impl.odeint"]
    from torchdiffeq._impl.fixed_grid import FixedGridODESolver
    from torchdiffeq._impl.rk_common import rk4_step_func

    class Classical(FixedGridODESolver):
        order = 4

        def _step_func(self, func, t0, dt, t1, y0):
            f0 = func(t0, y0)
            return rk4_step_func(func, t0, dt, t1, y0, f0=f0), f0

    implementation.SOLVERS["classical_rk4"] = Classical
    return "classical_rk4"


if __name__ == "__main__":
    torch.manual_seed(4)
    torch.set_default_dtype(torch.float64)
    CLASSICAL = register_classical()
    lstm()
    convolutions()
    band_attention()
    positions()
    linear_attention()
