"""What a user knows of the outputs and their generator: options of an audit, checked."""

import re
from dataclasses import dataclass
from math import inf
from typing import Any

from unrandom.auditing.reading.options import LARGEST, MAX_BITS, check_text, described, number_option, whole_option
from unrandom.core.errors import UserError

LONGEST_CYCLE = 4096  # outputs of a cycle of known gaps, at most


def pattern_option(value: Any) -> tuple[bool, ...] | None:
    """Which outputs of a cycle were printed: after each one, as many were not as a list such as ``0,0,2`` says.
    UserError for anything else.
    """
    check_text("--pattern", value)
    if value is None:
        return None
    gaps = [int(part) for part in value.split(",")] if re.fullmatch(r"\d{1,4}(,\d{1,4})*", value, re.ASCII) else []
    if not gaps or not any(gaps) or len(gaps) + sum(gaps) > LONGEST_CYCLE:
        raise UserError(
            "--pattern must say how many outputs are missing after each number, in turn, such as 1 for every second "
            f"one or 0,0,2 for three of five, not {described(value)}"
        )
    return tuple(shown for gap in gaps for shown in (True, *[False] * gap))


@dataclass(frozen=True)
class Assumed:
    """What the user knows of the outputs and the generator; None: unknown.

    The outputs have `bits` bits, or were reduced to 0 … `bounded` − 1, or to as many numbers from `start` on; all were
    multiplied by `scale`. The generator is an LCG of this modulus, multiplier and increment. The `pattern` says which
    outputs of every cycle were printed.
    """

    bits: int | None = None
    bounded: int | None = None
    start: int | float | None = None
    scale: int | float | None = None
    modulus: int | None = None
    multiplier: int | None = None
    increment: int | None = None
    pattern: tuple[bool, ...] | None = None

    @classmethod
    def of(cls, **given: Any) -> "Assumed":
        """What the user states, of any type. UserError, by the names of the command's options, for what cannot be."""
        most = 1 << MAX_BITS
        stated = cls(
            bits=whole_option("--bits", given.get("bits"), 1, MAX_BITS),
            bounded=whole_option("--bounded", given.get("bounded"), 2, most),
            start=number_option("--from", given.get("start"), -inf),
            scale=number_option("--scale", given.get("scale"), 1 / LARGEST),
            modulus=whole_option("--modulus", given.get("modulus"), 2, most),
            multiplier=whole_option("--multiplier", given.get("multiplier"), 0, most),
            increment=whole_option("--increment", given.get("increment"), 0, most),
            pattern=pattern_option(given.get("pattern")),
        )
        if stated.increment is not None and (stated.modulus is None or stated.multiplier is None):
            raise UserError("--increment is for an LCG of known --modulus and --multiplier; give these, too")
        return stated

    @property
    def offset_and_scale(self) -> tuple[int | float, int | float]:
        """What stands for the start and the scale where nothing is known: 0 and 1."""
        return self.start or 0, 1 if self.scale is None else self.scale
