"""Is it a xorshift or xoshiro generator with an output function that hides its words?

The state of all of them is linear modulo 2. Where the output is a sum of two words (xorshift128+, xoroshiro128+,
xoshiro256+), its lowest bit is their exclusive or, which is linear, too: as many lowest bits as the state has bits
determine it. Where the output is one word multiplied and rotated (xoshiro256**, xorshift64*, SplitMix64), that can be
undone.
"""

from collections.abc import Iterator
from functools import cache

from unrandom.auditing.family import Deadline, Generator, Machine
from unrandom.auditing.notation import hexadecimal, xorshift_parameters
from unrandom.auditing.recovery import recover_lcg, recover_xorshifts
from unrandom.auditing.stream import Stream, View
from unrandom.core.files import JsonObject
from unrandom.generators.splitmix import SplitMix64, unmixed
from unrandom.generators.xorshift import STAR, Xorshift
from unrandom.generators.xoshiro import XOSHIROS, Engine, Xoshiro
from unrandom.predictors.mod_two import solve

REDUNDANT = 8
"""Equations beyond the bits of the state, so that a stream of another kind is rarely taken for one."""

WIDTHS = {xoshiro.scrambler.bits for xoshiro in XOSHIROS}


class Xoshiros:
    """Known xorshift and xoshiro generators, with whole words or Firefox's fractions."""

    name = "xoshiro"
    about = "a xorshift or xoshiro generator with a scrambled output"
    trivial = False
    max_outputs = 512

    def needs(self, stream: Stream) -> int | None:
        return 4 if any(view.bits in WIDTHS for view in stream.views) else None

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
                        made_of: JsonObject = {"engine": xoshiro.name, "state": hexadecimal(state, xoshiro.engine.bits)}
                        yield Machine.of(made_of, xoshiro, state, view.show)


def _state(xoshiro: Xoshiro, numbers: list[int]) -> tuple[int, ...] | None:
    size = xoshiro.engine.bits * xoshiro.engine.words
    count = -(-(size + REDUNDANT) // xoshiro.scrambler.linear_bits)
    if len(numbers) < count:
        return None
    seen = [xoshiro.scrambler.linear_in_output(y) for y in numbers[:count]]
    equations = (
        (mask, (seen[t] >> bit) & 1) for t, masks in enumerate(_masks(xoshiro, count)) for bit, mask in enumerate(masks)
    )
    solution = solve(equations, size)
    return None if solution is None else _unpacked(xoshiro.engine, solution)


@cache
def _masks(xoshiro: Xoshiro, count: int) -> list[list[int]]:
    """For each output and linear bit of it, the mask of the bits of the first state whose exclusive or it is."""
    engine, scrambler = xoshiro.engine, xoshiro.scrambler
    masks = [[0] * scrambler.linear_bits for _ in range(count)]
    for unknown in range(engine.bits * engine.words):
        state = _unpacked(engine, 1 << unknown)
        for row in masks:
            seen = scrambler.linear_in_state(state)
            for bit in range(scrambler.linear_bits):
                row[bit] |= ((seen >> bit) & 1) << unknown
            state = engine.step(state)
    return masks


def _unpacked(engine: Engine, packed: int) -> tuple[int, ...]:
    mask = (1 << engine.bits) - 1
    return tuple((packed >> (engine.bits * i)) & mask for i in range(engine.words))


def _multiplied_xorshifts(view: View) -> Iterator[Generator]:
    """xorshift64*: its word is read off the output."""
    inverse = pow(STAR, -1, 2**64)
    words = [y * inverse % 2**64 for y in view.numbers[:4]]
    for found in recover_xorshifts(words, 64):
        made_of = {**xorshift_parameters(1, 64, found.shifts), "engine": "xorshift64*"}
        yield Machine.of(made_of, Xorshift(64, found.shifts, STAR), words[0], view.show)


def _mixed_counters(view: View) -> Iterator[Generator]:
    """SplitMix64: its counter is read off the output."""
    counts = [unmixed(y) for y in view.numbers[:4]]
    counter = recover_lcg(counts, 2**64)
    if counter is not None and counter.a == 1:
        made_of: JsonObject = {"engine": "SplitMix64", "step": f"0x{counter.c:016x}"}
        yield Machine.of(made_of, SplitMix64(counter.c), counts[0], view.show)
