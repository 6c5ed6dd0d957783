"""nextLong() and nextDouble() of java.util.Random: combinations of two successive LCG states.

next(b) steps x = (0x5DEECE66D x + 11) mod 2**48 and returns its top b bits. nextLong() is (next(32) << 32) + next(32),
both signed, and nextDouble() is ((next(26) << 27) + next(27)) / 2**53 (Java's documentation). Here, a state is the
first of the two that an output combines. Methods that use one state per output show a window of it (`windows`).
"""

from collections.abc import Callable
from dataclasses import dataclass

from unrandom.generators.known import KNOWN

JAVA = KNOWN["java"].lcg
TWO_STEPS = JAVA.jump(2)
TWO_STEPS_BACK = TWO_STEPS.inverse()


@dataclass(frozen=True)
class JavaMethod:
    """A method that uses two states per output."""

    name: str
    output: Callable[[int], int]

    def step(self, x: int) -> int:
        return TWO_STEPS(x)

    def back(self, x: int) -> int:
        return TWO_STEPS_BACK(x)


def _long(x: int) -> int:
    """(next(32) << 32) + next(32) modulo 2**64; the lower half is signed."""
    low = JAVA(x) >> 16
    return (((x >> 16) << 32) + low - ((low >> 31) << 32)) % 2**64


def _double(x: int) -> int:
    """nextDouble() times 2**53."""
    return ((x >> 22) << 27) + (JAVA(x) >> 21)


NEXT_LONG = JavaMethod("nextLong()", _long)
NEXT_DOUBLE = JavaMethod("nextDouble()", _double)
