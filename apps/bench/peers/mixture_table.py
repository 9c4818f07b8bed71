"""Writes a table of two molecules in a row with properties by known rules, from datasets/hydrophilicity.

    python3 mixture_table.py datasets/hydrophilicity/molecules.csv > mixtures.csv

Each molecule is in two rows, beside another one of its part of the split, so that those of the test part are new.
`blend` is the mean of both logP by their shares, in which a + b is b + a; `transfer` is the logP of the first plus a
fiftieth of the polar surface of the second, in which the order counts.
"""

import csv
import random
import sys

rows = list(csv.DictReader(open(sys.argv[1], newline="")))
draw = random.Random(1)
out = csv.writer(sys.stdout, lineterminator="\n")
out.writerow(["a", "b", "share_a", "share_b", "blend", "transfer", "split"])
for part in ("train", "validation", "test"):
    molecules = [row for row in rows if row["split"] == part]
    others = draw.sample(molecules, len(molecules))
    for one, other in zip(molecules, others):
        shares = draw.randint(1, 9), draw.randint(1, 9)
        blend = (shares[0] * float(one["logp"]) + shares[1] * float(other["logp"])) / sum(shares)
        transfer = float(one["logp"]) + float(other["tpsa"]) / 50
        out.writerow([one["smiles"], other["smiles"], *shares, f"{blend:.4f}", f"{transfer:.4f}", part])
