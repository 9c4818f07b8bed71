"""The models of edgewise.torch, which run as one operation, beside their layers and PyTorch Geometric's models."""

import copy
import gc
import pickle
import weakref

import pytest

torch = pytest.importorskip("torch")

import edgewise
import edgewise.torch
from edgewise.torch import SparseFeatures

NODES, COLUMNS, FEATURES = 12, 5, 2
EDGES = torch.tensor([[0, 1, 2, 3, 4, 5, 0, 2, 2, 1, 9, 8], [1, 0, 3, 3, 2, 0, 0, 1, 1, 0, 7, 11]])
OPTIONS = [
    {},
    {"heads": 2},
    {"heads": (4, 1), "act": "elu"},
    {"heads": 2, "edge_dim": FEATURES},
    {"heads": 2, "bias": False, "act": None},
    {"num_layers": 1, "heads": 2},
    {"num_layers": 3, "heads": 2, "out_channels": None},
]
KINDS = ["GAT", "GATv2", "Transformer"]


def made(kind, module=edgewise.torch, **options):
    torch.manual_seed(3)
    arguments = {"in_channels": COLUMNS, "hidden_channels": 8, "num_layers": 2, "out_channels": 3, **options}
    return getattr(module, kind)(**arguments)


def rows(dtype=torch.float32):
    torch.manual_seed(4)
    return torch.randn(NODES, COLUMNS).to(dtype)


def edge_features(options):
    return torch.randn(EDGES.size(1), FEATURES) if "edge_dim" in options else None


def gradients(model, x, edge_attr, run):
    model.zero_grad()
    out = run(x, EDGES, None, edge_attr) if run == model else run(x, EDGES, edge_attr)
    (out * torch.sin(torch.arange(out.numel()).view(out.shape))).sum().backward()
    return {"out": out.detach(), **{name: parameter.grad for name, parameter in model.named_parameters()}}


def check_close(found, expected):
    assert found.keys() == expected.keys()
    for name, numbers in expected.items():
        if numbers is None or found[name] is None:
            assert found[name] is numbers, name
        else:
            torch.testing.assert_close(found[name], numbers, rtol=1e-4, atol=1e-5, msg=lambda text: f"{name}: {text}")


@pytest.mark.parametrize("is_sparse", [False, True], ids=["dense", "sparse"])
@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("kind", KINDS)
def test_one_step_and_the_layers_agree(kind, options, is_sparse):
    model = made(kind, **options)
    x, edge_attr = rows(), edge_features(options)
    if is_sparse:
        x[x < 0.5] = 0
    given = SparseFeatures(x) if is_sparse else x.requires_grad_()
    by_step = gradients(model, given, edge_attr, model)
    by_step["x"] = x.grad
    x.grad = None
    by_layers = gradients(model, x, edge_attr, model._by_layers)
    by_layers["x"] = x.grad
    check_close(by_step, by_layers)


@pytest.mark.parametrize("kind", ["GAT", "GATv2"])
@pytest.mark.parametrize("options", [{}, {"heads": 2}, {"heads": 2, "edge_dim": FEATURES, "act": "elu"}], ids=str)
def test_states_and_results_are_those_of_pytorch_geometric(kind, options):
    peers = pytest.importorskip("torch_geometric.nn", reason="torch_geometric is not installed")
    for options in (options, {**options, "out_channels": None}):
        model = made(kind, **options)
        peer = made("GAT", peers, v2=kind == "GATv2", **options)
        check_close(dict(model.state_dict()), dict(peer.state_dict()))  # the same seed, the same state
        peer.load_state_dict(model.state_dict())
        edge_attr = edge_features(options)
        expected = peer(rows(), EDGES, edge_attr=edge_attr)
        torch.testing.assert_close(model(rows(), EDGES, edge_attr=edge_attr), expected, rtol=1e-4, atol=1e-5)
        other = made(kind, **options)
        other.load_state_dict(peer.state_dict())
        torch.testing.assert_close(other(rows(), EDGES, edge_attr=edge_attr), expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("jk", [None, "last", "cat", "max"])
@pytest.mark.parametrize("norm", [None, torch.nn.BatchNorm1d(8), torch.nn.LayerNorm(8)], ids=["", "batch", "layer"])
@pytest.mark.parametrize("act_first", [False, True])
def test_normalisation_and_all_layers_are_those_of_pytorch_geometric(jk, norm, act_first):
    peers = pytest.importorskip("torch_geometric.nn", reason="torch_geometric is not installed")
    options = {"heads": 2, "jk": jk, "norm": norm, "act_first": act_first, "num_layers": 3}
    model, peer = made("GAT", **options), made("GAT", peers, **options)
    assert model.state_dict().keys() == peer.state_dict().keys()
    peer.load_state_dict(model.state_dict())
    for _ in range(2):  # and what batches leave behind
        torch.testing.assert_close(model(rows(), EDGES), peer(rows(), EDGES), rtol=1e-4, atol=1e-5)
    model.eval(), peer.eval()
    torch.testing.assert_close(model(rows(), EDGES), peer(rows(), EDGES), rtol=1e-4, atol=1e-5)
    model.reset_parameters()
    assert norm is None or all((of.weight == 1).all() for of in model.norms)


@pytest.mark.parametrize("kind", KINDS)
def test_compiles_without_a_graph_break(kind):
    torch._dynamo.reset()  # what it has compiled of other models counts
    model = made(kind, heads=2, jk="max", norm=torch.nn.LayerNorm(8), dropout=0.5, input_dropout=0.5)
    plain = made(kind, heads=2)
    for of in (model.eval(), plain):
        compiled = torch.compile(of, backend="aot_eager", fullgraph=True)
        found, expected = gradients(compiled, rows(), None, compiled), gradients(of, rows(), None, of)
        check_close({name.removeprefix("_orig_mod."): of for name, of in found.items()}, expected)
    assert torch.compile(model.train(), backend="eager", fullgraph=True)(rows(), EDGES).shape == (NODES, 3)


@pytest.mark.parametrize("kind", KINDS)
def test_dropout_follows_the_seed_and_stays_in_the_backward_pass(kind):
    model = made(kind, heads=2, dropout=0.5, input_dropout=0.5).train()
    for x in (rows(), SparseFeatures(rows())):
        found = []
        for seed in (1, 1, 2):
            torch.manual_seed(seed)
            found.append(gradients(model, x, None, model))
        check_close(found[0], found[1])
        assert not torch.equal(found[0]["out"], found[2]["out"])
        # A step against the gradient of the same masks lowers the loss as the gradient says.
        weights = torch.sin(torch.arange(NODES * 3.0)).view(NODES, 3)

        def loss():
            torch.manual_seed(1)
            return (model(x, EDGES) * weights).sum()

        model.zero_grad()
        loss().backward()
        parameter = max(model.parameters(), key=lambda of: of.grad.abs().max())
        slope = parameter.grad.square().sum().item()
        with torch.no_grad():
            before = loss().item()
            parameter -= 1e-3 * parameter.grad
            assert (before - loss().item()) / 1e-3 == pytest.approx(slope, rel=0.1)
    assert torch.equal(model.eval()(x, EDGES), model(x, EDGES))


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_step_does_not_do_runs_by_the_layers(kind, monkeypatch):
    model = made(kind, heads=2, edge_dim=FEATURES)
    calls = []
    by_layers = type(model)._by_layers
    monkeypatch.setattr(type(model), "_by_layers", lambda *given: calls.append(1) or by_layers(*given))
    features = edge_features({"edge_dim": FEATURES})
    model(rows(), EDGES, edge_attr=features)
    assert not calls
    model(rows(), EDGES, edge_attr=features.requires_grad_()).sum().backward()
    assert calls and features.grad.any()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        model(rows(), EDGES, edge_attr=features)
    double = copy.deepcopy(model).double()
    x = rows(torch.float64).requires_grad_()
    assert torch.autograd.gradcheck(lambda x: double(x, EDGES, edge_attr=features.double()), x)
    assert len(calls) > 3
    lazy = made(kind, in_channels=-1, act="gelu")
    assert lazy(rows(), EDGES).shape == (NODES, 3)


def test_gradients_of_gradients_are_refused():
    x = rows().requires_grad_()
    out = made("GAT")(x, EDGES)
    with pytest.raises(edgewise.UsageError, match="create_graph=True"):
        torch.autograd.grad(out.sum(), x, create_graph=True)


def test_a_change_before_the_backward_pass_is_noticed():
    model = made("GAT")
    out = model(rows(), EDGES)
    with torch.no_grad():
        next(model.parameters()).add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        out.sum().backward()


def test_the_backward_pass_runs_twice_only_if_the_graph_is_kept():
    model = made("GAT")
    out = model(rows(), EDGES).sum()
    out.backward(retain_graph=True)
    first = next(model.parameters()).grad.clone()
    out.backward()
    torch.testing.assert_close(next(model.parameters()).grad, 2 * first)
    with pytest.raises(RuntimeError, match="second time"):
        out.backward()


@pytest.mark.parametrize("kind", KINDS)
def test_copies_and_pickles(kind):
    model = made(kind, heads=2)
    for other in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert torch.equal(other(rows(), EDGES), model(rows(), EDGES))


class TestSparseFeatures:
    def test_a_layer_reads_them_as_it_does_dense_ones(self):
        x = rows()
        x[x < 0.5] = 0
        sparse = SparseFeatures(x)
        assert sparse.stored == int(x.count_nonzero()) and sparse.shape == x.shape
        torch.testing.assert_close(sparse.to_dense(), x)
        for name in ("GATConv", "GATv2Conv", "TransformerConv"):
            layer = getattr(edgewise.torch, name)(COLUMNS, 3, heads=2)
            for other in (sparse, x.to_sparse_csr(), x.to_sparse(), SparseFeatures(x.to_sparse_csr())):
                torch.testing.assert_close(layer(other, EDGES), layer(x, EDGES), rtol=1e-4, atol=1e-5)
        lazy = edgewise.torch.GATConv(-1, 3)
        assert lazy(sparse, EDGES).shape == (NODES, 3) and lazy.lin.weight.shape == (3, COLUMNS)

    def test_linear(self):
        x = rows()
        layer = edgewise.torch.Linear(COLUMNS, 3)
        expected = torch.nn.functional.linear(x, layer.weight, layer.bias)
        found = layer(x.to_sparse_csr())
        torch.testing.assert_close(found, expected)
        both = [torch.autograd.grad(out.square().sum(), layer.parameters()) for out in (found, expected)]
        torch.testing.assert_close(*both, rtol=1e-4, atol=1e-5)
        assert layer(x.bfloat16().to_sparse()).shape == (NODES, 3)

    def test_dropout_is_that_of_the_product(self):
        x = SparseFeatures(torch.ones(200, 50))
        dropped = edgewise.torch.Dropout(0.25)(x).to_dense()
        assert dropped.unique().tolist() == pytest.approx([0, 4 / 3])
        assert (dropped == 0).float().mean().item() == pytest.approx(0.25, abs=0.02)
        assert edgewise.torch.Dropout(0.25).eval()(x) is x

    def test_what_is_made_of_a_tensor_is_kept_until_it_changes_or_goes(self, monkeypatch):
        x = torch.eye(COLUMNS)
        model = made("GAT")
        edges = torch.tensor([[0], [1]])
        counts = []
        make = edgewise.torch._sparse._input
        monkeypatch.setattr(edgewise.torch._sparse, "_input", lambda x: counts.append(1) or make(x))
        first = model(x, edges)
        model(x, edges)
        assert len(counts) == 1
        x[0, 0] = 2
        assert not torch.equal(model(x, edges), first) and len(counts) == 2
        gone = weakref.ref(x)
        del x
        gc.collect()
        assert gone() is None

    def test_pickles(self):
        x = SparseFeatures(torch.eye(4))
        torch.testing.assert_close(pickle.loads(pickle.dumps(x)).to_dense(), torch.eye(4))


def test_dropout_of_dense_rows():
    x = torch.ones(300, 40, requires_grad=True)
    torch.manual_seed(1)
    out = edgewise.torch.dropout(x, 0.4)
    assert (out == 0).float().mean().item() == pytest.approx(0.4, abs=0.02)
    out.sum().backward()
    assert torch.equal(x.grad, out)
    torch.manual_seed(1)
    assert torch.equal(edgewise.torch.dropout(x, 0.4), out)
    assert edgewise.torch.dropout(x, 0.4, training=False) is x and not edgewise.torch.dropout(x, 1.0).any()


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: made("GAT", jk="lstm"), 'jk: expected "last", "cat", "max" or None, got .lstm.: make such a model'),
        (lambda: made("GAT", norm="batch_norm"), r"norm: expected a module such as torch.nn.BatchNorm1d\(8\), got"),
        (lambda: made("GAT", norm_kwargs={"eps": 1}), "norm_kwargs: expected None, got .*: pass a module"),
        (lambda: made("GAT", act="swish"), "act: expected relu, elu"),
        (lambda: made("GAT", heads=(1, 2, 3)), "heads: expected a number, or one for each of 2 layers"),
        (lambda: made("GAT", heads=3), "hidden_channels: expected a multiple of 3 heads, got 8"),
        (lambda: made("GAT", head=2), "unexpected argument 'head': did you mean heads"),
        (lambda: made("GAT")(rows(), EDGES, torch.ones(12)), "edge_weight: attention has none: pass them as edge_attr"),
        (lambda: made("GAT")(rows()[:, :4], EDGES), r"expected x \[nodes, 5\], got \[12, 4\]"),
        (lambda: SparseFeatures(rows().requires_grad_()), "the tensor requires a gradient"),
        (lambda: SparseFeatures(torch.ones(3)), "expected floating-point numbers"),
        (lambda: edgewise.torch.Linear(4, 2)(rows().to_sparse()), r"expected weight \[rows, 5\], got \[2, 4\]"),
    ],
)
def test_says_what_to_pass(make, message):
    with pytest.raises((edgewise.UsageError, TypeError), match=message):
        make()
