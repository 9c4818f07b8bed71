"""Writes bleu.json: texts with references, and their BLEU by sacreBLEU with its default settings.

Run in this folder with sacreBLEU (made with sacreBLEU 2.6.0): python make_bleu.py
"""
import json
import random

import sacrebleu

rng = random.Random(5)
WORDS = ["the", "a", "dog", "cat", "runs", "sleeps", "over", "grass", "3.5", "1,000", "e.g.", "U.S.", "don't", "well-known",
         "20-year", "(see", "below)", "&quot;yes&quot;", "x/y", "50%", "$5", "a.b", "5.", ",", ".", "Straße", "café,", "é.,",
         "R&amp;D", "<skipped>", "a_b", "#1", "~"]


def sentence(length):
    return " ".join(rng.choice(WORDS) for _ in range(length))


def changed(text):
    words = text.split()
    for _ in range(rng.randrange(4)):
        words[rng.randrange(len(words))] = rng.choice(WORDS)
    return " ".join(words[: len(words) - rng.randrange(3)] if len(words) > 4 else words)


def case(texts, references):
    streams = [[r[i] if i < len(r) else None for r in references] for i in range(max(map(len, references)))]
    return {"texts": texts, "references": references, "bleu": sacrebleu.corpus_bleu(texts, streams).score}


def drawn(count, shortest, longest, most_references, keep=True):
    texts, references = [], []
    for _ in range(count):
        first = sentence(rng.randrange(shortest, longest))
        texts.append(changed(first) if keep else sentence(rng.randrange(shortest, longest)))
        references.append([first] + [changed(first) for _ in range(rng.randrange(most_references))])
    return case(texts, references)


cases = [drawn(20, 5, 15, 1), drawn(30, 6, 20, 3), drawn(5, 1, 4, 1), drawn(4, 4, 8, 1, keep=False), drawn(1, 6, 7, 1),
         case(["the cat"], [["the cat"]]), case(["a dog runs over grass ."], [["cat sleeps"]]),
         case([""], [["the cat"]]), case(["the cat sleeps over the grass", ""], [["the cat sleeps"], ["a dog"]])]
with open("bleu.json", "w") as out:
    json.dump(cases, out, ensure_ascii=False, indent=0)
