"""LCGs whose outputs a table shuffles (Bays and Durham 1976).

An output is the entry of the table at a slot, which depends on the output before; the next number of the LCG replaces
it. C++'s knuth_b shuffles minstd_rand0 by 256 slots ([rand.adapt.shuf] of the C++ standard); ran1 of Numerical Recipes
by 32, which it fills from the last one on.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, repeat

from unrandom.generators.known import KNOWN
from unrandom.generators.lcg import LCG


@dataclass(frozen=True)
class BaysDurham:
    """An LCG without an increment, and the size of its table, which is filled from the first slot on or from the last.
    The number drawn after filling selects the first slot; ran1 does not draw one, but takes the entry of slot 0.
    """

    name: str
    lcg: LCG
    slots: int
    last_slot_first: bool = False

    def slot(self, output: int) -> int:
        """The slot of the output that follows this one."""
        if self.last_slot_first:
            return output // (1 + (self.lcg.m - 1) // self.slots)
        return self.slots * (output - 1) // (self.lcg.m - 1)

    def outputs(self, table: Sequence[int], slot: int, x: int) -> Iterator[int]:
        """The outputs from a table of `slots` numbers, the slot of the first one, and the number that replaces that."""
        table = list(table)
        while True:
            output, table[slot] = table[slot], x
            yield output
            slot, x = self.slot(output), self.lcg(x)

    def unused(self, x: int) -> tuple[list[int], int]:
        """The table before the first output after seeding, and the slot of that output, which x replaces."""
        drawn = list(accumulate(repeat(self.lcg.inverse(), self.slots), lambda y, back: back(y), initial=x))[1:]
        if self.last_slot_first:
            return drawn, self.slot(drawn[0])
        before = self.lcg.inverse()(drawn[-1])
        return [before, *drawn[:0:-1]], self.slot(drawn[0])


KNUTH_B = BaysDurham("knuth_b of C++", KNOWN["minstd0"].lcg, 256)
RAN1 = BaysDurham("ran1 of Numerical Recipes", KNOWN["minstd0"].lcg, 32, last_slot_first=True)
