"""Recovers linear congruential generators of unknown parameters that show only their top bits, by Stern's attack with
lattice reduction (Stern 1987; in the form of Joux and Stern 1998).

The differences d of the states are a geometric sequence modulo m, so an integer relation ∑ λ[i] d[i + j] = 0 implies
that the polynomial ∑ λ[i] z^i has the root a modulo m. Lattice reduction finds relations among the differences of the
outputs that are so short that they hold for the states, too. Enough such polynomials span the lattice of all
polynomials that vanish at a modulo m, whose Hermite normal form contains m and a. The low bits of the first state and
the increment are not determined uniquely; the first pair that fits all outputs is used.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from math import log2

from flint import fmpz_mat

from unrandom.auditing.deadline import Deadline
from unrandom.auditing.families.recovery import lcg_machine
from unrandom.auditing.family import Family, Generator
from unrandom.auditing.forms.layers import Number
from unrandom.auditing.forms.stream import Stream, View
from unrandom.core.arithmetic import is_power_of_two
from unrandom.core.files import JsonObject
from unrandom.core.lattices import short_vectors
from unrandom.generators.windows import states_showing
from unrandom.predictors.hidden_state import hidden_states

STATE_BITS = (32, 48, 64)  # state sizes of the lattices; a smaller state is found with the next larger size
MAX_RELATION_LENGTH = 80  # largest number of differences in a relation
MAX_OUTPUTS = 1 << 16  # outputs used for recovery: more outputs restrict the increment and the low bits further
RELATION_POSITIONS = 5  # number of positions of the stream at which relations are searched


class UnknownTruncated(Family):
    """LCGs with all parameters unknown that show the top bits of their state, modulo a power of two."""

    name = "truncated-lcg-unknown"
    about = "a linear congruential generator modulo a power of two that shows its top bits; all parameters unknown"
    max_outputs = MAX_OUTPUTS

    def needs(self, stream: Stream) -> int | None:
        if stream.bounded is not None and not is_power_of_two(stream.bounded):
            return None
        return min((_outputs_needed(*size) for view in stream.views for size in _sizes(view.bits)), default=None)

    def recover(self, stream: Stream, deadline: Deadline) -> Iterator[Generator]:
        for view in stream.views:
            for width, length in _sizes(view.bits):
                if len(view.numbers) >= _outputs_needed(width, length):
                    yield from _generators(view, width, length, deadline)


def _sizes(bits: int) -> list[tuple[int, int]]:
    """Pairs (t, n) for each state size k above b = `bits`: relations of n coefficients that hold for t successive
    shifts.

    Reduction finds relations with coefficients of b t / (n − t) bits, which must be fewer than b − k / t − log2(n) / 2.
    """
    sizes = []
    for state_bits in STATE_BITS:
        if state_bits <= bits:
            continue
        fitting = [
            (t, n)
            for t in range(2, 40)
            for n in range(2 * t, MAX_RELATION_LENGTH)
            if bits * t / (n - t) + 1 < bits - state_bits / t - log2(n) / 2
        ]
        if fitting:
            sizes.append(min(fitting, key=lambda size: size[1]))
    return sizes


def _outputs_needed(width: int, length: int) -> int:
    return RELATION_POSITIONS * width + length + 1


def _generators(view: View, width: int, length: int, deadline: Deadline) -> Iterator[Generator]:
    steps = [after - before for before, after in pairwise(view.numbers)]
    deadline.check()
    found = _modulus_and_multiplier(tuple(steps[: _outputs_needed(width, length)]), width, length)
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
        yield lcg_machine(parameters, lcg, state, show, 3 * log2(m) + log2(len(STATE_BITS)))


@lru_cache(maxsize=16)  # the longer stream tried next begins with the same outputs
def _modulus_and_multiplier(steps: tuple[int, ...], width: int, length: int) -> tuple[int, int] | None:
    polynomials: list[list[int]] = []
    for position in range(RELATION_POSITIONS):
        polynomials += _relations(steps[position * width :], width, length)
    return _root(polynomials, length)


def _relations(steps: Sequence[int], width: int, length: int) -> list[list[int]]:
    """Short integer vectors λ of this length with ∑ λ[i] d[i + j] = 0 for 0 <= j < width."""
    penalty = 1 << 80  # weight that forces the first `width` coordinates to 0
    rows = [
        [penalty * steps[i + j] for j in range(width)] + [int(i == k) for k in range(length)] for i in range(length)
    ]
    reduced = [row[width:] for row in short_vectors(rows) if not any(row[:width])]
    return reduced[: (length - width) // 2]  # longer ones may not hold for the states


def _root(polynomials: list[list[int]], length: int) -> tuple[int, int] | None:
    """(m, a) from polynomials that span the lattice of those with root a modulo m: with constant terms last, the last
    two rows of the Hermite normal form are (…, 1, −a) and (…, 0, m). None if the polynomials span too little.
    """
    rows = short_vectors([row[::-1] for row in polynomials])
    if len(rows) != length:
        return None
    form = fmpz_mat(rows).hnf()
    last_pivot, previous_pivot = int(form[length - 1, length - 1]), int(form[length - 2, length - 2])
    m = last_pivot & -last_pivot  # an odd factor remains if the polynomials span too little
    if previous_pivot != 1 or m < 4:
        return None
    return m, -int(form[length - 2, length - 1]) % m
