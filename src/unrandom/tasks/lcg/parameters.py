"""The parameters of LCG sequences: one row (m, a, c, x0) per sequence, with numbers, periods and labels."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
from jaxtyping import Bool, Float, UInt64

from unrandom.core.arithmetic import factorize
from unrandom.generators.full_period import full_period_mask, multiplier_valuations
from unrandom.generators.lcg import lcg_orbits
from unrandom.generators.period import periods
from unrandom.tasks.examples import Grouping, Parameters, in_symbols


class _Labels(Mapping[str, Any]):
    """Labels that are computed on access, because periods of large moduli are expensive."""

    def __init__(self, made_by: Mapping[str, Callable[[], np.ndarray]]) -> None:
        self._made_by = made_by

    def __getitem__(self, name: str) -> np.ndarray:
        return self._made_by[name]()

    def __iter__(self) -> Iterator[str]:
        return iter(self._made_by)

    def __len__(self) -> int:
        return len(self._made_by)


@dataclass(frozen=True)
class LCGParameters(Parameters):
    """Parameters of LCG sequences. ``m`` is one modulus for all rows (up to 2^64), or one per row (below 2^64)."""

    m: int | UInt64[np.ndarray, " rows"]
    a: UInt64[np.ndarray, " rows"]
    c: UInt64[np.ndarray, " rows"]
    x0: UInt64[np.ndarray, " rows"]

    units: ClassVar[Mapping[str, str]] = {"a": "multipliers", "c": "increments"}

    def modulus(self, row: int) -> int:
        return self.m if isinstance(self.m, int) else int(self.m[row])

    def numbers(self, length: int) -> UInt64[np.ndarray, "rows length"]:
        """x[t+1] = (a x[t] + c) mod m from x0 (included), ``length`` numbers per row."""
        return lcg_orbits(self.x0, a=self.a, c=self.c, m=self.m, length=length)

    def periods(self) -> UInt64[np.ndarray, " rows"]:
        return periods(self.m, self.a, self.c, self.x0)

    def has_full_period(self) -> Bool[np.ndarray, " rows"]:
        return full_period_mask(self.a, self.c, self.m)

    @property
    def labels(self) -> Mapping[str, Any]:
        """modulus, a, c, x0, period and, if all rows share a modulus, ``v_p(a - 1)`` for each of its primes p."""
        by_prime = factorize(self.m) if isinstance(self.m, int) else ()
        return _Labels(
            {
                "modulus": lambda: np.broadcast_to(np.asarray(self.m, dtype=np.uint64), len(self)),
                **{name: partial(getattr, self, name) for name in ("a", "c", "x0")},
                "period": self.periods,
                **{f"v_{p}(a - 1)": partial(self.valuations, p) for p in by_prime},
            }
        )

    @property
    def basis(self) -> int:
        assert isinstance(self.m, int), "digits need one modulus"
        return self.m

    def digit_period(self, prime: int, power: int) -> int | None:
        """prime^(power + 1) if all sequences have full period; else None."""
        return prime ** (power + 1) if self.has_full_period().all() else None

    def valuations(self, prime: int) -> Float[np.ndarray, " rows"]:
        """v_p(a − 1) of each sequence, the exponent of p in a − 1; infinite for a = 1."""
        return multiplier_valuations(self.a, prime)

    def lookbacks(self) -> UInt64[np.ndarray, " rows"]:
        """r = m / gcd(m, a − 1) of each sequence: its differences repeat after r steps if it has full period."""
        m = np.asarray(self.m, dtype=object if self.m == 2**64 else np.uint64)
        return np.asarray(m // np.gcd(m, self.a.astype(m.dtype) - 1)).astype(np.uint64)

    def text(self, row: int) -> str:
        return in_symbols(
            {"m": self.modulus(row), "a": int(self.a[row]), "c": int(self.c[row]), "x₀": int(self.x0[row])}
        )

    def groupings(self) -> list[Grouping]:
        """By v_p(a − 1) for each prime p and by look-back if all have full period; by period if periods differ.

        v_p(a − 1) decides how soon the digits of a full-period sequence become predictable: the more often p divides
        a − 1, the easier. All of them together give the look-back r = m / gcd(m, a − 1).
        """
        found = []
        by_prime = {p: self.valuations(p) for p in factorize(self.basis)}
        if all((values > 0).all() for values in by_prime.values()):
            about = "how often {} divides a − 1: the less often, the harder as a rule; ∞ is a = 1, which only counts"
            found = [Grouping.by_value(f"v_{p}(a − 1)", about.format(p), v) for p, v in by_prime.items()]
            about = "r = m / gcd(m, a − 1): the differences x[t+1] − x[t] repeat after r steps"
            found.append(Grouping.by_value("look-back r", about, self.lookbacks()))
        lengths = self.periods()
        if (lengths != lengths[0]).any():
            about = "the period of the sequence; one that is shorter than the context can be copied"
            found.append(Grouping.by_doubling("period", about, lengths))
        return found

    def followed(self, context: int) -> dict[str, Bool[np.ndarray, " rows"]]:
        """By period: sequences that repeat within ``context`` numbers can be copied, and sequences with a = 1 counted.

        ``rule`` has sequences that neither predicts, ``full_period`` the ones among them with full period.
        """
        lengths = self.periods()
        short = lengths <= context
        rule = ~short & (self.a != 1)
        return {"short_period": short, "long_period": ~short, "rule": rule, "full_period": rule & (lengths == self.m)}


def concatenate(first: LCGParameters, second: LCGParameters) -> LCGParameters:
    """The rows of both; one modulus that both share stays an integer."""
    if isinstance(first.m, int) and isinstance(second.m, int):
        assert first.m == second.m, "one modulus for all rows"
        m: int | np.ndarray = first.m
    else:
        m = np.concatenate(
            [
                np.broadcast_to(np.uint64(part.m), len(part)) if isinstance(part.m, int) else part.m
                for part in (first, second)
            ]
        )
    return LCGParameters(
        m, *(np.concatenate([getattr(first, name), getattr(second, name)]) for name in ("a", "c", "x0"))
    )
