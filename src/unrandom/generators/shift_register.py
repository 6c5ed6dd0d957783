"""Which numbers do linear feedback shift registers produce, one register per bit? Each bit of an output is an exclusive
or of the same bit of earlier outputs.

A bit s of the outputs obeys ⊕ C[j] s[i − j] = 0 over j = 0 … size, with C[0] = 1. The state is the last `size` outputs.
Every generator that uses only shifts and exclusive ors obeys such recurrences (Golomb 1967).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass


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
