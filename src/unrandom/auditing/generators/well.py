"""WELL generators: words of a long recurrence modulo 2 that changes many bits at each step (Panneton, L'Ecuyer and
Matsumoto 2006).

A state has r words v[0] … v[r−1] of 32 bits. A step replaces the newest and the oldest word: z0 joins the highest bits
of v[r−1] and the lowest p bits of v[r−2]; z1 and z2 are sums of two transformed words each; the next state is (new v0,
z1 ^ z2, v[1] … v[r−2]), and the output is the newest word v[0], in some versions tempered.
"""

from dataclasses import dataclass

from unrandom.auditing.generators.shifts import AnyWord, Shift, xor_shifts

MASK = 2**32 - 1


@dataclass(frozen=True)
class Transformed:
    """A word xored with itself shifted by `by` places (to the left if positive), or only shifted if `alone`."""

    by: int
    alone: bool = False

    def __call__(self, word: AnyWord) -> AnyWord:
        if not self.by:
            return word
        if self.alone:
            return (word << self.by) & MASK if self.by > 0 else word >> -self.by
        return xor_shifts(word, (Shift(self.by > 0, abs(self.by)),), 32)


@dataclass(frozen=True)
class Well:
    """A WELL generator. `reads` are the indices of the three words besides v[0]; `parts` are the transformations of
    v[0], of these three, and of z0, z1, z2 in the new word; `last` is that of z1 ^ z2, of which the left shift is
    masked by `masked`; `last` None leaves it out. `tempering` has two left shifts with their masks.
    """

    name: str
    r: int
    p: int
    reads: tuple[int, int, int]
    parts: tuple[Transformed, ...]
    last: Transformed | None = None
    masked: int = MASK
    third_unused: bool = False
    tempering: tuple[tuple[int, int], ...] = ()
    bits: int = 32

    @property
    def sizes(self) -> tuple[int, ...]:
        """Bits of each word of the state."""
        return (self.bits,) * self.r

    @property
    def silent(self) -> int:
        """Bits of the state that affect no later output."""
        return self.p

    def step(self, state: tuple[AnyWord, ...]) -> tuple[AnyWord, ...]:
        one, two, three = (state[i] for i in self.reads)
        of_newest, of_one, of_two, of_three, of_z0, of_z1, of_z2 = self.parts
        lowest = (1 << self.p) - 1
        z0 = (state[-1] & (MASK ^ lowest)) ^ (state[-2] & lowest) if self.p else state[-1]
        z1 = of_newest(state[0]) ^ of_one(one)
        z2 = of_two(two) if self.third_unused else of_two(two) ^ of_three(three)
        second = z1 ^ z2
        newest = of_z0(z0) ^ of_z1(z1) ^ of_z2(z2)
        if self.last is not None:
            added = self.last(second)
            newest = newest ^ (second ^ ((added ^ second) & self.masked))
        following = list(state[:-1])
        following[0] = second
        following.insert(0, newest)
        return tuple(following)

    def output(self, state: tuple[AnyWord, ...]) -> AnyWord:
        word = state[0]
        for by, mask in self.tempering:
            word = word ^ ((word << by) & mask)
        return word


def _of(*shifts: int | tuple[int]) -> tuple[Transformed, ...]:
    """Transformations from their shifts; a tuple of one shift stands for the shift alone."""
    return tuple(Transformed(by[0], alone=True) if isinstance(by, tuple) else Transformed(by) for by in shifts)


WELL512A = Well(
    "WELL512a", 16, 0, (13, 9, 5), _of(16, 15, -11, 0, 2, 18, (28,)), Transformed(5), 0xDA442D24, third_unused=True
)
WELL1024A = Well("WELL1024a", 32, 0, (3, 24, 10), _of(0, -8, 19, 14, 11, 7, 13))
WELL19937A = Well("WELL19937a", 624, 31, (70, 179, 449), _of(25, -27, (-9,), -1, 0, 9, 21), Transformed(-21))
WELL19937C = Well(
    "WELL19937c", 624, 31, (70, 179, 449), _of(25, -27, (-9,), -1, 0, 9, 21), Transformed(-21),
    tempering=((7, 0xE46E1700), (15, 0x9B868000)),
)  # fmt: skip
