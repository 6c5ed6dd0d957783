"""Makes the numbers that programs print, by Python's own Mersenne twister, by numpy and PyTorch, and by the simulators
of `generators`, which the tests compare with outputs of the real programs.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import wraps
from itertools import count
from random import Random
from typing import Any, Concatenate, ParamSpec

from unrandom.auditing.generators.bays_durham import BaysDurham
from unrandom.auditing.generators.carry import WithCarry
from unrandom.auditing.generators.combined import COMBINED
from unrandom.auditing.generators.lagged import LaggedFibonacci
from unrandom.auditing.generators.ranlux import Ranlux
from unrandom.auditing.generators.sfmt import SFMT19937
from unrandom.auditing.generators.small import SMALL
from unrandom.auditing.generators.stepping import Forward
from unrandom.auditing.generators.v8 import MathRandom
from unrandom.auditing.generators.xoshiro import XOSHIROS
from unrandom.generators.known import KNOWN
from unrandom.generators.lcg import LCG
from unrandom.generators.windows import Window

Numbers = Iterator[Any]  # numbers, or texts, as they are printed; endless
Start = Callable[[Random], Numbers]  # begins a stream, with a seed or a state taken from a source of chance


@dataclass(frozen=True)
class Printed:
    """What a program prints. `length` numbers are audited, some more than are needed; if `slow`, this takes seconds."""

    program: str
    form: str
    length: int
    start: Start
    slow: bool = False

    def numbers(self, seed: int, more: int) -> tuple[list[Any], list[Any]]:
        """The numbers to be audited, and `more` that follow."""
        stream = self.start(Random(seed))
        return [next(stream) for _ in range(self.length)], [next(stream) for _ in range(more)]


Settings = ParamSpec("Settings")


def with_settings(stream: Callable[Concatenate[Random, Settings], Numbers]) -> Callable[Settings, Start]:
    """A stream's settings are given first, and its source of chance when it begins."""

    @wraps(stream)
    def settled(*settings: Settings.args, **named: Settings.kwargs) -> Start:
        return lambda chance: stream(chance, *settings, **named)

    return settled


def endless(draw: Callable[[], Any]) -> Numbers:
    return iter(draw, None)


def by_python(one: Callable[[Random], Any]) -> Start:
    """By Python's `random`, which is the source of chance itself."""
    return lambda chance: endless(lambda: one(chance))


@with_settings
def by_numpy(chance: Random, one: Callable[[Any], Any]) -> Numbers:
    import numpy as np

    generator = np.random.RandomState(chance.getrandbits(32))
    return endless(lambda: one(generator))


def by_torch(chance: Random) -> Numbers:
    import torch

    generator = torch.Generator().manual_seed(chance.getrandbits(31))
    for _ in count():
        yield from torch.rand(1000, generator=generator).tolist()


@with_settings
def states(chance: Random, generator: Forward, words: tuple[int, ...], shown: Callable[[int], Any]) -> Numbers:
    """Outputs of a generator after a random state of one word, or several, of these widths."""
    drawn = tuple(chance.getrandbits(bits) or 1 for bits in words)
    state = drawn if len(drawn) > 1 else drawn[0]
    while True:
        state = generator.step(state)
        yield shown(generator.output(state))


@with_settings
def steps(
    chance: Random, draw: Callable[[Random], Callable[[int], int]], modulus: int, shown: Callable[[int], Any] = int
) -> Numbers:
    """Numbers below the modulus, from a random one on, by a step that may have random parameters."""
    step, x = draw(chance), chance.randrange(1, modulus)
    while True:
        x = step(x)
        yield shown(x)


def parts_of_sfmt(chance: Random) -> Numbers:
    """The 128-bit words of SFMT19937, four parts each, the lowest one first."""
    for word in states(SFMT19937, SFMT19937.sizes, int)(chance):
        for part in range(SFMT19937.parts):
            yield (word >> (SFMT19937.bits * part)) % 2**SFMT19937.bits


def window_of(name: str, low: int, bits: int, shown: Callable[[int], Any] = int) -> Start:
    """A window of the states of a known LCG."""
    window = Window.of(name, KNOWN[name].lcg, low, bits)
    return steps(lambda _: window.lcg, window.lcg.m, lambda x: shown(window.output(x)))


def truncated(m: int, low: int) -> Start:
    """A random LCG modulo a power of two whose period is m, without its `low` lowest bits."""

    def lcg(chance: Random) -> LCG:
        return LCG(m, 4 * chance.randrange(m // 4) + 1, 2 * chance.randrange(m // 2) + 1)

    return steps(lcg, m, lambda x: x >> low)


@with_settings
def v8(chance: Random, shown: int, added: bool, one: Callable[[float], Any]) -> Numbers:
    generator = MathRandom(shown, added)
    state: tuple[int, ...] = (chance.getrandbits(64), chance.getrandbits(64))
    skipped = chance.randrange(64)
    while True:
        numbers, state = generator.block(state)
        for number in numbers[skipped:]:
            yield one(number / 2**shown)
        skipped = 0


def xoshiro(name: str, shown: Callable[[int], Any]) -> Start:
    xoshiro = next(one for one in XOSHIROS if one.name == name)
    return states(xoshiro, (xoshiro.engine.bits,) * xoshiro.engine.words, shown)


@with_settings
def lagged(chance: Random, generator: LaggedFibonacci, shown: Callable[[int], Any]) -> Numbers:
    size, bits = generator.far, (generator.modulus - 1).bit_length()
    window = [chance.getrandbits(bits) for _ in range(size)]
    for _ in range(10 * size):
        window = [*window[1:], generator.following(window)]
    while True:
        number = generator.following(window)
        window = [*window[1:], number]
        yield shown(number)


@with_settings
def with_carry(chance: Random, generator: WithCarry) -> Numbers:
    window, carry = [chance.getrandbits(generator.bits) for _ in range(generator.far)], 0
    while True:
        number, carry = generator.following(window, carry)
        window = [*window[1:], number]
        yield number


@with_settings
def ranlux(chance: Random, generator: Ranlux) -> Numbers:
    state = (chance.randrange(generator.modulus), chance.randrange(generator.used))
    while True:
        yield generator.output(state)
        state = generator.step(state)


@with_settings
def bays_durham(chance: Random, generator: BaysDurham) -> Numbers:
    """From any place on, with a table that was in use."""
    table = [chance.randrange(1, generator.lcg.m) for _ in range(generator.slots)]
    return generator.outputs(table, chance.randrange(generator.slots), chance.randrange(1, generator.lcg.m))


@with_settings
def combined(chance: Random, name: str, shown: Callable[[float], Any]) -> Numbers:
    combined = next(one for one in COMBINED if one.name.startswith(name))
    first = tuple(
        tuple(chance.randrange(1, component.modulus) for _ in component.coefficients)
        for component in combined.components
    )
    return map(shown, combined.outputs(first))


@with_settings
def small(chance: Random, name: str, shown: Callable[[int], Any] = int) -> Numbers:
    """A generator of SMALL; a repeated output is drawn again where the program does so."""
    generator = next(one for one in SMALL if one.name.startswith(name))
    state, last = chance.randrange(1, 2**generator.state_bits - 1), None
    while True:
        state = generator.step(state)
        output = generator.output(state)
        if generator.repeats or output != last:
            yield shown(output)
        last = output
