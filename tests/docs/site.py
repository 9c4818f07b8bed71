"""Checks the built site of the guide: every link leads somewhere, no page loads anything from another host, and ten
pages open in headless Chromium without a word on the console, in a wide and in a narrow window.

Usage: site.py SITE [SCREENSHOTS]   (folders; the second gets a picture of each page)
"""

import functools
import html.parser
import http.server
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import urllib.parse

OPENED = ["index", "docs/index", "docs/first-hour", "docs/classify-nodes", "docs/molecules", "docs/command-line",
          "docs/benchmarks", "docs/gallery", "docs/gallery/buyers", "docs/python-reference"]  # fmt: skip
LOADS = {"link": "href", "script": "src", "img": "src", "iframe": "src", "source": "src"}
WIDTHS = (1400, 420)


class Page(html.parser.HTMLParser):
    """What a page links to, what it loads, and the names of its places."""

    def __init__(self, path):
        super().__init__()
        self.links, self.loads, self.places = [], [], set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        of = dict(attributes)
        self.places |= {of.get("id"), of.get("name")}
        if tag == "a" and of.get("href"):
            self.links.append(of["href"])
        if of.get(LOADS.get(tag)) and of.get("rel") != "canonical":
            self.loads.append(of[LOADS[tag]])


def broken_links(site):
    """Of all pages but those of Doxygen, which checks its own."""
    paths = [path for path in site.rglob("*.html") if "cpp" not in path.relative_to(site).parts]
    pages = {path: Page(path) for path in paths if path.name != "404.html"}  # that one's links are of a server's root
    for path, page in pages.items():
        name = path.relative_to(site)
        yield from (f"{name} loads {load}" for load in page.loads if re.match(r"(https?:)?//", load))
        for link in [*page.links, *page.loads]:
            of = urllib.parse.urlsplit(link)
            if of.scheme or of.netloc:
                continue
            target = (path.parent / urllib.parse.unquote(of.path)).resolve() if of.path else path
            target = target / "index.html" if target.is_dir() else target
            place = urllib.parse.unquote(of.fragment)
            if not target.is_file():
                yield f"{name} links to {link}, which is no file"
            elif place and target in pages and place not in pages[target].places and place != "__comments":
                yield f"{name} links to {link}, where there is no such place"


def complaints(browser, address, width, folder):
    """What a page writes to the console, and what it asks of other hosts; its picture is left in the folder."""
    log = folder / "net.json"
    done = subprocess.run(
        [browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync",
         "--disable-background-networking", "--disable-component-update",
         "--disable-features=AutofillServerCommunication", f"--user-data-dir={folder / 'profile'}",
         "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--enable-logging=stderr", f"--log-net-log={log}",
         "--virtual-time-budget=3000", f"--screenshot={folder / 'page.png'}", f"--window-size={width},1600", address],
        capture_output=True, text=True, timeout=120)  # fmt: skip
    yield from re.findall(r"CONSOLE.*", done.stderr)
    origin = address[: address.index("/", 8)]
    for line in log.read_text(encoding="utf-8").splitlines():
        asked = re.search(r'"url":"((?:https?|wss?)://[^"]*)"', line)
        is_of_page = '"network_isolation_key":"http://127.0.0.1' in line  # not one of the browser's own
        if asked and is_of_page and not asked[1].startswith(origin + "/"):
            yield f"asks for {asked[1]}"
    if not (folder / "page.png").is_file():
        yield "was not drawn"


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


def failures_when_opened(site, pictures):
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if not browser:
        print("skipped: opening the site's pages, because there is no Chromium (apt-get install chromium)")
        return
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for page in OPENED:
            for width in WIDTHS:
                address = f"http://127.0.0.1:{server.server_port}/{page}.html"
                yield from (f"{page} at {width}: {text}" for text in complaints(browser, address, width, folder))
                if pictures:
                    shutil.move(folder / "page.png", pictures / f"{page.replace('/', '-')}-{width}.png")
    server.shutdown()


def main(site, pictures=None):
    failures = [f"there is no {page}" for page in OPENED if not (site / f"{page}.html").is_file()]
    failures += [*broken_links(site), *failures_when_opened(site, pictures)]
    index = json.loads((site / "search/search_index.json").read_text(encoding="utf-8"))["docs"]
    if not any(entry["location"].startswith("docs/first-hour.html") for entry in index):
        failures.append("the search does not know the first hour")
    print("\n".join(failures), end="\n" if failures else "")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main(*(pathlib.Path(argument).resolve() for argument in sys.argv[1:]))
