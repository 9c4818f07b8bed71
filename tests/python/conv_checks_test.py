"""Checks of GATConv, GATv2Conv and TransformerConv after what PyTorch Geometric documents and tests of its own layers.

Each runs with our layer and, where it is installed, with theirs. `python tests/python/conv_checks_test.py` counts.
"""

import copy
import io
import pickle
import sys

import pytest

torch = pytest.importorskip("torch")

import edgewise.torch

LAYERS = ["GATConv", "GATv2Conv", "TransformerConv"]
EDGES = torch.tensor([[0, 1, 2, 3], [0, 0, 1, 1]])
WITH_LOOPS = 7  # edges, once loops are replaced
CHECKS = {}

# What does not hold of ours, and why: a table of docs/python.md has the same rows.
NOT_HELD = {
    "is_scripted": "TorchScript runs without Python, and cannot call the kernel",
    "has_hooks_of_message_passing": "the kernel makes no messages",
}


def check(function):
    CHECKS[function.__name__] = function
    return function


def x_of(nodes=4, columns=8, **options):
    torch.manual_seed(12345)
    return torch.randn(nodes, columns, **options)


def close(a, b, tolerance=1e-4):
    torch.testing.assert_close(a, b, rtol=tolerance, atol=tolerance)


@check
def has_the_repr_and_the_size(layer, module, name):
    conv = layer(8, 32, heads=2)
    assert str(conv) == f"{name}(8, 32, heads=2)" and conv(x_of(), EDGES).size() == (4, 64)


@check
def averages_heads(layer, module, name):
    conv = layer(8, 32, heads=2, concat=False)
    assert conv(x_of(), EDGES).size() == (4, 32)
    assert getattr(conv, "bias", None) is None or conv.bias.size() == (32,)


@check
def has_one_head_by_default(layer, module, name):
    assert layer(8, 16)(x_of(), EDGES).size() == (4, 16)


@check
def may_have_no_bias(layer, module, name):
    conv = layer(8, 16, bias=False)
    assert not any("bias" in key for key in conv.state_dict()) and conv(x_of(), EDGES).size() == (4, 16)


@check
def takes_a_sparse_matrix(layer, module, name):
    conv = layer(8, 32, heads=2, **loops(name, False))
    adjacency = torch.sparse_coo_tensor(EDGES.flip(0), torch.ones(4), (4, 4)).coalesce()
    for matrix in (adjacency, adjacency.to_sparse_csr()):
        close(conv(x_of(), matrix), conv(x_of(), EDGES))


@check
def takes_two_node_sets(layer, module, name):
    conv = layer((8, 16), 32, heads=2)
    assert str(conv) == f"{name}((8, 16), 32, heads=2)"
    assert conv((x_of(), x_of(2, 16)), EDGES).size() == (2, 64)


@check
def takes_two_sets_of_the_same_width(layer, module, name):
    assert layer(8, 32)((x_of(), x_of(2)), EDGES).size() == (2, 32)


@check
def takes_a_size_or_targets_that_are_missing(layer, module, name):
    if name != "GATConv":  # the others have no such argument
        assert layer((8, 8), 4)((x_of(), x_of(2)), EDGES).size() == (2, 4)
        return
    conv = layer((8, 16), 32, heads=2)
    assert conv((x_of(), None), EDGES, size=(4, 2)).size() == (2, 64)
    close(conv((x_of(), x_of(2, 16)), EDGES, size=(4, 2)), conv((x_of(), x_of(2, 16)), EDGES))


@check
def returns_attention_weights(layer, module, name):
    conv = layer(8, 32, heads=2)
    out, (index, weights) = conv(x_of(), EDGES, return_attention_weights=True)
    close(out, conv(x_of(), EDGES))
    edges = EDGES.size(1) if name == "TransformerConv" else WITH_LOOPS
    assert index.size() == (2, edges) and weights.size() == (edges, 2)
    assert weights.min() >= 0 and weights.max() <= 1
    sums = torch.zeros(4, 2).index_add(0, index[1], weights)
    close(sums[index[1].unique()], torch.ones(len(index[1].unique()), 2))


@check
def returns_attention_weights_of_two_node_sets(layer, module, name):
    conv = layer((8, 16), 32, heads=2)
    out, (index, weights) = conv((x_of(), x_of(2, 16)), EDGES, return_attention_weights=True)
    assert out.size() == (2, 64) and weights.size(0) == index.size(1)


@check
def takes_features_of_edges(layer, module, name):
    conv = layer(8, 32, heads=2, edge_dim=4)
    features = x_of(4, 4)
    out = conv(x_of(), EDGES, features)
    assert out.size() == (4, 64) and not torch.allclose(out, conv(x_of(), EDGES, features + 1))


@check
def takes_one_feature_of_an_edge(layer, module, name):
    conv = layer(8, 32, heads=2, edge_dim=1)
    weight = x_of(4, 1)
    assert conv(x_of(), EDGES, weight).size() == (4, 64)


@check
def fills_features_of_loops(layer, module, name):
    if name == "TransformerConv":
        return takes_features_of_edges(layer, module, name)
    outs = [layer_with(layer, edge_dim=4, fill_value=fill)(x_of(), EDGES, x_of(4, 4)) for fill in ("mean", 0.5, "max")]
    assert not torch.allclose(outs[0], outs[1]) and outs[2].size() == (4, 16)


@check
def has_gradients_of_everything(layer, module, name):
    conv = layer(8, 4, heads=2, edge_dim=3)
    x, features = x_of().requires_grad_(), x_of(4, 3).requires_grad_()
    conv(x, EDGES, features).square().sum().backward()
    assert x.grad.any() and features.grad.any()
    assert all(parameter.grad is not None for parameter in conv.parameters())


@check
def has_the_gradients_of_finite_differences(layer, module, name):
    conv = layer(3, 2, heads=2, edge_dim=2).double()
    features = x_of(4, 2, dtype=torch.float64).requires_grad_()
    x = x_of(4, 3, dtype=torch.float64).requires_grad_()
    assert torch.autograd.gradcheck(lambda x, features: conv(x, EDGES, features), (x, features))


@check
def computes_in_float64(layer, module, name):
    conv = layer(8, 4).double()
    assert conv(x_of(dtype=torch.float64), EDGES).dtype == torch.float64


@check
def computes_under_autocast(layer, module, name):
    conv = layer(8, 4)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        out = conv(x_of(), EDGES)
    close(out.float(), conv(x_of(), EDGES), 0.1)


@check
def drops_weights_in_training_alone(layer, module, name):
    conv = layer(8, 32, heads=8, dropout=0.5)
    x = x_of()
    assert not torch.equal(conv(x, EDGES), conv(x, EDGES))
    conv.eval()
    assert torch.equal(conv(x, EDGES), conv(x, EDGES))


@check
def takes_no_edges(layer, module, name):
    conv = layer(8, 32, heads=2)
    none = torch.empty(2, 0, dtype=torch.long)
    assert conv(torch.empty(0, 8), none).size() == (0, 64)
    out = conv(x_of(), none)
    assert out.size() == (4, 64) and out.isfinite().all()


@check
def does_not_depend_on_the_order_of_edges(layer, module, name):
    conv = layer(8, 16, heads=2)
    close(conv(x_of(), EDGES[:, [2, 0, 3, 1]]), conv(x_of(), EDGES))


@check
def follows_a_permutation_of_nodes(layer, module, name):
    conv = layer(8, 16, heads=2)
    order = torch.tensor([2, 0, 3, 1])
    place = torch.argsort(order)
    close(conv(x_of()[order], place[EDGES]), conv(x_of(), EDGES)[order])


@check
def counts_an_edge_twice_that_is_there_twice(layer, module, name):
    conv = layer(8, 16)
    twice = torch.cat([EDGES, EDGES[:, 1:2]], dim=1)
    assert not torch.allclose(conv(x_of(), twice)[0], conv(x_of(), EDGES)[0])


@check
def adds_loops_or_not(layer, module, name):
    if name == "TransformerConv":  # it adds none
        return computes_in_float64(layer, module, name)
    conv = layer(8, 16, add_self_loops=False, bias=False)
    assert not conv(x_of(), EDGES)[2:].any()  # nothing to attend to
    assert layer(8, 16, bias=False)(x_of(), EDGES)[2:].any()


@check
def adds_the_node_itself(layer, module, name):
    if name == "TransformerConv":
        assert layer(8, 16, beta=True)(x_of(), EDGES).size() == (4, 16)
        assert "lin_beta.weight" in layer(8, 16, beta=True).state_dict()
        return
    conv = layer(8, 16, heads=2, residual=True)
    assert conv.state_dict()["res.weight"].size() == (32, 8) and conv(x_of(), EDGES).size() == (4, 32)


@check
def finds_the_width_of_its_input(layer, module, name):
    conv = layer(-1, 16, heads=2)
    assert conv(x_of(), EDGES).size() == (4, 32)
    pair = layer((-1, -1), 16)
    assert pair((x_of(), x_of(2, 16)), EDGES).size() == (2, 16)


@check
def draws_parameters_again(layer, module, name):
    conv = layer(8, 16)
    before = copy.deepcopy(conv.state_dict())
    conv.reset_parameters()
    assert any(not torch.equal(before[key], value) for key, value in conv.state_dict().items())
    torch.manual_seed(1)
    first = {key: value.clone() for key, value in (conv.reset_parameters() or conv).state_dict().items()}
    torch.manual_seed(1)
    conv.reset_parameters()
    assert all(torch.equal(first[key], value) for key, value in conv.state_dict().items())


@check
def keeps_its_state_in_a_file(layer, module, name):
    conv, other, file = layer(8, 16, heads=2, edge_dim=2), layer(8, 16, heads=2, edge_dim=2), io.BytesIO()
    torch.save(conv.state_dict(), file)
    file.seek(0)
    other.load_state_dict(torch.load(file))
    close(other(x_of(), EDGES, x_of(4, 2)), conv(x_of(), EDGES, x_of(4, 2)))


@check
def can_be_copied_and_pickled(layer, module, name):
    conv = layer(8, 16)
    for other in (copy.copy(conv), copy.deepcopy(conv), pickle.loads(pickle.dumps(conv))):
        assert torch.equal(other(x_of(), EDGES), conv(x_of(), EDGES))


@check
def is_a_part_of_sequential(layer, module, name):
    nn = pytest.importorskip("torch_geometric.nn", reason="torch_geometric is not installed")
    model = nn.Sequential("x, e", [(layer(8, 16), "x, e -> x"), torch.nn.ReLU(), (layer(16, 4), "x, e -> x")])
    assert model(x_of(), EDGES).size() == (4, 4)


@check
def is_compiled(layer, module, name):
    conv = layer(8, 16)
    close(torch.compile(conv, backend="aot_eager")(x_of(), EDGES), conv(x_of(), EDGES))


@check
def is_scripted(layer, module, name):
    conv = layer(8, 16)
    close(torch.jit.script(conv)(x_of(), EDGES), conv(x_of(), EDGES))


@check
def is_compiled_without_a_graph_break(layer, module, name):
    conv = layer(8, 16)
    torch._dynamo.reset()
    close(torch.compile(conv, backend="eager", fullgraph=True)(x_of(), EDGES), conv(x_of(), EDGES))


@check
def is_exported(layer, module, name):
    conv = layer(8, 16)
    program = torch.export.export(conv, (x_of(), EDGES))
    close(program.module()(x_of(), EDGES), conv(x_of(), EDGES))


@check
def has_hooks_of_message_passing(layer, module, name):
    conv, seen = layer(8, 16), []
    conv.register_message_forward_hook(lambda conv, inputs, message: seen.append(message.size()))
    conv(x_of(), EDGES)
    assert len(seen) == 1


def loops(name, wanted):
    return {} if name == "TransformerConv" else {"add_self_loops": wanted}


def layer_with(layer, **options):
    torch.manual_seed(5)
    return layer(8, 16, **options)


def run(check_name, module, name):
    torch.manual_seed(7)
    CHECKS[check_name](getattr(module, name), module, name)


@pytest.mark.parametrize("name", LAYERS)
@pytest.mark.parametrize("check_name", CHECKS)
def test_ours(check_name, name):
    if check_name in NOT_HELD:
        with pytest.raises(Exception):
            run(check_name, edgewise.torch, name)
        return
    run(check_name, edgewise.torch, name)


@pytest.mark.parametrize("name", LAYERS)
@pytest.mark.parametrize("check_name", CHECKS)
def test_theirs(check_name, name):
    """So that a check asks for nothing that PyTorch Geometric does not do."""
    if check_name == "is_scripted":
        pytest.skip("PyTorch Geometric 2.8 has no TorchScript of these layers on PyTorch 2.13 either")
    run(check_name, pytest.importorskip("torch_geometric.nn", reason="torch_geometric is not installed"), name)


def main():
    held = {name: 0 for name in CHECKS}
    for check_name in CHECKS:
        for name in LAYERS:
            try:
                run(check_name, edgewise.torch, name)
                held[check_name] += 1
            except Exception as error:  # noqa: BLE001
                print(f"{name} {check_name}: {str(error).splitlines()[0]}", file=sys.stderr)
    print(f"{sum(held.values())} of {len(CHECKS) * len(LAYERS)} checks hold")


if __name__ == "__main__":
    main()
