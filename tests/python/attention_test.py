"""edgewise.attend against loops in double precision."""

import numpy as np
import pytest

import edgewise

HEADS, WIDTH, SOURCES, TARGETS = 3, 5, 9, 7
SCORES = ("dot_product", "gat", "gatv2", "bahdanau")


def random_mask(seed=0):
    edges = np.argwhere(np.random.default_rng(seed).random((TARGETS - 1, SOURCES)) < 0.4)  # the last target has none
    return edgewise.Mask(edges[:, ::-1].T, (SOURCES, TARGETS))


def random_inputs(score, seed=1):
    rng = np.random.default_rng(seed)
    columns = HEADS if score == "gat" else HEADS * WIDTH
    return {
        "query": rng.normal(size=(TARGETS, columns)).astype(np.float32),
        "key": rng.normal(size=(SOURCES, columns)).astype(np.float32),
        "value": rng.normal(size=(SOURCES, HEADS * WIDTH)).astype(np.float32),
    }


def score_of(score, query, key, vector):
    leaky = lambda x: np.where(x > 0, x, 0.2 * x)
    if score == "dot_product":
        return query @ key / np.sqrt(WIDTH)
    if score == "gat":
        return leaky(query[0] + key[0])
    return vector @ (leaky(query + key) if score == "gatv2" else np.tanh(query + key))


def expected(mask, score, normaliser, query, key, value, vector):
    out, weights = np.zeros((TARGETS, HEADS, WIDTH)), np.zeros((mask.edge_count, HEADS))
    query, key = (x.astype(np.float64).reshape(len(x), HEADS, -1) for x in (query, key))
    value, vector = value.astype(np.float64).reshape(SOURCES, HEADS, WIDTH), vector.reshape(HEADS, WIDTH)
    sources, targets = mask.edge_index
    for target in range(TARGETS):
        edges = np.flatnonzero(targets == target)
        for h in range(HEADS):
            x = np.array([score_of(score, query[target, h], key[sources[e], h], vector[h]) for e in edges])
            if normaliser == "softmax" and len(x) > 0:
                x = np.exp(x - x.max()) / np.exp(x - x.max()).sum()
            if normaliser == "relu" and len(x) > 0:
                x = np.maximum(x, 0) / len(x)
            weights[edges, h] = x
            out[target, h] = sum((w * value[sources[e], h] for w, e in zip(x, edges)), np.zeros(WIDTH))
    return out.reshape(TARGETS, -1), weights


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("normaliser", ["softmax", "relu", "none"])
def test_equals_loops(score, normaliser):
    mask, inputs = random_mask(), random_inputs(score)
    vector = np.random.default_rng(2).normal(size=HEADS * WIDTH) if score in ("gatv2", "bahdanau") else None
    out, weights = edgewise.attend(
        mask, **inputs, heads=HEADS, score=score, normaliser=normaliser, attention_vector=vector, return_weights=True
    )
    vector = np.ones(HEADS * WIDTH) if vector is None else vector
    expected_out, expected_weights = expected(mask, score, normaliser, **inputs, vector=vector)
    np.testing.assert_allclose(weights, expected_weights, atol=2e-6)
    np.testing.assert_allclose(out, expected_out, atol=1e-5)
    assert out.dtype == np.float32 and not out[TARGETS - 1].any()


def test_scale_matters():
    mask, inputs = random_mask(), random_inputs("dot_product")
    out = edgewise.attend(mask, **inputs, heads=HEADS)
    assert np.abs(out - edgewise.attend(mask, **inputs, heads=HEADS, scale=False)).max() > 0.01


def test_takes_lists_doubles_and_strided_arrays():
    mask = edgewise.Mask([[0, 1], [1, 1]], 2)
    table = np.arange(16, dtype=np.float64).reshape(2, 8)[:, ::2]
    out = edgewise.attend(mask, table, table, table)
    np.testing.assert_array_equal(out, edgewise.attend(mask, table.tolist(), table.tolist(), table.tolist()))


def test_threads_do_not_change_the_bits():
    rng = np.random.default_rng(3)
    mask = edgewise.Mask(rng.integers(0, 500, size=(2, 20000)), 500)
    table = rng.normal(size=(500, 64)).astype(np.float32)
    before = edgewise.threads()
    outputs = []
    for count in (1, 2, 3):
        edgewise.set_threads(count)
        outputs.append(edgewise.attend(mask, table, table, table, heads=4))
    edgewise.set_threads(before)
    assert outputs[0].tobytes() == outputs[1].tobytes() == outputs[2].tobytes()


@pytest.mark.parametrize(
    "change, message",
    [
        ({"heads": 4}, "expected 1 to 512 heads that divide 15 columns, got 4"),
        ({"heads": 0}, "got 0"),
        ({"heads": 2**40}, "got 1099511627776"),
        ({"score": "gatv3"}, 'unknown score "gatv3"'),
        ({"normaliser": "sum"}, 'unknown normaliser "sum"'),
        ({"query": np.zeros((TARGETS + 1, HEADS * WIDTH))}, r"query has shape \[8, 15\], expected \[7, 15\]"),
        ({"query": [[]] * TARGETS, "key": [[]] * SOURCES, "value": [[]] * SOURCES}, "at least one column"),
        ({"value": np.zeros(SOURCES)}, r"expected value \[rows, columns\], got \[9\]"),
        ({"attention_vector": np.ones(15)}, "the score dot_product has no attention vector"),
        ({"negative_slope": -1.0}, "negative_slope"),
    ],
)
def test_refuses_wrong_arguments(change, message):
    arguments = {**random_inputs("dot_product"), "heads": HEADS, **change}
    with pytest.raises(edgewise.UsageError, match=message):
        edgewise.attend(random_mask(), **arguments)
