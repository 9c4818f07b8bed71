"""The layers of edgewise.torch in place of those of PyTorch Geometric.

`python tests/python/layers_test.py` writes values of PyTorch Geometric to layers.json, for where it is not installed.
"""

import copy
import inspect
import json
import pathlib
import pickle

import pytest

torch = pytest.importorskip("torch")

import edgewise
import edgewise.torch

VALUES = pathlib.Path(__file__).parent / "layers.json"
NODES, TARGETS, COLUMNS, FEATURES, HEADS, WIDTH = 6, 4, 4, 2, 2, 3
PAIR = {"in_channels": (COLUMNS, COLUMNS + 1)}
EDGES = torch.tensor([[0, 1, 2, 3, 4, 5, 0, 2, 2, 1], [1, 0, 3, 3, 2, 0, 0, 1, 1, 0]])  # with loops, and one edge twice
SHARED = [
    {},
    {"concat": False},
    {"edge_dim": FEATURES},
    {"edge_dim": FEATURES, "concat": False, "bias": False},
    {"heads": 1, "bias": False},
    PAIR,
    {**PAIR, "edge_dim": FEATURES, "concat": False},
]
LOOPED = [
    {"add_self_loops": False},
    {"add_self_loops": False, "edge_dim": FEATURES},
    {"residual": True, "concat": False},
    {**PAIR, "residual": True},
    {"negative_slope": 0.05},
    *({"edge_dim": FEATURES, "fill_value": fill} for fill in ("add", "min", "max", "mul", 0.5)),
]
OPTIONS = {
    "GATConv": SHARED + LOOPED,
    "GATv2Conv": SHARED + LOOPED + [{"share_weights": True}, {"share_weights": True, "edge_dim": FEATURES}],
    "TransformerConv": SHARED
    + [{"beta": True}, {"beta": True, "concat": False}, {"root_weight": False}, {"beta": True, "root_weight": False}],
}
CASES = [(name, options) for name, all_options in OPTIONS.items() for options in all_options]
NAMES = [f"{name}({', '.join(f'{key}={value}' for key, value in options.items())})" for name, options in CASES]


def numbers(*shape, phase):
    """The same on every machine."""
    count = torch.Size(shape).numel()
    return torch.sin(torch.arange(count, dtype=torch.float64) * 0.7 + phase).view(shape).float()


def made(module, name, options):
    layer = getattr(module, name)(**{"in_channels": COLUMNS, "heads": HEADS, **options}, out_channels=WIDTH)
    with torch.no_grad():
        for i, (_, parameter) in enumerate(sorted(layer.named_parameters())):
            parameter.copy_(numbers(*parameter.shape, phase=i))
    return layer


def inputs(options, dtype=torch.float32):
    """x or (x_src, x_dst), the edges, and their features or None; tensors of numbers require gradients."""
    x = numbers(NODES, COLUMNS, phase=1).to(dtype).requires_grad_()
    if "in_channels" in options:
        x = (x, numbers(TARGETS, COLUMNS + 1, phase=2).to(dtype).requires_grad_())
    features = numbers(EDGES.size(1), FEATURES, phase=3).to(dtype).requires_grad_()
    return x, EDGES.clone(), features if "edge_dim" in options else None


def results(layer, options, dtype=torch.float32):
    """The output, and the gradients of what goes in and of the parameters, by name."""
    x, edges, features = inputs(options, dtype)
    out = layer(x, edges, features)
    (out * numbers(*out.shape, phase=4).to(dtype)).sum().backward()
    tensors = {"x_src": x[0], "x_dst": x[1]} if isinstance(x, tuple) else {"x": x}
    tensors.update({} if features is None else {"edge_attr": features}, **dict(layer.named_parameters()))
    return {"out": out.detach(), **{name: tensor.grad for name, tensor in tensors.items() if tensor.grad is not None}}


def check_close(ours, theirs, **tolerances):
    assert ours.keys() == theirs.keys()
    for name, expected in theirs.items():
        torch.testing.assert_close(ours[name], expected, msg=lambda text: f"{name}: {text}", **tolerances)


@pytest.fixture(scope="module")
def peers():
    return pytest.importorskip("torch_geometric.nn", reason="torch_geometric is not installed")


@pytest.mark.parametrize("name, options", CASES, ids=NAMES)
def test_values_of_pytorch_geometric(name, options):
    expected = json.loads(VALUES.read_text())[NAMES[CASES.index((name, options))]]
    found = results(made(edgewise.torch, name, options), options)
    assert found.keys() == expected.keys()
    for key, values in expected.items():
        torch.testing.assert_close(found[key].flatten(), torch.tensor(values), rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=["float32", "float64"])
@pytest.mark.parametrize("name, options", CASES, ids=NAMES)
def test_same_as_pytorch_geometric(peers, name, options, dtype):
    layer, peer = (made(module, name, options).to(dtype) for module in (edgewise.torch, peers))
    tolerances = {"rtol": 1e-4, "atol": 1e-5} if dtype == torch.float32 else {"rtol": 1e-9, "atol": 1e-12}
    check_close(results(layer, options, dtype), results(peer, options, dtype), **tolerances)


@pytest.mark.parametrize("name, options", CASES, ids=NAMES)
def test_kernel_and_operations_of_pytorch_agree(name, options):
    layer = made(edgewise.torch, name, options)
    x, edges, features = inputs(options)
    constant = None if features is None else features.detach()
    out = layer(x, edges, constant)  # without a gradient of the features, by the kernel
    torch.testing.assert_close(out, layer(x, edges, features), rtol=1e-4, atol=1e-5)
    if not isinstance(x, tuple):
        loops = getattr(layer, "add_self_loops", False)
        mask = edgewise.Mask(
            edges, NODES, self_loops=loops, edge_features=constant, fill_value=options.get("fill_value", "mean")
        )
        torch.testing.assert_close(layer(x, mask), out, rtol=0, atol=0)
        torch.testing.assert_close(layer(x, mask, constant), out, rtol=0, atol=0)


@pytest.mark.parametrize("name, options", CASES, ids=NAMES)
def test_the_same_seed_makes_the_same_state(peers, name, options):
    states = []
    for module in (edgewise.torch, peers):
        torch.manual_seed(3)
        layer = getattr(module, name)(**{"in_channels": COLUMNS, "heads": HEADS, **options}, out_channels=WIDTH)
        states.append(layer.state_dict())
        layer.reset_parameters()
        states[-1].update({f"again.{key}": value for key, value in layer.state_dict().items()})
    check_close(*states)


@pytest.mark.parametrize("name", OPTIONS)
def test_arguments_are_those_of_pytorch_geometric(peers, name):
    ours, theirs = (getattr(module, name) for module in (edgewise.torch, peers))
    for method in ("__init__", "forward"):
        arguments = [
            [(p.name, p.default) for p in inspect.signature(getattr(layer, method)).parameters.values() if p.kind != 4]
            for layer in (ours, theirs)
        ]
        assert arguments[0] == arguments[1]
    assert repr(ours((8, -1), 4, 2)) == repr(theirs((8, -1), 4, 2))


@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("options", [{}, {"edge_dim": FEATURES}])
@pytest.mark.parametrize("name", OPTIONS)
def test_returns_attention_weights(peers, name, options, training):
    layer, peer = (made(module, name, options) for module in (edgewise.torch, peers))
    x, edges, features = inputs(options)
    out, (index, weights) = layer(x, edges, features, return_attention_weights=True)
    expected, (expected_index, expected_weights) = peer(x, edges, features, return_attention_weights=True)
    torch.testing.assert_close(out, expected, rtol=1e-4, atol=1e-5)
    assert torch.equal(index, expected_index)
    torch.testing.assert_close(weights, expected_weights, rtol=1e-4, atol=1e-5)
    gradients = [torch.autograd.grad(w.square().sum(), x)[0] for w in (weights, expected_weights)]
    torch.testing.assert_close(*gradients, rtol=1e-4, atol=1e-5)
    with torch.no_grad():
        by_kernel = layer(x, edges, features, return_attention_weights=True)
    torch.testing.assert_close(by_kernel[1][1], expected_weights, rtol=1e-4, atol=1e-5)
    layer.train(training).dropout = 0.5
    _, (_, dropped) = layer(x, edges, features, return_attention_weights=True)
    assert (dropped == 0).any().item() == (training and name != "TransformerConv")
    mask = edgewise.Mask(edges, NODES, edge_features=features.detach() if features is not None else None)
    index, weights = layer.eval()(x, mask, return_attention_weights=True)[1]
    assert torch.equal(index, torch.from_numpy(mask.edge_index)) and weights.shape == (mask.edge_count, HEADS)


def test_targets_may_be_missing(peers):
    layer, peer = (made(module, "GATConv", {}) for module in (edgewise.torch, peers))
    x, edges, _ = inputs({})
    for size in (None, (NODES, TARGETS)):
        torch.testing.assert_close(layer((x, None), edges, None, size), peer((x, None), edges, None, size))
    with pytest.raises(edgewise.UsageError, match=r"size is \(5, 4\), but x has 6 sources"):
        layer((x, None), edges, size=(5, TARGETS))


@pytest.mark.parametrize("name", OPTIONS)
@pytest.mark.parametrize("in_channels", [-1, (-1, -1)])
def test_widths_of_the_first_input(peers, name, in_channels):
    layer = getattr(edgewise.torch, name)(in_channels, WIDTH, HEADS, edge_dim=-1)
    options = {"edge_dim": FEATURES, **(PAIR if isinstance(in_channels, tuple) else {})}
    copied = copy.deepcopy(layer)
    x, edges, features = inputs(options)
    rows = TARGETS if isinstance(x, tuple) else NODES
    assert copied(x, edges, features).shape == layer(x, edges, features).shape == (rows, HEADS * WIDTH)
    peer = getattr(peers, name)(options.get("in_channels", COLUMNS), WIDTH, HEADS, edge_dim=FEATURES)
    peer.load_state_dict(layer.state_dict())
    torch.testing.assert_close(layer(x, edges, features), peer(x, edges, features), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", OPTIONS)
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_autocast_and_half_precision(peers, name, dtype):
    layer, peer = (made(module, name, {}) for module in (edgewise.torch, peers))
    x, edges, _ = inputs({})
    with torch.autocast("cpu", dtype=dtype):
        out, expected = layer(x, edges), peer(x, edges)
    assert out.dtype == expected.dtype
    torch.testing.assert_close(out, expected, rtol=0.05, atol=0.05)
    out.float().sum().backward()
    assert x.grad.isfinite().all() and x.grad.any()
    assert layer.to(dtype)(x.to(dtype), edges).dtype == dtype


@pytest.mark.parametrize("name", OPTIONS)
@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_a_compiled_model_contains_a_layer(name, backend):
    layer = made(edgewise.torch, name, {})
    x, edges, _ = inputs({})
    mask = edgewise.Mask(edges, NODES)

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = layer

        def forward(self, x, edges):
            return torch.relu(self.layer(x, edges)) + edgewise.torch.attend(mask, x, x, x).sum()

    gradients = []
    for net in (Net(), torch.compile(Net(), backend=backend)):
        x.grad = None
        net(x, edges).square().sum().backward()
        gradients.append(x.grad)
    torch.testing.assert_close(*gradients)
    torch.testing.assert_close(torch.compile(layer, backend=backend)(x, edges), layer(x, edges))


@pytest.mark.parametrize("name", OPTIONS)
@pytest.mark.parametrize("options", [{}, {"edge_dim": FEATURES}])
def test_gradients_of_gradients(name, options):
    second = []
    for dtype in (torch.float32, torch.float64):
        layer = made(edgewise.torch, name, options).to(dtype)
        x, edges, features = inputs(options, dtype)
        features = features.detach() if features is not None else None
        out = layer(x, edges, features)
        (gradient,) = torch.autograd.grad(out.square().sum(), x, create_graph=True)
        gradient.square().sum().backward()
        second.append(x.grad)
        if dtype == torch.float64:
            assert torch.autograd.gradgradcheck(lambda x: layer(x, edges, features), x)
    torch.testing.assert_close(second[0], second[1].float(), rtol=1e-3, atol=1e-3)
    layer = made(edgewise.torch, name, options).train()
    layer.dropout = 0.5
    x, edges, features = inputs(options)
    out = layer(x, edges, None if features is None else features.detach())
    with pytest.raises(edgewise.UsageError, match="gradients of gradients .* need dropout=0"):
        torch.autograd.grad(out.sum(), x, create_graph=True)


def test_the_mask_of_an_index_is_kept(monkeypatch):
    made_masks = []
    freeze = edgewise.Mask._freeze

    def counted(mask, *arguments):
        made_masks.append(mask)
        freeze(mask, *arguments)

    monkeypatch.setattr(edgewise.Mask, "_freeze", counted)
    first, second = (made(edgewise.torch, name, {}) for name in ("GATConv", "GATv2Conv"))
    x, edges, _ = inputs({})
    before = first(x, edges)
    second(x, edges)
    first(x, edges)
    assert len(made_masks) == 1  # also for two layers
    edges[1, 0] = 5
    changed = first(x, edges)
    assert len(made_masks) == 2 and not torch.equal(before, changed)
    assert torch.equal(first(x, edges.clone()), changed)
    with torch.inference_mode():
        torch.testing.assert_close(first(x, EDGES.clone()), before)


@pytest.mark.parametrize("name", OPTIONS)
def test_copies_and_pickles(name):
    layer = made(edgewise.torch, name, {"edge_dim": FEATURES})
    x, edges, features = inputs({"edge_dim": FEATURES})
    out = layer(x, edges, features)
    for other in (copy.deepcopy(layer), pickle.loads(pickle.dumps(layer))):
        assert torch.equal(other(x, edges, features), out)


@pytest.mark.parametrize("name", OPTIONS)
def test_what_runs_without_python_is_refused(name):
    layer = made(edgewise.torch, name, {})
    x, edges, _ = inputs({})
    net = torch.nn.ModuleList([layer])
    message = "cannot be exported or made TorchScript|cannot be made TorchScript"
    with pytest.raises(edgewise.UsageError, match=message):
        torch.jit.script(layer)
    with pytest.raises(edgewise.UsageError, match=message):
        torch.jit.script(net)
    with pytest.raises(edgewise.UsageError, match=message):
        torch.jit.trace(layer, (x, edges))
    with pytest.raises(Exception, match=message):
        torch.export.export(layer.double(), (x.double(), edges), strict=False)


@pytest.mark.parametrize("options", [{}, {"edge_dim": FEATURES}, {**PAIR, "concat": False}], ids=str)
@pytest.mark.parametrize("name", OPTIONS)
def test_a_recorded_program_has_the_same_results(name, options):
    layer = made(edgewise.torch, name, options)
    x, edges, features = inputs(options)
    features = None if features is None else features.detach()

    def results_of(run):
        layer.zero_grad(set_to_none=True)
        out = run(x, edges, features)
        (out * numbers(*out.shape, phase=4)).sum().backward()
        return {"out": out.detach(), **{key: of.grad for key, of in layer.named_parameters() if of.grad is not None}}

    torch._dynamo.reset()
    expected = results_of(layer)
    compiled = torch.compile(layer, backend="aot_eager", fullgraph=True)
    check_close(results_of(compiled), expected, rtol=1e-4, atol=1e-5)
    layer.train().dropout = 0.5
    torch._dynamo.reset()
    assert not torch.equal(compiled(x, edges, features), compiled(x, edges, features))
    layer.eval()
    program = torch.export.export(layer, (x, edges, features)).module()
    torch.testing.assert_close(program(x, edges, features), layer(x, edges, features), rtol=1e-4, atol=1e-5)


def test_the_operator_is_one_of_pytorch():
    query, key, value = (numbers(NODES, 6, phase=i).requires_grad_() for i in range(3))
    tables, options = (query, key, value, None, None, None, None), (NODES, "mean", 2, "dot_product", 0.2, 0.0)
    torch.library.opcheck(torch.ops.edgewise.attend, (EDGES, None, *tables, torch.tensor(0), *options))


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: edgewise.torch.GATConv(4, 3, head=2), "unexpected argument 'head': did you mean heads"),
        (lambda: edgewise.torch.GATConv(4, 3, aggr="max"), "aggr: only 'add' is computed, got 'max'"),
        (lambda: edgewise.torch.GATConv(4, 3, flow="target_to_source"), r"pass edge_index.flip\(0\)"),
        (lambda: edgewise.torch.GATConv((4, 4, 4), 3), r"expected a number or \(sources, targets\)"),
        (lambda: edgewise.torch.GATConv(0, 3), "in_channels: expected an integer from 1, or -1 for that of the first"),
        (lambda: made(edgewise.torch, "GATConv", {})(torch.ones(6, 3), EDGES), r"x \[nodes, 4\], got \[6, 3\]"),
        (lambda: made(edgewise.torch, "GATConv", {})(torch.ones(6, 4), EDGES.t()), r"\[10, 2\]: pass edge_index.t\(\)"),
        (lambda: made(edgewise.torch, "GATConv", {})(torch.ones(6, 4), EDGES.float()), "expected integers"),
        (lambda: made(edgewise.torch, "GATConv", {})(torch.ones(3, 4), EDGES), "expected a node from 0 to 2, got 3"),
        (lambda: made(edgewise.torch, "GATConv", {})(torch.ones(6, 4), [[0], [1]]), "or an edgewise.Mask, got list"),
        (
            lambda: made(edgewise.torch, "GATConv", {"edge_dim": 1})(torch.ones(6, 4), torch.ones(6, 6).to_sparse()),
            "features of edges need edge_index",
        ),
        (
            lambda: made(edgewise.torch, "GATConv", {"edge_dim": 2})(torch.ones(6, 4), EDGES, torch.ones(10, 3)),
            r"expected edge_attr \[edges, 2\], got \[10, 3\]",
        ),
        (
            lambda: made(edgewise.torch, "GATConv", {"edge_dim": 2})(torch.ones(6, 4), EDGES, torch.ones(9, 2)),
            r"expected edge_attr \[10, features\], got \[9, 2\]",
        ),
        (
            lambda: made(edgewise.torch, "GATv2Conv", {})(torch.ones(6, 4), EDGES, torch.ones(10, 2)),
            "edge_attr is given, but edge_dim is None",
        ),
        (
            lambda: made(edgewise.torch, "TransformerConv", {"edge_dim": 2})(torch.ones(6, 4), EDGES),
            "edge_dim is 2, but edge_attr is not given",
        ),
    ],
)
def test_says_what_to_pass(make, message):
    with pytest.raises((edgewise.UsageError, TypeError), match=message):
        make()


def write_values():
    import torch_geometric.nn

    values = {}
    for label, (name, options) in zip(NAMES, CASES):
        found = results(made(torch_geometric.nn, name, options).double(), options, torch.float64)
        values[label] = {key: [round(value, 5) for value in x.flatten().tolist()] for key, x in found.items()}
    lines = ",\n".join(f"{json.dumps(label)}: {json.dumps(of_case)}" for label, of_case in values.items())
    VALUES.write_text("{\n" + lines + "\n}\n")


if __name__ == "__main__":
    write_values()
