"""A hook of MkDocs that makes a site of the Markdown where it lies, with the paths of the sources.

Links are those of a repository's web view. A link to a source file leads to a page that shows it.
"""

import json
import pathlib
import posixpath
import re

from mkdocs.structure.files import File
from mkdocs.structure.nav import Link

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGES = ["README.md", "docs/**/*.md", "lib/README.md", "datasets/*/README.md"]
SHOWN_AS_THEY_ARE = ["docs/gallery/*", "docs/images/*"]
REFERENCE = ROOT / "build-docs/html"  # of Doxygen
LINK = re.compile(r"(\]\()([^)#\s]+)([)#])")
LANGUAGES = {".hpp": "cpp", ".cpp": "cpp", ".py": "python", ".json": "json", ".cff": "yaml"}


def found(pattern):
    site = ROOT / "docs/site"
    return [path for path in sorted(ROOT.glob(pattern)) if path.is_file() and site not in path.parents]


def source_of(page, link):
    """The file that a link of a page names, if it is one that the site shows as a page of its own."""
    path = posixpath.normpath(posixpath.join(posixpath.dirname(page), link))
    file = ROOT / path
    is_shown = any(file.match(pattern) for pattern in SHOWN_AS_THEY_ARE)
    return path if file.is_file() and file.suffix != ".md" and not is_shown else None


def shown_output(output):
    """What a cell of a notebook showed, as Markdown."""
    data = output.get("data", {})
    if "image/svg+xml" in data:
        drawing = "".join(data["image/svg+xml"])
        return f"<div>{drawing[drawing.index('<svg'):]}</div>".replace("\n", " ")
    if "text/html" in data:
        return f"<div>{''.join(data['text/html'])}</div>".replace("\n", " ")
    return f"```text\n{''.join(output.get('text', data.get('text/plain', ''))).rstrip()}\n```"


def page_of_notebook(path):
    parts = []
    for cell in json.loads((ROOT / path).read_text(encoding="utf-8"))["cells"]:
        text = "".join(cell["source"])
        parts.append(text if cell["cell_type"] == "markdown" else f"```python\n{text}\n```")
        parts += map(shown_output, cell.get("outputs", []))
    return "\n\n".join(parts) + "\n"


def page_that_shows(path):
    if path.endswith(".ipynb"):
        return page_of_notebook(path)
    text = (ROOT / path).read_text(encoding="utf-8").rstrip()
    return f"# {path}\n\n`````{LANGUAGES.get(pathlib.Path(path).suffix, 'text')}\n{text}\n`````\n"


def on_config(config):
    config.watch += [str(ROOT / "docs"), str(ROOT / "README.md")]
    return config


def on_files(files, config):
    pages = [path for pattern in PAGES for path in found(pattern)]
    added = {path.relative_to(ROOT).as_posix(): path for path in pages}
    added |= {path.relative_to(ROOT).as_posix(): path for pattern in SHOWN_AS_THEY_ARE for path in found(pattern)}
    if REFERENCE.is_dir():
        added |= {f"cpp/{path.name}": path for path in REFERENCE.iterdir() if path.is_file()}
    for name, path in added.items():
        files.append(File.generated(config, name, abs_src_path=str(path)))
    shown = set()
    for path in pages:
        name = path.relative_to(ROOT).as_posix()
        shown |= {source_of(name, link[2]) for link in LINK.finditer(path.read_text(encoding="utf-8"))}
    for path in sorted(shown - {None}):
        files.append(File.generated(config, f"{path}.md", content=page_that_shows(path)))
    return files


def on_nav(nav, config, files):
    """Leads to the reference of Doxygen, which is no page of MkDocs, after the page on the library."""
    if REFERENCE.is_dir():
        section = next(item for item in nav.items if item.title == "Programmers")
        link = Link("C++ reference", "cpp/index.html")
        link.parent = section
        section.children.insert(4, link)
    return nav


def on_page_markdown(markdown, page, config, files):
    name = page.file.src_uri

    def replaced(link):
        return f"{link[1]}{link[2]}.md{link[3]}" if source_of(name, link[2]) else link[0]

    return LINK.sub(replaced, markdown)
