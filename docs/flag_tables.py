"""Writes the tables of flags in docs/command-line/ as `edgewise VERB --help` has them.

A table stands between the lines `<!-- flags VERB -->` and `<!-- /flags -->`. It leaves out what the verb shares with
`train`, whose flags have tables with more to say. With --check nothing is written: it is an error if a table is out of
date, or if the page of a verb and those on data and splits do not name one of its flags.

Usage: flag_tables.py EDGEWISE [--check]
"""

import pathlib
import re
import subprocess
import sys

PAGES = pathlib.Path(__file__).resolve().parent / "command-line"
SHARED = [PAGES.parent / "command-line.md", PAGES / "data-flags.md", PAGES / "splits.md"]
TABLE = re.compile(r"(<!-- flags ([a-z ]+) -->\n).*?(<!-- /flags -->)", re.DOTALL)
FLAG = re.compile(r"^  (?:-\w,)?(--[a-z][a-z-]*) ?([A-Z]*)(?:=(\S*))?(?: REQUIRED)?(?: \.\.\.)?  +(\S.*)$", re.MULTILINE)
VERBS = ["train", "compare", "tune", "predict", "serve", "evaluate", "explain", "inspect", "bench", "bench attention",
         "data list", "data info", "data generate", "data split", "data freeze", "data plan"]  # fmt: skip


def flags(program, verb):
    """Each flag of a verb: its name, the kind of its value, the default, and what it does."""
    done = subprocess.run([program, *verb.split(), "--help"], check=True, capture_output=True, text=True)
    return [match.groups(default="") for match in FLAG.finditer(done.stdout) if match[1] != "--help"]


def table(program, verb):
    shared = {(name, says) for name, _, _, says in flags(program, "train")}
    lines = ["", "| flag | default | |", "|---|---|---|"]
    for name, kind, default, says in flags(program, verb):
        if (name, says) not in shared:
            value = {"INT": " N", "UINT": " N", "FLOAT": " X", "TEXT": " TEXT"}.get(kind, "")
            lines.append(f"| `{name}{value}` | {f'`{default}`' if default else ''} | {says.replace('|', chr(92) + '|')} |")
    return "\n".join([*lines, "", ""])


def main(program, option=""):
    failures = []
    for page in sorted(PAGES.glob("*.md")):
        text = page.read_text(encoding="utf-8")
        made = TABLE.sub(lambda match: match[1] + table(program, match[2]) + match[3], text)
        if made != text and option == "--check":
            failures.append(f"{page.name}: a table of flags is not what --help says: run docs/flag_tables.py")
        elif made != text:
            page.write_text(made, encoding="utf-8")
    for verb in VERBS:
        told = [*SHARED, PAGES / "train.md", PAGES / f"{verb.split()[0]}.md"]
        words = set(re.findall(r"--[a-z][a-z-]*", "".join(page.read_text(encoding="utf-8") for page in told)))
        failures += [f"the pages on {verb} do not name {flag[0]}" for flag in flags(program, verb) if flag[0] not in words]
    print("\n".join(failures), end="\n" if failures else "")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
