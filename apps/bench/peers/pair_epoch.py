"""One training epoch of the Transformer on captions in two languages: Edgewise compared to PyTorch, in turns, in one run.

The preset `transformer_pair` with the defaults of pairs (128 columns, 4 heads, 3 + 3 layers, dropout 0.1, label
smoothing 0.1) on a share of `multi30k`, cut into the same pieces, 64 pairs per step, AdamW, clipping at 1. PyTorch pads
each batch to its longest sentence, and uses embeddings, scaled_dot_product_attention with masks, and the fused AdamW.
An epoch of PyTorch has as many pairs of the training part, drawn at random. Each runs in its own process, whose peak
memory is measured.

    pip install -r apps/bench/peers/requirements.txt
    EDGEWISE_DATA=... python apps/bench/peers/pair_epoch.py --edgewise build/edgewise --threads 1 --share 0.05
"""

import argparse
import gzip
import json
import math
import os
import random
import sys
import tempfile

from transformer_pair import MARK, encoder, make_model, read_vocabularies
from turns import (Parser, Server, answer_rounds, count, data_folder, print_rounds, require, require_program, run,
                   take_turns)

SMOOTHING, BATCH, PADDING = 0.1, 64, -100


def read_pairs(folder, vocabularies, share):
    def lines(language):
        with gzip.open(os.path.join(folder, f"train.{language}.gz"), "rt") as file:
            return file.read().splitlines()

    encode_source, encode_target = map(encoder, vocabularies)
    drawn = list(zip(lines("en"), lines("de")))
    random.Random(0).shuffle(drawn)
    drawn = drawn[:math.ceil(share * len(drawn))]
    return [(encode_source(source), encode_target(target)) for source, target in drawn]


def padded_batches(pairs):
    import torch
    from torch.nn.utils.rnn import pad_sequence

    def pad(rows, value):
        return pad_sequence([torch.tensor(row) for row in rows], batch_first=True, padding_value=value)

    order = random.sample(range(len(pairs)), len(pairs))
    for begin in range(0, len(order), BATCH):
        sources, targets = zip(*(pairs[i] for i in order[begin:begin + BATCH]))
        is_there = pad([[1] * len(source) for source in sources], 0).bool()
        yield (pad(sources, MARK), is_there, pad([[MARK, *target] for target in targets], MARK),
               pad([[*target, MARK] for target in targets], PADDING))


def serve(folder, model_file, share, threads):
    """Times epochs: answers each line of standard input with a line of JSON."""
    import torch
    import torch.nn.functional as F

    torch.set_num_threads(threads)
    vocabularies = read_vocabularies(model_file)
    pairs = read_pairs(folder, vocabularies, share)
    longest = 1 + max(len(side) for pair in pairs for side in pair)
    model = make_model(*(len(vocabulary["tokens"]) for vocabulary in vocabularies), longest)
    optimiser = torch.optim.AdamW(model.parameters(), lr=0.001, weight_decay=0.01, fused=True)
    model.train()

    def epoch():
        for source, is_there, target, label in padded_batches(pairs):
            optimiser.zero_grad()
            logits = model(source, is_there, target)
            F.cross_entropy(logits.flatten(0, 1), label.flatten(), label_smoothing=SMOOTHING).backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1)
            optimiser.step()

    answer_rounds(epoch, "epoch_ms")


def train_edgewise(binary, share, threads, epochs, *more):
    return json.loads(run([binary, "train", "multi30k", "--keep-share", str(share), "--epochs", str(epochs), "--threads",
                           str(threads), "--json", *more]).splitlines()[-1])


def run_edgewise(binary, share, threads):
    with tempfile.TemporaryDirectory() as folder:
        metrics = os.path.join(folder, "epochs.jsonl")
        result = train_edgewise(binary, share, threads, 2, "--metrics", metrics)
        with open(metrics) as file:
            epochs = [line for line in map(json.loads, file) if line["event"] == "epoch"]
    return {"epoch_ms": epochs[-1]["step_ms"], "peak_rss_mib": result["peak_rss_mib"]}


def main():
    parser = Parser(description=__doc__.splitlines()[0])
    parser.add_argument("--edgewise", default="build/edgewise", help="the command line that was built")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--share", type=float, default=0.05, help="of the training part")
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    require("torch")
    folder = data_folder("multi30k")
    if arguments.serve:
        return serve(folder, arguments.serve, arguments.share, arguments.threads)
    require_program(arguments.edgewise, "--edgewise")
    with tempfile.TemporaryDirectory() as files:
        model = os.path.join(files, "model.safetensors")
        train_edgewise(arguments.edgewise, arguments.share, arguments.threads, 1, "--out", model)
        peer = Server([sys.executable, __file__, "--serve", model, "--share", str(arguments.share), "--threads",
                       str(arguments.threads)], OMP_NUM_THREADS=str(arguments.threads))
        sides = {"PyTorch": lambda: peer.ask("round"),
                 "Edgewise": lambda: run_edgewise(arguments.edgewise, arguments.share, arguments.threads)}
        print(f"transformer_pair on {arguments.share:.0%} of multi30k, one training epoch, "
              f"{count(arguments.threads, 'thread')}, {arguments.rounds} rounds in turns")
        print_rounds(take_turns(sides, arguments.rounds), "epoch_ms")
        peer.close()


if __name__ == "__main__":
    main()
