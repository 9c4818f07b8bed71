"""One training step on 128 molecules: Edgewise compared to PyTorch Geometric, in turns, in one run.

Four GATv2 layers of 64 (4 heads x 16) with self loops, ReLU between them, mean readout, one target, Adam. Both run on
the same graphs, written by bench_molecules. Rounds of both alternate, so that a slow moment of the machine affects both.

    pip install -r apps/bench/peers/requirements.txt
    python apps/bench/peers/molecule_step.py --molecules molecules.csv --bench build/bench_molecules --threads 1
"""

import argparse
import json
import os
import resource
import statistics
import sys
import tempfile
import time

from turns import Parser, Server, count, fail, require, require_program, run

STEPS = 30
WARM_UP = 5


def serve_pyg(path, threads):
    """Times rounds of training steps: answers each line of standard input with a line of JSON."""
    import torch
    import torch.nn.functional as F
    from torch_geometric.nn import GATv2Conv, global_mean_pool

    torch.set_num_threads(threads)
    with open(path) as file:
        graphs = json.load(file)
    sizes = torch.tensor(graphs["sizes"])
    batch = torch.repeat_interleave(torch.arange(len(sizes)), sizes)
    edges = torch.tensor([graphs["sources"], graphs["targets"]])
    features = torch.randn(int(sizes.sum()), 64)
    targets = torch.randn(len(sizes), 1)

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = torch.nn.ModuleList(GATv2Conv(64, 16, heads=4) for _ in range(4))
            self.head = torch.nn.Linear(64, 1)

        def forward(self, x):
            for layer in self.layers:
                x = F.relu(layer(x, edges))
            return self.head(global_mean_pool(x, batch, len(sizes)))

    model = Model()
    optimiser = torch.optim.Adam(model.parameters(), lr=0.005)
    for _ in sys.stdin:
        milliseconds = []
        for _ in range(WARM_UP + STEPS):
            start = time.perf_counter()
            optimiser.zero_grad()
            F.mse_loss(model(features), targets).backward()
            optimiser.step()
            milliseconds.append(1000 * (time.perf_counter() - start))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(json.dumps({"step_ms": statistics.median(milliseconds[WARM_UP:]), "peak_rss_mib": peak}), flush=True)


def run_edgewise(binary, molecules, threads, graphs=None):
    command = [binary] + (["--graphs", graphs] if graphs else []) + [molecules, str(threads)]
    return json.loads(run(command))


def main():
    parser = Parser(description=__doc__.splitlines()[0])
    parser.add_argument("--bench", default="build/bench_molecules", help="the benchmark that was built")
    parser.add_argument("--molecules", default="datasets/hydrophilicity/molecules.csv")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--serve-pyg", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    require("numpy", "torch", "torch_geometric")
    if arguments.serve_pyg:
        serve_pyg(arguments.serve_pyg, arguments.threads)
        return

    require_program(arguments.bench, "--bench")
    if not os.path.exists(arguments.molecules):
        fail(f"{arguments.molecules}: no such file; name a table of molecules with --molecules")
    with tempfile.TemporaryDirectory() as folder:
        graphs = os.path.join(folder, "graphs.json")
        first = run_edgewise(arguments.bench, arguments.molecules, arguments.threads, graphs)
        peer = Server([sys.executable, __file__, "--serve-pyg", graphs, "--threads", str(arguments.threads)])
        results = {"PyTorch Geometric": [], "Edgewise": []}
        for round_number in range(arguments.rounds + 1):
            pyg = peer.ask("round")
            ours = run_edgewise(arguments.bench, arguments.molecules, arguments.threads)
            if round_number > 0:  # the first one warms up
                results["PyTorch Geometric"].append(pyg)
                results["Edgewise"].append(ours)
        peer.close()

    print(f"4 GATv2 layers of 64 on {first['molecules']} molecules ({first['atoms']} atoms), one training step, "
          f"{count(arguments.threads, 'thread')}, {arguments.rounds} rounds in turns")
    for name, rounds in results.items():
        times = [r["step_ms"] for r in rounds]
        print(f"{name:18} median {statistics.median(times):8.2f} ms   min {min(times):8.2f}   max {max(times):8.2f}"
              f"   peak memory {max(r['peak_rss_mib'] for r in rounds):6.0f} MiB")
    print(f"of Edgewise's step, the batch takes {statistics.median(r['batch_ms'] for r in results['Edgewise']):.2f} ms")
    ratios = [p["step_ms"] / e["step_ms"] for p, e in zip(*results.values())]
    print(f"ratio, round by round: median {statistics.median(ratios):.1f}   min {min(ratios):.1f}   max {max(ratios):.1f}")


if __name__ == "__main__":
    main()
