"""One training step of attention on sentences and recordings: Edgewise compared to PyTorch, in turns, in one run.

The preset `attention` (64 columns, 4 heads, 2 layers, dropout 0.1, sinusoidal positions, all pairs of each sentence or
recording), 64 of them per step, Adam. PyTorch gets the same initial weights and the same batches, padded to the longest
item before timing. It uses embedding bags for the tokens, scaled_dot_product_attention with a padding mask, and the
fused Adam. Its loss on the first batch, without dropout, must agree with that of Edgewise within 1e-4. Rounds of both
alternate, so that a slow moment of the machine affects both. Each runs in its own process; peak memory is measured on
top of the data.

    pip install -r apps/bench/peers/requirements.txt
    EDGEWISE_DATA=... python apps/bench/peers/sequence_step.py --bench build/bench_sequences --threads 1,2
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
import time

from turns import MEBIBYTE, Parser, PeakMemory, Server, count, fail, list_of, require, require_program, run

COLUMNS, HEADS, LAYERS, DROPOUT = 64, 4, 2, 0.1
AGREEMENT = 1e-4


def read_safetensors(path):
    """The tensors by name, in the order of the file, and the metadata."""
    import numpy
    import torch

    with open(path, "rb") as file:
        header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
        numbers = torch.from_numpy(numpy.fromfile(file, numpy.float32))
    metadata = header.pop("__metadata__")
    tensors = {}
    for name, about in sorted(header.items(), key=lambda item: item[1]["data_offsets"]):
        begin, end = about["data_offsets"]
        tensors[name] = numbers[begin // 4:end // 4].reshape(about["shape"])
    return tensors, metadata


def padded_batch(tensors, step):
    """A batch for PyTorch: inputs, the mask of nodes that are not padding, sizes, and labels, -100 for padding."""
    import torch

    sizes = tensors[f"{step}.sizes"].long()
    labels = tensors[f"{step}.labels"].long()
    length = int(sizes.max())
    is_there = torch.arange(length) < sizes[:, None]
    batch = {"is_there": is_there, "sizes": sizes, "labels": labels}
    if f"{step}.rows" in tensors:
        rows = tensors[f"{step}.rows"]
        batch["inputs"] = torch.zeros(len(sizes), length, rows.shape[1])
        batch["inputs"][is_there] = rows
    else:
        entries = torch.zeros(len(sizes), length, dtype=torch.long)
        entries[is_there] = tensors[f"{step}.entries"].long()
        ends = entries.flatten().cumsum(0)
        batch["inputs"] = (tensors[f"{step}.columns"].long(), ends - entries.flatten())
    if len(labels) != len(sizes):
        batch["labels"] = torch.full((len(sizes), length), -100)
        batch["labels"][is_there] = labels
    return batch


def make_model(tensors, inputs, outputs, is_graph_level):
    import torch
    import torch.nn.functional as F
    from torch import nn

    weights = iter(tensor for name, tensor in tensors.items() if name.startswith("blocks."))

    def linear(columns, width, maps=1):
        """One or several linear maps side by side, each with a weight and a bias in the file."""
        layer = nn.Linear(columns, maps * width)
        parts = [(next(weights).T, next(weights)[0]) for _ in range(maps)]
        layer.weight.data = torch.cat([weight for weight, _ in parts]).contiguous()
        layer.bias.data = torch.cat([bias for _, bias in parts])
        return layer

    def norm():
        layer = nn.LayerNorm(COLUMNS)
        layer.weight.data, layer.bias.data = next(weights)[0].clone(), next(weights)[0].clone()
        return layer

    class Bags(nn.Module):
        """Sums of the embeddings of the features of each token."""

        def __init__(self):
            super().__init__()
            self.embedding = nn.EmbeddingBag(inputs, COLUMNS, mode="sum")
            self.embedding.weight.data = next(weights).clone()
            self.bias = nn.Parameter(next(weights)[0].clone())

        def forward(self, tokens):
            return self.embedding(*tokens) + self.bias

    class Layer(nn.Module):
        def __init__(self):
            super().__init__()
            self.first_norm = norm()
            self.query_key_value = linear(COLUMNS, COLUMNS, 3)
            self.output = linear(COLUMNS, COLUMNS)
            self.second_norm = norm()
            self.expand = linear(COLUMNS, 2 * COLUMNS)
            self.contract = linear(2 * COLUMNS, COLUMNS)
            self.drop = nn.Dropout(DROPOUT)

        def forward(self, x, mask):
            graphs, length, _ = x.shape
            heads = self.query_key_value(self.first_norm(x)).view(graphs, length, 3, HEADS, COLUMNS // HEADS)
            query, key, value = heads.permute(2, 0, 3, 1, 4)
            y = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
            x = x + self.drop(self.output(y.transpose(1, 2).reshape(graphs, length, COLUMNS)))
            return x + self.drop(self.contract(self.drop(F.gelu(self.expand(self.second_norm(x))))))

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.inputs = Bags() if "0.entries" in tensors else linear(inputs, COLUMNS)
            self.input_norm = norm()
            self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
            self.norm = norm()
            if is_graph_level:
                self.readout_norm = norm()
                self.hidden = linear(COLUMNS, COLUMNS)
            self.outputs = linear(COLUMNS, outputs)
            self.drop = nn.Dropout(DROPOUT)
            longest = max(int(tensor.max()) for name, tensor in tensors.items() if name.endswith(".sizes"))
            angles = torch.arange(longest)[:, None] / 10000 ** (torch.arange(0, COLUMNS, 2) / COLUMNS)
            self.places = torch.stack([angles.sin(), angles.cos()], 2).reshape(longest, COLUMNS)

        def forward(self, batch):
            graphs, length = batch["is_there"].shape
            x = self.input_norm(self.inputs(batch["inputs"]).view(graphs, length, COLUMNS))
            x = self.drop(x + self.places[:length])
            mask = batch["is_there"][:, None, None, :]
            for layer in self.layers:
                x = layer(x, mask)
            x = self.norm(x)
            if is_graph_level:
                x = (x * batch["is_there"][:, :, None]).sum(1) / batch["sizes"][:, None]
                x = self.drop(F.gelu(self.hidden(self.readout_norm(x))))
            return self.outputs(x)

    model = Model()
    left = len(list(weights))
    if left:
        fail(f"the models differ: {left} weights of Edgewise's are left over")
    return model


def serve_pytorch(path, threads):
    """Times rounds of training steps: answers each line of standard input with a line of JSON."""
    import torch
    import torch.nn.functional as F

    torch.set_num_threads(threads)
    tensors, about = read_safetensors(path)
    batches = [padded_batch(tensors, step) for step in range(int(about["steps"]))]
    peak = PeakMemory()
    model = make_model(tensors, int(about["inputs"]), int(about["outputs"]), about["labelled"] == "graphs")
    optimiser = torch.optim.Adam(model.parameters(), lr=0.003, fused=True)

    def loss_of(batch):
        return F.cross_entropy(model(batch).flatten(0, -2), batch["labels"].flatten())

    model.eval()
    with torch.no_grad():
        difference = abs(float(loss_of(batches[0])) - float(tensors["loss"]))
    if not difference < AGREEMENT:
        fail(f"the models differ: their losses on the first batch by {difference:.2g}")
    model.train()

    def run_steps():
        start, start_of_processor = time.perf_counter(), time.process_time()
        for batch in batches:
            optimiser.zero_grad()
            loss_of(batch).backward()
            optimiser.step()
        seconds, of_processor = time.perf_counter() - start, time.process_time() - start_of_processor
        return {"step_ms": 1000 * seconds / len(batches), "processor_ms": 1000 * of_processor / len(batches)}

    run_steps()
    peak_bytes = peak.bytes()
    for _ in sys.stdin:
        print(json.dumps({**run_steps(), "peak_bytes": peak_bytes}), flush=True)


def row(what, name, rounds):
    times = [answer["step_ms"] for answer in rounds]
    of_processor = statistics.median(answer["processor_ms"] for answer in rounds)
    memory = f"{rounds[0]['peak_bytes'] / MEBIBYTE:,.0f} MiB"
    print(f"| {what}| {name} | {statistics.median(times):,.2f} ms | {min(times):,.2f} ms | {of_processor:,.2f} ms | {memory} |")


def measure(arguments, data, path, threads):
    peer = Server([sys.executable, __file__, "--serve", path, "--threads", str(threads)])
    ours = Server([arguments.bench, data, str(arguments.steps), str(threads)])
    theirs, answers = [], []
    for round_number in range(arguments.rounds + 1):
        pair = peer.ask("round"), ours.ask("round")
        if round_number > 0:  # the first one warms up
            theirs.append(pair[0])
            answers.append(pair[1])
    peer.close()
    ours.close()
    row(f"{data}, {count(threads, 'thread')} ", "PyTorch", theirs)
    row("", "Edgewise", answers)
    parts = [f"{statistics.median(answer[part + '_ms'] for answer in answers):.2f} ms {part}"
             for part in ("forward", "backward", "update")]
    ratios = [p["step_ms"] / e["step_ms"] for p, e in zip(theirs, answers)]
    least = min(p["step_ms"] for p in theirs) / min(e["step_ms"] for e in answers)
    of_processor = [statistics.median(answer["processor_ms"] for answer in side) for side in (theirs, answers)]
    less = theirs[0]["peak_bytes"] / answers[0]["peak_bytes"]
    print(f"| | ratio | {statistics.median(ratios):.1f} | {least:.1f} | {of_processor[0] / of_processor[1]:.1f} | {less:.1f} |")
    print(f"| | of ours | {', '.join(parts)} | | | |", flush=True)


def main():
    parser = Parser(description=__doc__.splitlines()[0])
    parser.add_argument("--bench", default="build/bench_sequences", help="the benchmark that was built")
    parser.add_argument("--data", type=lambda text: text.split(","), default=["ewt", "fsdd"],
                        help="sets of the catalogue, or JSON files with a configuration")
    parser.add_argument("--steps", type=int, default=40, help="of one epoch, per round")
    parser.add_argument("--threads", type=list_of(int), default=[1], help="such as 1,2: a row for each")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    require("numpy", "torch")
    if arguments.serve:
        serve_pytorch(arguments.serve, arguments.threads[0])
        return

    require_program(arguments.bench, "--bench")
    from importlib.metadata import version

    print(f"A training step on 64 graphs, mean of {arguments.steps} steps, {arguments.rounds} rounds in turns, "
          f"PyTorch {version('torch')}\n")
    print("| data | | median | least | of the processor | peak memory |\n|---|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for data in arguments.data:
            path = os.path.join(folder, "steps.safetensors")
            run([arguments.bench, "--write", path, data, str(arguments.steps)])
            for threads in arguments.threads:
                measure(arguments, data, path, threads)


if __name__ == "__main__":
    main()
