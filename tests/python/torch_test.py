"""edgewise.torch: gradients by finite differences, layers against PyTorch Geometric."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import edgewise
import edgewise.torch as edgewise_torch

HEADS, WIDTH, NODES, FEATURES = 2, 3, 6, 2


def random_mask(self_loops=False, seed=0):
    generator = torch.Generator().manual_seed(seed)
    edges = torch.nonzero(torch.rand(NODES, NODES, generator=generator) < 0.5)
    edges = edges[edges[:, 0] != edges[:, 1]]
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
    with pytest.raises(edgewise.UsageError, match="query: expected float32 on the CPU, got torch.float64"):
        edgewise_torch.attend(mask, x.double(), x, x)
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


LAYERS = [
    ("GATConv", {}),
    ("GATConv", {"concat": False, "bias": False}),
    ("GATConv", {"edge_dim": FEATURES}),
    ("GATv2Conv", {}),
    ("GATv2Conv", {"edge_dim": FEATURES, "share_weights": True, "concat": False}),
    ("TransformerConv", {}),
    ("TransformerConv", {"edge_dim": FEATURES, "concat": False}),
]


@pytest.mark.parametrize("name, options", LAYERS)
def test_layers_are_those_of_pytorch_geometric(name, options):
    peers = pytest.importorskip("torch_geometric.nn")
    has_loops = name != "TransformerConv"  # the others add them by default
    edges, features, mask = random_mask(self_loops=has_loops)
    torch.manual_seed(5)
    ours = getattr(edgewise_torch, name)(4, WIDTH, heads=HEADS, **options)
    peer = getattr(peers, name)(4, WIDTH, heads=HEADS, **options)
    ours.load_state_dict(peer.state_dict())
    x = torch.randn(NODES, 4)
    xs = [x.clone().requires_grad_() for _ in range(2)]
    outputs = ours(xs[0], mask), peer(xs[1], edges, features if "edge_dim" in options else None)
    weight = torch.randn_like(outputs[0])
    for out in outputs:
        (out * weight).sum().backward()
    torch.testing.assert_close(*outputs, rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(xs[0].grad, xs[1].grad, rtol=1e-4, atol=1e-5)
    of_peer = dict(peer.named_parameters())
    for parameter_name, parameter in ours.named_parameters():
        torch.testing.assert_close(parameter.grad, of_peer[parameter_name].grad, rtol=1e-4, atol=1e-4)


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
