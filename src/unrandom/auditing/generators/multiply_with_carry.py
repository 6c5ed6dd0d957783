"""Multiply-with-carry generators: the low half of a product plus a carry, which is the high half of the last one
(Marsaglia 1994; Marsaglia 2003 for complementary ones).

t = a x[i−r] + c modulo b², b = 2**bits; x[i] = t mod b, and the next carry is ⌊t / b⌋. A complementary one shows
b − 1 − x[i], and steps from what it shows.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class MultiplyWithCarry:
    """Multiplier 1 < a < 2**bits and lag r >= 1."""

    a: int
    bits: int
    lag: int = 1
    complementary: bool = False

    def outputs(self, first: Sequence[int], carry: int) -> Iterator[int]:
        """The `lag` words of `first`, then the words computed from them; `carry` enters the first of these."""
        mask, window = (1 << self.bits) - 1, deque(first)
        yield from first
        while True:
            total = self.a * window.popleft() + carry
            carry, word = total >> self.bits, total & mask
            window.append(mask - word if self.complementary else word)
            yield window[-1]

    def before(self, first: Sequence[int], carry: int) -> tuple[list[int], int] | None:
        """The words and the carry one step earlier; None if no state precedes this one."""
        mask = (1 << self.bits) - 1
        word = mask - first[-1] if self.complementary else first[-1]
        earlier, old_carry = divmod((carry << self.bits) + word, self.a)
        return ([earlier, *first[:-1]], old_carry) if earlier <= mask else None
