#!/usr/bin/env python3
"""Writes adam.json: weights after each step of torch.optim.Adam and AdamW, and the scale of clip_grad_norm_.

Run with PyTorch 2.13: python3 tests/golden/make_adam.py
"""
import json
import pathlib

import torch

STEPS = 6
CASES = {
    "adam": (torch.optim.Adam, dict(lr=0.01)),
    "adam_l2": (torch.optim.Adam, dict(lr=0.05, weight_decay=0.1, betas=(0.8, 0.95), eps=1e-6)),
    "adamw": (torch.optim.AdamW, dict(lr=0.02, weight_decay=0.3)),
}


def run(optimiser_class, options, start, gradients):
    weight = torch.tensor(start, requires_grad=True)
    optimiser = optimiser_class([weight], **options)
    trace = []
    for gradient in gradients:
        weight.grad = torch.tensor(gradient)
        optimiser.step()
        trace.append(weight.detach().flatten().tolist())
    return trace


generator = torch.Generator().manual_seed(1)
start = torch.randn(2, 3, generator=generator).tolist()
gradients = (torch.randn(STEPS, 2, 3, generator=generator) * torch.tensor([1.0, 1e-4, 30.0])).tolist()
golden = {"start": start, "gradients": gradients, "cases": {}}
for name, (optimiser_class, options) in CASES.items():
    golden["cases"][name] = {
        "options": {key: list(value) if isinstance(value, tuple) else value for key, value in options.items()},
        "weights": run(optimiser_class, options, start, gradients),
    }
weight = torch.tensor(start, requires_grad=True)
weight.grad = torch.tensor(gradients[0])
golden["clip"] = {"max_norm": 2.0, "norm": torch.nn.utils.clip_grad_norm_([weight], 2.0).item(),
                  "clipped": weight.grad.flatten().tolist()}
path = pathlib.Path(__file__).with_name("adam.json")
path.write_text(json.dumps(golden, indent=1) + "\n")
