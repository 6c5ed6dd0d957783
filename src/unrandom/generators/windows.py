"""Which bits of a linear congruential generator's state does a program show?

Bits low … low + bits − 1. The low bits of x modulo a power of two are those of an LCG modulo a smaller one, so these
bits are always the top ones of an LCG modulo 2**(low + bits).
"""

from dataclasses import dataclass

from unrandom.generators.lcg import Lcg


@dataclass(frozen=True)
class Window:
    """The top `bits` bits of the state of an LCG modulo 2**(low + bits), and in words what shows them."""

    about: str
    lcg: Lcg
    low: int
    bits: int

    @classmethod
    def of(cls, about: str, lcg: Lcg, low: int, bits: int) -> "Window":
        """Bits from `low` on of an LCG whose modulus is a power of two, 2**(low + bits) or a greater one."""
        m = 1 << (low + bits)
        return cls(about, Lcg(m, lcg.a % m, lcg.c % m), low, bits)

    def output(self, x: int) -> int:
        """What a state shows."""
        return x >> self.low


def states_showing(output: int, low: int) -> tuple[int, int]:
    """The least and the greatest state x with x >> low = output."""
    return output << low, ((output + 1) << low) - 1
