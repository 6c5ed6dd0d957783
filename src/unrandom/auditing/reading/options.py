"""The options of an audit that say how its numbers are read, and checks of all options where they come in.

This module imports nothing heavy.
"""

from collections.abc import Iterable
from dataclasses import Field, dataclass, field, fields
from fractions import Fraction
from math import isfinite
from numbers import Integral, Real
from typing import Any

from unrandom.auditing.reading.tokens import shown
from unrandom.core.errors import UserError
from unrandom.core.names import RAW_TYPES, Raw

MAX_BITS = 4096  # widest whole number in bits, of an input or of an option
LARGEST = 1e100  # largest number with decimals, and inverse of the least scale: their squares fit doubles


def _about(help: str, metavar: str | None, **about: Any) -> dict[str, Any]:
    """An option's line in the help of a command, and which inputs the option is for."""
    return {"help": help, "metavar": metavar, **about}


TEXT = {"of_text": True}
BOUNDS = {"of_text": True, "of_audits": True}
LISTS = {"of_lists": True, "of_audits": True}


@dataclass(frozen=True, kw_only=True)
class Reading:
    """How the numbers of an input are read. Each field is an option of `unrandom.audit`, the commands and the app.

    Options that are `of_text` are for texts, those `of_lists` also for a list in Python, and those `of_audits` are for
    audits alone.
    """

    column: str | None = field(
        default=None, metadata=_about("column (heading or number), key or list to read", "C", **TEXT)
    )
    regex: str | None = field(
        default=None, metadata=_about("find the number in each line, in group 1 of this expression", "R", **TEXT)
    )
    rows: bool = field(default=False, metadata=_about("read all columns of numbers, row by row", None, **TEXT))
    low: str | None = field(default=None, metadata=_about("column of lower bounds of fractions, with", "C", **BOUNDS))
    high: str | None = field(default=None, metadata=_about("column of upper bounds", "C", **BOUNDS))
    notation: str | None = field(
        default=None, metadata=_about("decimal, hexadecimal, base64, ... (inferred)", "N", **TEXT)
    )
    alphabet: str | None = field(
        default=None, metadata=_about("characters that were drawn, in order of value", "A", **TEXT, **LISTS)
    )
    formula: str | None = field(
        default=None, metadata=_about('of a fraction u, e.g. "floor(100/(1.0001-u))"', "F", **LISTS)
    )
    raw: Raw | None = field(
        default=None, metadata=_about("words: u8, u16, u32, u64, f32, f64; u16be, ...; utf8", "TYPE", choices=RAW_TYPES)
    )

    @classmethod
    def of(cls, **given: Any) -> "Reading":
        """What the user states, of any type. UserError for what cannot be, and for options that exclude each other."""
        for one in fields(cls):
            value = given.get(one.name, one.default)
            if one.default is None:
                check_text(f"--{one.name}", value)
            elif not isinstance(value, bool):
                raise UserError(f"--{one.name} must be true or false, not {described(value)}")
        stated = cls(**given)
        stated._check()
        return stated

    def _check(self) -> None:
        if (self.low is None) != (self.high is None):
            raise UserError("--low and --high are two columns that bound each fraction; give both")
        if len(ways := self.stated("column", "regex", "rows", "low")) > 1:
            raise UserError(f"--{ways[0]} and --{ways[1]} exclude each other; choose the numbers with one of them")
        if len(self.stated("notation", "alphabet")) > 1:
            raise UserError("--notation and --alphabet exclude each other; state one of them")
        if self.alphabet is not None and self.low is not None:
            raise UserError("--alphabet and --low exclude each other: bounds are numbers with decimals")

    def stated(self, *names: str) -> list[str]:
        """Which of these options have a value."""
        return [name for name in names if getattr(self, name) not in (None, False)]

    @classmethod
    def names(cls, **about: bool) -> list[str]:
        """The options of which all this is true, such as ``of_text=True``."""
        return [one.name for one in options() if all(one.metadata.get(key, False) == about[key] for key in about)]


def options() -> Iterable[Field[Any]]:
    """The options of reading, each with what its `metadata` say of it."""
    return fields(Reading)


def described(value: Any) -> str:
    """A value in a message: short, on one line."""
    if isinstance(value, int) and value.bit_length() > 128:
        return f"a number of {value.bit_length():,} bits"
    plain = isinstance(value, str | Real) and not isinstance(value, Fraction)  # it may be too long to write
    return shown(value) if isinstance(value, str) else str(value) if plain else f"a {type(value).__name__}"


def whole_option(name: str, value: Any, least: int, most: int) -> int | None:
    """A whole number of an option, from `least` to `most`, or None. UserError for anything else."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise UserError(f"{name} must be a whole number, not {described(value)}")
    if not least <= int(value) <= most:
        largest = f"2^{most.bit_length() - 1}" if most > 10**9 else str(most)
        raise UserError(f"{name} must be from {least} to {largest}, not {described(value)}")
    return int(value)


def number_option(name: str, value: Any, least: float) -> int | float | None:
    """A number of an option, whole or of at most LARGEST, and `least` or more; or None. UserError for anything else."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, Real):
        raise UserError(f"{name} must be a number, not {described(value)}")
    exact = int(value) if isinstance(value, Integral) else float(value)
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
    """A time limit in seconds, or None. UserError for anything but a finite number from 0 on."""
    limit = number_option("--max-seconds", value, 0)
    return None if limit is None else float(min(limit, LARGEST))
