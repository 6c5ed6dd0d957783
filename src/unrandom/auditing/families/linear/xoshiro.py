"""Recovers xorshift and xoshiro generators with a scrambled output, by using what is linear modulo 2 in the output, or
by inverting the scrambler.

The state transition of all of them is linear modulo 2. If the output is a sum of two words (xorshift128+,
xoroshiro128+, xoshiro256+), its lowest bit is their exclusive or, hence linear, too: as many lowest bits as the state
has bits determine the state. If the output is one word multiplied and rotated (xoshiro256**, xorshift64*) or mixed
(SplitMix64), the scrambler is inverted.
"""

from collections.abc import Iterator
from functools import cache
from itertools import islice
from math import log2

from unrandom.auditing.deadline import Deadline
from unrandom.auditing.families.linear.xorshift import SHIFT_BITS
from unrandom.auditing.families.recovery import recover_lcg, recover_xorshifts
from unrandom.auditing.family import Family, Generator, Machine
from unrandom.auditing.forms.layers import split
from unrandom.auditing.forms.stream import Stream, View
from unrandom.auditing.generators.linear_words import unknown_states
from unrandom.auditing.generators.splitmix import SplitMix64, unmixed
from unrandom.auditing.generators.xorshift import XORSHIFT64_STAR, Xorshift
from unrandom.auditing.generators.xoshiro import XOSHIROS, Xoshiro
from unrandom.auditing.notation import hexadecimal, xorshift_parameters
from unrandom.core.files import JsonObject
from unrandom.predictors.mod_two import solve

REDUNDANT = 8  # equations beyond the number of state bits, which a stream of another kind is unlikely to satisfy

OUTPUT_BITS = {xoshiro.scrambler.bits for xoshiro in XOSHIROS}


class Xoshiros(Family):
    """Known xorshift and xoshiro generators that show whole words, or fractions as in Firefox."""

    name = "xoshiro"
    about = "a xorshift or xoshiro generator with a scrambled output"
    max_outputs = 512

    def needs(self, stream: Stream) -> int | None:
        return 4 if any(view.bits in OUTPUT_BITS for view in stream.views) else None

    def recover(self, stream: Stream, deadline: Deadline) -> Iterator[Generator]:
        for view in stream.views:
            if view.bits == 64:
                yield from _multiplied_xorshifts(view)
                yield from _mixed_counters(view)
            for xoshiro in XOSHIROS:
                if xoshiro.scrambler.bits == view.bits:
                    deadline.check()
                    state = _state(xoshiro, view.numbers)
                    if state is not None:
                        words = hexadecimal(state, xoshiro.engine.bits)
                        parameters: JsonObject = {"engine": xoshiro.name, "state": words}
                        free = float(xoshiro.engine.bits * len(state)) + log2(len(XOSHIROS))
                        yield Machine.of(parameters, xoshiro, state, view.show, free)


def _state(xoshiro: Xoshiro, numbers: list[int]) -> tuple[int, ...] | None:
    size = xoshiro.engine.bits * xoshiro.engine.words
    count = -(-(size + REDUNDANT) // xoshiro.scrambler.linear_bits)
    if len(numbers) < count:
        return None
    linear = [xoshiro.scrambler.linear_in_output(y) for y in numbers[:count]]
    equations = (
        (mask, (linear[t] >> bit) & 1)
        for t, masks in enumerate(_masks(xoshiro, count))
        for bit, mask in enumerate(masks)
    )
    solution = solve(equations, size)
    if solution is None:
        return None
    return tuple(split(solution, xoshiro.engine.bits, xoshiro.engine.words, low_first=True))


@cache
def _masks(xoshiro: Xoshiro, count: int) -> list[list[int]]:
    """For each output and each of its linear bits: mask of the bits of the first state whose exclusive or it is."""
    engine, scrambler = xoshiro.engine, xoshiro.scrambler
    states = islice(unknown_states(engine.step, [engine.bits] * engine.words), count)
    return [scrambler.linear_in_state(state).masks(range(scrambler.linear_bits)) for state in states]


def _multiplied_xorshifts(view: View) -> Iterator[Generator]:
    """xorshift64*, whose state is the output divided by its multiplier."""
    inverse = pow(XORSHIFT64_STAR, -1, 2**64)
    words = [y * inverse % 2**64 for y in view.numbers[:4]]
    for xorshift in recover_xorshifts(words, 64):
        parameters = {**xorshift_parameters(1, 64, xorshift.shifts), "engine": "xorshift64*"}
        generator = Xorshift(64, xorshift.shifts, XORSHIFT64_STAR)
        yield Machine.of(parameters, generator, words[0], view.show, 64 + SHIFT_BITS)


def _mixed_counters(view: View) -> Iterator[Generator]:
    """SplitMix64, whose state is a counter found by inverting the mixing function."""
    counters = [unmixed(y) for y in view.numbers[:4]]
    lcg = recover_lcg(counters, 2**64)
    if lcg is not None and lcg.a == 1:
        parameters: JsonObject = {"engine": "SplitMix64", "step": f"0x{lcg.c:016x}"}
        yield Machine.of(parameters, SplitMix64(lcg.c), counters[0], view.show, 128.0)
