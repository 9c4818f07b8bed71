import edgewise
import numpy as np

random = np.random.default_rng(0)
query, key, value = (random.normal(size=(4, 32)) for _ in range(3))

mask = edgewise.Mask([[0, 1, 2, 3], [1, 2, 3, 3]], nodes=4)  # sources, targets: 1 attends to 0, 3 to 2 and to itself
out, weights = edgewise.attend(mask, query, key, value, heads=4, return_weights=True)
print(out.shape)  # (4, 32); row 0 is zeros, because 0 attends to nothing
print(mask.edge_index, weights.shape)  # weights[e] belongs to mask.edge_index[:, e]

sequence = edgewise.Mask.by_rule("causal_band:2", nodes=4)  # each element attends to itself and to the two before it
print(edgewise.attend(sequence, query, key, value, heads=4, score="gatv2", normaliser="relu").shape)

queries = edgewise.Mask([[0, 1, 2, 3], [0, 0, 1, 1]], nodes=(4, 2))  # two queries, each with two of four keys
print(edgewise.attend(queries, query[:2], key, value, heads=4).shape)
