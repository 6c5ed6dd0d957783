"""Which experiments are there? Every module with an ``ENTRY``: its name, a line about it, and figures of the paper.

An entry is written in literals and read from the text of the module, whose import would take seconds, so that
experiments are listed at once; ``registry`` imports the experiments themselves.
"""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from unrandom.core.errors import lookup

Section = Literal["background", "fixed modulus", "unseen modulus", "larger moduli", "beyond the paper"]

# The sections, and the experiments of each in the order of the paper. Any other is beyond it, and follows them.
ORDER: dict[Section, str] = {
    "background": "digit-periods tokenization",
    "fixed modulus": "fm-grokking fm-staircase fm-invariance fm-embedding fm-attention fm-lookback-ablation fm-neurons "
    "fm-primes",
    "unseen modulus": "um-grokking um-period-ablation um-phase-diagram um-critical-depth um-hyperparameters um-dataset "
    "um-primes um-embedding um-heads um-pruning um-modulus-estimate um-patching um-lookback um-digits",
    "larger moduli": "fm-scaling fm-seeds um-scaling",
    "beyond the paper": "fm-what-helps um-shortcut um-adaptivity um-hold-out um-needed-lookback fm-order "
    "fm-order-depth fm-order-pressure hard-multipliers ceilings pcg-alone pcg-joint pcg-which-variant pcg-one-bit "
    "pcg-context pcg-posterior pcg-few-parameters pcg-curriculum pcg-transfer pcg-embedding pcg-lookback pcg-rounds",
}


@dataclass(frozen=True, kw_only=True)
class Entry:
    """What an experiment is called, what it is about, and which figures of the paper it reproduces."""

    name: str
    about: str
    minutes: float = 0  # One core trains its runs at scale laptop with three seeds in roughly this time.
    figures: Mapping[str, str] = field(default_factory=dict)  # the paper's label of each, and what it shows

    @property
    def section(self) -> Section:
        """The section of the results that it belongs to."""
        return next((section for section, names in ORDER.items() if self.name in names.split()), "beyond the paper")


def _declared() -> Iterator[tuple[str, Entry]]:
    """The module and the entry of each experiment, in the order of their paths."""
    folder = Path(__file__).parent
    for path in sorted(folder.glob("*/*.py")):
        _, found, rest = path.read_text(encoding="utf-8").partition("\nENTRY = Entry(")
        if found:
            call = ast.parse("Entry(" + rest.partition("\n)\n")[0] + ")", mode="eval").body
            assert isinstance(call, ast.Call), "an entry is a call"
            fields = {str(each.arg): ast.literal_eval(each.value) for each in call.keywords}
            yield f"unrandom.experiments.{path.parent.name}.{path.stem}", Entry(**fields)


def _place(declared: tuple[str, Entry]) -> tuple[int, int]:
    entry = declared[1]
    names = ORDER[entry.section].split()
    return list(ORDER).index(entry.section), names.index(entry.name) if entry.name in names else len(names)


_FOUND = sorted(_declared(), key=_place)
CATALOGUE = {entry.name: entry for _, entry in _FOUND}
MODULES = {entry.name: module for module, entry in _FOUND}
FIGURES = {label: title for entry in CATALOGUE.values() for label, title in entry.figures.items()}
"""What each figure of the paper shows that an experiment reproduces, by its label."""


def entry(name: str) -> Entry:
    """Return the catalogue entry called ``name``. Raises UserError, with near misses, if it is missing."""
    return lookup("experiment", name, CATALOGUE)


def figure_title(label: str) -> str:
    """What a figure of the paper shows; for an empty label, that the claim is none of the paper's."""
    return FIGURES[label] if label else "beyond the paper"
