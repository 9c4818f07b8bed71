"""Reference values for the presets for pairs, from PyTorch's attention and LSTM: one small safetensors file each.

Run in the folder of this file, with torch and safetensors installed (made with 2.13.0):
    python make_pairs.py

Each file holds: "source_sizes" and "target_sizes" (tokens of each pair), "sources" and "targets" (the tokens, one pair
after another), the parameters under the names and in the shapes of Edgewise, the outputs y [target tokens, OUT], the
random r that makes the loss sum(r * y), and the gradients of that loss ("grad." and the name of the parameter). The
metadata "model" is the configuration.
"""
import json

import torch
import torch.nn.functional as F
from safetensors.torch import save_file

IN, OUT, HIDDEN, HEADS = 6, 5, 8, 2
SOURCES, TARGETS = [3, 1, 6], [2, 4, 3]


class Parameters:
    def __init__(self):
        self.all = {}

    def __call__(self, name, *shape):
        if name not in self.all:
            self.all[name] = (1.2 * torch.rand(shape) - 0.6).requires_grad_()
        return self.all[name]

    def linear(self, name, x, columns):
        return x @ self(name + "weight", x.shape[1], columns) + self(name + "bias", 1, columns)

    def norm(self, name, x):
        return F.layer_norm(x, (HIDDEN,), self(name + "gain", 1, HIDDEN)[0], self(name + "bias", 1, HIDDEN)[0])

    def inputs(self, name, at, x):
        return self.norm(f"{name}{at + 1}.", self.linear(f"{name}{at}.", x, HIDDEN))

    def attention(self, name, x, keys, causal):
        q, k, v = (self.linear(f"{name}{part}.", rows, HIDDEN).reshape(-1, HEADS, HIDDEN // HEADS).transpose(0, 1)
                   for part, rows in (("query", x), ("key", keys), ("value", keys)))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=causal).transpose(0, 1).reshape(-1, HIDDEN)
        return self.linear(name + "output.", y, HIDDEN)

    def lstm(self, name, x, width, start=None):
        gates = [self(name + "weight", x.shape[1], 4 * width).t(), self(name + "recurrent", width, 4 * width).t(),
                 self(name + "bias", 1, 4 * width)[0], torch.zeros(4 * width)]
        start = start or (torch.zeros(1, width), torch.zeros(1, width))
        return torch.lstm(x[:, None], [s[None] for s in start], gates, True, 1, 0.0, False, False, False)[0][:, 0]

    def backward_lstm(self, name, x, width):
        return self.lstm(name, x.flip(0), width).flip(0)

    def start(self, name, memory):
        first = memory[:1]
        return (torch.tanh(self.linear(name + "first_hidden.", first, HIDDEN)),
                self.linear(name + "first_cell.", first, HIDDEN))


def positions(x):
    angle = torch.arange(len(x))[:, None] / 10000 ** (torch.arange(0, HIDDEN, 2) / HIDDEN)[None]
    return x + torch.stack([angle.sin(), angle.cos()], dim=2).reshape(len(x), HIDDEN)


def transformer(p, source, target):
    def feed_forward(name, x):
        y = torch.relu(p.linear(name + "blocks.1.first.", p.norm(name + "blocks.0.", x), 2 * HIDDEN))
        return x + p.linear(name + "blocks.1.second.", y, HIDDEN)

    def attend(name, x, memory=None):
        normed = p.norm(name + "blocks.0.", x)
        keys = normed if memory is None else memory
        causal = memory is None and not name.startswith("blocks.0.")
        return x + p.attention(name + "blocks.1.", normed, keys, causal)

    inner = "blocks.0.blocks."
    memory = feed_forward(inner + "5.", attend(inner + "4.", positions(p.inputs(inner, 0, source))))
    memory = p.norm(inner + "6.", memory)
    x = attend("blocks.6.", attend("blocks.5.", positions(p.inputs("blocks.", 1, target))), memory)
    x = p.norm("blocks.8.", feed_forward("blocks.7.", x))
    return x @ p("blocks.1.weight").t() + p("blocks.9.bias", 1, OUT)


def lstm_attention(p, source, target):
    memory = p.inputs("blocks.0.blocks.", 0, source)
    for at in (3, 5):
        name, width = f"blocks.0.blocks.{at}.", HIDDEN // 2
        memory = torch.cat([p.lstm(name + "forward.", memory, width), p.backward_lstm(name + "backward.", memory, width)],
                           dim=1)
    state = p.lstm("blocks.4.forward.", p.inputs("blocks.", 1, target), HIDDEN, p.start("blocks.4.", memory))
    name = "blocks.6.block."
    query, key = p.linear(name + "query.", state, HIDDEN), p.linear(name + "key.", memory, HIDDEN)
    vector = p(name + "attention_vector", 1, HIDDEN)
    scores = (torch.tanh(query[:, None] + key[None]) * vector).sum(2)
    seen = scores.softmax(1) @ key + p(name + "bias", 1, HIDDEN)
    x = p.lstm("blocks.7.forward.", torch.cat([state, seen], dim=1), HIDDEN, p.start("blocks.7.", memory))
    return p.linear("blocks.12.", torch.tanh(p.linear("blocks.9.", x, HIDDEN)), OUT)


def lstm(p, source, target):
    memory = p.inputs("blocks.0.blocks.", 0, source)
    for at in (3, 5):
        memory = p.backward_lstm(f"blocks.0.blocks.{at}.backward.", memory, HIDDEN)
    x = p.inputs("blocks.", 1, target)
    for at in (4, 6):
        x = p.lstm(f"blocks.{at}.forward.", x, HIDDEN, p.start(f"blocks.{at}.", memory))
    return p.linear("blocks.8.", x, OUT)


def save(preset, model, **members):
    p = Parameters()
    sources, targets = torch.randint(IN, (sum(SOURCES),)), torch.randint(OUT, (sum(TARGETS),))
    y = torch.cat([model(p, F.one_hot(s, IN).float(), F.one_hot(t, OUT).float())
                   for s, t in zip(sources.split(SOURCES), targets.split(TARGETS))])
    r = 2 * torch.rand_like(y) - 1
    (r * y).sum().backward()
    tensors = {"source_sizes": torch.tensor(SOURCES), "target_sizes": torch.tensor(TARGETS), "sources": sources,
               "targets": targets, "y": y, "r": r} | p.all | {"grad." + name: v.grad for name, v in p.all.items()}
    tensors = {key: value.detach().float().clone().contiguous() for key, value in tensors.items()}
    config = {"preset": preset, "hidden": HIDDEN, "dropout": 0, **members}
    save_file(tensors, f"{preset}.safetensors", metadata={"model": json.dumps(config)})


torch.manual_seed(7)
save("transformer_pair", lambda p, s, t: (p("blocks.1.weight", OUT, HIDDEN), transformer(p, s, t))[1], heads=HEADS,
     layers=1, tied=True)
save("lstm_attention_pair", lstm_attention, layers=2)
save("lstm_pair", lstm, layers=2)
