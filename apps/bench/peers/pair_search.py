"""Beam search with a Transformer on captions in two languages: Edgewise compared to PyTorch, in turns, in one run.

Writes hypotheses for the captions of the test part of `multi30k` with a model file of `transformer_pair` with its
defaults. PyTorch has the same weights and pieces, searches 64 sources side by side, keeps the keys and values of the
decoder between steps and those of the sources from the first on; its time is that of the search alone. That of Edgewise
is the whole command, from the model file to the table. The rule is that of Edgewise: the `--beam` most probable
continuations of a source go on, one that ends is a result, and a source is done when it has as many results.

    pip install -r apps/bench/peers/requirements.txt
    EDGEWISE_DATA=... python apps/bench/peers/pair_search.py model.safetensors --edgewise build/edgewise --beam 5
"""

import argparse
import csv
import gzip
import json
import os
import resource
import sys
import tempfile
import time

from transformer_pair import MARK, encoder, make_model, read_vocabularies, read_weights
from turns import (MEBIBYTE, Parser, PeakMemory, Server, count, data_folder, print_rounds, require,
                   require_program, run, take_turns)

AT_ONCE = 64


def read_captions(lines):
    path = os.path.join(data_folder("multi30k"), "test_2016_flickr.en.gz")
    with gzip.open(path, "rt") as file:
        return file.read().splitlines()[:lines]


def search(model, sources, beam):
    """The tokens of the best hypothesis of each source."""
    import torch
    from torch.nn.utils.rnn import pad_sequence

    is_there = pad_sequence([torch.ones(len(source), dtype=torch.bool) for source in sources], batch_first=True)
    mask = is_there[:, None, None, :]
    padded = pad_sequence([torch.tensor(source) for source in sources], batch_first=True)
    rows = model.encoder(padded, [(None, {"attn_mask": mask})])
    decoder = model.decoder
    memories = [layer.attentions[1].keys(rows).repeat_interleave(beam, 1) for layer in decoder.layers]
    mask = mask.repeat_interleave(beam, 0)
    pasts = [None] * len(decoder.layers)

    found = [[] for _ in sources]  # (log probability / tokens, tokens)
    pairs = torch.arange(len(sources))  # those whose search goes on
    longest = torch.tensor([2 * len(source) + 20 for source in sources])
    going = torch.full((len(sources), beam), -torch.inf)  # log probabilities
    going[:, 0] = 0
    written = torch.full((len(sources) * beam, 1), MARK)
    while len(pairs) > 0:
        length = written.shape[1]
        x = decoder.norm(decoder.embedding(written[:, -1:])) + decoder.places[length - 1]
        for i, layer in enumerate(decoder.layers):
            x, pasts[i] = layer.step(x, pasts[i], memories[i], mask)
        logits = model.outputs(decoder.last_norm(x[:, 0]))
        total = going.view(-1, 1) + torch.log_softmax(logits, 1)
        going, places = total.view(len(pairs), -1).topk(beam)
        parents = (torch.arange(len(pairs))[:, None] * beam + places // logits.shape[1]).flatten()
        tokens = places % logits.shape[1]
        written = torch.cat([written[parents], tokens.view(-1, 1)], 1)

        ends = going.isfinite() & ((tokens == MARK) | (longest <= length)[:, None])
        for pair, place in ends.nonzero().tolist():
            words = [token for token in written[pair * beam + place].tolist() if token != MARK]
            found[pairs[pair]].append((going[pair, place].item() / length, words))
        going = going.masked_fill(ends, -torch.inf)
        enough = torch.tensor([len(found[pair]) >= beam for pair in pairs])
        kept = (going.isfinite().any(1) & ~enough).nonzero().flatten()
        rows = (kept[:, None] * beam + torch.arange(beam)).flatten()
        pairs, longest, going = pairs[kept], longest[kept], going[kept]
        written, mask = written[rows], mask[rows]
        pasts = [past[:, parents[rows]] for past in pasts]
        memories = [memory[:, rows] for memory in memories]
    return [max(results)[1] for results in found]


def serve(model_file, lines, beam, threads):
    """Times searches: answers each line of standard input with a line of JSON."""
    import torch

    torch.set_num_threads(threads)
    source, target = read_vocabularies(model_file)
    encode = encoder(source)
    sources = [encode(caption) for caption in read_captions(lines)]
    longest = 21 + 2 * max(map(len, sources))
    model = make_model(len(source["tokens"]), len(target["tokens"]), longest)
    read_weights(model_file, model)
    model.eval()
    for _ in sys.stdin:
        peak = PeakMemory()
        start = time.perf_counter()
        best = []
        with torch.inference_mode():
            for begin in range(0, len(sources), AT_ONCE):
                best += search(model, sources[begin:begin + AT_ONCE], beam)
        milliseconds = 1000 * (time.perf_counter() - start)
        texts = ["".join(target["tokens"][token] for token in tokens).replace("</w>", " ").strip() for tokens in best]
        print(json.dumps({"ms": milliseconds, "peak_rss_mib": peak.of_process() / MEBIBYTE, "texts": texts,
                          "tokens": sum(map(len, best))}), flush=True)


def run_edgewise(binary, model, captions, out, beam, threads):
    start = time.perf_counter()
    run([binary, "predict", model, "--pairs", captions, "--beam", str(beam), "--threads", str(threads), "--out", out])
    milliseconds = 1000 * (time.perf_counter() - start)
    with open(out, newline="") as file:
        texts = [row["predicted"] for row in csv.DictReader(file) if row["rank"] == "1"]
    peak = 1024 * resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss  # of all runs so far
    return {"ms": milliseconds, "peak_rss_mib": peak / MEBIBYTE, "texts": texts}


def main():
    parser = Parser(description=__doc__.splitlines()[0])
    parser.add_argument("model", help="a model file of transformer_pair on multi30k")
    parser.add_argument("--edgewise", default="build/edgewise", help="the command line that was built")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--beam", type=int, default=5)
    parser.add_argument("--lines", type=int, default=200, help="captions of the test part")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    require("torch")
    if arguments.serve:
        return serve(arguments.model, arguments.lines, arguments.beam, arguments.threads)
    require_program(arguments.edgewise, "--edgewise")
    with tempfile.TemporaryDirectory() as folder:
        captions, out = os.path.join(folder, "captions.txt"), os.path.join(folder, "out.csv")
        with open(captions, "w") as file:
            file.writelines(line + "\n" for line in read_captions(arguments.lines))
        peer = Server([sys.executable, __file__, *sys.argv[1:], "--serve"], OMP_NUM_THREADS=str(arguments.threads))
        results = take_turns({"PyTorch": lambda: peer.ask("round"),
                              "Edgewise": lambda: run_edgewise(arguments.edgewise, arguments.model, captions, out,
                                                               arguments.beam, arguments.threads)}, arguments.rounds)
        peer.close()
    theirs, ours = results["PyTorch"][-1], results["Edgewise"][-1]
    same = sum(a == b for a, b in zip(theirs["texts"], ours["texts"]))
    print(f"beam search of {arguments.beam}, {count(arguments.lines, 'caption')}, {theirs['tokens']:,} tokens, "
          f"{count(arguments.threads, 'thread')}, {arguments.rounds} rounds in turns; the same answer for {same}")
    print_rounds(results, "ms")


if __name__ == "__main__":
    main()
