"""Recovers the additive generators of known programs that show only the top bits or a remainder of their numbers, by
finding where their sums overflow, and the hidden bits from these places.

A program takes the word X = x >> low of a number x of a lagged Fibonacci generator modulo m. It shows the top bits: as
a fraction X / M of few digits, as ⌊N X / M⌋, or as a shorter word. (The lowest bits of X are the top bits of the same
generator modulo a smaller power of two.) Then the residual of the shown parts tells by which multiple of m the sum was
reduced. Or it shows a remainder y = X mod N. The residual of these, modulo N, tells the multiple, and the carry from
the bits below the word. The quotients (X − y) / N, and then the bits below the word, obey the recurrence except for
known numbers, and both are found from the places where they overflow.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import log2

import numpy as np

from unrandom.auditing.algebra.overflows import hidden_numbers, outputs_needed, residuals
from unrandom.auditing.deadline import Deadline
from unrandom.auditing.families.carry.lagged import rule_text
from unrandom.auditing.family import Family, Generator, Recurrence, Undetermined
from unrandom.auditing.forms.layers import Number
from unrandom.auditing.forms.scales import MANTISSA
from unrandom.auditing.forms.shown import Fractions, Range, Words
from unrandom.auditing.forms.stream import Stream
from unrandom.auditing.generators.lagged import LaggedFibonacci
from unrandom.core.arithmetic import is_power_of_two
from unrandom.core.files import JsonObject

MAX_OUTPUTS = 1 << 17  # outputs used for recovery
TESTED = (24, 512)  # residuals by which a stream is tested at first, and again if it passes
LEAST_RANGE = 3  # in a smaller range, outputs do not show how often the modulus was subtracted from a sum


@dataclass(frozen=True)
class Program:
    """Words x >> low of a lagged Fibonacci generator, and the divisors by which programs make fractions of them."""

    name: str
    rule: LaggedFibonacci
    low: int = 0
    divisors: tuple[int, ...] = ()

    @property
    def size(self) -> int:
        """The words are 0 … size − 1."""
        return self.rule.modulus >> self.low

    def recurrence(self, numbers: list[int], show: Callable[[int], Number], **parameters: int) -> Generator:
        """The generator with these first numbers, whose words are shown by a function."""
        rule, low = self.rule, self.low
        about: JsonObject = {"rule": rule_text(rule), **({"word": f"x >> {low}"} if low else {}), **parameters}
        return Recurrence(about, numbers[: rule.far], rule.following, lambda x: show(x >> low), rule.preceding)


@dataclass(frozen=True)
class Top:
    """A stream that shows in which interval each fraction word / divisor lies; whole numbers are in a range."""

    program: Program
    stream: Stream
    divisor: int

    @property
    def width(self) -> float:
        """The width of the intervals."""
        if self.stream.bounded is not None:
            return 1 / self.stream.bounded
        assert self.stream.rounding_error is not None
        return 2 * float(self.stream.rounding_error.max(initial=0.0)) + 2.0**-MANTISSA

    @property
    def hidden_bits(self) -> float:
        """log2 of how many numbers x an output leaves possible, at least 1."""
        return max(1.0, log2(self.width * self.program.rule.modulus))

    @property
    def surprise(self) -> float:
        """Bits of evidence of a residual that agrees: −log2 of the chance that a residual of drawn numbers does."""
        return max(0.0, -log2(min(1.0, 3 * self.width)))

    def agrees(self, count: int) -> bool:
        """Whether this generator may have the first `count` residuals."""
        fractions = self.stream.values[: count + self.program.rule.far].astype(np.float64)
        tolerance = 1.5 * self.width + 1e-9  # three roundings
        if self.stream.bounded is not None:
            fractions, tolerance = (fractions + 0.5) / self.stream.bounded, self.width  # residuals are ± 1 / 2N
        rest = residuals(self.program.rule, fractions)
        return not (np.abs(rest - np.rint(rest)) > tolerance).any()

    def generators(self) -> Iterator[Generator]:
        """The generator, if its numbers are determined."""
        low, divisor, n = self.program.low, self.divisor, self.stream.bounded
        words = self.stream.state_bounds(divisor) or []
        numbers = _numbers_within(self.program.rule, [(a << low, ((b + 1) << low) - 1) for a, b in words])
        if numbers is None:
            return
        if n is None:
            yield self.program.recurrence(numbers, lambda word: word / divisor)
        else:
            yield self.program.recurrence(numbers, lambda word: word * n // divisor, N=n)


@dataclass(frozen=True)
class Remainder:
    """A stream of words modulo N."""

    program: Program
    stream: Stream
    n: int

    @property
    def hidden_bits(self) -> float:
        """log2 of how many quotients or parts below the words are possible, whichever are more."""
        return max(1.0, log2(self.program.size / self.n), self.program.low)

    @property
    def carries(self) -> dict[int, tuple[int, int]]:
        """The carry into a word and the multiple of the modulus that was added to it, by the residual modulo N; empty
        if a residual does not tell them.
        """
        rule, size = self.program.rule, self.program.size
        sign = 1 if rule.near_sign == rule.far_sign else -1
        kinds = list(product((0, sign) if self.program.low else (0,), (0, -sign)))
        found = {(carry + times * size) % self.n: (carry, times) for carry, times in kinds}
        return found if len(found) == len(kinds) else {}

    @property
    def surprise(self) -> float:
        """Bits of evidence of a residual that agrees: −log2 of the chance that a residual of drawn numbers does."""
        return log2(self.n / max(1, len(self.carries)))

    def agrees(self, count: int) -> bool:
        """Whether this generator may have the first `count` residuals."""
        carries = self.carries
        shown = self.stream.values[: count + self.program.rule.far].astype(np.int64)
        return len(carries) > 0 and all(x in carries for x in (residuals(self.program.rule, shown) % self.n).tolist())

    def generators(self) -> Iterator[Generator]:
        """The generator, if its numbers are determined."""
        rule, low, size, n, carries = self.program.rule, self.program.low, self.program.size, self.n, self.carries
        shown = [int(y) for y in self.stream.values.tolist()]
        rest = _exact_residuals(rule, shown)
        if not all(x % n in carries for x in rest):
            return
        carried = [carries[x % n] for x in rest]
        excess = [(carry + times * size - x) // n for (carry, times), x in zip(carried, rest, strict=True)]
        quotients = hidden_numbers(rule, excess, [(size - 1 - y) // n + 1 for y in shown])
        if quotients is None:
            return
        numbers = [(q * n + y) << low for q, y in zip(quotients, shown, strict=True)]
        if low:
            below = hidden_numbers(rule, [-(carry << low) for carry, _ in carried], [1 << low] * len(shown))
            if below is None:
                return
            numbers = [x + y for x, y in zip(numbers, below, strict=True)]
        yield self.program.recurrence(numbers, lambda word: word % n, N=n)


def _exact_residuals(rule: LaggedFibonacci, x: Sequence[int]) -> list[int]:
    """`residuals` of numbers of any size."""
    near, far = rule.near, rule.far
    return [x[i] - rule.near_sign * x[i - near] - rule.far_sign * x[i - far] for i in range(far, len(x))]


def _numbers_within(rule: LaggedFibonacci, bounds: Sequence[tuple[int, int]]) -> list[int] | None:
    """Numbers of a generator within these bounds, if they are determined."""
    m, lows = rule.modulus, [low for low, _ in bounds]
    sizes = [high - low + 1 for low, high in bounds]
    if min(sizes, default=0) < 1:
        return None
    middles = [low + size // 2 for low, size in zip(lows, sizes, strict=True)]
    times = [-((2 * x + m) // (2 * m)) for x in _exact_residuals(rule, middles)]  # the multiples of m added to a sum
    excess = [-k * m - x for k, x in zip(times, _exact_residuals(rule, lows), strict=True)]
    hidden = hidden_numbers(rule, excess, sizes)
    return None if hidden is None else [low + y for low, y in zip(lows, hidden, strict=True)]


def _readings(program: Program, stream: Stream) -> Iterator[Top | Remainder]:
    """The ways in which a stream may show the words of a program."""
    match stream.shown:
        case Fractions():
            yield from (Top(program, stream, divisor) for divisor in program.divisors)
            return
        case Range(n):
            pass
        case Words(bits):
            n = 1 << bits
        case _:
            return
    if not LEAST_RANGE <= n < program.size:
        return
    ranged = stream.reduced(n)
    if is_power_of_two(n) and is_power_of_two(program.rule.modulus):
        smaller = replace(program.rule, modulus=n << program.low)
        if program.low:
            yield Top(replace(program, rule=smaller), ranged, n)
    elif stream.bounded is not None:
        yield Remainder(program, stream, n)
    for divisor in program.divisors:
        if stream.bounded is not None or divisor == program.size:
            yield Top(program, ranged, divisor)


class Additive(Family):
    """The programs of one generator."""

    name = "additive"
    max_outputs = MAX_OUTPUTS
    seconds = 2.0

    def __init__(self, programs: tuple[Program, ...]) -> None:
        self.programs = programs
        self.about = f"{programs[0].name}: an additive generator, of whose numbers a part is shown"

    def needs(self, stream: Stream) -> int | None:
        counts = (outputs_needed(one.program.rule.far, one.hidden_bits) for one in self._possible(stream))
        return min(counts, default=None)

    def recover(self, stream: Stream, deadline: Deadline) -> Iterator[Generator]:
        for reading in self._possible(stream):
            deadline.check()
            yield from reading.generators()

    def undetermined(self, stream: Stream, deadline: Deadline) -> Undetermined | None:
        """The generator whose residuals agree, before its hidden bits are determined."""
        found = []
        for one in self._possible(stream):
            rule = one.program.rule
            residuals = max(0, min(len(stream) - rule.far, TESTED[-1]))
            outputs = max(outputs_needed(rule.far, one.hidden_bits), len(stream) + 1)
            found.append(Undetermined(outputs, residuals * one.surprise))
        return min(found, key=lambda one: (-one.evidence, one.outputs), default=None)

    def _possible(self, stream: Stream) -> Iterator[Top | Remainder]:
        """The readings that the first outputs do not exclude."""
        for program in self.programs:
            for reading in _readings(program, stream):
                if all(map(reading.agrees, TESTED)):
                    yield reading


RANDOM = "random() of C libraries"
GO = LaggedFibonacci(273, 607, 1, 1, 2**63)  # the highest of 64 bits is never shown

ADDITIVE: tuple[Additive, ...] = (
    *(
        Additive((Program(name, LaggedFibonacci(near, far, 1, 1, 2**32), 1, (2**31, 2**31 - 1)),))
        for name, near, far in (
            ("rand() of glibc, random() of C libraries", 3, 31),
            (f"{RANDOM} with 32 bytes of state", 3, 7),
            (f"{RANDOM} with 64 bytes of state", 1, 15),
            (f"{RANDOM} with 256 bytes of state", 1, 63),
        )
    ),
    Additive((Program("System.Random(seed) of .NET", LaggedFibonacci(34, 55, -1, 1, 2**31 - 1), 0, (2**31 - 1,)),)),
    Additive((Program("Knuth's subtractive generator", LaggedFibonacci(24, 55, -1, 1, 10**9), 0, (10**9,)),)),
    Additive((Program("math/rand of Go", GO, 32), Program("math/rand of Go", GO, 0, (2**63,)))),
)
"""The programs by generator; of two words of a number, the one that hides fewer bits comes first."""
