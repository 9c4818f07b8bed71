"""Writes curves.json: the curves of the predictions in metrics.json, by scikit-learn.

Run in this folder with NumPy and scikit-learn (made with scikit-learn 1.9.1): python make_curves.py
"""
import json

import numpy as np
from sklearn import metrics as m
from sklearn.calibration import calibration_curve


def ranking(truth, scores):
    false_positive_rate, recall, _ = m.roc_curve(truth, scores, drop_intermediate=False)
    precision, _, _ = m.precision_recall_curve(truth, scores)
    return {
        "false_positive_rate": false_positive_rate[1:].tolist(), "recall": recall[1:].tolist(),
        "precision": precision[:-1][::-1].tolist(),
        "roc_auc": m.roc_auc_score(truth, scores), "average_precision": m.average_precision_score(truth, scores),
    }


def reliability(is_right, confidence, bins=10):
    accuracy, mean = calibration_curve(is_right, confidence, n_bins=bins)
    counts = np.bincount(np.searchsorted(np.linspace(0, 1, bins + 1)[1:-1], confidence), minlength=bins)
    known = counts[counts > 0]
    return {
        "decisions": counts.tolist(), "accuracy": accuracy.tolist(), "confidence": mean.tolist(),
        "expected_error": float(np.sum(known * np.abs(accuracy - mean)) / len(confidence)),
    }


def classification(case):
    truth, p = np.array(case["truth"]), np.array(case["probabilities"])
    return {
        "rankings": [ranking(truth == c, p[:, c]) if 0 < (truth == c).sum() else None for c in range(p.shape[1])],
        "reliability": reliability(p.argmax(1) == truth, p.max(1)),
    }


def multilabel(case):
    truth, p = np.array(case["truth"]), np.array(case["probabilities"])
    return {
        "rankings": [ranking(t, q) for t, q in zip(truth.T, p.T)],
        "reliability": reliability(((p >= 0.5) == truth).ravel(), np.maximum(p, 1 - p).ravel()),
    }


with open("metrics.json") as file:
    given = json.load(file)
golden = {
    "classification": [classification(case) for case in given["classification"]],
    "multilabel": multilabel(given["multilabel"]),
}
with open("curves.json", "w") as file:
    json.dump(golden, file, separators=(",", ":"))
    file.write("\n")
