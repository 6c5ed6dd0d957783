"""Which values may the options of an audit have? Checks of each, made once, where a user's options come in."""

from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np

from unrandom.auditing.reading.tokens import shown
from unrandom.core.errors import UserError

MAX_BITS = 4096  # widest whole number in bits, of an input or of an option
LARGEST = 1e100  # largest number with decimals, and inverse of the least scale: their squares fit doubles


@dataclass(frozen=True, kw_only=True)
class Selection:
    """Which numbers of a text a user asks for, and how these are written; see `contents.read`."""

    column: str | None = None
    regex: str | None = None
    notation: str | None = None
    alphabet: str | None = None
    rows: bool = False
    low: str | None = None
    high: str | None = None

    @classmethod
    def of(cls, **given: Any) -> "Selection":
        """What the user states, of any type. UserError for what cannot be, and for options that exclude each other."""
        for name in ("column", "regex", "notation", "alphabet", "low", "high"):
            check_text(f"--{name}", given.get(name))
        rows = given.get("rows", False)
        if not isinstance(rows, bool):
            raise UserError(f"--rows must be true or false, not {described(rows)}")
        chosen = cls(**given)
        chosen._check()
        return chosen

    def _check(self) -> None:
        if (self.low is None) != (self.high is None):
            raise UserError("--low and --high are two columns that bound each fraction; give both")
        ways = [name for name in ("column", "regex", "rows", "low") if getattr(self, name) not in (None, False)]
        if len(ways) > 1:
            raise UserError(f"--{ways[0]} and --{ways[1]} exclude each other; choose the numbers with one of them")
        written = [name for name in ("notation", "alphabet") if getattr(self, name) is not None]
        if len(written) > 1:
            raise UserError("--notation and --alphabet exclude each other; state one of them")
        if self.alphabet is not None and self.low is not None:
            raise UserError("--alphabet and --low exclude each other: bounds are numbers with decimals")

    def __bool__(self) -> bool:
        return self != Selection()


def described(value: Any) -> str:
    """A value in a message: short, on one line."""
    if isinstance(value, int) and value.bit_length() > 128:
        return f"a number of {value.bit_length():,} bits"
    plain = isinstance(value, str | int | float | np.number)
    return shown(value) if isinstance(value, str) else str(value) if plain else f"a {type(value).__name__}"


def whole_option(name: str, value: Any, least: int, most: int) -> int | None:
    """A whole number of an option, from `least` to `most`, or None. UserError for anything else."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise UserError(f"{name} must be a whole number, not {described(value)}")
    if not least <= value <= most:
        largest = f"2^{most.bit_length() - 1}" if most > 10**9 else str(most)
        raise UserError(f"{name} must be from {least} to {largest}, not {described(value)}")
    return int(value)


def number_option(name: str, value: Any, least: float) -> int | float | None:
    """A number of an option, whole or of at most LARGEST, and `least` or more; or None. UserError for anything else."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        raise UserError(f"{name} must be a number, not {described(value)}")
    exact = int(value) if isinstance(value, int | np.integer) else float(value)
    fits = exact.bit_length() <= MAX_BITS if isinstance(exact, int) else isfinite(exact) and abs(exact) <= LARGEST
    if not fits or exact < least:
        allowed = f"a number from {least:g} on" if isfinite(least) else "a finite number"
        raise UserError(f"{name} must be {allowed}, whole or at most {LARGEST:g}, not {described(value)}")
    return exact


def check_text(name: str, value: Any) -> None:
    """UserError unless an option is text or None."""
    if value is not None and not isinstance(value, str):
        raise UserError(f"{name} must be text, not {described(value)}")


def seconds_option(value: Any) -> float | None:
    """A time limit in seconds, or None. UserError for what is no finite number from 0 on."""
    limit = number_option("--max-seconds", value, 0)
    return None if limit is None else float(min(limit, LARGEST))
