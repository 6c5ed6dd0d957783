"""Recovers multiply-with-carry generators by finding multiplier and carry as a short vector of a lattice.

Words may also be pairs of generators of half the width, as in Marsaglia's MWC, the old Math.random() of Chrome and R's
Marsaglia-Multicarry.
"""

from collections.abc import Callable, Iterator
from itertools import islice
from math import log2

from unrandom.auditing.algebra.multiply_with_carry import WORDS, multiplier_and_carry
from unrandom.auditing.deadline import Deadline
from unrandom.auditing.family import Family, Generator, Machine, Replay
from unrandom.auditing.forms.factors import views
from unrandom.auditing.forms.layers import Number
from unrandom.auditing.forms.stream import Stream, View
from unrandom.auditing.generators.multiply_with_carry import MultiplyWithCarry
from unrandom.core.files import JsonObject

LAGS = (*range(1, 17), 32, 64, 256, 1024, 1038, 4096)  # lags that are tried
WIDTHS = (16, 32, 64)  # widths of the words, in bits
PAIR_WIDTH = 32  # width of the words that are made of two generators of 16 bits

PAIRS: tuple[tuple[str, Callable[[int, int], int]], ...] = (
    ("(z << 16) + w", lambda z, w: ((z << 16) + w) & 0xFFFFFFFF),
    ("(z << 16) + (w & 65535)", lambda z, w: ((z & 0xFFFF) << 16) + (w & 0xFFFF)),
)
"""How a word is made of two generators with states z and w, whose high halves are the carries."""


class MultiplyCarry(Family):
    """One multiply-with-carry generator of 16, 32 or 64 bits."""

    name = "multiply-with-carry"
    about = "a multiply-with-carry generator; multiplier unknown"
    max_outputs = LAGS[-1] + WORDS

    def needs(self, stream: Stream) -> int | None:
        return 1 + WORDS if any(_width(view) for view in stream.views) else None

    def recover(self, stream: Stream, deadline: Deadline) -> Iterator[Generator]:
        for view in stream.views:
            width = _width(view)
            for lag in LAGS if width else ():
                deadline.check()
                for complementary in (False, True):
                    mask = (1 << width) - 1
                    shown = [mask - x for x in view.numbers] if complementary else view.numbers
                    found = _recovered(view.numbers, shown, width, lag)
                    if found is not None:
                        generator = MultiplyWithCarry(found[0], width, lag, complementary)
                        yield _words(generator, view.numbers[:lag], found[1], view.show)


class CarryPairs(Family):
    """Two multiply-with-carry generators of 16 bits in each word of 32 bits."""

    name = "multiply-with-carry"
    about = "two multiply-with-carry generators of 16 bits in each word (Marsaglia; Chrome until 2015)"
    max_outputs = 1 + WORDS

    def needs(self, stream: Stream) -> int | None:
        return 1 + WORDS if any(_width(view) == PAIR_WIDTH for view in views(stream)) else None

    def recover(self, stream: Stream, deadline: Deadline) -> Iterator[Generator]:
        for view in views(stream):
            if _width(view) == PAIR_WIDTH and len(view.numbers) > WORDS:
                deadline.check()
                yield from _pairs(view)


def _width(view: View) -> int:
    """The width of words that the view may have, or 0."""
    return next((width for width in WIDTHS if width - 2 <= view.bits <= width), 0)


def _recovered(words: list[int], shown: list[int], width: int, lag: int) -> tuple[int, int] | None:
    """The multiplier and the carry; a complementary generator multiplies its words, and shows their complements."""
    if words is shown:
        return multiplier_and_carry(words, width, lag)
    if len(words) < lag + WORDS or lag < WORDS:  # with a shorter lag, words and complements would be mixed
        return None
    return multiplier_and_carry([*words[:lag], *shown[lag : lag + WORDS]], width, lag)


def _pairs(view: View) -> Iterator[Generator]:
    low = [x & 0xFFFF for x in view.numbers]
    found = multiplier_and_carry(low, 16)
    if found is None:
        return
    a_low, carry_low = found
    # the carry that enters word 1 is the high half of the state at word 0
    w = [(carry_low << 16) + low[0]]
    while len(w) < len(view.numbers):
        w.append(a_low * (w[-1] & 0xFFFF) + (w[-1] >> 16))
    for about, combine in PAIRS:
        high = [((x - combine(0, state)) >> 16) & 0xFFFF for x, state in zip(view.numbers, w, strict=True)]
        found = multiplier_and_carry(high, 16)
        if found is not None:
            yield _pair(view, about, combine, (found[0], a_low), ((found[1] << 16) + high[0], w[0]))


def _words(generator: MultiplyWithCarry, state: list[int], carry: int, show: Callable[[int], Number]) -> Replay:
    """One generator, from its first words and the carry that enters the next."""
    parameters: JsonObject = {
        "multiplier": generator.a,
        "bits": generator.bits,
        "lag": generator.lag,
        **({"complementary": True} if generator.complementary else {}),
        "state": {"words": state, "carry": carry},
    }

    def previous(count: int) -> list[Number] | None:
        earlier = state, carry
        for _ in range(count):
            found = generator.before(*earlier)
            if found is None:
                return None
            earlier = found
        return list(islice(map(show, generator.outputs(*earlier)), count))

    free = generator.bits * (generator.lag + 2) + log2(2 * len(LAGS))
    return Replay(parameters, lambda: map(show, generator.outputs(state, carry)), previous, free)


def _pair(
    view: View, about: str, combine: Callable[[int, int], int], multipliers: tuple[int, int], states: tuple[int, int]
) -> Machine:
    """Two generators of 16 bits, from their states of 32 bits."""
    a_z, a_w = multipliers

    def step(at: tuple[int, int]) -> tuple[int, int]:
        z, w = at
        return a_z * (z & 0xFFFF) + (z >> 16), a_w * (w & 0xFFFF) + (w >> 16)

    def back(at: tuple[int, int]) -> tuple[int, int] | None:
        # state = a · low + high of the earlier state, with high < a
        (z_low, z_high), (w_low, w_high) = (divmod(x, a) for x, a in zip(at, multipliers, strict=True))
        return None if max(z_low, w_low) > 0xFFFF else ((z_high << 16) + z_low, (w_high << 16) + w_low)

    parameters: JsonObject = {"output": about, "multipliers": list(multipliers), "state": list(states)}
    free = 3 * PAIR_WIDTH + log2(len(PAIRS))
    return Machine(parameters, states, step, lambda at: view.show(combine(*at)), back, free)
