"""The preset `transformer_pair` in PyTorch, with its weights and vocabularies from a model file of Edgewise."""

import json

COLUMNS, HEADS, LAYERS, DROPOUT = 128, 4, 3, 0.1
MARK, UNKNOWN = 0, 1


def read_header(file):
    return json.loads(file.read(int.from_bytes(file.read(8), "little")))


def read_vocabularies(path):
    """Those of the sources and of the targets, from the header of a model file of Edgewise."""
    with open(path, "rb") as file:
        pairs = json.loads(read_header(file)["__metadata__"]["edgewise.sections"])["pairs"]
    return pairs["source"], pairs["target"]


def read_weights(path, model):
    """Those of a model file of Edgewise with the defaults of the preset."""
    import numpy as np
    import torch

    with open(path, "rb") as file:
        tensors = {name: entry for name, entry in read_header(file).items() if name.startswith("blocks")}
        data = file.read()

    def tensor(name):
        begin, end = tensors[name]["data_offsets"]
        return torch.from_numpy(np.frombuffer(data[begin:end], np.float32).reshape(tensors[name]["shape"]).copy())

    def fill(layer, name):
        layer.weight.copy_(tensor(name + ".weight").T)
        layer.bias.copy_(tensor(name + ".bias")[0])

    def fill_norm(norm, name):
        norm.weight.copy_(tensor(name + ".gain")[0])
        norm.bias.copy_(tensor(name + ".bias")[0])

    def fill_side(side, prefix, first):
        side.embedding.weight.copy_(tensor(f"{prefix}{first}.weight") + tensor(f"{prefix}{first}.bias"))
        fill_norm(side.norm, f"{prefix}{first + 1}")
        block = first + 4  # after the positions and a dropout
        for layer in side.layers:
            for norm, attention in zip(layer.norms, layer.attentions):
                name = f"{prefix}{block}.blocks"
                fill_norm(norm, name + ".0")
                fill(attention.query, name + ".1.query")
                for parameter, part in (("weight", torch.Tensor.t), ("bias", torch.ravel)):
                    halves = [part(tensor(f"{name}.1.{side}.{parameter}")) for side in ("key", "value")]
                    getattr(attention.key_value, parameter).copy_(torch.cat(halves))
                fill(attention.output, name + ".1.output")
                block += 1
            name = f"{prefix}{block}.blocks"
            fill_norm(layer.norms[-1], name + ".0")
            fill(layer.expand, name + ".1.first")
            fill(layer.contract, name + ".1.second")
            block += 1
        fill_norm(side.last_norm, f"{prefix}{block}")
        return block + 1

    with torch.no_grad():
        fill_side(model.encoder, "blocks.0.blocks.", 0)
        fill(model.outputs, f"blocks.{fill_side(model.decoder, 'blocks.', 1)}")


def encoder(vocabulary):
    """The numbers of the pieces of a text."""
    numbers = {token: number for number, token in enumerate(vocabulary["tokens"])}
    ranks = {tuple(merge.split(" ")): rank for rank, merge in enumerate(vocabulary["merges"])}
    known = {}

    def pieces(word):
        parts = list(word[:-1]) + [word[-1] + "</w>"]
        while len(parts) > 1:
            best = min(zip(parts, parts[1:]), key=lambda pair: ranks.get(pair, len(ranks)))
            if best not in ranks:
                break
            merged = []
            for part in parts:
                if merged and (merged[-1], part) == best:
                    merged[-1] += part
                else:
                    merged.append(part)
            parts = merged
        return [numbers.get(part, UNKNOWN) for part in parts]

    def encode(text):
        return [number for word in text.split() for number in known.setdefault(word, pieces(word))]

    return encode


def make_model(sources, targets, longest):
    import torch
    import torch.nn.functional as F
    from torch import nn

    class Attention(nn.Module):
        def __init__(self):
            super().__init__()
            self.query = nn.Linear(COLUMNS, COLUMNS)
            self.key_value = nn.Linear(COLUMNS, 2 * COLUMNS)
            self.output = nn.Linear(COLUMNS, COLUMNS)

        @staticmethod
        def heads(rows, parts):
            shape = (*rows.shape[:2], parts, HEADS, COLUMNS // HEADS)
            return rows.view(shape).permute(2, 0, 3, 1, 4)

        def keys(self, memory):
            return self.heads(self.key_value(memory), 2)

        def forward(self, x, memory, **masks):
            return self.attend(x, self.keys(memory), **masks)

        def attend(self, x, keys, **masks):
            (query,) = self.heads(self.query(x), 1)
            y = F.scaled_dot_product_attention(query, *keys, **masks)
            return self.output(y.transpose(1, 2).reshape(x.shape))

    class Layer(nn.Module):
        def __init__(self, attentions):
            super().__init__()
            self.norms = nn.ModuleList(nn.LayerNorm(COLUMNS) for _ in range(attentions + 1))
            self.attentions = nn.ModuleList(Attention() for _ in range(attentions))
            self.expand, self.contract = nn.Linear(COLUMNS, 2 * COLUMNS), nn.Linear(2 * COLUMNS, COLUMNS)
            self.drop = nn.Dropout(DROPOUT)

        def forward(self, x, memories_and_masks):
            for norm, attention, (memory, masks) in zip(self.norms, self.attentions, memories_and_masks):
                rows = norm(x)
                x = x + self.drop(attention(rows, rows if memory is None else memory, **masks))
            return self.feed_forward(x)

        def feed_forward(self, x):
            return x + self.drop(self.contract(self.drop(F.relu(self.expand(self.norms[-1](x))))))

        def step(self, x, past, memory, mask):
            """The next row of a decoder; `past` are the keys and values before it, or None."""
            keys = self.attentions[0].keys(rows := self.norms[0](x))
            past = keys if past is None else torch.cat([past, keys], 3)
            x = x + self.attentions[0].attend(rows, past)
            x = x + self.attentions[1].attend(self.norms[1](x), memory, attn_mask=mask)
            return self.feed_forward(x), past

    class Side(nn.Module):
        def __init__(self, tokens, attentions):
            super().__init__()
            self.embedding, self.norm = nn.Embedding(tokens, COLUMNS), nn.LayerNorm(COLUMNS)
            self.layers = nn.ModuleList(Layer(attentions) for _ in range(LAYERS))
            self.last_norm, self.drop = nn.LayerNorm(COLUMNS), nn.Dropout(DROPOUT)
            angles = torch.arange(longest)[:, None] / 10000 ** (torch.arange(0, COLUMNS, 2) / COLUMNS)
            self.places = torch.stack([angles.sin(), angles.cos()], 2).reshape(longest, COLUMNS)

        def forward(self, tokens, memories_and_masks):
            x = self.drop(self.norm(self.embedding(tokens)) + self.places[:tokens.shape[1]])
            for layer in self.layers:
                x = layer(x, memories_and_masks)
            return self.last_norm(x)

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.encoder, self.decoder = Side(sources, 1), Side(targets, 2)
            self.outputs = nn.Linear(COLUMNS, targets)

        def forward(self, source, is_there, target):
            mask = {"attn_mask": is_there[:, None, None, :]}
            memory = self.encoder(source, [(None, mask)])
            return self.outputs(self.decoder(target, [(None, {"is_causal": True}), (memory, mask)]))

    return Model()


