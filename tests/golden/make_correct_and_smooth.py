"""Writes correct_and_smooth.json: the output of PyTorch Geometric's CorrectAndSmooth for random predictions.

Run in this folder with PyTorch and PyTorch Geometric (made with 2.13.0 and 2.8.1): python make_correct_and_smooth.py
"""
import json

import torch
from torch_geometric.nn import CorrectAndSmooth

torch.manual_seed(5)
NODES, CLASSES = 30, 3
pairs = sorted({tuple(sorted((int(u), int(v)))) for u, v in torch.randint(0, NODES - 1, (60, 2)) if u != v})
index = torch.tensor([[u, v] for u, v in pairs] + [[v, u] for u, v in pairs]).T
soft = torch.softmax(torch.randn(NODES, CLASSES), dim=1)
truth = torch.randint(0, CLASSES, (NODES,))
known = torch.rand(NODES) < 0.4
cases = []
for correction, smoothing in [(0.8, 0.8), (0.5, 0.9)]:
    model = CorrectAndSmooth(num_correction_layers=50, correction_alpha=correction, num_smoothing_layers=50,
                             smoothing_alpha=smoothing, autoscale=True)
    corrected = model.correct(soft, truth[known], known, index)
    smooth = model.smooth(corrected, truth[known], known, index)
    mass = smooth.sum(dim=1, keepdim=True)
    # A node without edges keeps its base prediction.
    rows = torch.where(mass > 0, smooth / mass, soft)
    cases.append({"correction": correction, "smoothing": smoothing, "result": rows.tolist()})
with open("correct_and_smooth.json", "w") as out:
    json.dump({"sources": [u for u, _ in pairs], "targets": [v for _, v in pairs], "probabilities": soft.tolist(),
               "known": torch.where(known, truth, torch.tensor(-1)).tolist(), "cases": cases}, out)
    out.write("\n")
