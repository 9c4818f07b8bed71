#!/usr/bin/env python3
"""Writes linear_baseline.json: predictions of scikit-learn's Ridge and LogisticRegression for rows outside the training
set.

Run with NumPy and scikit-learn (made with scikit-learn 1.9.1): python3 tests/golden/make_linear_baseline.py
"""
import json
import pathlib

import numpy as np
from sklearn.linear_model import LogisticRegression, Ridge

ROWS, TRAIN = 60, 40
PENALTIES = [0.1, 1.0, 30.0]
rng = np.random.default_rng(4)
EXACT = dict(solver="newton-cholesky", tol=1e-12, max_iter=1000)


def features(columns):
    values = rng.normal(size=(ROWS, columns)) * np.exp(rng.normal(size=columns)) + rng.normal(size=columns)
    values[rng.random(values.shape) < 0.4] = 0
    return np.round(values * 64) / 64  # exactly representable as float


def regression(columns):
    x = features(columns)
    y = np.round((x @ rng.normal(size=(columns, 2)) + rng.normal(size=(ROWS, 2)) + [3, -40]) * 64) / 64
    y[rng.random(y.shape) < 0.2] = np.nan
    predictions = []
    for penalty in PENALTIES:
        columns_of = []
        for target in range(2):
            known = [i for i in range(TRAIN) if not np.isnan(y[i, target])]
            columns_of.append(Ridge(alpha=penalty).fit(x[known], y[known, target]).predict(x))
        predictions.append(np.stack(columns_of, 1).tolist())
    return {"features": x.tolist(), "targets": np.where(np.isnan(y), None, y).tolist(), "predictions": predictions}


def classification(columns, classes):
    x = features(columns)
    y = (x @ rng.normal(size=(columns, classes)) + 2 * rng.normal(size=(ROWS, classes))).argmax(1)
    y[rng.random(ROWS) < 0.1] = -1
    known = [i for i in range(TRAIN) if y[i] >= 0]
    predictions = [LogisticRegression(C=1 / p, **EXACT).fit(x[known], y[known]).predict_proba(x).tolist()
                   for p in PENALTIES]
    return {"features": x.tolist(), "classes": y.tolist(), "predictions": predictions}


def multilabel(columns, labels):
    x = features(columns)
    y = ((x @ rng.normal(size=(columns, labels)) + 2 * rng.normal(size=(ROWS, labels))) > 0.5).astype(float)
    y[rng.random(y.shape) < 0.3] = np.nan
    predictions = []
    for penalty in PENALTIES:
        columns_of = []
        for label in range(labels):
            known = [i for i in range(TRAIN) if not np.isnan(y[i, label])]
            model = LogisticRegression(C=1 / penalty, **EXACT).fit(x[known], y[known, label])
            columns_of.append(model.predict_proba(x)[:, 1])
        predictions.append(np.stack(columns_of, 1).tolist())
    return {"features": x.tolist(), "targets": np.where(np.isnan(y), None, y).tolist(), "predictions": predictions}


golden = {
    "train": TRAIN, "penalties": PENALTIES,
    "ridge": regression(6), "ridge_dual": regression(55),
    "binary": classification(5, 2), "softmax": classification(5, 4), "multilabel": multilabel(5, 3),
}
path = pathlib.Path(__file__).with_name("linear_baseline.json")
path.write_text(json.dumps(golden, separators=(",", ":")) + "\n")
