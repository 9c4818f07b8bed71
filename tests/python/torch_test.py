"""edgewise.torch: gradients by finite differences, layers against PyTorch Geometric."""

import os
import subprocess
import sys

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import edgewise
import edgewise.torch as edgewise_torch

HEADS, WIDTH, NODES, FEATURES = 2, 3, 6, 2


def random_mask(self_loops=False, seed=0, loops=None):
    """Edges, their features and the mask of them; with `loops` of these nodes, and no other edges to the last one."""
    generator = torch.Generator().manual_seed(seed)
    edges = torch.nonzero(torch.rand(NODES, NODES, generator=generator) < 0.5)
    edges = edges[edges[:, 0] != edges[:, 1]]
    if loops is not None:
        edges = edges[edges[:, 1] != NODES - 1]
        edges = torch.cat([edges, torch.tensor(loops, dtype=torch.long)[:, None].repeat(1, 2)])
    features = torch.randn(len(edges), FEATURES, generator=generator)
    return edges.t(), features, edgewise.Mask(edges.t(), NODES, self_loops=self_loops, edge_features=features)


def random_inputs(score, seed=1):
    generator = torch.Generator().manual_seed(seed)
    columns = HEADS if score == "gat" else HEADS * WIDTH
    shapes = {"query": (NODES, columns), "key": (NODES, columns), "value": (NODES, HEADS * WIDTH)}
    if score in ("gatv2", "bahdanau"):
        shapes["attention_vector"] = (HEADS * WIDTH,)
    if score != "gat":
        shapes["edge_weight"] = (FEATURES, HEADS * WIDTH)
    shapes["value_edge_weight"] = (FEATURES, HEADS * WIDTH)
    shapes["edge_bias"] = (FEATURES, HEADS)
    return {name: torch.randn(*shape, generator=generator, requires_grad=True) for name, shape in shapes.items()}


@pytest.mark.parametrize("score", ["dot_product", "gat", "gatv2", "bahdanau"])
@pytest.mark.parametrize("normaliser", ["softmax", "relu", "none"])
@pytest.mark.parametrize("dropout", [0.0, 0.4])
def test_gradients_are_those_of_finite_differences(score, normaliser, dropout):
    _, _, mask = random_mask()
    inputs = random_inputs(score)
    weight = torch.randn(NODES, HEADS * WIDTH, generator=torch.Generator().manual_seed(2))

    def loss(tensors):
        torch.manual_seed(3)  # the same dropout each time
        out = edgewise_torch.attend(mask, **tensors, heads=HEADS, score=score, normaliser=normaliser, dropout=dropout)
        return (out * weight).sum()

    loss(inputs).backward()
    step = 1e-2
    for name, tensor in inputs.items():
        direction = torch.randn(tensor.shape, generator=torch.Generator().manual_seed(4))
        with torch.no_grad():
            above = loss({**inputs, name: tensor + step * direction}).double()
            below = loss({**inputs, name: tensor - step * direction}).double()
        slope = (tensor.grad * direction).sum().item()
        assert slope == pytest.approx(((above - below) / (2 * step)).item(), rel=0.05, abs=0.05), name


def test_equals_the_function_without_gradients():
    _, _, mask = random_mask()
    inputs = {name: tensor.detach() for name, tensor in random_inputs("dot_product").items() if "edge" not in name}
    out = edgewise_torch.attend(mask, **inputs, heads=HEADS)
    np.testing.assert_array_equal(out.numpy(), edgewise.attend(mask, **inputs, heads=HEADS))


def test_one_tensor_as_key_and_value():
    _, _, mask = random_mask()
    query, key, value = (torch.randn(NODES, HEADS * WIDTH) for _ in range(3))
    shared = key.clone().requires_grad_()
    edgewise_torch.attend(mask, query, shared, shared, heads=HEADS).square().sum().backward()
    apart = key.clone().requires_grad_(), key.clone().requires_grad_()
    edgewise_torch.attend(mask, query, *apart, heads=HEADS).square().sum().backward()
    torch.testing.assert_close(shared.grad, apart[0].grad + apart[1].grad)


def test_views_of_one_memory_as_key_and_value():
    _, _, mask = random_mask()
    query, table = torch.randn(NODES, HEADS * WIDTH), torch.randn(NODES, HEADS * WIDTH)
    key, value = table.clone().requires_grad_(), table.clone().requires_grad_()
    edgewise_torch.attend(mask, query, key, value, heads=HEADS).square().sum().backward()
    parent = table.clone().requires_grad_()
    edgewise_torch.attend(mask, query, parent.view_as(parent), parent, heads=HEADS).square().sum().backward()
    torch.testing.assert_close(parent.grad, key.grad + value.grad)
    parent.grad = None
    edgewise_torch.attend(mask, query, parent.detach(), parent, heads=HEADS).square().sum().backward()
    torch.testing.assert_close(parent.grad, value.grad)


def as_in_pytorch(query, key, value, allowed, scale=None):
    """Queries [batch, heads, rows, columns], fewer heads of keys and values: by PyTorch's own attention."""
    return torch.nn.functional.scaled_dot_product_attention(
        query, key, value, attn_mask=allowed, scale=scale, enable_gqa=True
    )


def allowed_pairs(*shape):
    allowed = torch.rand(*shape, generator=torch.Generator().manual_seed(11)) < 0.6
    allowed[..., 0] = True  # PyTorch has NaN for a query without keys
    return allowed


@pytest.mark.parametrize("groups", [4, 2, 1])
@pytest.mark.parametrize("scale", [None, 0.125])
@pytest.mark.parametrize("masks", [(5, 7), (3, 5, 7), (3, 1, 5, 7), (1, 1, 5, 7)], ids=str)
def test_shapes_of_pytorch(masks, scale, groups):
    query = torch.randn(3, 4, 5, 6, requires_grad=True)
    key, value = (torch.randn(3, groups, 7, 6, requires_grad=True) for _ in range(2))
    allowed = allowed_pairs(*masks)
    of_batch = allowed.unsqueeze(1) if allowed.dim() == 3 else allowed
    outputs = (
        edgewise_torch.attend(allowed, query, key, value, scale=scale),
        as_in_pytorch(query, key, value, of_batch, scale),
    )
    torch.testing.assert_close(*outputs, rtol=1e-4, atol=1e-5)
    weight = torch.randn_like(outputs[0])
    gradients = [torch.autograd.grad(out, (query, key, value), weight) for out in outputs]
    for ours, theirs in zip(*gradients):
        torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-5)
    arrays = [tensor.detach().numpy() for tensor in (query, key, value)]
    np.testing.assert_array_equal(edgewise.attend(allowed.numpy(), *arrays, scale=scale), outputs[0].detach())


def test_one_mask_for_a_batch():
    query, key, value = (torch.randn(3, 2, 5, 6) for _ in range(3))
    allowed = allowed_pairs(5, 5)
    expected = as_in_pytorch(query, key, value, allowed)
    mask = edgewise.Mask.from_dense(allowed)
    torch.testing.assert_close(edgewise_torch.attend(mask, query, key, value), expected, rtol=1e-4, atol=1e-5)
    union = edgewise.Mask.from_dense(allowed.repeat(3, 1, 1))
    torch.testing.assert_close(edgewise_torch.attend(union, query, key, value), expected, rtol=1e-4, atol=1e-5)


def test_a_boolean_mask_that_changes():
    x, allowed = torch.randn(5, 6), allowed_pairs(5, 5)
    before = edgewise_torch.attend(allowed, x, x, x)
    assert torch.equal(edgewise_torch.attend(allowed, x, x, x), before)
    allowed.fill_(True)
    assert not torch.equal(edgewise_torch.attend(allowed, x, x, x), before)


def test_groups_of_heads_side_by_side():
    _, _, mask = random_mask()
    query, key, value = torch.randn(NODES, 12), torch.randn(NODES, 6), torch.randn(NODES, 6)
    repeated = [table.view(NODES, 2, 3).repeat_interleave(2, dim=1).view(NODES, 12) for table in (key, value)]
    expected = edgewise_torch.attend(mask, query, *repeated, heads=4)
    assert torch.equal(edgewise_torch.attend(mask, query, key, value, heads=4), expected)


@pytest.mark.parametrize("dropout", [0.0, 0.5])
def test_returns_weights(dropout):
    _, _, mask = random_mask()
    inputs = random_inputs("gatv2")
    out, weights = edgewise_torch.attend(
        mask, **inputs, heads=HEADS, score="gatv2", dropout=dropout, return_weights=True
    )
    with torch.no_grad():
        by_kernel = edgewise_torch.attend(mask, **inputs, heads=HEADS, score="gatv2", return_weights=True)
    torch.testing.assert_close(weights, by_kernel[1], rtol=1e-4, atol=1e-5)
    assert torch.allclose(out, by_kernel[0], rtol=1e-4, atol=1e-5) == (dropout == 0)
    (gradient,) = torch.autograd.grad(weights.square().sum(), inputs["query"])
    assert gradient.any()


def test_features_of_a_call():
    edges, features, mask = random_mask(self_loops=True, loops=[0, 3])
    inputs = random_inputs("dot_product")
    expected = edgewise_torch.attend(mask, **inputs, heads=HEADS)
    plain = edgewise.Mask(edges, NODES, self_loops=True)
    torch.testing.assert_close(edgewise_torch.attend(plain, **inputs, heads=HEADS, edge_attr=features), expected)
    leaf = features.clone().requires_grad_()
    out = edgewise_torch.attend(plain, **inputs, heads=HEADS, edge_attr=leaf)
    torch.testing.assert_close(out, expected, rtol=1e-4, atol=1e-5)
    out.square().sum().backward()
    assert leaf.grad.shape == features.shape and leaf.grad[features.abs().sum(1) > 0].any()


@pytest.mark.parametrize(
    "change, message",
    [
        ({"heads": 3}, "heads is 3, but query has 4"),
        ({"key": torch.ones(3, 3, 5, 6)}, "key has 3 heads, which do not divide the 4 of query"),
        ({"key": torch.ones(2, 4, 5, 6)}, "key has a batch of 2, query one of 3"),
        ({"value": torch.ones(15, 24)}, r"expected value \[batch, heads, rows, columns\], got \[15, 24\]"),
        ({"mask": torch.ones(3, 4, 5, 5, dtype=torch.bool)}, "expected one mask for all heads"),
        ({"mask": torch.ones(5, 5)}, "expected a mask, got Tensor"),
        ({"scale": 0.1, "score": "bahdanau"}, 'only the score "dot_product" takes a number'),
    ],
)
def test_refuses_other_shapes(change, message):
    x = torch.ones(3, 4, 5, 6)
    arguments = {"mask": torch.ones(5, 5, dtype=torch.bool), "query": x, "key": x, "value": x, **change}
    with pytest.raises(edgewise.UsageError, match=message):
        edgewise_torch.attend(**arguments)


def test_dropout_follows_the_seed():
    _, _, mask = random_mask()
    x = torch.randn(NODES, HEADS * WIDTH)

    def out(seed):
        torch.manual_seed(seed)
        return edgewise_torch.attend(mask, x, x, x, heads=HEADS, dropout=0.5)

    assert torch.equal(out(0), out(0)) and not torch.equal(out(0), out(1))


def test_refuses_what_it_cannot_compute():
    _, _, mask = random_mask()
    x = torch.randn(NODES, 4)
    with pytest.raises(edgewise.UsageError, match="query: expected floating-point numbers on the CPU, got torch.int64"):
        edgewise_torch.attend(mask, x.long(), x, x)
    with pytest.raises(edgewise.UsageError, match=r"expected value \[rows, columns\], got \[24\]"):
        edgewise_torch.attend(mask, x, x, x.flatten())
    with pytest.raises(edgewise.UsageError, match="on meta"):
        edgewise_torch.attend(mask, x, x.to("meta"), x)
    with pytest.raises(edgewise.UsageError, match="gat has no edge_weight"):
        edgewise_torch.attend(
            mask, x[:, :1], x[:, :1], x, score="gat", edge_weight=torch.randn(FEATURES, 4)
        )
    y = x.clone().requires_grad_()
    out = edgewise_torch.attend(mask, y, x, x)
    x.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        out.sum().backward()


def scaled(x):
    """A tensor that is no leaf."""
    return x * 1.0


@pytest.mark.parametrize("normaliser", ["softmax", "relu", "none"])
@pytest.mark.parametrize("score", ["dot_product", "gat", "gatv2", "bahdanau"])
@pytest.mark.parametrize("change", [lambda y: y.add_(1), lambda y: y.mul_(3), lambda y: torch.nn.functional.elu_(y)])
def test_a_change_of_the_output_in_place_is_noticed_or_harmless(score, normaliser, change):
    _, _, mask = random_mask()

    def gradients(copy):
        inputs = random_inputs(score)
        out = edgewise_torch.attend(mask, **inputs, heads=HEADS, score=score, normaliser=normaliser)
        change(out.clone() if copy else out).square().sum().backward()
        return {name: tensor.grad for name, tensor in inputs.items()}

    if normaliser == "softmax":
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            gradients(copy=False)
        return
    expected = gradients(copy=True)
    for name, gradient in gradients(copy=False).items():
        torch.testing.assert_close(gradient, expected[name], rtol=0, atol=0)


@pytest.mark.parametrize("name", ["GATConv", "GATv2Conv", "TransformerConv"])
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("concat", [False, True])
def test_an_activation_in_place_after_a_layer(name, bias, concat):
    _, _, mask = random_mask(self_loops=True)
    torch.manual_seed(7)
    layer = getattr(edgewise_torch, name)(4, WIDTH, heads=HEADS, bias=bias, concat=concat)
    x = torch.randn(NODES, 4)

    def gradient(inplace):
        leaf = x.clone().requires_grad_()
        torch.nn.functional.elu(layer(leaf, mask), inplace=inplace).square().sum().backward()
        return leaf.grad

    if name == "TransformerConv" or bias or not concat:  # these add something to the attention
        torch.testing.assert_close(gradient(inplace=True), gradient(inplace=False), rtol=1e-5, atol=1e-6)
    else:
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            gradient(inplace=True)


@pytest.mark.parametrize("changed", ["query", "key", "value", "attention_vector", "edge_weight", "value_edge_weight"])
def test_a_change_of_an_input_in_place_is_noticed(changed):
    _, _, mask = random_mask()
    inputs = {name: scaled(tensor) for name, tensor in random_inputs("gatv2").items()}
    out = edgewise_torch.attend(mask, **inputs, heads=HEADS, score="gatv2")
    inputs[changed].mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        out.sum().backward()


def test_a_change_of_a_view_of_an_input_in_place_is_noticed():
    _, _, mask = random_mask()
    packed = torch.randn(NODES, 3 * HEADS * WIDTH, requires_grad=True)
    projected, columns = scaled(packed), HEADS * WIDTH
    parts = [projected[:, i * columns : (i + 1) * columns] for i in range(3)]
    out = edgewise_torch.attend(mask, *parts, heads=HEADS)
    projected.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        out.sum().backward()


def test_what_the_gradients_do_not_depend_on_may_change():
    _, _, mask = random_mask()
    query, key, value = (torch.randn(NODES, HEADS * WIDTH) for _ in range(3))
    expected = value.clone().requires_grad_()
    edgewise_torch.attend(mask, query, key, expected, heads=HEADS).mul(2).sum().backward()
    leaf = value.clone().requires_grad_()
    moved = scaled(leaf)
    out = edgewise_torch.attend(mask, query, key, moved, heads=HEADS)  # of the values alone
    moved.zero_()
    out.mul_(2).sum().backward()
    torch.testing.assert_close(leaf.grad, expected.grad, rtol=0, atol=0)
    with torch.no_grad():
        out = edgewise_torch.attend(mask, query, key, value, heads=HEADS)
        out += 1
        query.zero_()


def test_backward_twice():
    _, _, mask = random_mask()
    inputs = random_inputs("dot_product")
    loss = edgewise_torch.attend(mask, **inputs, heads=HEADS).square().sum()
    loss.backward(retain_graph=True)
    once = {name: tensor.grad.clone() for name, tensor in inputs.items()}
    loss.backward()
    for name, tensor in inputs.items():
        torch.testing.assert_close(tensor.grad, 2 * once[name])
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        loss.backward()


@pytest.mark.parametrize("score", ["dot_product", "gat", "gatv2", "bahdanau"])
@pytest.mark.parametrize("normaliser", ["softmax", "relu", "none"])
def test_gradients_of_gradients(score, normaliser):
    _, _, mask = random_mask()
    second = []
    for dtype in (torch.float32, torch.float64):
        inputs = {name: x.detach().to(dtype).requires_grad_() for name, x in random_inputs(score).items()}
        out = edgewise_torch.attend(mask, **inputs, heads=HEADS, score=score, normaliser=normaliser)
        assert out.dtype == dtype
        first = torch.autograd.grad(out.square().sum(), list(inputs.values()), create_graph=True)
        sum(gradient.square().sum() for gradient in first).backward()
        second.append({name: tensor.grad for name, tensor in inputs.items()})
    for name, gradient in second[0].items():
        expected = second[1][name].float()
        torch.testing.assert_close(gradient, expected, rtol=1e-3, atol=1e-4 * expected.abs().max().item() + 1e-4)


def test_one_tensor_twice_in_gradients_of_gradients():
    _, _, mask = random_mask()
    x = torch.randn(NODES, HEADS * WIDTH)
    second = []
    for dtype in (torch.float32, torch.float64):
        leaf = x.clone().to(dtype).requires_grad_()
        out = edgewise_torch.attend(mask, leaf, leaf, leaf, heads=HEADS)
        (first,) = torch.autograd.grad(out.square().sum(), leaf, create_graph=True)
        first.square().sum().backward()
        second.append(leaf.grad)
    torch.testing.assert_close(second[0], second[1].float(), rtol=1e-3, atol=1e-3)


def test_a_checkpoint_computes_the_same():
    from torch.utils.checkpoint import checkpoint

    _, _, mask = random_mask()
    gradients = []
    for run in (lambda call, x: call(x), lambda call, x: checkpoint(call, x, use_reentrant=False)):
        x = torch.randn(NODES, HEADS * WIDTH, generator=torch.Generator().manual_seed(8), requires_grad=True)
        torch.manual_seed(9)
        run(lambda x: edgewise_torch.attend(mask, x, x, x, heads=HEADS, dropout=0.3), x).square().sum().backward()
        gradients.append(x.grad)
    torch.testing.assert_close(*gradients, rtol=0, atol=0)


KEPT_LOSSES = """
import gc, os, sys, torch, edgewise, edgewise.torch

nodes, columns, steps = 20000, 64, 20
mask = edgewise.Mask(torch.randint(0, nodes, (2, 20000)), nodes, self_loops=True)
layer = edgewise.torch.GATv2Conv(columns, columns // 4, heads=4)
x = torch.randn(nodes, columns)

def resident_bytes():
    gc.collect()
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

def step():
    loss = layer(x, mask).square().mean()
    loss.backward()
    return loss

for _ in range(3):
    step()
before = resident_bytes()
losses = [step() for _ in range(steps)]
print((resident_bytes() - before) / (nodes * columns * 4))
"""


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="the resident memory is only known on Linux")
def test_a_loss_that_is_kept_keeps_no_tensors_after_backward():
    # Large arrays are given back to the system as soon as they are freed.
    settings = {**os.environ, "MALLOC_MMAP_THRESHOLD_": "100000"}
    run = subprocess.run(
        [sys.executable, "-c", KEPT_LOSSES], env=settings, capture_output=True, text=True, check=True, timeout=300
    )
    assert float(run.stdout) < 10  # of the size of an output; each of 20 steps had several


SHARED = [{"concat": concat, "edge_dim": edge_dim} for concat in (True, False) for edge_dim in (None, FEATURES)]
BIASED = [{**options, "bias": bias} for options in SHARED for bias in (True, False)]
VARIANTS = {
    "GATConv": BIASED,
    "GATv2Conv": [{**options, "share_weights": share} for options in BIASED for share in (True, False)],
    "TransformerConv": [
        {**options, "root_weight": root, "beta": beta}
        for options in BIASED
        for root in (True, False)
        for beta in (True, False)
    ],
}
LAYERS = [(name, options) for name, variants in VARIANTS.items() for options in variants]


def layer_and_peer(name, options, **of_peer):
    """A layer, and that of PyTorch Geometric, which has the parameters of the other after a round trip."""
    peers = pytest.importorskip("torch_geometric.nn")
    torch.manual_seed(5)
    layer = getattr(edgewise_torch, name)(4, WIDTH, heads=HEADS, **options)
    peer = getattr(peers, name)(4, WIDTH, heads=HEADS, **options, **of_peer)
    layer.load_state_dict(peer.state_dict(), strict=True)
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.add_(0.1 * torch.randn_like(parameter))  # biases are zeros at first
    peer.load_state_dict(layer.state_dict(), strict=True)
    return layer, peer


def check_same(layer, peer, mask, edges, features):
    x = torch.randn(NODES, 4)
    xs = [x.clone().requires_grad_() for _ in range(2)]
    outputs = layer(xs[0], mask), peer(xs[1], edges, features)
    weight = torch.randn_like(outputs[0])
    for out in outputs:
        (out * weight).sum().backward()
    torch.testing.assert_close(*outputs, rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(xs[0].grad, xs[1].grad, rtol=1e-4, atol=1e-5)
    of_peer = dict(peer.named_parameters())
    for parameter_name, parameter in layer.named_parameters():
        expected = of_peer[parameter_name].grad
        if parameter.grad is None or expected is None:
            assert parameter.grad is None and expected is None, parameter_name
            continue
        torch.testing.assert_close(parameter.grad, expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("loops", [[], [0, 3, NODES - 1], [2, 2, 4]], ids=["none", "some", "twice"])
@pytest.mark.parametrize("self_loops", [False, True])
@pytest.mark.parametrize("name, options", LAYERS)
def test_layers_are_those_of_pytorch_geometric(name, options, self_loops, loops):
    edges, features, mask = random_mask(self_loops=self_loops, loops=loops)
    given = features if options["edge_dim"] else None
    if name != "TransformerConv":
        return check_same(*layer_and_peer(name, options, add_self_loops=self_loops), mask, edges, given)
    layer, peer = layer_and_peer(name, options)  # which adds no loops itself
    if self_loops:
        utils = pytest.importorskip("torch_geometric.utils")
        edges, features = utils.add_self_loops(*utils.remove_self_loops(edges, features), "mean", NODES)
        given = features if options["edge_dim"] else None
    check_same(layer, peer, mask, edges, given)


@pytest.mark.parametrize("fill", ["mean", "add", "min", "max", "mul", 0.5, 2, torch.tensor([0.5, -1.0])])
@pytest.mark.parametrize("name", ["GATConv", "GATv2Conv"])
def test_loops_are_filled_as_in_pytorch_geometric(name, fill):
    edges, features, _ = random_mask(loops=[0, 3, NODES - 1])
    mask = edgewise.Mask(edges, NODES, self_loops=True, edge_features=features, fill_value=fill)
    layer, peer = layer_and_peer(name, {"edge_dim": FEATURES}, fill_value=fill)
    check_same(layer, peer, mask, edges, features)


def test_layers_refuse_what_they_cannot_compute():
    edges, _, mask = random_mask()
    x = torch.randn(NODES, 4)
    layer = edgewise_torch.GATConv(4, WIDTH)
    with pytest.raises(edgewise.UsageError, match=r"expected x \[nodes, 4\], got \[6, 3\]"):
        layer(x[:, :3], mask)
    with pytest.raises(edgewise.UsageError, match="edge_dim is 3, but the mask has 2 features"):
        edgewise_torch.GATv2Conv(4, WIDTH, edge_dim=3)(x, mask)
    with pytest.raises(edgewise.UsageError, match="attend: expected a mask, got Tensor"):
        edgewise_torch.attend(edges, x, x, x)
    with pytest.raises(edgewise.UsageError, match="scale: expected True, False or a number, got 'half'"):
        edgewise_torch.attend(mask, x, x, x, scale="half")
    with pytest.raises(edgewise.UsageError, match="key: expected a tensor, got ndarray"):
        edgewise_torch.attend(mask, x, x.numpy(), x)
    with pytest.raises(edgewise.UsageError, match="edge_features are constants"):
        edgewise.Mask([[0], [1]], 2, edge_features=torch.ones(1, 1, requires_grad=True))


@pytest.mark.parametrize("name", ["GATConv", "GATv2Conv", "TransformerConv"])
def test_layers_learn(name):
    _, _, mask = random_mask(self_loops=True)
    torch.manual_seed(6)
    layer = getattr(edgewise_torch, name)(4, WIDTH, heads=HEADS, concat=False, dropout=0.1)
    x, target = torch.randn(NODES, 4), torch.randn(NODES, WIDTH)
    optimiser = torch.optim.Adam(layer.parameters(), lr=0.05)
    losses = []
    for _ in range(60):
        optimiser.zero_grad()
        loss = (layer(x, mask) - target).square().mean()
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    assert losses[-1] < 0.7 * losses[0]
