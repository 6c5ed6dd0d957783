"""Shows the results of all experiments on one page, Markdown or HTML: verdict counts, claims and pictures."""

import os
import struct
from pathlib import Path

from unrandom.core.errors import UserError
from unrandom.core.files import JsonObject
from unrandom.core.reading import opened
from unrandom.core.templates import template
from unrandom.experiments.experiment import Experiment
from unrandom.experiments.registry import EXPERIMENTS
from unrandom.experiments.reproduce import other_settings
from unrandom.experiments.scale import Scale
from unrandom.report import claims

PNG = b"\x89PNG\r\n"  # first bytes of a PNG file


def results_page(rows: list[JsonObject], scale: Scale, results: Path, page: Path) -> str:
    """The text of ``page`` (HTML if its suffix is .html, else Markdown), from saved verdicts; links are relative."""
    sections = [_section(each, rows, scale, results, page.parent) for each in EXPERIMENTS.values()]
    return template(__package__, "results.html.j2" if page.suffix == ".html" else "results.md.j2").render(
        scale=scale,
        verdicts=list(claims.VERDICTS.values()),
        origins=claims.ORIGINS,
        halves=list(dict.fromkeys(row["half"] for row in rows)),
        summary=claims.summary(rows),
        afterwards=sum(row["written"] == "after" for row in rows),
        sections=[section for section in sections if section["measured"] or section["pictures"]],
        not_run=[section["name"] for section in sections if section["claims"] and not section["measured"]],
    )


def _section(experiment: Experiment, rows: list[JsonObject], scale: Scale, results: Path, folder: Path) -> JsonObject:
    """One experiment with its claims, the titles of the paper's figures that it reproduces, and its pictures."""
    pictures = results / scale / experiment.name
    own = [row for row in rows if row["experiment"] == experiment.name]
    about = experiment.about[:1].upper() + experiment.about[1:]
    return {
        "name": experiment.name,
        "about": about,
        "half": experiment.entry.section,
        "titles": list(experiment.figures.items()),
        "claims": [claims.display_fields(row) for row in own],
        "measured": any(row["verdict"] != "not run" for row in own),
        "tally": [(verdict, count) for verdict, count in claims.tally(own) if count],
        "pictures": [_picture(path, about, experiment.name, folder) for path in sorted(pictures.glob("*.png"))],
        "command": own[0]["command"] if own else experiment.command(scale),
        "other_settings": other_settings(experiment, scale, results),
    }


def _picture(path: Path, about: str, name: str, folder: Path) -> JsonObject:
    """Relative path, size (so that the page keeps its layout while pictures load) and alternative text of a picture."""
    with opened(path) as (file, _size):
        header = file.read(24)
    if not header.startswith(PNG) or len(header) < 24:
        raise UserError(f"{path} is not a PNG file")
    width, height = struct.unpack(">II", header[16:])
    variant = path.stem.removeprefix(name).strip("-").replace("-", " ")
    return {
        "path": os.path.relpath(path, folder),
        "width": width,
        "height": height,
        "alt": f"{about} ({variant})" if variant else about,
    }
