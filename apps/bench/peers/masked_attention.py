"""Dense attention with a mask in PyTorch, on the masks of `edgewise bench attention`; optionally compared to Edgewise.

Measures `scaled_dot_product_attention` with a boolean mask, which each call converts to numbers, and with an additive
mask of 0 and -inf; and `flex_attention`, compiled, with a block mask. Forward, and forward and backward to query, key
and value. The masks are those that Edgewise draws from the same seed. Making masks and block masks and compiling are
not timed. Each operator runs in its own process, they take turns, and peak memory is that of the process on top of the
mask and the inputs. Before timing, outputs and gradients of some rows are compared with a float64 reference. If an
operator does not run, or would take too much memory or time, its row says why.

flex_attention needs a C++ compiler at run time.

    pip install -r apps/bench/peers/requirements.txt
    python apps/bench/peers/masked_attention.py --threads 1,2 --out masked.json --csv masked.csv
    python apps/bench/peers/masked_attention.py --threads 1,2 --edgewise build/edgewise
"""

import argparse
import csv
import json
import os
import re
import statistics
import sys
import tempfile
import time
from importlib.metadata import version

from turns import MEBIBYTE, Parser, PeakMemory, Server, count, fail, list_of, require, require_program, run

OPERATORS = {"sdpa": "scaled_dot_product_attention", "sdpa_added": "scaled_dot_product_attention, added mask",
             "flex": "flex_attention"}
PASSES = ["forward", "training"]
OURS = ["sparse_fused", "dense_tiled"]
AGREEMENT_BOUND = 1e-4  # of the largest entry, as in `edgewise bench attention`
CHECKED_ROWS = 64
COLUMNS = ["threads", "nodes", "edges", "density", "asked_density", "pass", "variant", "skipped", "median_ms",
           "least_ms", "rounds", "calls", "peak_bytes", "output_difference", "gradient_difference"]


class Random:
    """The random numbers of `edgewise::Random`, many at a time."""

    GOLDEN = 0x9E3779B97F4A7C15
    GENERATE = 4  # edgewise::Stream::generate

    def __init__(self, seed, *purpose):
        import numpy

        self.key, self.position = numpy.array([self.mix_one(seed, self.GENERATE, *purpose)], numpy.uint64), 0

    @staticmethod
    def mix(x):
        import numpy

        x = (x ^ (x >> numpy.uint64(30))) * numpy.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> numpy.uint64(27))) * numpy.uint64(0x94D049BB133111EB)
        return x ^ (x >> numpy.uint64(31))

    @classmethod
    def mix_one(cls, seed, *numbers):
        import numpy

        key = cls.mix(numpy.array([(seed + cls.GOLDEN) % 2**64], numpy.uint64))
        for number in numbers:
            key = cls.mix(key + numpy.array([cls.GOLDEN * (number + 1) % 2**64], numpy.uint64))
        return key[0]

    def uniform(self, count):
        import numpy

        places = numpy.arange(self.position + 1, self.position + 1 + count, dtype=numpy.uint64)
        self.position += count
        return (self.mix(self.key + numpy.uint64(self.GOLDEN) * places) >> numpy.uint64(11)) * 2.0**-53


def random_mask(nodes, density, seed):
    """As `edgewise::graph::random_mask`: gaps between the edges of a row are geometric, 512 rows share a stream."""
    import numpy

    rows_of_stream, purpose = 512, 4  # kRows, kMask
    mask = numpy.full((nodes, nodes), density == 1)
    if density == 1:
        return mask
    for first in range(0, nodes, rows_of_stream):
        random = Random(seed, purpose, first // rows_of_stream)
        rows = min(rows_of_stream, nodes - first)
        batch = int(rows * (nodes * density + 1)) + 1000
        ends = numpy.empty(0, numpy.int64)  # the position after each edge if rows had no end
        at = 0
        for row in range(first, first + rows):
            start = ends[at - 1] if at > 0 else 0
            while not len(ends) or ends[-1] - start < nodes + 1:
                gaps = numpy.floor(numpy.log(1 - random.uniform(batch)) / numpy.log1p(-density)).astype(numpy.int64)
                ends = numpy.concatenate([ends, numpy.cumsum(gaps + 1) + (ends[-1] if len(ends) else 0)])
            beyond = at + numpy.searchsorted(ends[at:], start + nodes, side="right")
            columns = ends[at:beyond] - start - 1
            mask[row, columns] = True
            is_at_end = len(columns) > 0 and columns[-1] == nodes - 1  # then no draw is needed to find the end
            at = beyond if is_at_end else beyond + 1
    return mask


def reason(error):
    """The first sentence of the original error."""
    text = str(error)
    raised = re.search(r"raised exception \w+\((['\"])(.*?)\1\)", text)  # TorchDynamo quotes the original error
    text = raised.group(2) if raised else text
    return f"does not run: {text.strip().splitlines()[0].split('. ')[0].rstrip('.')}"


def reference(mask, query, key, value, gradient, rows):
    """The output of `rows`, and their contribution to the gradients of query (of those rows), key and value."""
    import torch

    query, key, value = (x[0].double() for x in (query, key, value))
    query, gradient = query[:, rows], gradient[0, :, rows].double()
    scale = query.shape[-1] ** -0.5
    weights = (scale * query @ key.mT).masked_fill_(~mask[rows], -torch.inf).softmax(-1).nan_to_num_()  # empty rows: 0
    output = weights @ value
    of_scores = weights * (gradient @ value.mT - (gradient * output).sum(-1, keepdim=True))
    return output, (scale * of_scores @ key, scale * of_scores.mT @ query, weights.mT @ gradient)


def difference(theirs, ours, scale=0.0):
    largest = max(theirs.abs().max().item(), scale)
    apart = (theirs - ours.double()).abs().max().item()
    return apart / largest if largest > 0 else apart


def serve(arguments):
    """Reads a pass and a number of seconds from each line of standard input and answers with a line of JSON."""
    import numpy
    import torch
    import torch.nn.functional as F
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention

    torch.set_num_threads(arguments.threads[0])
    torch.manual_seed(arguments.seed)
    nodes, = arguments.nodes
    packed = numpy.load(arguments.serve)
    mask = torch.from_numpy(numpy.unpackbits(packed, axis=1, count=nodes).view(bool))
    shape = (1, arguments.heads, nodes, arguments.width)
    query, key, value, gradient = (torch.rand(shape) * 2 - 1 for _ in range(4))
    if arguments.operators != ["flex"]:
        is_added = arguments.operators == ["sdpa_added"]
        given = torch.zeros(nodes, nodes).masked_fill_(~mask, -torch.inf) if is_added else mask

        def attend(*inputs):
            return F.scaled_dot_product_attention(*inputs, attn_mask=given)
    else:
        block_mask = create_block_mask(lambda b, h, i, j: mask[i, j], 1, 1, nodes, nodes, device="cpu")
        compiled = torch.compile(flex_attention, fullgraph=True, dynamic=False)

        def attend(*inputs):
            return compiled(*inputs, block_mask=block_mask)

    def call(name, gradient):
        if name == "forward":
            with torch.no_grad():
                return attend(query, key, value), None
        inputs = [x.detach().requires_grad_() for x in (query, key, value)]
        output = attend(*inputs)
        return output.detach(), torch.autograd.grad(output, inputs, gradient)

    def check(name):
        rows = torch.arange(0, nodes, max(1, nodes // CHECKED_ROWS))
        sparse_gradient = torch.zeros_like(gradient)
        sparse_gradient[:, :, rows] = gradient[:, :, rows]
        output, gradients = call(name, sparse_gradient)
        expected, expected_gradients = reference(mask, query, key, value, gradient, rows)
        answer = {"output_difference": difference(expected, output[0][:, rows]), "gradient_difference": None}
        if gradients:
            gradients = [gradients[0][0][:, rows], gradients[1][0], gradients[2][0]]
            answer["gradient_difference"] = max(difference(theirs, ours, 0.01)
                                                for theirs, ours in zip(expected_gradients, gradients))
        return answer

    def measure_memory(name):
        peak = PeakMemory()
        start = time.perf_counter()
        call(name, gradient)
        return {"seconds": time.perf_counter() - start, "peak_bytes": peak.bytes()}

    def sample(name, calls):
        start = time.perf_counter()
        for _ in range(calls):
            call(name, gradient)
        return {"ms": 1000 * (time.perf_counter() - start) / calls}

    for line in sys.stdin:
        request = json.loads(line)
        try:
            if "calls" in request:
                answer = sample(request["pass"], request["calls"])
            else:
                answer = {**check(request["pass"]), **measure_memory(request["pass"])}
        except Exception as error:  # PyTorch may not support this case
            answer = {"skipped": reason(error)}
        print(json.dumps(answer), flush=True)


class Forecast:
    """Estimates time and memory, which for dense attention grow with the pairs, whatever the density."""

    def __init__(self, arguments):
        self.arguments = arguments
        self.known = {}  # (threads, operator, pass): pairs, seconds, bytes

    def learn(self, *of, pairs, seconds, peak_bytes):
        self.known[of] = (pairs, seconds, peak_bytes)

    def reason_to_skip(self, *of, pairs):
        known_pairs, seconds, peak_bytes = self.known.get(of, (1, 0, 0))
        # The mask, and the memory to make it, the block mask or the additive mask.
        needed = 8 * pairs + peak_bytes * pairs / known_pairs
        if needed > self.arguments.max_memory * 2**30:
            return f"would need {needed / 2**30:.1f} GiB"
        if seconds * pairs / known_pairs > self.arguments.max_seconds:
            return f"would take {seconds * pairs / known_pairs:.1f} s per call"
        return None


def run_edgewise(arguments, threads, nodes, density, edges):
    """The variants of each pass, as measured by `edgewise bench attention`."""
    command = [arguments.edgewise, "bench", "attention", "--json", "--variants", ",".join(OURS)]
    for flag, value in {"threads": threads, "nodes": nodes, "density": density, "heads": arguments.heads,
                        "width": arguments.width, "seed": arguments.seed, "max-seconds": arguments.max_seconds,
                        "max-memory": arguments.max_memory}.items():
        command += [f"--{flag}", str(value)]
    rows = {row["pass"]: row for row in json.loads(run(command))["rows"]}
    for row in rows.values():
        if row["edges"] != edges and any(variant["skipped"] is None for variant in row["variants"]):
            fail(f"{nodes} nodes at a density of {density}: Edgewise's mask has {row['edges']} edges, ours {edges}")
    return {name: row["variants"] for name, row in rows.items()}


def measure_cell(arguments, forecast, threads, nodes, density, mask_path):
    """Variants by pass: the measurement, or the reason for skipping it, of each operator and of Edgewise."""
    variants = {name: [] for name in PASSES}
    servers = {}
    running = []  # server, pass, result
    for operator in arguments.operators:
        for name in PASSES:
            result = {"variant": OPERATORS[operator]}
            variants[name].append(result)
            of = threads, operator, name
            result["skipped"] = forecast.reason_to_skip(*of, pairs=nodes**2)
            if result["skipped"]:
                continue
            if operator not in servers:
                servers[operator] = Server([sys.executable, __file__, "--serve", mask_path, "--operators", operator,
                                            "--threads", str(threads), "--nodes", str(nodes), "--seed",
                                            str(arguments.seed), "--heads", str(arguments.heads), "--width",
                                            str(arguments.width)])
            answer = servers[operator].ask(json.dumps({"pass": name}))
            if "skipped" in answer:
                result["skipped"] = answer["skipped"]
                continue
            for what in ("output_difference", "gradient_difference"):
                result[what] = answer[what]
                if answer[what] is not None and not answer[what] <= AGREEMENT_BOUND:
                    fail(f"{OPERATORS[operator]} at {nodes} nodes and a density of {density}, {name}: {what} is "
                         f"{answer[what]:.2g} of the largest entry, the bound is {AGREEMENT_BOUND:.0e}")
            forecast.learn(*of, pairs=nodes**2, seconds=answer["seconds"], peak_bytes=answer["peak_bytes"])
            result["peak_bytes"] = answer["peak_bytes"]
            result["calls"] = max(1, min(1000, int(arguments.time / answer["seconds"])))
            running.append((servers[operator], name, result, []))
    return variants, servers, running


def measure(arguments, forecast, threads, nodes, density, mask_path, edges):
    variants, servers, running = measure_cell(arguments, forecast, threads, nodes, density, mask_path)
    for round_number in range(arguments.rounds):
        for server, name, result, times in running:
            times.append(server.ask(json.dumps({"pass": name, "calls": result["calls"]}))["ms"])
        if arguments.edgewise and round_number == arguments.rounds // 2:
            for name, ours in run_edgewise(arguments, threads, nodes, density, edges).items():
                variants[name] += [{**variant, "variant": "Edgewise, " + variant["variant"]} for variant in ours]
    for _, _, result, times in running:
        result.update(median_ms=statistics.median(times), least_ms=min(times), rounds=len(times))
    for server in servers.values():
        server.close()
    return [{"threads": threads, "nodes": nodes, "edges": edges, "density": edges / nodes**2, "asked_density": density,
             "pass": name, "variants": variants[name]} for name in PASSES]


def print_row(row):
    ours = next((variant["least_ms"] for variant in row["variants"]
                 if variant["variant"] == "Edgewise, sparse_fused" and not variant["skipped"]), None)
    where = f"{row['threads']} | {row['nodes']:,} | {100 * row['asked_density']:g} % | {row['pass']}"
    for variant in row["variants"]:
        if variant["skipped"]:
            cells = f"{variant['skipped']} | – | – | –"
        else:
            memory = f"{variant['peak_bytes'] / MEBIBYTE:,.0f} MiB" if variant["peak_bytes"] is not None else "–"
            ratio = f"{variant['least_ms'] / ours:.2f}" if ours else "–"
            cells = f"{variant['median_ms']:,.2f} ms | {variant['least_ms']:,.2f} ms | {ratio} | {memory}"
        print(f"| {where} | {variant['variant']} | {cells} |", flush=True)


def write(arguments, rows):
    if arguments.csv:
        with open(arguments.csv, "w", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, extrasaction="ignore", lineterminator="\n")
            writer.writeheader()
            writer.writerows({**row, **variant} for row in rows for variant in row["variants"])
    if arguments.out:
        with open(arguments.out, "w") as file:
            json.dump({"command": sys.argv, "torch": version("torch"), "heads": arguments.heads,
                       "width": arguments.width, "seed": arguments.seed, "agreement_bound": AGREEMENT_BOUND,
                       "rows": rows}, file, indent=1)
            file.write("\n")


def main():
    parser = Parser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", type=list_of(int), default=[1024, 2048, 4096, 8192, 16384])
    parser.add_argument("--density", type=list_of(float, 1e-9, 1), default=[0.01, 0.05, 0.1, 0.25, 0.5],
                        help="shares of all pairs that are edges")
    parser.add_argument("--operators", type=lambda text: text.split(","), default=list(OPERATORS),
                        help=",".join(OPERATORS))
    parser.add_argument("--heads", type=int, default=4)
    parser.add_argument("--width", type=int, default=16, help="of each head")
    parser.add_argument("--threads", type=list_of(int), default=[1, 2])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--time", type=float, default=0.1, help="seconds of calls per round, at least one call")
    parser.add_argument("--max-memory", type=float, default=20, help="GiB; what would need more is skipped")
    parser.add_argument("--max-seconds", type=float, default=60, help="what would take longer per call is skipped")
    parser.add_argument("--seed", type=int, default=0, help="of the masks, as in `edgewise bench attention`")
    parser.add_argument("--edgewise", help="the command line that was built, to have its variants in the table")
    parser.add_argument("--out", help="results as JSON")
    parser.add_argument("--csv", help="results as CSV")
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    for operator in arguments.operators:
        if operator not in OPERATORS:
            parser.error(f"--operators: there are {', '.join(OPERATORS)}; got {operator}")
    if arguments.rounds < 1:
        parser.error("--rounds: expected at least 1")
    require("numpy", "torch")
    if arguments.serve:
        serve(arguments)
        return
    if arguments.edgewise:
        require_program(arguments.edgewise, "--edgewise")

    import numpy

    print(f"Dot product, {arguments.heads} heads × {arguments.width}, PyTorch {version('torch')}; "
          f"{count(arguments.rounds, 'round')} in turns; ratio: the least, over the least of Edgewise's sparse_fused\n")
    print("| threads | nodes | density | pass | | median | least | ratio | peak memory |\n|" + 9 * "---|", flush=True)
    forecast = Forecast(arguments)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        mask_path = os.path.join(folder, "mask.npy")
        for nodes in sorted(arguments.nodes):
            for density in arguments.density:
                mask = random_mask(nodes, density, arguments.seed)
                edges = int(mask.sum())
                numpy.save(mask_path, numpy.packbits(mask, axis=1))
                del mask
                for threads in arguments.threads:
                    for row in measure(arguments, forecast, threads, nodes, density, mask_path, edges):
                        print_row(row)
                        rows.append(row)
                    write(arguments, rows)  # after each cell, as a sweep takes long


if __name__ == "__main__":
    main()
