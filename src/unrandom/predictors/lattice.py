"""Predicts an LCG that shows some bits of its state, once a lattice finds it (``hidden_state``)."""

from collections.abc import Iterator

import numpy as np
from jaxtyping import UInt64

from unrandom.core.arithmetic import is_power_of_two
from unrandom.core.errors import UserError
from unrandom.generators.lcg import LCG
from unrandom.generators.windows import states_showing
from unrandom.predictors.hidden_state import Bounds, hidden_states, max_outputs, outputs_needed
from unrandom.predictors.protocol import Predictions, one_by_one

RETRY_GROWTH = 1.1  # after a failure, the outputs are multiplied by this, up to the capacity of a lattice


class LatticePredictor:
    """An LCG of known modulus and multiplier that shows ``bits`` bits of its state, from bit ``low`` on.

    2 <= modulus <= 2**64; the increment is known, or unknown (None). As soon as the numbers have somewhat more bits
    than the state (with the increment, if unknown), searches for a state that produces them all, and predicts from it;
    after a failed guess, searches again. Abstains before that, and if no state is found. UserError for invalid LCG
    parameters, and unless 1 <= bits, 0 <= low and bit ``low`` is one of a residue.
    """

    name = "lattice"

    def __init__(self, modulus: int, multiplier: int, increment: int | None = None, *, low: int, bits: int) -> None:
        LCG(modulus, multiplier, increment or 0)
        size = (modulus - 1).bit_length()
        if not 0 <= low < size or bits < 1:
            raise UserError(f"{bits} bits from bit {low} on were requested; a state has bits 0 to {size - 1}")
        parts = ("modulus", "multiplier", *(() if increment is None else ("increment",)), "place of the bits")
        self.assumes = f"an LCG, its {', '.join(parts[:-1])} and the {parts[-1]} that are seen"
        self.low, self.bits = low, bits
        self._period = min(1 << (low + bits), modulus)
        if is_power_of_two(modulus):  # higher bits do not influence the bits shown
            modulus = self._period
        self._modulus, self._multiplier = modulus, multiplier % modulus
        self._increment = None if increment is None else increment % modulus

    def predict(self, sequences: UInt64[np.ndarray, "batch length"]) -> Predictions:
        """Predictions for numbers below 2**bits; no state shows other numbers."""
        return one_by_one(sequences, self._guesses)

    def _guesses(self, seen: list[int]) -> Iterator[int | None]:
        bounds = [states_showing(y, self.low) for y in seen]
        # all bounds have the same width, so this does not depend on the numbers
        least = outputs_needed(bounds, self._modulus, self._increment is None, self._period)
        capacity = max_outputs(self._modulus, self._period)
        found: tuple[LCG, int] | None = None  # the generator, and its state at the next number
        # outputs in the last lattice that was tried; number of outputs at which to search next if no state is known
        count, next_search = 0, least or len(seen) + 1
        for t, number in enumerate(seen, start=1):
            if found is not None and self._show(found[1]) == number:
                lcg, state = found
                found = lcg, lcg(state)
            elif found is not None or t == next_search:
                found = self._found_from(bounds[:t], count) if count else None
                if found is None:
                    found = self._found_from(bounds[:t], t)
                    # a larger lattice finds more; at full capacity there is no further attempt
                    count, next_search = t, max(t + 1, round(RETRY_GROWTH * t)) if t < capacity else 0
            yield None if found is None else self._show(found[1])

    def _found_from(self, bounds: Bounds, count: int) -> tuple[LCG, int] | None:
        """A generator that produces all these outputs, and its state at the next one; None if none is found."""
        states = hidden_states(
            bounds, self._modulus, self._multiplier, self._increment, period=self._period, count=count
        )
        for lcg, first in states:
            return lcg, lcg.jump(len(bounds))(first)
        return None

    def _show(self, state: int) -> int:
        return (state >> self.low) & ((1 << self.bits) - 1)
