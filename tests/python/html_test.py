"""What a notebook shows."""

import html.parser

import edgewise
import purchases
from edgewise import _html


class Cells(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.open, self.texts = [], []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


def test_texts_are_escaped_and_rows_are_counted():
    cells = Cells(_html.table("<b>", ["<i>"], [["<script>"], [float("nan")], [None], [True], [1234.5678]] * 10))
    assert cells.texts[:3] == ["<b>", "<i>", "<script>"]
    assert "1235" in cells.texts and "yes" in cells.texts
    assert cells.texts[-1] == "and 30 more"


def test_results_show_themselves_as_tables():
    model = edgewise.train(
        edges=purchases.FOLDER / "friends.csv", nodes=purchases.FOLDER / "people.csv", label="buys", model="gcn", epochs=3
    )
    cells = Cells(model.predictions._repr_html_())
    assert cells.texts[1:5] == ["name", "predicted", "no", "yes"]
    assert cells.texts[-1] == "and 1980 more"
    assert "accuracy" in Cells(model._repr_html_()).texts
    effects = model.explain(node="p0", by="deletion")
    texts = Cells(effects._repr_html_()).texts
    assert texts[texts.index("kind") :][:4] == ["kind", "part", "effect", "without"]
    assert effects._repr_html_().startswith("<svg")
