"""Chemprop's message passing network on a table of molecules, with the split that Edgewise drew.

The defaults of `chemprop train`: directed messages along bonds (width 300, depth 3), sums of the atoms over 100, one
hidden layer of 300; Adam with warm-up and decay, 64 molecules per step, 50 epochs; numbers are standardised on the
training part; the weights kept are those of the epoch with the lowest loss on the validation part. Several targets
share one network, and the metric is their mean. The seed determines the initial weights and the order of the molecules.
CPU time includes the features of atoms and bonds, but not the imports or reading the table.

    pip install -r apps/bench/peers/requirements.txt
    edgewise train esol --model descriptors --split scaffold --save-splits splits
    python apps/bench/peers/molecule_chemprop.py --molecules esol/delaney-processed.csv --split splits/split-0.csv \
        --target "measured log solubility in mols per litre" --seeds 0,1,2
"""

import logging
import tempfile
import warnings

from molecule_table import add_flags, measure, print_heading, read_table
from turns import Parser, count, integer, require


def build_datasets(table):
    """The graphs of each part, and the scaler of the targets."""
    from chemprop.data import MoleculeDatapoint, MoleculeDataset

    datasets = {}
    for part, rows in table.parts.items():
        points = [MoleculeDatapoint(table.molecules[row], table.targets[row]) for row in rows]
        datasets[part] = MoleculeDataset(points)
        datasets[part].cache = True
    if not table.is_regression:
        return datasets, None
    scaler = datasets["train"].normalize_targets()
    datasets["validation"].normalize_targets(scaler)
    return datasets, scaler


def build_model(targets, scaler):
    from chemprop.models import MPNN
    from chemprop.nn import BinaryClassificationFFN, BondMessagePassing, NormAggregation, RegressionFFN, UnscaleTransform

    messages = BondMessagePassing()
    if scaler is None:
        head = BinaryClassificationFFN(n_tasks=targets)
    else:
        head = RegressionFFN(n_tasks=targets, output_transform=UnscaleTransform.from_standard_scaler(scaler))
    return MPNN(messages, NormAggregation(), head, batch_norm=False)


def predict(table, datasets, scaler, epochs, seed):
    """Trains a network; returns its predictions for the validation and test parts, NaN elsewhere."""
    import numpy as np
    import torch
    from chemprop.data import build_dataloader
    from lightning.pytorch import Trainer
    from lightning.pytorch.callbacks import ModelCheckpoint

    torch.manual_seed(seed)
    loaders = {part: build_dataloader(dataset, seed=seed, shuffle=part == "train", drop_last=False)
               for part, dataset in datasets.items()}
    model = build_model(table.targets.shape[1], scaler)

    with tempfile.TemporaryDirectory() as directory:
        best = ModelCheckpoint(directory, monitor="val_loss", mode="min")
        trainer = Trainer(max_epochs=epochs, callbacks=[best], accelerator="cpu", devices=1, deterministic=True,
                          logger=False, enable_progress_bar=False, enable_model_summary=False)
        trainer.fit(model, loaders["train"], loaders["validation"])
        model = type(model).load_from_checkpoint(best.best_model_path)

    predictions = np.full_like(table.targets, np.nan)
    for part in ("validation", "test"):
        predictions[table.parts[part]] = torch.cat(trainer.predict(model, loaders[part])).numpy()
    return predictions


def main():
    parser = Parser(description=__doc__.splitlines()[0])
    add_flags(parser)
    parser.add_argument("--epochs", type=integer(1), default=50)
    parser.add_argument("--threads", type=integer(1), default=1)
    arguments = parser.parse_args()
    require("numpy", "rdkit", "sklearn", "torch", "lightning", "chemprop")

    import chemprop
    import torch

    torch.set_num_threads(arguments.threads)
    logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
    warnings.filterwarnings("ignore")
    table = read_table(arguments)
    print_heading(arguments, table, count(arguments.epochs, "epoch"))
    measure(f"chemprop {chemprop.__version__}", table, arguments.seeds,
            lambda: build_datasets(table),
            lambda prepared, seed: predict(table, *prepared, arguments.epochs, seed))


if __name__ == "__main__":
    main()
