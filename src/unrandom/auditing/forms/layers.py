"""Turns the numbers of a stream back into the numbers that a program printed, by layers, each of which undoes one
interpretation: an offset, a scale, a sign, an order of bytes or bits, a division into words.

A stream holds what a generator may have made, such as ⌊6 u⌋; the program printed something else, such as 1 + ⌊6 u⌋. The
`Affine` layer restores the 1. A layer makes `outer` numbers from `inner` numbers of the stream.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from unrandom.auditing.algebra.normal import box_muller, exponential, quantile

Number = int | float  # a whole number, or a number with decimals


def plain(number: Number) -> str:
    """A number with all its digits, but without a fraction of 0."""
    return str(number) if isinstance(number, int) else f"{number:.15g}"


class Layer(ABC):
    """One step from the numbers of a stream to those that were printed."""

    @property
    @abstractmethod
    def about(self) -> str:
        """The interpretation in words, for a verdict."""

    @property
    def inner(self) -> int:
        """How many numbers of the stream make one group."""
        return 1

    @property
    def outer(self) -> int:
        """How many printed numbers a group has."""
        return 1

    @abstractmethod
    def restore(self, numbers: Sequence[Number]) -> list[Number]:
        """The printed numbers behind these; an incomplete group at the end is left out."""


@dataclass(frozen=True)
class Affine(Layer):
    """offset + scale · x; with a scale of −1, the complement of x."""

    offset: Number
    scale: Number

    @property
    def about(self) -> str:
        offset, scale = plain(self.offset), plain(self.scale)
        if self.scale == -1:
            return f"{offset} - x"
        factor = "x" if self.scale == 1 else f"{scale} x"
        return f"{offset} + {factor}" if self.offset else factor

    def restore(self, numbers: Sequence[Number]) -> list[Number]:
        return [self.offset + self.scale * x for x in numbers]


@dataclass(frozen=True)
class Signed(Layer):
    """Two's complement of `bits` bits."""

    bits: int

    @property
    def about(self) -> str:
        return f"signed {self.bits}-bit numbers"

    def restore(self, numbers: Sequence[Number]) -> list[Number]:
        half = 1 << (self.bits - 1)
        return [x - 2 * half if x >= half else x for x in numbers]


@dataclass(frozen=True)
class Reversed(Layer):
    """The bytes (`unit` = 8) or the bits (`unit` = 1) of words of `bits` bits in the opposite order."""

    bits: int
    unit: int

    @property
    def about(self) -> str:
        return f"{'bytes' if self.unit == 8 else 'bits'} of {self.bits}-bit words in reverse order"

    def restore(self, numbers: Sequence[Number]) -> list[Number]:
        return [reverse(int(x), self.bits, self.unit) for x in numbers]


def reverse(x: int, bits: int, unit: int) -> int:
    """A word of `bits` bits with its bytes (`unit` = 8) or its bits (`unit` = 1) in the opposite order."""
    if unit == 8:
        return int.from_bytes(x.to_bytes(bits // 8, "little"), "big")
    return int(f"{x:0{bits}b}"[::-1], 2)


@dataclass(frozen=True)
class Divided(Layer):
    """Each printed number consists of `words` words of `bits` bits."""

    bits: int
    words: int
    low_first: bool

    @property
    def inner(self) -> int:
        return self.words

    @property
    def about(self) -> str:
        order = "lowest" if self.low_first else "highest"
        return f"{self.words} words of {self.bits} bits per number, the {order} first"

    def restore(self, numbers: Sequence[Number]) -> list[Number]:
        return [
            join(numbers[i : i + self.words], self.bits, self.low_first)
            for i in range(0, len(numbers) - self.words + 1, self.words)
        ]


@dataclass(frozen=True)
class Joined(Layer):
    """Each word consists of `pieces` successive printed numbers of `bits` bits."""

    bits: int
    pieces: int
    low_first: bool

    @property
    def outer(self) -> int:
        return self.pieces

    @property
    def about(self) -> str:
        order = "lowest" if self.low_first else "highest"
        return f"{self.pieces} numbers of {self.bits} bits per word, the {order} first"

    def restore(self, numbers: Sequence[Number]) -> list[Number]:
        return [piece for x in numbers for piece in split(int(x), self.bits, self.pieces, self.low_first)]


@dataclass(frozen=True)
class Digits(Layer):
    """Each printed number has `count` digits in base `base`, drawn one after the other, the most significant first.
    `letters` are what the digits are written with, in words.
    """

    base: int
    count: int
    letters: str

    @property
    def inner(self) -> int:
        return self.count

    @property
    def about(self) -> str:
        each = f"{self.count} draws per token, the first character first" if self.count > 1 else "draws"
        return f"{each}, from the {self.base} characters {self.letters}"

    def draws(self, number: int) -> list[int]:
        """The digits of a printed number."""
        found = [0] * self.count
        for i in reversed(range(self.count)):
            number, found[i] = divmod(number, self.base)
        return found

    def restore(self, numbers: Sequence[Number]) -> list[Number]:
        printed: list[Number] = []
        for i in range(0, len(numbers) - self.count + 1, self.count):
            number = 0
            for digit in numbers[i : i + self.count]:
                number = number * self.base + int(digit)
            printed.append(number)
        return printed


@dataclass(frozen=True)
class Grouped(Layer):
    """`count` printed numbers from each group of as many numbers of the stream."""

    count: int

    @property
    def inner(self) -> int:
        return self.count

    @property
    def outer(self) -> int:
        return self.count


@dataclass(frozen=True)
class Backwards(Grouped):
    """Groups of `count` numbers in the opposite order, as characters of a token that is filled from its end on."""

    about = "the last character first"

    def restore(self, numbers: Sequence[Number]) -> list[Number]:
        groups = range(0, len(numbers) - self.count + 1, self.count)
        return [number for i in groups for number in reversed(numbers[i : i + self.count])]


@dataclass(frozen=True)
class Marked(Layer):
    """Bits of each number that a program overwrote: where `mask` is set, with the bits of `mark`."""

    mask: int
    mark: int
    about = "some bits overwritten"

    def restore(self, numbers: Sequence[Number]) -> list[Number]:
        return [int(x) & ~self.mask | self.mark for x in numbers]


VERSION_4 = Marked(0xF << 76 | 0x3 << 62, 0x4 << 76 | 0x2 << 62)
"""The bits of a UUID that say its version, 4, and its variant (RFC 9562, sections 4.1 and 4.2)."""


@dataclass(frozen=True)
class Template(Layer):
    """UUIDs from the template xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx of JavaScript programs: 31 draws from 16 digits, of
    which that of y shows only its two lower bits.
    """

    inner = 31
    about = "31 draws of 4 bits per UUID, the first digit first"
    HIDDEN = 15  # the draw of y, which is not known whole
    LOW = 76  # bits of the digits after the 4

    def drawn(self, number: int) -> int:
        """The 31 digits that were drawn, as a number."""
        return number >> self.LOW + 4 << self.LOW | number & (1 << self.LOW) - 1

    def restore(self, numbers: Sequence[Number]) -> list[Number]:
        digits = map(int, Digits(16, self.inner, "").restore(numbers))
        wide = [x >> self.LOW << self.LOW + 4 | x & (1 << self.LOW) - 1 for x in digits]
        return VERSION_4.restore(wide)


@dataclass(frozen=True)
class Gaps(Layer):
    """Of every cycle of outputs, those at the places of `pattern` that are True were printed, and no others."""

    pattern: tuple[bool, ...]

    @property
    def inner(self) -> int:
        return len(self.pattern)

    @property
    def outer(self) -> int:
        return sum(self.pattern)

    @property
    def about(self) -> str:
        if self.outer == 1:
            return f"one of {self.inner} outputs"
        return f"outputs {', '.join(str(i) for i, shown in enumerate(self.pattern, start=1) if shown)} of {self.inner}"

    def restore(self, numbers: Sequence[Number]) -> list[Number]:
        whole = len(numbers) // self.inner * self.inner
        return [x for i, x in enumerate(numbers[:whole]) if self.pattern[i % self.inner]]


@dataclass(frozen=True)
class InTurn(Layer):
    """Numbers of these widths in turn, each of one word of 32 bits or more, the lowest first. The last word of a number
    shows its top bits if the width is not a multiple of 32: then the words are fractions.
    """

    widths: tuple[int, ...]

    @cached_property
    def shown(self) -> tuple[int, ...]:
        """The bits that each word of a cycle shows."""
        return tuple(min(32, width - low) for width in self.widths for low in range(0, width, 32))

    @property
    def inner(self) -> int:
        return len(self.shown)

    @property
    def outer(self) -> int:
        return len(self.widths)

    @property
    def about(self) -> str:
        return f"numbers of {', '.join(map(str, self.widths))} bits in turn, of words of 32 bits, the lowest first"

    def words(self, number: int, place: int) -> list[int]:
        """The words of the number at this place of a cycle."""
        return [number >> low & (1 << 32) - 1 for low in range(0, self.widths[place], 32)]

    def restore(self, numbers: Sequence[Number]) -> list[Number]:
        whole = len(numbers) // self.inner * self.inner
        words = [int(x * 2.0 ** self.shown[i % self.inner]) if isinstance(x, float) else int(x)
                 for i, x in enumerate(numbers[:whole])]  # fmt: skip
        printed, at = list[Number](), 0
        while at < whole:
            for width in self.widths:
                count = -(-width // 32)
                printed.append(join(words[at : at + count], 32, low_first=True))
                at += count
        return printed


@dataclass(frozen=True)
class Shuffled(Layer):
    """Each line is a permutation of this many cards, made by exchanges of cards at drawn places (Fisher and Yates).

    From the last card to the second one, each is exchanged with one up to its own place; or, unless `from_end`, from
    the first one on, each with one from its own place on.
    """

    cards: int
    from_end: bool

    @property
    def inner(self) -> int:
        return self.cards - 1

    @property
    def outer(self) -> int:
        return self.cards

    @property
    def about(self) -> str:
        end = "last" if self.from_end else "first"
        return f"shuffles of {self.cards}, from the {end} card on"

    @property
    def ranges(self) -> tuple[int, ...]:
        """How many places each draw chooses from."""
        return tuple(range(self.cards, 1, -1))

    def draws(self, permutation: Sequence[int]) -> list[int]:
        """The draws that made a permutation of 0 … cards − 1."""
        deck, places, draws = list(range(self.cards)), list(range(self.cards)), []
        for place in self._places():
            card, other = permutation[place], deck[place]
            chosen = places[card]
            draws.append(chosen if self.from_end else chosen - place)
            deck[place], deck[chosen] = card, other
            places[card], places[other] = place, chosen
        return draws

    def restore(self, numbers: Sequence[Number]) -> list[Number]:
        cards: list[Number] = []
        for i in range(0, len(numbers) - self.inner + 1, self.inner):
            deck = list(range(self.cards))
            for place, draw in zip(self._places(), numbers[i : i + self.inner], strict=True):
                chosen = int(draw) if self.from_end else place + int(draw)
                deck[place], deck[chosen] = deck[chosen], deck[place]
            cards += deck
        return cards

    def _places(self) -> range:
        return range(self.cards - 1, 0, -1) if self.from_end else range(self.cards - 1)


@dataclass(frozen=True)
class Quantile(Layer):
    """Normal deviates, each the quantile of a uniform number, as R's rnorm."""

    about = "normal deviates, quantiles of x"

    def restore(self, numbers: Sequence[Number]) -> list[Number]:
        return [quantile(x) for x in numbers]


@dataclass(frozen=True)
class Exponential(Layer):
    """Exponential deviates of uniform numbers: −ln (1 − u) if `complement`, as Python's expovariate, else −ln u."""

    complement: bool = True

    @property
    def about(self) -> str:
        return f"exponential deviates, -ln {'(1 - x)' if self.complement else 'x'}"

    def restore(self, numbers: Sequence[Number]) -> list[Number]:
        return [exponential(1.0 - x if self.complement else x) for x in numbers]


@dataclass(frozen=True)
class BoxMuller(Layer):
    """Normal deviates, each pair made from two uniform numbers: the cosine of an angle and its sine, times a radius.

    The number of the angle is drawn before that of the radius if `angle_first`. The radius is √(−2 ln (1 − y)), or √(−2
    ln y) if `plain`. Python's random.gauss draws the angle first, and is not plain.
    """

    angle_first: bool = True
    plain: bool = False
    inner = outer = 2

    @property
    def about(self) -> str:
        first = "angle" if self.angle_first else "radius"
        of = "ln y" if self.plain else "ln (1 - y)"
        return f"normal deviates, in pairs by Box and Muller, the {first} first, by {of}"

    def restore(self, numbers: Sequence[Number]) -> list[Number]:
        deviates: list[Number] = []
        for pair in zip(numbers[::2], numbers[1::2], strict=False):
            x, y = pair if self.angle_first else pair[::-1]
            deviates += box_muller(x, 1.0 - y if self.plain else y)
        return deviates


def join(pieces: Sequence[Number], bits: int, low_first: bool) -> int:
    """The number whose digits in base 2**bits are the pieces."""
    number = 0
    for piece in reversed(pieces) if low_first else pieces:
        number = number << bits | int(piece)
    return number


def split(number: int, bits: int, pieces: int, low_first: bool) -> list[int]:
    """The digits of a number in base 2**bits."""
    digits = [(number >> (bits * i)) & ((1 << bits) - 1) for i in range(pieces)]
    return digits if low_first else digits[::-1]
