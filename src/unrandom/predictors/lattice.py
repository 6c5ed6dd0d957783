"""How soon is an LCG given away that shows some bits of its state? A lattice finds the state (``hidden_state``)."""

from collections.abc import Iterator

import numpy as np
from jaxtyping import UInt64

from unrandom.core.arithmetic import is_power_of_two
from unrandom.core.errors import UserError
from unrandom.generators.lcg import Lcg
from unrandom.generators.windows import states_showing
from unrandom.predictors.hidden_state import Bounds, hidden_states, most_outputs, outputs_needed
from unrandom.predictors.protocol import Predictions, one_by_one

WIDER = 1.1
"""After a failure it looks again once so many times the numbers are seen, until a lattice cannot take more."""


class LatticePredictor:
    """An LCG of known modulus and multiplier that shows ``bits`` bits of its state, those from bit ``low`` on.

    2 <= modulus <= 2**64; the increment is known, or (None) not. As soon as the numbers have somewhat more bits than
    the state (the state and the increment, if it is unknown), it looks for a state that has shown them all, and
    guesses what comes next; when a guess fails, it looks again. Abstains before that, and where it finds none.
    UserError for parameters that are no LCG's, and unless 1 <= bits, 0 <= low and bit ``low`` is one of a residue.
    """

    name = "lattice"

    def __init__(self, modulus: int, multiplier: int, increment: int | None = None, *, low: int, bits: int) -> None:
        Lcg(modulus, multiplier, increment or 0)
        size = (modulus - 1).bit_length()
        if not 0 <= low < size or bits < 1:
            raise UserError(f"{bits} bits from bit {low} on were asked for; a state has bits 0 to {size - 1}")
        parts = ("modulus", "multiplier", *(() if increment is None else ("increment",)), "place of the bits")
        self.assumes = f"an LCG, its {', '.join(parts[:-1])} and the {parts[-1]} that are seen"
        self.low, self.bits = low, bits
        self._period = min(1 << (low + bits), modulus)
        if is_power_of_two(modulus):  # bits above those that are seen make no difference to these
            modulus = self._period
        self._modulus, self._multiplier = modulus, multiplier % modulus
        self._increment = None if increment is None else increment % modulus

    def predict(self, sequences: UInt64[np.ndarray, "batch length"]) -> Predictions:
        """Numbers below 2**bits; others are shown by no state."""
        return one_by_one(sequences, self._guesses)

    def _guesses(self, seen: list[int]) -> Iterator[int | None]:
        bounds = [states_showing(y, self.low) for y in seen]
        # the bounds are alike, so that this depends on no number
        least = outputs_needed(bounds, self._modulus, self._increment is None, self._period)
        most = most_outputs(self._modulus, self._period)
        found: tuple[Lcg, int] | None = None  # the generator, and its state at the next number
        count, again = 0, least or len(seen) + 1  # outputs in the lattice that found it; when to look if there is none
        for t, number in enumerate(seen, start=1):
            if found is not None and self._show(found[1]) == number:
                lcg, state = found
                found = lcg, lcg(state)
            elif found is not None or t == again:
                found = self._after(bounds[:t], count) if count else None
                if found is None:
                    found = self._after(bounds[:t], t)
                    # a wider lattice finds more; of the widest there is but one
                    count, again = t, max(t + 1, round(WIDER * t)) if t < most else 0
            yield None if found is None else self._show(found[1])

    def _after(self, bounds: Bounds, count: int) -> tuple[Lcg, int] | None:
        """A generator that has shown all this, and the state that comes next."""
        states = hidden_states(
            bounds, self._modulus, self._multiplier, self._increment, period=self._period, count=count
        )
        for lcg, first in states:
            return lcg, lcg.jump(len(bounds))(first)
        return None

    def _show(self, state: int) -> int:
        return (state >> self.low) & ((1 << self.bits) - 1)
