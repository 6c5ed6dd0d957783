"""Linear feedback shift registers, one per bit: each bit of an output is an exclusive or of the same bit of earlier
outputs.

A bit s of the outputs obeys ⊕ C[j] s[i − j] = 0 over j = 0 … size, with C[0] = 1. The state is the last `size` outputs.
Every generator that uses only shifts and exclusive ors obeys such recurrences (Golomb 1967).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from unrandom.auditing.generators.shifts import AnyWord


@dataclass(frozen=True)
class ShiftRegisters:
    """Connection polynomials of the bits, lowest bit first: bit j of a polynomial is C[j], for j up to `size`."""

    connections: tuple[int, ...]
    size: int

    def following(self, outputs: Sequence[int]) -> Iterator[int]:
        """The outputs that follow `outputs`, of which there must be `size`."""
        mask = (1 << self.size) - 1
        taps = [connection >> 1 for connection in self.connections]  # bit j selects the bit j + 1 outputs back
        windows = [
            sum(((x >> bit) & 1) << i for i, x in enumerate(reversed(outputs))) for bit in range(len(self.connections))
        ]
        while True:
            number = 0
            for bit, tap in enumerate(taps):
                new = (windows[bit] & tap).bit_count() & 1
                windows[bit] = ((windows[bit] << 1) | new) & mask
                number |= new << bit
            yield number

    def backwards(self) -> "ShiftRegisters | None":
        """The registers that produce the outputs in reverse order; None if the recurrence of a bit has lower order than
        `size`, so that earlier outputs are not determined.
        """
        if not all(connection >> self.size for connection in self.connections):
            return None
        reversed_bits = (f"{connection:b}"[::-1] for connection in self.connections)
        return ShiftRegisters(tuple(int(bits, 2) for bits in reversed_bits), self.size)


@dataclass(frozen=True)
class GaloisRegister:
    """One register of `bits` bits, shifted to the right by one place at each step; if a 1 is shifted out, the state is
    xored with `taps`. The output is the whole state.
    """

    bits: int
    taps: int

    @property
    def name(self) -> str:
        return f"Galois register of {self.bits} bits, taps 0x{self.taps:X}"

    def step(self, state: AnyWord) -> AnyWord:
        return (state >> 1) ^ ((state & 1) * self.taps)

    def output(self, state: AnyWord) -> AnyWord:
        return state


GALOIS_REGISTERS = (
    GaloisRegister(16, 0xB400),
    GaloisRegister(32, 0x80200003),
    GaloisRegister(32, 0xA3000000),
    GaloisRegister(32, 0xD0000001),
    GaloisRegister(64, 0xD800000000000000),
)
"""Registers with taps that are often used."""
