"""Draws training parameters by rejection, from everything not held out, in the configured mix of kinds.

Rejection is vectorised: propose all rows, keep those allowed and within the period range, propose the rest again.
"""

from functools import reduce
from itertools import accumulate, pairwise
from math import ceil
from typing import TypeAlias

import numpy as np
from jaxtyping import Bool

from unrandom.core.errors import UserError
from unrandom.tasks.lcg.config import LCGTask
from unrandom.tasks.lcg.held_out import Withheld
from unrandom.tasks.lcg.parameters import LCGParameters, concatenate
from unrandom.tasks.lcg.skipping_rows import SkippingRows
from unrandom.tasks.lcg.sources import INSTEAD, Proposals, RowKind
from unrandom.tasks.lcg.supply import less_held_out

Source: TypeAlias = Proposals | SkippingRows
ATTEMPTS = 1000  # proposals per row before giving up


class TrainingDraws:
    """Draws rows of (m, a, c, x0) that are not withheld, in the configured mix and period range."""

    def __init__(self, task: LCGTask, seed: int, moduli: tuple[int, ...], withheld: Withheld) -> None:
        self.task = task
        self._filters = self.task.min_period is not None or self.task.max_period is not None
        self._sources = [
            (self._source(seed, moduli, withheld, kind), share) for kind, share in _shares(task).items() if share > 0
        ]

    def _source(self, seed: int, moduli: tuple[int, ...], withheld: Withheld, kind: RowKind) -> Source:
        if kind in ("skipping", "balanced skipping"):
            return SkippingRows(self.task, moduli, withheld, kind)
        return Proposals(self.task, seed, moduli, withheld, kind)

    def draw(self, rng: np.random.Generator, rows: int) -> LCGParameters:
        """``rows`` rows; the first round(full_period_share x rows) have full period or skip, those that skip last."""
        counts = zip(self._sources, self._counts(rows), strict=True)
        return reduce(concatenate, [self._draw_from(source, rng, count) for (source, _), count in counts if count])

    def _counts(self, rows: int) -> list[int]:
        """The number of rows of each kind."""
        ends = [round(share * rows) for share in accumulate(share for _, share in self._sources)]
        return [end - start for start, end in pairwise([0, *ends[:-1], rows])]

    def check_shares(self, rows: int) -> None:
        """Raise UserError if a share amounts to less than one row, as the setting would have no effect."""
        for (source, share), count in zip(self._sources, self._counts(rows), strict=True):
            if not count:
                raise UserError(
                    f"{share:.3g} of {rows} rows should be {source.kind} ones, which is less than one row: raise the "
                    f"share, set batch_size={ceil(1 / share) + 1} or more, or {INSTEAD[source.kind]}"
                )

    def product(self, rng: np.random.Generator) -> LCGParameters:
        """Every (m, a, c) of the pools that is not withheld, once, with uniform x0, within the period range."""
        source = self._sources[0][0]
        assert isinstance(source, Proposals), "rows that skip have no pools"
        parameters = source.product(rng)
        return parameters[self._in_period_range(parameters)]

    def _draw_from(self, source: Source, rng: np.random.Generator, rows: int) -> LCGParameters:
        which = source.choose(rng, rows)
        drawn = source.propose(rng, rows, which)
        open_rows = np.flatnonzero(~self._allowed(source, drawn))
        for _ in range(ATTEMPTS):
            if not len(open_rows):
                return drawn
            # a row keeps its modulus, unless that may have no period in the range
            again = source.propose(rng, len(open_rows), None if self._filters else which[open_rows])
            for name in ("a", "c", "x0") if isinstance(drawn.m, int) else ("m", "a", "c", "x0"):
                getattr(drawn, name)[open_rows] = getattr(again, name)
            open_rows = open_rows[~self._allowed(source, again)]
        fewer = less_held_out(self.task)
        if self._filters:
            fewer = (
                f"with periods from {self.task.min_period or 1} to {self.task.max_period or 'any'}: widen "
                f"data.min_period and data.max_period, or {fewer}"
            )
        raise UserError(f"found no training parameters for {len(open_rows)} of {rows} {source.kind} rows: {fewer}")

    def _allowed(self, source: Source, parameters: LCGParameters) -> Bool[np.ndarray, " rows"]:
        return source.allowed(parameters) & self._in_period_range(parameters)

    def _in_period_range(self, parameters: LCGParameters) -> Bool[np.ndarray, " rows"]:
        low, high = self.task.min_period, self.task.max_period
        if not self._filters:
            return np.ones(len(parameters), dtype=bool)
        period = parameters.periods()
        return (period >= np.uint64(low or 1)) & (period <= np.uint64(2**64 - 1 if high is None else high))


def _shares(task: LCGTask) -> dict[RowKind, float]:
    """The share of each kind in a batch, full-period kinds first, and then those that skip."""
    counting, rest = task.counting_share, 1 - task.full_period_share
    skipping = task.full_period_share * task.skipping_share
    full = task.full_period_share - skipping
    balanced = full * task.balanced_share
    uniform = full - balanced
    of_uniform: dict[RowKind, float] = (
        {"full-period": uniform}
        if counting is None
        else {"beyond counting": uniform * (1 - counting), "counting": uniform * counting}
    )
    return {
        **of_uniform,
        "balanced": balanced,
        "skipping": skipping * (1 - task.balanced_share),
        "balanced skipping": skipping * task.balanced_share,
        "coprime": rest * task.coprime_share,
        "arbitrary": rest * (1 - task.coprime_share),
    }
