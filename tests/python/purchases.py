"""The purchases network that the project ships, for several tests."""

import pathlib

FOLDER = pathlib.Path(__file__).parents[2] / "datasets/purchases"
FILES = {"edges": FOLDER / "friends.csv", "nodes": FOLDER / "people.csv"}
DATA = {**FILES, "label": "buys", "directed": True}
