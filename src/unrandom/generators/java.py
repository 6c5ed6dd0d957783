"""Which numbers does java.util.Random produce where an output takes two states, in nextLong() and nextDouble()?

next(b) steps x = (0x5DEECE66D x + 11) mod 2**48 and gives its top b bits. nextLong() is (next(32) << 32) + next(32),
both signed, and nextDouble() is ((next(26) << 27) + next(27)) / 2**53 (Java's documentation says so). Here a state is
the first of the two that an output is made of. Where an output shows one state, it is a window of it (`windows`).
"""

from collections.abc import Callable
from dataclasses import dataclass

from unrandom.generators.known import KNOWN

JAVA = KNOWN["java"].lcg
TWO_STEPS = JAVA.jump(2)
TWO_STEPS_BACK = TWO_STEPS.inverse()


@dataclass(frozen=True)
class JavaMethod:
    """A method that takes two states for each output."""

    name: str
    output: Callable[[int], int]

    def step(self, x: int) -> int:
        return TWO_STEPS(x)

    def back(self, x: int) -> int:
        return TWO_STEPS_BACK(x)


def _long(x: int) -> int:
    """Modulo 2**64. The lower half counts with its sign."""
    low = JAVA(x) >> 16
    return (((x >> 16) << 32) + low - ((low >> 31) << 32)) % 2**64


def _double(x: int) -> int:
    """The fraction times 2**53."""
    return ((x >> 22) << 27) + (JAVA(x) >> 21)


NEXT_LONG = JavaMethod("nextLong()", _long)
NEXT_DOUBLE = JavaMethod("nextDouble()", _double)
