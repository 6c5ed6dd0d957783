"""How are the numbers made that a program prints? By Python's own Mersenne twister, by numpy and PyTorch, and by the
simulators of `generators`, which the tests compare with outputs of the real programs.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from random import Random
from typing import Any

from unrandom.generators.bays_durham import BaysDurham
from unrandom.generators.carry import WithCarry
from unrandom.generators.combined import COMBINED
from unrandom.generators.known import KNOWN
from unrandom.generators.lagged import LaggedFibonacci
from unrandom.generators.lcg import LCG
from unrandom.generators.ranlux import Ranlux
from unrandom.generators.sfmt import SFMT19937
from unrandom.generators.small import SMALL
from unrandom.generators.stepping import Forward
from unrandom.generators.v8 import MathRandom
from unrandom.generators.windows import Window
from unrandom.generators.xoshiro import XOSHIROS

Numbers = Iterator[Any]
"""Numbers, or texts, as they are printed; endless."""

Start = Callable[[Random], Numbers]
"""Begins a stream, with a seed or a state taken from a source of chance."""


@dataclass(frozen=True)
class Printed:
    """What a program prints. `length` numbers are audited, some more than are needed; if `slow`, this takes seconds."""

    program: str
    form: str
    length: int
    start: Start
    slow: bool = False

    def numbers(self, seed: int, more: int) -> tuple[list[Any], list[Any]]:
        """The numbers to be audited, and so many that follow."""
        stream = self.start(Random(seed))
        return [next(stream) for _ in range(self.length)], [next(stream) for _ in range(more)]


def endless(draw: Callable[[], Any]) -> Numbers:
    return iter(draw, None)


def by_python(one: Callable[[Random], Any]) -> Start:
    """By Python's `random`, which is the source of chance itself."""
    return lambda chance: endless(lambda: one(chance))


def by_numpy(one: Callable[[Any], Any]) -> Start:
    def start(chance: Random) -> Numbers:
        import numpy as np

        generator = np.random.RandomState(chance.getrandbits(32))
        return endless(lambda: one(generator))

    return start


def by_torch(chance: Random) -> Numbers:
    import torch

    generator = torch.Generator().manual_seed(chance.getrandbits(31))
    for _ in count():
        yield from torch.rand(1000, generator=generator).tolist()


def states(generator: Forward, words: tuple[int, ...], shown: Callable[[int], Any]) -> Start:
    """Outputs of a generator after a random state of one word, or several, with so many bits."""

    def start(chance: Random) -> Numbers:
        drawn = tuple(chance.getrandbits(bits) or 1 for bits in words)
        state = drawn if len(drawn) > 1 else drawn[0]
        while True:
            state = generator.step(state)
            yield shown(generator.output(state))

    return start


def steps(draw: Callable[[Random], Callable[[int], int]], modulus: int, shown: Callable[[int], Any] = int) -> Start:
    """Numbers below the modulus, from a random one on, by a step that may have random parameters."""

    def start(chance: Random) -> Numbers:
        step, x = draw(chance), chance.randrange(1, modulus)
        while True:
            x = step(x)
            yield shown(x)

    return start


def parts_of_sfmt(chance: Random) -> Numbers:
    """The 128-bit words of SFMT19937, four parts each, the lowest one first."""
    for word in states(SFMT19937, SFMT19937.sizes, int)(chance):
        for part in range(SFMT19937.parts):
            yield (word >> (SFMT19937.bits * part)) % 2**SFMT19937.bits


def window_of(name: str, low: int, bits: int, shown: Callable[[int], Any] = int) -> Start:
    """A window of the states of a known LCG."""
    window = Window.of(name, KNOWN[name].lcg, low, bits)
    return steps(lambda _: window.lcg, window.lcg.m, lambda x: shown(window.output(x)))


def full_period(m: int) -> Callable[[Random], LCG]:
    """A random LCG modulo a power of two whose period is m."""
    return lambda chance: LCG(m, 4 * chance.randrange(m // 4) + 1, 2 * chance.randrange(m // 2) + 1)


def v8(shown: int, added: bool, one: Callable[[float], Any]) -> Start:
    generator = MathRandom(shown, added)

    def start(chance: Random) -> Numbers:
        state: tuple[int, ...] = (chance.getrandbits(64), chance.getrandbits(64))
        skipped = chance.randrange(64)
        while True:
            numbers, state = generator.block(state)
            for number in numbers[skipped:]:
                yield one(number / 2**shown)
            skipped = 0

    return start


def xoshiro(name: str, shown: Callable[[int], Any]) -> Start:
    xoshiro = next(one for one in XOSHIROS if one.name == name)
    return states(xoshiro, (xoshiro.engine.bits,) * xoshiro.engine.words, shown)


def recurrence(size: int, bits: int, following: Callable[[list[int]], int], shown: Callable[[int], Any]) -> Start:
    """A recurrence of the last `size` numbers."""

    def start(chance: Random) -> Numbers:
        window = [chance.getrandbits(bits) for _ in range(size)]
        for _ in range(10 * size):
            window = [*window[1:], following(window)]
        while True:
            number = following(window)
            window = [*window[1:], number]
            yield shown(number)

    return start


def lagged(generator: LaggedFibonacci, shown: Callable[[int], Any]) -> Start:
    bits = (generator.modulus - 1).bit_length()
    return recurrence(generator.far, bits, generator.following, shown)


def with_carry(generator: WithCarry) -> Start:
    def start(chance: Random) -> Numbers:
        window, carry = [chance.getrandbits(generator.bits) for _ in range(generator.far)], 0
        while True:
            number, carry = generator.following(window, carry)
            window = [*window[1:], number]
            yield number

    return start


def ranlux(generator: Ranlux) -> Start:
    def start(chance: Random) -> Numbers:
        state = (chance.randrange(generator.modulus), chance.randrange(generator.used))
        while True:
            yield generator.output(state)
            state = generator.step(state)

    return start


def bays_durham(generator: BaysDurham) -> Start:
    """From any place on, with a table that was in use."""

    def start(chance: Random) -> Numbers:
        table = [chance.randrange(1, generator.lcg.m) for _ in range(generator.slots)]
        return generator.outputs(table, chance.randrange(generator.slots), chance.randrange(1, generator.lcg.m))

    return start


def combined(name: str, shown: Callable[[float], Any]) -> Start:
    combined = next(one for one in COMBINED if one.name == name)

    def start(chance: Random) -> Numbers:
        first = tuple(
            tuple(chance.randrange(1, component.modulus) for _ in range(len(component.coefficients)))
            for component in combined.components
        )
        return map(shown, combined.outputs(first))

    return start


def small(name: str, shown: Callable[[int], Any] = int) -> Start:
    """A generator of SMALL; a repeated output is drawn again where the program does so."""
    generator = next(one for one in SMALL if one.name == name)

    def start(chance: Random) -> Numbers:
        state, last = chance.randrange(1, 2**generator.state_bits - 1), None
        while True:
            state = generator.step(state)
            output = generator.output(state)
            if generator.repeats or output != last:
                yield shown(output)
            last = output

    return start
