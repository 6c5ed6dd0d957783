"""Does every link of the built site lead somewhere, and does no page load anything from elsewhere?

    python docs/check_links.py build/site

Prints a line for each fault: a file or an anchor that is not there, something that is loaded from another host, a
picture without an alternative text, a page that no other page leads to. The exit status is 1 if there is one. Links
to other hosts are not followed.
"""

import re
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADING = {**dict.fromkeys(("script", "img", "iframe", "source", "video", "audio"), "src"), "object": "data"}
NOT_LOADED = {"canonical", "prev", "next", "index", "search"}  # links in the head that browsers do not load
IN_CSS = re.compile(r"""(?:@import\s+(?:url\()?|url\()\s*["']?([^"')\s;]+)""")
WITHOUT_WAY = {"search.html", "genindex.html", "py-modindex.html"}  # led to by the theme, or not at all


class Page(HTMLParser):
    """A page: its anchors, its links, and what it loads."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.anchors: set[str] = {"", "top"}
        self.links: list[str] = []
        self.loads: list[str] = []
        self.without_text: list[str] = []
        self.in_style = False
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what a tag links to, loads or names."""
        given = {name: value or "" for name, value in attrs}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        self.in_style = tag == "style"
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if tag == "link" and not NOT_LOADED & set(given.get("rel", "").split()):
            self.loads.append(given.get("href", ""))
        if tag in LOADING and LOADING[tag] in given:
            self.loads.append(given[LOADING[tag]])
        self.loads += IN_CSS.findall(given.get("style", ""))
        if tag == "img" and not given.get("alt", "").strip():
            self.without_text.append(given.get("src", ""))

    def handle_data(self, data: str) -> None:
        """Note what a style sheet in the page loads."""
        if self.in_style:
            self.loads += IN_CSS.findall(data)


def faults(site: Path) -> Iterator[str]:
    """A line for each fault of the site."""
    pages = {file.resolve(): Page(file) for file in sorted(site.rglob("*.html")) if "_static" not in file.parts}
    led_to = {(site / "index.html").resolve()}
    for file, page in pages.items():
        where = file.relative_to(site.resolve())
        yield from (f"{where}: a picture has no alternative text: {source}" for source in page.without_text)
        for kind, addresses in (("loads", page.loads), ("links to", page.links)):
            for address in dict.fromkeys(addresses):
                parts = urlsplit(address)
                if parts.scheme or parts.netloc:
                    if kind == "loads" and parts.scheme != "data":
                        yield f"{where}: loads {address}, which is elsewhere"
                    continue
                target = (file.parent / unquote(parts.path)).resolve() if parts.path else file
                if not target.is_file():
                    yield f"{where}: {kind} {address}, which is not there"
                elif target in pages:
                    if target != file:
                        led_to.add(target)
                    if unquote(parts.fragment) not in pages[target].anchors:
                        yield f"{where}: links to {address}, but that page has no such anchor"
    for sheet in sorted(site.rglob("*.css")):
        for address in IN_CSS.findall(sheet.read_text(encoding="utf-8")):
            if urlsplit(address).netloc:
                yield f"{sheet.relative_to(site)}: loads {address}, which is elsewhere"
    for file in sorted(set(pages) - led_to):
        if file.name not in WITHOUT_WAY:
            yield f"{file.relative_to(site.resolve())}: no page leads to it"


if __name__ == "__main__":
    found = list(faults(Path(sys.argv[1])))
    print(*found, sep="\n", end="\n" if found else "")
    sys.exit(bool(found))
