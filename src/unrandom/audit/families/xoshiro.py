"""Is it a xorshift or xoshiro generator with an output function that hides its words?

The state of all of them is linear modulo 2. Where the output is a sum of two words (xorshift128+, xoroshiro128+,
xoshiro256+), its lowest bit is their exclusive or, which is linear, too: as many lowest bits as the state has bits
determine it. Where the output is one word multiplied and rotated (xoshiro256**, xorshift64*, SplitMix64), that can be
undone. Blackman and Vigna (2018), Vigna (2016, 2017), Steele, Lea and Flood (2014) say how each of them steps.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

from unrandom.audit.families.lcg import recover
from unrandom.audit.families.xorshift import single_words
from unrandom.audit.family import Deadline, Generator, Machine
from unrandom.audit.stream import Stream, View
from unrandom.predictors.mod_two import solve

State: TypeAlias = tuple[int, ...]

SPARE = 8
"""Equations beyond the bits of the state, so that a stream of another kind is rarely taken for one."""


@dataclass(frozen=True)
class Engine:
    """A generator whose state is some words: how they step, and the output as a function of them.

    `reveal` gives from an output bits that are linear in the state, and `linear` the same bits from the state.
    """

    name: str
    bits: int
    words: int
    step: Callable[[State], State]
    output: Callable[[State], int]
    reveal: Callable[[int], int]
    linear: Callable[[State], int]
    revealed: int  # how many bits


def _rotate(x: int, by: int, bits: int) -> int:
    return (x << by | x >> (bits - by)) & (1 << bits) - 1


def _xorshift128(a: int, b: int, c: int) -> Callable[[State], State]:
    def step(state: State) -> State:
        s1, s0 = state
        s1 ^= s1 << a & 2**64 - 1
        return s0, s1 ^ s0 ^ s1 >> b ^ s0 >> c

    return step


def _xoroshiro128(a: int, b: int, c: int) -> Callable[[State], State]:
    def step(state: State) -> State:
        s0, s1 = state
        s1 ^= s0
        return _rotate(s0, a, 64) ^ s1 ^ s1 << b & 2**64 - 1, _rotate(s1, c, 64)

    return step


def _xoshiro(a: int, b: int, bits: int) -> Callable[[State], State]:
    def step(state: State) -> State:
        s0, s1, s2, s3 = state
        t = s1 << a & (1 << bits) - 1
        s2, s3 = s2 ^ s0, s3 ^ s1
        return s0 ^ s3, s1 ^ s2, s2 ^ t, _rotate(s3, b, bits)

    return step


def _sum(name: str, bits: int, words: int, step: Callable[[State], State], shown: int | None = None) -> Engine:
    """An engine that shows the sum of its first and last word, or the lowest `shown` bits of it."""
    mask = (1 << (shown or bits)) - 1
    return Engine(
        name, bits, words, step, lambda s: s[0] + s[-1] & mask, lambda y: y & 1, lambda s: (s[0] ^ s[-1]) & 1, 1
    )


def _starstar(name: str, bits: int, words: int, step: Callable[[State], State], word: int) -> Engine:
    """An engine that shows rotl(5 x, 7) · 9 of one word x."""
    mask, five, nine = (1 << bits) - 1, pow(5, -1, 1 << bits), pow(9, -1, 1 << bits)
    return Engine(
        name,
        bits,
        words,
        step,
        lambda s: _rotate(5 * s[word] & mask, 7, bits) * 9 & mask,
        lambda y: _rotate(y * nine & mask, bits - 7, bits) * five & mask,
        lambda s: s[word],
        bits,
    )


ENGINES = {
    64: (
        _starstar("xoshiro256**", 64, 4, _xoshiro(17, 45, 64), 1),
        _starstar("xoroshiro128**", 64, 2, _xoroshiro128(24, 16, 37), 0),
        _sum("xorshift128+ (23, 17, 26)", 64, 2, _xorshift128(23, 17, 26)),
        _sum("xorshift128+ (23, 18, 5)", 64, 2, _xorshift128(23, 18, 5)),
        _sum("xoroshiro128+ (24, 16, 37)", 64, 2, _xoroshiro128(24, 16, 37)),
        _sum("xoroshiro128+ (55, 14, 36)", 64, 2, _xoroshiro128(55, 14, 36)),
        _sum("xoshiro256+", 64, 4, _xoshiro(17, 45, 64)),
    ),
    53: (_sum("xorshift128+ (23, 17, 26), low 53 bits as in Firefox and Safari", 64, 2, _xorshift128(23, 17, 26), 53),),
    32: (
        _starstar("xoshiro128**", 32, 4, _xoshiro(9, 11, 32), 1),
        _sum("xoshiro128+", 32, 4, _xoshiro(9, 11, 32)),
    ),
}


class Xoshiro:
    """Known xorshift and xoshiro generators, with whole words or Firefox's fractions."""

    name = "xoshiro"
    about = "a xorshift or xoshiro generator with a scrambled output"
    trivial = False
    most = 512

    def needs(self, stream: Stream) -> int | None:
        return 4 if any(view.bits in ENGINES for view in stream.views) else None

    def recover(self, stream: Stream, deadline: Deadline) -> Iterator[Generator]:
        for view in stream.views:
            if view.bits == 64:
                yield from _unscrambled(view)
            for engine in ENGINES.get(view.bits, ()):
                deadline.check()
                state = _state(engine, view.numbers)
                if state is not None:
                    yield _machine(engine, state, view)


def _state(engine: Engine, numbers: list[int]) -> State | None:
    size = engine.bits * engine.words
    count = -(-(size + SPARE) // engine.revealed)
    if len(numbers) < count:
        return None
    seen = [engine.reveal(y) for y in numbers[:count]]
    equations = (
        (mask, seen[t] >> bit & 1)
        for t, masks in enumerate(_equations(engine.name, engine.bits, count))
        for bit, mask in enumerate(masks)
    )
    solution = solve(equations, size)
    return None if solution is None else _unpacked(engine, solution)


@cache
def _equations(name: str, bits: int, count: int) -> list[list[int]]:
    """For each output and revealed bit the mask of the state's bits whose exclusive or it is."""
    engine = next(one for some in ENGINES.values() for one in some if one.name == name and one.bits == bits)
    masks = [[0] * engine.revealed for _ in range(count)]
    for unknown in range(engine.bits * engine.words):
        state = _unpacked(engine, 1 << unknown)
        for t in range(count):
            seen = engine.linear(state)
            for bit in range(engine.revealed):
                masks[t][bit] |= (seen >> bit & 1) << unknown
            state = engine.step(state)
    return masks


def _unpacked(engine: Engine, packed: int) -> State:
    mask = (1 << engine.bits) - 1
    return tuple(packed >> engine.bits * i & mask for i in range(engine.words))


def _machine(engine: Engine, state: State, view: View) -> Machine:
    parameters = {"engine": engine.name, "state": [f"0x{word:0{engine.bits // 4}x}" for word in state]}
    return Machine(parameters, state, engine.step, lambda s: view.show(engine.output(s)), _backwards(engine))


def _backwards(engine: Engine) -> Callable[[State], State]:
    """The inverse step, from the linear map that the step is."""

    def back(state: State) -> State:
        packed = sum(word << engine.bits * i for i, word in enumerate(state))
        found = solve(((mask, packed >> bit & 1) for bit, mask in enumerate(_step_masks(engine))), _size(engine))
        assert found is not None, f"{engine.name} steps one to one"
        return _unpacked(engine, found)

    return back


def _size(engine: Engine) -> int:
    return engine.bits * engine.words


@cache
def _step_masks(engine: Engine) -> list[int]:
    masks = [0] * _size(engine)
    for unknown in range(_size(engine)):
        state = engine.step(_unpacked(engine, 1 << unknown))
        packed = sum(word << engine.bits * i for i, word in enumerate(state))
        for bit in range(_size(engine)):
            masks[bit] |= (packed >> bit & 1) << unknown
    return masks


STAR = 0x2545F4914F6CDD1D  # xorshift64*, Vigna 2016
GOLDEN = 0x9E3779B97F4A7C15  # SplitMix64's usual step


def _unscrambled(view: View) -> Iterator[Generator]:
    """Outputs of which the whole word can be read: a xorshift times a constant, a mixed counter."""
    inverse = pow(STAR, -1, 2**64)
    words = [y * inverse % 2**64 for y in view.numbers[:4]]
    for found in single_words(View(words, 64, lambda x: view.show(x * STAR % 2**64)), 64):
        found.parameters["engine"] = "xorshift64*"
        yield found
    counts = [_unmixed(y) for y in view.numbers[:4]]
    counter = recover(counts, 2**64)
    if counter is not None and counter.a == 1:
        step = counter.c
        yield Machine(
            {"engine": "SplitMix64", "step": f"0x{step:016x}"},
            counts[0],
            lambda x: (x + step) % 2**64,
            lambda x: view.show(_mixed(x)),
            lambda x: (x - step) % 2**64,
        )


def _mixed(z: int) -> int:
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
    return z ^ z >> 31


def _unmixed(z: int) -> int:
    z ^= z >> 31 ^ z >> 62
    z = z * pow(0x94D049BB133111EB, -1, 2**64) % 2**64
    z ^= z >> 27 ^ z >> 54
    z = z * pow(0xBF58476D1CE4E5B9, -1, 2**64) % 2**64
    return z ^ z >> 30 ^ z >> 60
