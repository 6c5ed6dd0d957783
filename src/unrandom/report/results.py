"""What came of the experiments? One page, Markdown or HTML: the claims, then every figure with its verdicts."""

import os
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from unrandom.experiments.registry import EXPERIMENTS

Tree = dict[str, Any]

BEYOND = "Beyond the paper: "


def results_page(rows: list[Tree], scale: str, results: Path, page: Path) -> str:
    """The text of ``page`` (.html, else Markdown), from saved judgements; pictures are linked relative to it."""
    sections = [_section(name, rows, scale, results, page.parent) for name in EXPERIMENTS]
    kind = "html" if page.suffix == ".html" else "md"
    return _template(kind).render(
        scale=scale,
        rows=[{**row, "measured": _measured(row)} for row in rows],
        sections=[section for section in sections if section["pictures"]],
    )


def _section(name: str, rows: list[Tree], scale: str, results: Path, folder: Path) -> Tree:
    experiment = EXPERIMENTS[name]
    pictures = sorted((results / scale / name).glob("*.png"))
    return {
        "name": name,
        "about": experiment.about,
        "figures": ", ".join(experiment.figures),
        "rows": [{**row, "short": _short(row["claim"])} for row in rows if row["experiment"] == name],
        "pictures": [os.path.relpath(picture, folder) for picture in pictures],
        "command": f"unrandom reproduce {name} --scale {scale}",
    }


def _short(claim: str) -> str:
    """What is claimed, without how it is measured."""
    beyond = claim.removeprefix(BEYOND)
    if beyond != claim:
        claim = beyond[:1].upper() + beyond[1:]
    return claim.split(":")[0].rstrip(".")


def _measured(row: Tree) -> str:
    if row["value"] is None:
        return "–"
    interval = "" if row["interval"] is None else " ({:.3f} to {:.3f})".format(*row["interval"])
    return f"{row['value']:.3f}{interval}, n = {row['units']}"


@cache
def _template(kind: str) -> Template:
    environment = Environment(
        loader=PackageLoader("unrandom.report", "."),
        autoescape=kind == "html",
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.get_template(f"results.{kind}.j2")
