"""Draws docs/images/speed.svg: time and memory of attention layers, forward and backward.

The numbers are those of the first table of "One layer compared with PyTorch Geometric" in benchmarks/speed.md. With
--check nothing is written: it is an error if the picture is out of date.

Usage: bar_chart.py [--check]
"""

import html
import pathlib
import re
import sys

DOCS = pathlib.Path(__file__).resolve().parent
PAGE = DOCS / "benchmarks" / "speed.md"
PICTURE = DOCS / "images" / "speed.svg"
SECTION = "## One layer compared with PyTorch Geometric\n"
PASS = ", forward and backward"

STYLE = """
:root { color-scheme: light dark; --back: #fff; --text: #1c1e21; --soft: #5c6370; --b0: #0b62c4; --b1: #8b93a1;
  --b2: #a9b0bb; --b3: #c6cbd3; }
@media (prefers-color-scheme: dark) { :root { --back: #16181c; --text: #e6e8ec; --soft: #9aa1ad; --b0: #6fb1ff;
  --b1: #858c98; --b2: #666d78; --b3: #4b515b; } }
svg { background: var(--back); font-family: system-ui, sans-serif; }
text { fill: var(--text); font-size: 12px; } .title { font-size: 13px; font-weight: 600; } .end { text-anchor: end; }
.soft { fill: var(--soft); } .b0 { fill: var(--b0); } .b1 { fill: var(--b1); } .b2 { fill: var(--b2); }
.b3 { fill: var(--b3); }
"""
WIDTH, LABEL, PANEL, NUMBER = 770, 80, 340, 74
BAR, GAP, TOP, LEGEND = 13, 16, 40, 34


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def measured():
    """The names of what was compared, and for each layer their (milliseconds, MiB)."""
    section = PAGE.read_text().split(SECTION, 1)[1]
    head, _, *rows = re.search(r"(?:^\|.*\n)+", section, re.MULTILINE)[0].splitlines()
    names = [name if name != "PyTorch Geometric" else f"{name}, as imported" for name in cells(head)[1:-1]]
    layers = {}
    for row in map(cells, rows):
        if row[0].endswith(PASS):
            of_all = [re.fullmatch(r"([\d,]+) ms, ([\d,]+) MiB", cell).groups() for cell in row[1:-1]]
            layers[row[0].removesuffix(PASS)] = [[int(n.replace(",", "")) for n in pair] for pair in of_all]
    return names, layers


def text(x, y, says, style=""):
    return f'<text x="{x}" y="{y}" class="{style}">{html.escape(says)}</text>'


def panel(left, which, title, unit, layers):
    """A group of bars for each layer: `which` is 0 for the time, 1 for the memory."""
    lines = [text(left, 18, title, "title")]
    largest = max(pair[which] for pairs in layers.values() for pair in pairs)
    y = TOP
    for pairs in layers.values():
        for i, pair in enumerate(pairs):
            length = max(1, round(pair[which] / largest * (PANEL - NUMBER)))
            lines.append(f'<rect x="{left}" y="{y}" width="{length}" height="{BAR - 2}" class="b{i}"/>')
            lines.append(text(left + length + 5, y + BAR - 3, f"{pair[which]:,} {unit}", "" if i == 0 else "soft"))
            y += BAR
        y += GAP
    return lines


def drawing():
    names, layers = measured()
    height = TOP + sum(len(pairs) * BAR + GAP for pairs in layers.values()) + LEGEND
    says = "; ".join(
        f"{layer}: " + ", ".join(f"{name} {ms:,} ms and {mib:,} MiB" for name, (ms, mib) in zip(names, pairs))
        for layer, pairs in layers.items()
    )
    title = "One attention layer, forward and backward, 100,000 nodes and 1.6 million edges, one thread"
    says = html.escape(f"{title}. {says}")
    lines = [
        f'<svg viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" role="img" aria-label="{says}" '
        'xmlns="http://www.w3.org/2000/svg">',
        f"<style>{STYLE}</style>",
    ]
    y = TOP
    for layer, pairs in layers.items():
        lines.append(text(0, y + len(pairs) * BAR / 2 + 4, layer.removesuffix("Conv"), ""))
        y += len(pairs) * BAR + GAP
    lines += panel(LABEL, 0, "Time (less is better)", "ms", layers)
    lines += panel(LABEL + PANEL + 14, 1, "Memory (less is better)", "MiB", layers)
    x = LABEL
    for i, name in enumerate(names):
        lines.append(f'<rect x="{x}" y="{height - 22}" width="11" height="11" class="b{i}"/>')
        lines.append(text(x + 16, height - 12, name))
        x += 40 + round(6.4 * len(name))
    return "\n".join([*lines, "</svg>", ""])


def main(option=""):
    if option == "--check":
        if not PICTURE.exists() or PICTURE.read_text() != drawing():
            sys.exit(f"{PICTURE.name}: not as {PAGE.name} says; run python3 docs/bar_chart.py")
        return
    PICTURE.write_text(drawing())


if __name__ == "__main__":
    main(*sys.argv[1:])
