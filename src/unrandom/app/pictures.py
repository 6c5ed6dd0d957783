"""The pictures that the app shows, by scale, experiment and name: PNG files that it lists in its folder of results
(regular files, no links, of a limited size), and no other file."""

import re
import stat
from dataclasses import dataclass
from pathlib import Path

from unrandom.app.limits import MAX_PICTURE
from unrandom.experiments.scale import SCALES

PATH = "/pictures/"
ADDRESS = re.compile(PATH + r"(?P<scale>\w{1,20})/(?P<experiment>[a-z0-9-]{1,60})/(?P<name>[a-z0-9-]{1,80}\.png)")
SIGNATURE = b"\x89PNG\r\n\x1a\n"
HEAD = 24  # bytes of a PNG file up to the end of its width and height


@dataclass(frozen=True)
class Picture:
    """A picture of an experiment: its address in the app, and its size in pixels."""

    address: str
    width: int
    height: int


def pictures(results: Path, scale: str, experiment: str) -> list[Picture]:
    """The pictures of an experiment that the app shows, by name; the picture named like the experiment is the first."""
    folder, found = results / scale / experiment, []
    for path in sorted(folder.glob("*.png"), key=lambda path: (path.stem != experiment, path.name)):
        address = f"{PATH}{scale}/{experiment}/{path.name}"
        if ADDRESS.fullmatch(address) and (content := _content(folder, path.name, HEAD)) is not None:
            size = [int.from_bytes(content[begin : begin + 4], "big") for begin in (16, 20)]
            found.append(Picture(address, *size))
    return found


def picture(results: Path, address: str) -> bytes | None:
    """The picture at an address, or None if there is none."""
    asked = ADDRESS.fullmatch(address)
    if asked is None or asked["scale"] not in SCALES:
        return None
    return _content(results / asked["scale"] / asked["experiment"], asked["name"], MAX_PICTURE)


def _content(folder: Path, name: str, most: int) -> bytes | None:
    """The first ``most`` bytes of a PNG file; None if it is another file, a link, in a linked folder, or too large."""
    path = folder / name
    try:
        is_link = any(each.is_symlink() for each in (folder.parent, folder, path))
        if is_link or not stat.S_ISREG((found := path.stat()).st_mode) or not HEAD <= found.st_size <= MAX_PICTURE:
            return None
        with path.open("rb") as file:
            content = file.read(most)
    except OSError:
        return None
    return content if content.startswith(SIGNATURE) else None
