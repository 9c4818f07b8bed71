"""Writes listops.json: expressions and their values, by Python's own min, max, statistics.median and sum.

Run in this folder: python make_listops.py
"""
import json
import random
import statistics

OPERATORS = {
    "[MIN": min,
    "[MAX": max,
    "[MED": lambda values: int(statistics.median(values)),
    "[SM": lambda values: sum(values) % 10,
}


def draw(depth):
    """The text of a random expression and its value."""
    if depth == 0 or random.random() < 0.3:
        value = random.randrange(10)
        return str(value), value
    name = random.choice(list(OPERATORS))
    texts, values = zip(*(draw(depth - 1) for _ in range(random.randint(1, 6))))
    return " ".join([name, *texts, "]"]), OPERATORS[name](values)


random.seed(1)
golden = [{"text": text, "value": value} for text, value in (draw(i % 5) for i in range(200))]
with open("listops.json", "w") as file:
    json.dump(golden, file, separators=(",", ":"))
    file.write("\n")
