"""Writes counts.json: the loss of counts and its gradient by PyTorch, and their deviance by scikit-learn.

Run in this folder with NumPy, PyTorch and scikit-learn (made with PyTorch 2.13.0 and scikit-learn 1.9.1):
python make_counts.py
"""
import json

import numpy as np
import torch
from sklearn import metrics

rng = np.random.default_rng(5)
logs = (rng.normal(size=(12, 2)) * 1.5).astype(np.float32).astype(float)
counts = rng.poisson(np.exp(logs + rng.normal(size=logs.shape) / 2)).astype(float)

x = torch.tensor(logs, requires_grad=True)
loss = torch.nn.PoissonNLLLoss(log_input=True, full=False)(x, torch.tensor(counts))
loss.backward()

with open("counts.json", "w") as file:
    json.dump({"logs": logs.tolist(), "counts": counts.tolist(), "loss": loss.item(), "gradient": x.grad.tolist(),
               "deviance": [metrics.mean_poisson_deviance(t, p) for t, p in zip(counts.T, np.exp(logs).T)]}, file)
