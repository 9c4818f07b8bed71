"""Writes metrics.json: predictions with ties, and their metrics by scikit-learn.

Run in this folder with NumPy and scikit-learn (made with scikit-learn 1.9.1): python make_metrics.py
"""
import json

import numpy as np
from sklearn import metrics as m

rng = np.random.default_rng(3)


def classification(classes, nodes, absent=None):
    truth = rng.integers(0, classes, nodes)
    if absent is not None:
        truth[truth == absent] = (absent + 1) % classes
    counts = np.stack([rng.multinomial(16, np.where(np.arange(classes) == t, 2.0, 1.0) / (classes + 1)) for t in truth])
    probabilities = counts / 16  # exactly representable, with many ties
    predicted = probabilities.argmax(1)
    precision, recall, f1, support = m.precision_recall_fscore_support(
        truth, predicted, labels=range(classes), zero_division=0)
    present = [c for c in range(classes) if 0 < (truth == c).sum() < nodes]
    if classes == 2:
        present = [1]
    return {
        "truth": truth.tolist(), "probabilities": probabilities.tolist(),
        "confusion": m.confusion_matrix(truth, predicted, labels=range(classes)).tolist(),
        "precision": precision.tolist(), "recall": recall.tolist(), "f1": f1.tolist(), "support": support.tolist(),
        "accuracy": m.accuracy_score(truth, predicted), "macro_f1": m.f1_score(truth, predicted, average="macro"),
        "micro_f1": m.f1_score(truth, predicted, average="micro"),
        "roc_auc": float(np.mean([m.roc_auc_score(truth == c, probabilities[:, c]) for c in present])),
        "average_precision":
            float(np.mean([m.average_precision_score(truth == c, probabilities[:, c]) for c in present])),
    }


def regression(nodes, columns):
    truth = rng.normal(size=(nodes, columns)).astype(np.float32)
    predicted = (truth + 0.5 * rng.normal(size=truth.shape)).astype(np.float32)
    by_target = m.root_mean_squared_error(truth.astype(float), predicted.astype(float), multioutput="raw_values")
    deviations = [0.5, 40.0]
    return {
        "targets": [{
            "mae": float(m.mean_absolute_error(t, p)), "rmse": float(m.root_mean_squared_error(t, p)),
            "r2": float(m.r2_score(t, p)),
        } for t, p in zip(truth.astype(float).T, predicted.astype(float).T)],
        "deviations": deviations, "relative_rmse": float(np.mean(by_target / deviations)),
        "truth": truth.astype(float).tolist(), "predicted": predicted.astype(float).tolist(),
        "mae": float(m.mean_absolute_error(truth.astype(float), predicted.astype(float))),
        "rmse": float(m.root_mean_squared_error(truth.astype(float), predicted.astype(float))),
        "r2": float(m.r2_score(truth.astype(float), predicted.astype(float))),
    }


def multilabel(nodes, labels):
    truth = rng.integers(0, 2, (nodes, labels))
    probabilities = rng.integers(0, 17, truth.shape) / 16 * 0.6 + 0.4 * truth
    probabilities = np.round(probabilities * 32 + 0.25) / 32
    predicted = probabilities >= 0.5
    return {
        "targets": [{
            "accuracy": m.accuracy_score(t, q), "f1": m.f1_score(t, q), "roc_auc": m.roc_auc_score(t, p),
            "average_precision": m.average_precision_score(t, p),
        } for t, q, p in zip(truth.T, predicted.T, probabilities.T)],
        "truth": truth.tolist(), "probabilities": probabilities.tolist(),
        "accuracy": float((predicted == truth).mean()),
        "macro_f1": m.f1_score(truth, predicted, average="macro"),
        "micro_f1": m.f1_score(truth, predicted, average="micro"),
        "roc_auc": m.roc_auc_score(truth, probabilities, average="macro"),
        "average_precision": m.average_precision_score(truth, probabilities, average="macro"),
    }


golden = {
    "classification": [classification(4, 60), classification(2, 50), classification(4, 40, absent=2)],
    "regression": regression(25, 2),
    "multilabel": multilabel(40, 3),
}
with open("metrics.json", "w") as file:
    json.dump(golden, file, separators=(",", ":"))
    file.write("\n")
