"""One training step on 128 molecules: Edgewise compared to PyTorch Geometric and DGL, in turns, in one run.

Four GATv2 layers of 64 (4 heads x 16) with self loops, ReLU between them, mean readout, one target, Adam. All run on
the same graphs, written by bench_molecules. They take turns, so that a slow moment of the machine affects all.

    pip install -r apps/bench/peers/requirements.txt
    python apps/bench/peers/molecule_step.py --molecules molecules.csv --bench build/bench_molecules --threads 1

With --compiled the model of PyTorch Geometric also runs under torch.compile, with the fused Adam; it is compiled in the
round that warms up. With --dgl layers and readout are DGL's, with --torch the layers are those of edgewise.torch (pip
install ./apps/python), in an otherwise unchanged script.
"""

import argparse
import json
import os
import statistics
import sys
import tempfile

from turns import (Parser, add_peers, answer_rounds, count, fail, peers_of, print_rounds, require_peers,
                   require_program, run, take_turns, versions)

STEPS = 30
WARM_UP = 5


def make_model(kind, edges, sizes):
    """The model, from the layers of PyTorch Geometric, DGL or edgewise.torch."""
    import torch
    import torch.nn.functional as F

    if kind == "dgl":
        import dgl
        from dgl.nn import GATv2Conv as OfDgl

        graph = dgl.add_self_loop(dgl.graph((edges[0], edges[1]), num_nodes=int(sizes.sum())))
        graph.create_formats_()

        def layer():
            return OfDgl(64, 16, 4)

        def attend(layer, x):
            return layer(graph, x).flatten(1)

        def mean_of_graphs(x):
            return dgl.ops.segment_reduce(sizes, x, "mean")
    else:
        from torch_geometric.nn import global_mean_pool

        if kind == "torch":
            from edgewise.torch import GATv2Conv
        else:
            from torch_geometric.nn import GATv2Conv
        batch = torch.repeat_interleave(torch.arange(len(sizes)), sizes)

        def layer():
            return GATv2Conv(64, 16, heads=4)

        def attend(layer, x):
            return layer(x, edges)

        def mean_of_graphs(x):
            return global_mean_pool(x, batch, len(sizes))

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = torch.nn.ModuleList(layer() for _ in range(4))
            self.head = torch.nn.Linear(64, 1)

        def forward(self, x):
            for each in self.layers:
                x = F.relu(attend(each, x))
            return self.head(mean_of_graphs(x))

    return Model()


def serve(kind, path, threads):
    """Times rounds of training steps: answers each line of standard input with a line of JSON."""
    import torch
    import torch.nn.functional as F

    torch.set_num_threads(threads)
    if kind == "torch":
        import edgewise

        edgewise.set_threads(threads)
    with open(path) as file:
        graphs = json.load(file)
    sizes = torch.tensor(graphs["sizes"])
    edges = torch.tensor([graphs["sources"], graphs["targets"]])
    features = torch.randn(int(sizes.sum()), 64)
    targets = torch.randn(len(sizes), 1)
    model = make_model(kind, edges, sizes)
    optimiser = torch.optim.Adam(model.parameters(), lr=0.005, fused=kind == "compiled")
    run_model = torch.compile(model) if kind == "compiled" else model

    def step():
        optimiser.zero_grad()
        F.mse_loss(run_model(features), targets).backward()
        optimiser.step()

    answer_rounds(step, "step_ms", STEPS, WARM_UP)


def run_edgewise(binary, molecules, threads, graphs=None):
    command = [binary] + (["--graphs", graphs] if graphs else []) + [molecules, str(threads)]
    return json.loads(run(command))


def main():
    parser = Parser(description=__doc__.splitlines()[0])
    parser.add_argument("--bench", default="build/bench_molecules", help="the benchmark that was built")
    parser.add_argument("--molecules", default="datasets/hydrophilicity/molecules.csv")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--graphs", help=argparse.SUPPRESS)
    add_peers(parser)
    arguments = parser.parse_args()
    require_peers(arguments)
    if arguments.serve:
        serve(arguments.serve, arguments.graphs, arguments.threads)
        return

    require_program(arguments.bench, "--bench")
    if not os.path.exists(arguments.molecules):
        fail(f"{arguments.molecules}: no such file; name a table of molecules with --molecules")
    with tempfile.TemporaryDirectory() as folder:
        graphs = os.path.join(folder, "graphs.json")
        first = run_edgewise(arguments.bench, arguments.molecules, arguments.threads, graphs)
        sides = peers_of(arguments, [sys.executable, __file__, "--graphs", graphs, "--threads", str(arguments.threads)])
        sides["Edgewise"] = lambda: run_edgewise(arguments.bench, arguments.molecules, arguments.threads)
        results = take_turns(sides, arguments.rounds)
    print(f"4 GATv2 layers of 64 on {first['molecules']} molecules ({first['atoms']} atoms), one training step, "
          f"{count(arguments.threads, 'thread')}, {arguments.rounds} rounds in turns; {versions(arguments)}")
    print_rounds(results, "step_ms")
    print(f"of Edgewise's step, the batch takes {statistics.median(r['batch_ms'] for r in results['Edgewise']):.2f} ms")


if __name__ == "__main__":
    main()
