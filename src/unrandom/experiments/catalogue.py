"""Lists the experiments: the entries that their modules declare, in the order of the paper.

An entry is written in literals and read without importing its module, which would take seconds; ``registry`` imports
the experiments themselves.
"""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, get_args

from unrandom.core.errors import lookup

Section = Literal["background", "fixed modulus", "unseen modulus", "larger moduli", "beyond the paper"]
SECTIONS: tuple[Section, ...] = get_args(Section)


@dataclass(frozen=True, kw_only=True)
class Entry:
    """An experiment's name, what it is about, and the figures of the paper that it reproduces."""

    name: str
    section: Section = "beyond the paper"  # of the results
    place: int = 1000  # its place in its section; experiments are listed by it, then by name
    about: str
    minutes: float = 0  # One core trains its runs at scale laptop with three seeds in roughly this time.
    figures: Mapping[str, str] = field(default_factory=dict)  # the paper's label of each, and what it shows


def _declared() -> Iterator[tuple[Entry, str]]:
    """Each entry and the module that it is in."""
    for path in sorted(Path(__file__).parent.glob("*/*.py")):
        for statement in ast.parse(path.read_text(encoding="utf-8")).body:
            match statement:
                case ast.Assign(value=ast.Call(func=ast.Name(id="Entry"), keywords=written)):
                    fields = {str(each.arg): ast.literal_eval(each.value) for each in written}
                    yield Entry(**fields), f"unrandom.experiments.{path.parent.name}.{path.stem}"


_FOUND = sorted(_declared(), key=lambda found: (SECTIONS.index(found[0].section), found[0].place, found[0].name))
CATALOGUE = {entry.name: entry for entry, _ in _FOUND}
MODULES = {entry.name: module for entry, module in _FOUND}
FIGURES = {label: title for entry in CATALOGUE.values() for label, title in entry.figures.items()}
"""What each figure of the paper shows that an experiment reproduces, by its label."""


def entry(name: str) -> Entry:
    """Return the catalogue entry called ``name``. Raises UserError, with near misses, if it is missing."""
    return lookup("experiment", name, CATALOGUE)


def figure_title(label: str) -> str:
    """What a figure of the paper shows; for an empty label, that the claim is not from the paper."""
    return FIGURES[label] if label else "beyond the paper"
