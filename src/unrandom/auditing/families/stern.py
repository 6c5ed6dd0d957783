"""Is it a linear congruential generator of unknown parameters that shows only its top bits?

The differences d of the states are a geometric sequence modulo m, so an integer relation ∑ λ[i] d[i + j] = 0 says that
the polynomial ∑ λ[i] z^i has the root a modulo m. Relations among the differences of the outputs, found by lattice
reduction, are so short that they hold for the states, too: all else would make a short vector where there is none.
Enough such polynomials span the lattice of all that vanish at a, whose triangular (Hermite) form shows m and a. Stern
(1987) found that, and Joux and Stern (1998) the form used here. The low bits of the first state and the increment
cannot be told apart entirely; a pair that fits all outputs is taken.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from math import log2

from flint import fmpz_mat

from unrandom.auditing.family import Deadline, Generator
from unrandom.auditing.recovery import lcg_machine
from unrandom.auditing.stream import Number, Stream, View
from unrandom.core.arithmetic import is_power_of_two
from unrandom.core.files import JsonObject
from unrandom.core.lattices import short_vectors
from unrandom.generators.windows import states_showing
from unrandom.predictors.hidden_state import hidden_states

STATES = (32, 48, 64)
"""Bits of state that are prepared for; smaller ones are found with the next larger."""

LONGEST = 80
"""Differences in a relation, at most."""

MAX_OUTPUTS = 1 << 16
"""Outputs looked at: the more, the better are the increment and the low bits known."""

PLACES = 5
"""Places where relations are looked for."""


class UnknownTruncated:
    """LCGs with all parameters unknown that show the top bits of their state, modulo a power of two."""

    name = "truncated-lcg-unknown"
    about = "a linear congruential generator modulo a power of two that shows its top bits; all parameters unknown"
    trivial = False
    max_outputs = MAX_OUTPUTS

    def needs(self, stream: Stream) -> int | None:
        if stream.bounded is not None and not is_power_of_two(stream.bounded):
            return None
        return min((_outputs(*size) for view in stream.views for size in _sizes(view.bits)), default=None)

    def recover(self, stream: Stream, deadline: Deadline) -> Iterator[Generator]:
        for view in stream.views:
            for width, length in _sizes(view.bits):
                if len(view.numbers) >= _outputs(width, length):
                    yield from _generators(view, width, length, deadline)


def _sizes(bits: int) -> list[tuple[int, int]]:
    """For each size of state the width t of the vectors that relations hold for, and the length n of relations.

    Reduction leaves relations of b t / (n − t) bits, which must be fewer than b − k / t − log2(n) / 2.
    """
    sizes = []
    for state in STATES:
        if state <= bits:
            continue
        fitting = [
            (t, n)
            for t in range(2, 40)
            for n in range(2 * t, LONGEST)
            if bits * t / (n - t) + 1 < bits - state / t - log2(n) / 2
        ]
        if fitting:
            sizes.append(min(fitting, key=lambda size: size[1]))
    return sizes


def _outputs(width: int, length: int) -> int:
    return PLACES * width + length + 1


def _generators(view: View, width: int, length: int, deadline: Deadline) -> Iterator[Generator]:
    steps = [after - before for before, after in pairwise(view.numbers)]
    deadline.check()
    found = _modulus_and_multiplier(tuple(steps[: _outputs(width, length)]), width, length)
    if found is None:
        return
    m, a = found
    low = m.bit_length() - 1 - view.bits
    if low <= 0 or m > 2**64:
        return

    def show(x: int) -> Number:
        return view.show(x >> low)

    for lcg, state in hidden_states([states_showing(y, low) for y in view.numbers], m, a):
        parameters: JsonObject = {"m": m, "a": a, "c": lcg.c, "state": state, "shown": f"the top {view.bits} bits"}
        yield lcg_machine(parameters, lcg, state, show)


@lru_cache(maxsize=16)  # a longer stream, which is tried next, begins alike
def _modulus_and_multiplier(steps: tuple[int, ...], width: int, length: int) -> tuple[int, int] | None:
    polynomials: list[list[int]] = []
    for place in range(PLACES):
        polynomials += _relations(steps[place * width :], width, length)
    return _root(polynomials, length)


def _relations(steps: Sequence[int], width: int, length: int) -> list[list[int]]:
    """Short λ with ∑ λ[i] d[i + j] = 0 for 0 <= j < width."""
    heavy = 1 << 80
    rows = [[heavy * steps[i + j] for j in range(width)] + [int(i == k) for k in range(length)] for i in range(length)]
    reduced = [row[width:] for row in short_vectors(rows) if not any(row[:width])]
    return reduced[: (length - width) // 2]  # the longest may not hold for the states


def _root(polynomials: list[list[int]], length: int) -> tuple[int, int] | None:
    """m and a from polynomials that span all those with a root a modulo m: the last rows of the Hermite form, with the
    constant terms last, are (…, 1, −a) and (…, 0, m).
    """
    rows = short_vectors([row[::-1] for row in polynomials])
    if len(rows) != length:
        return None
    form = fmpz_mat(rows).hnf()
    last, before = int(form[length - 1, length - 1]), int(form[length - 2, length - 2])
    m = last & -last  # a factor that is no power of two is left over where the polynomials span too little
    if before != 1 or m < 4:
        return None
    return m, -int(form[length - 2, length - 1]) % m
