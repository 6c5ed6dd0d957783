"""Which numbers do linear shift registers produce, one for each bit of the output?

Bit s of output i is the exclusive or of the same bit of earlier outputs: ⊕ C[j] s[i − j] = 0 over j = 0 … size, with
C[0] = 1. The state is the last `size` outputs. All that is made by shifts and exclusive ors obeys such recurrences
(Golomb 1967).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class ShiftRegisters:
    """For each bit of the outputs, the lowest first, its connection polynomial: bit j is C[j], for j up to `size`."""

    connections: tuple[int, ...]
    size: int

    def following(self, outputs: Sequence[int]) -> Iterator[int]:
        """The outputs after these, of which there must be `size`."""
        mask = (1 << self.size) - 1
        taps = [connection >> 1 for connection in self.connections]  # bit j adds the bit j + 1 places back
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
        """The registers that make the outputs in reverse; None where a bit's recurrence is of lower order than `size`,
        so that the outputs before are not determined.
        """
        if not all(connection >> self.size for connection in self.connections):
            return None
        reversed_bits = (f"{connection:b}"[::-1] for connection in self.connections)
        return ShiftRegisters(tuple(int(bits, 2) for bits in reversed_bits), self.size)
