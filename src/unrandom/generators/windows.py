"""The bits of an LCG's state that a program shows: a window, bits low … low + bits − 1.

The low bits of an LCG modulo a power of two form an LCG modulo a smaller power of two, so a window always contains the
top bits of an LCG modulo 2**(low + bits).
"""

from dataclasses import dataclass

from unrandom.generators.lcg import LCG


@dataclass(frozen=True)
class Window:
    """The top `bits` bits of the state of an LCG modulo 2**(low + bits), with a description of the program."""

    about: str
    lcg: LCG
    low: int
    bits: int

    @classmethod
    def of(cls, about: str, lcg: LCG, low: int, bits: int) -> "Window":
        """`bits` bits from bit `low` on, of an LCG whose modulus is a power of two of at least 2**(low + bits)."""
        m = 1 << (low + bits)
        return cls(about, LCG(m, lcg.a % m, lcg.c % m), low, bits)

    def output(self, x: int) -> int:
        """The bits of the window in a state."""
        return x >> self.low


def states_showing(output: int, low: int) -> tuple[int, int]:
    """The smallest and the largest state x with (x >> low) = output."""
    return output << low, ((output + 1) << low) - 1
