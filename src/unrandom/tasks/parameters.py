"""What determines a sequence? Its (m, a, c, x0): rows of them, whose orbits and periods follow."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Integer, UInt64

from unrandom.generators.full_period import full_period_mask
from unrandom.generators.lcg import lcg_orbits
from unrandom.generators.period import periods


@dataclass(frozen=True)
class Parameters:
    """Rows of LCG parameters. ``m`` is one modulus for all rows (up to 2^64), or one a row (below 2^64)."""

    m: int | UInt64[np.ndarray, " rows"]
    a: UInt64[np.ndarray, " rows"]
    c: UInt64[np.ndarray, " rows"]
    x0: UInt64[np.ndarray, " rows"]

    def __len__(self) -> int:
        return len(self.a)

    def __getitem__(self, rows: slice | Integer[np.ndarray, " picked"] | Bool[np.ndarray, " rows"]) -> "Parameters":
        m = self.m if isinstance(self.m, int) else self.m[rows]
        return Parameters(m, self.a[rows], self.c[rows], self.x0[rows])

    def modulus(self, row: int) -> int:
        return self.m if isinstance(self.m, int) else int(self.m[row])

    def orbits(self, length: int) -> UInt64[np.ndarray, "rows length"]:
        """x[t+1] = (a x[t] + c) mod m from x0 (included), ``length`` numbers a row."""
        return lcg_orbits(self.x0, a=self.a, c=self.c, m=self.m, length=length)

    def periods(self) -> UInt64[np.ndarray, " rows"]:
        return periods(self.m, self.a, self.c, self.x0)

    def has_full_period(self) -> Bool[np.ndarray, " rows"]:
        return full_period_mask(self.a, self.c, self.m)


def concatenate(first: Parameters, second: Parameters) -> Parameters:
    """The rows of both. Two that share one modulus go on sharing it."""
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
    return Parameters(m, *(np.concatenate([getattr(first, name), getattr(second, name)]) for name in ("a", "c", "x0")))
