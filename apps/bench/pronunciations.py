"""Word error rates of models that were trained on cmudict, with stress and without.

The dictionary marks the stress of vowels (AH0, AH1), and published results leave it out. A word of the test part is
right if the best hypothesis is any of its pronunciations: with all marks equal, or when both sides are stripped of them.

    edgewise train cmudict --epochs 10 --out cmudict.safetensors
    EDGEWISE_DATA=... python apps/bench/pronunciations.py cmudict.safetensors --edgewise build/edgewise --beam 5
"""

import argparse
import csv
import gzip
import os
import re
import subprocess
import sys
import tempfile


def read_dictionary():
    """The pronunciations of each word."""
    pronunciations = {}
    with gzip.open(os.path.join(os.environ["EDGEWISE_DATA"], "cmudict", "cmudict.dict.gz"), "rt") as file:
        for line in file:
            word, *phonemes = line.split("#")[0].split() or [""]
            pronunciations.setdefault(re.sub(r"\(\d+\)$", "", word), []).append(" ".join(phonemes))
    return pronunciations


def hypotheses(arguments, words):
    """The best one for each word."""
    with tempfile.TemporaryDirectory() as folder:
        sources, out = os.path.join(folder, "words.txt"), os.path.join(folder, "out.csv")
        with open(sources, "w") as file:
            file.writelines(word + "\n" for word in words)
        subprocess.run([arguments.edgewise, "predict", arguments.model, "--pairs", sources, "--beam",
                        str(arguments.beam), "--out", out], check=True, stdout=subprocess.DEVNULL)
        with open(out, newline="") as file:
            return [row["predicted"] for row in csv.DictReader(file) if row["rank"] == "1"]


def without_stress(phonemes):
    return re.sub(r"\d", "", phonemes)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", help="a model file")
    parser.add_argument("--edgewise", default="build/edgewise", help="the command line that was built")
    parser.add_argument("--beam", type=int, default=5)
    arguments = parser.parse_args()
    if "EDGEWISE_DATA" not in os.environ:
        sys.exit("pronunciations.py: set EDGEWISE_DATA to the folder that has the data sets")
    pronunciations = read_dictionary()
    test = sorted(pronunciations, key=str.encode)[9::10]
    best = hypotheses(arguments, test)
    wrong = sum(found not in pronunciations[word] for word, found in zip(test, best, strict=True))
    wrong_phonemes = sum(without_stress(found) not in map(without_stress, pronunciations[word])
                         for word, found in zip(test, best, strict=True))
    print(f"{len(test):,} words: word error rate {wrong / len(test):.1%}, without stress {wrong_phonemes / len(test):.1%}")


if __name__ == "__main__":
    main()
