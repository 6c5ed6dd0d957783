"""Proposes training rows that skip: x = q y + K modulo m, where y has full period modulo m / q."""

import numpy as np
from jaxtyping import Bool, Integer

from unrandom.core.errors import UserError
from unrandom.tasks.lcg.config import LCGTask
from unrandom.tasks.lcg.held_out import Withheld
from unrandom.tasks.lcg.parameters import LCGParameters
from unrandom.tasks.lcg.sources import RowKind
from unrandom.tasks.skipping import Skips, skips_of


class SkippingRows:
    """Proposals of rows with a uniform modulus, among those with skips, and a uniform skip of it."""

    def __init__(self, task: LCGTask, moduli: tuple[int, ...], withheld: Withheld, kind: RowKind) -> None:
        self.withheld, self.kind = withheld, kind
        largest = task.largest_skip
        usable = [m for m in moduli if skips_of(m, largest)]
        if not usable:
            below = "" if largest is None else f" by at most data.largest_skip={largest}"
            raise UserError(f"no modulus of training has rows that skip{below}")
        self._skips = Skips(usable, balanced=kind == "balanced skipping", largest=largest)
        self._one_modulus = moduli[0] if len(moduli) == 1 else None
        self._last = np.array([m - 1 for m in usable], dtype=np.uint64)

    def choose(self, rng: np.random.Generator, rows: int) -> Integer[np.ndarray, " rows"]:
        """The index of a modulus for each row, uniform."""
        return rng.integers(len(self._last), size=rows)

    def propose(
        self, rng: np.random.Generator, rows: int, which: Integer[np.ndarray, " rows"] | None = None
    ) -> LCGParameters:
        """Proposed rows, some of which may be withheld; ``which`` gives the index of each row's modulus."""
        if which is None:
            which = self.choose(rng, rows)
        m = self._one_modulus or self._last[which] + np.uint64(1)
        return LCGParameters(m, *self._skips.draw(rng, m, which))

    def allowed(self, parameters: LCGParameters) -> Bool[np.ndarray, " rows"]:
        """A mask of the proposed rows that training may use."""
        return ~self.withheld.rows(parameters.a, parameters.c)
