"""How programs make numbers from the words of their generators: a layout joins parts of one or two successive words to
an integer X. A program shows X itself, X / divisor, that fraction with few digits, ⌊N X / divisor⌋, or X % N.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np


@dataclass(frozen=True)
class Piece:
    """Bits of the word with this index in an output: (word >> lost) & mask."""

    word: int
    lost: int
    bits: int

    @property
    def mask(self) -> int:
        return (1 << self.bits) - 1


@dataclass(frozen=True)
class Layout:
    """Pieces of X, the most significant one first; and how many words each output takes.

    `divisor` is 2**size if it is 0. `single` marks fractions rounded to single precision. If `share` is more than 1, so
    many successive outputs are made of the same word, each of bits that lie `size` above the bits of the one before.
    """

    about: str
    pieces: tuple[Piece, ...]
    words: int = 1
    divisor: int = 0
    single: bool = False
    share: int = 1

    @property
    def size(self) -> int:
        """Bits of X."""
        return sum(piece.bits for piece in self.pieces)

    @property
    def parts(self) -> int:
        """Divisor of fractions."""
        return self.divisor or 1 << self.size

    def place(self, piece: Piece) -> int:
        """The bit of X at which a piece of it begins."""
        return sum(one.bits for one in self.pieces[self.pieces.index(piece) + 1 :])

    @cached_property
    def places(self) -> list[tuple[int, int]]:
        """For each bit of X, lowest first, its word and its bit there."""
        return [(one.word, one.lost + k) for one in reversed(self.pieces) for k in range(one.bits)]

    def joined(self, words: tuple[int, ...], part: int = 0) -> int:
        """X, of the words of an output, or of its `part`-th one of those that share them."""
        x = 0
        for piece in self.pieces:
            x = (x << piece.bits) | ((words[piece.word] >> (piece.lost + part * self.size)) & piece.mask)
        return x

    def fraction(self, x: int) -> float:
        """The fraction that a program shows for X."""
        return float(np.float32(x) / np.float32(self.parts)) if self.single else x / self.parts

    def every(self, words: int) -> "Layout":
        """The same in every `words`-th word, the others being used for something else."""
        return replace(self, words=words * self.words, about=f"{self.about}, every {words} words")


def top_bits(size: int, bits: int) -> Layout:
    """The top bits of a word of `size` bits."""
    about = f"the top {bits} bits of a word" if bits < size else f"whole {size}-bit words"
    return Layout(about, (Piece(0, size - bits, bits),))


def lowest_bits(bits: int) -> Layout:
    """The lowest bits of a word."""
    return Layout(f"the lowest {bits} bits of a word", (Piece(0, 0, bits),))


def window(bits: int, shift: int = 0, divisor: int = 0) -> Layout:
    """Bits of a word of any size, from bit `shift` on."""
    return Layout(f"bits {shift} to {shift + bits - 1} of a word", (Piece(0, shift, bits),), divisor=divisor)


def low_word_first(bits: int) -> Layout:
    """All bits of a word of 32 bits, and above them the top bits of the next one, as Python's getrandbits(bits)."""
    return Layout(f"{bits} bits of two words, the low word first", (Piece(1, 64 - bits, bits - 32), Piece(0, 0, 32)), 2)


def high_word_first(bits: int) -> Layout:
    """The lowest bits of a word, and below them a word of 32 bits."""
    about = f"the lowest {bits} bits of two words, the high word first"
    return Layout(about, (Piece(0, 0, bits - 32), Piece(1, 0, 32)), 2)


PYTHON = Layout("53 bits of two words, as Python's random()", (Piece(0, 5, 27), Piece(1, 6, 26)), 2)
JAVA_DOUBLE = Layout(
    "the top 26 and 27 bits of two states of 48 bits, as Java's nextDouble()", (Piece(0, 22, 26), Piece(1, 21, 27)), 2
)
JAVA_LONG = Layout(
    "the top 32 bits of two states of 48 bits, as Java's nextLong()", (Piece(0, 16, 32), Piece(1, 16, 32)), 2
)
R_NORMAL = Layout("59 bits of two words, as R's rnorm", (Piece(0, 5, 27), Piece(1, 0, 32)), 2)
CPP = Layout(
    "w + w' 2^32 rounded to a double, as C++'s uniform_real_distribution", (Piece(1, 0, 32), Piece(0, 0, 32)), 2
)
TORCH = Layout("the lowest 24 bits of a word, as torch.rand", (Piece(0, 0, 24),))
TORCH_DOUBLE = Layout(
    "the lowest 53 bits of two words, as torch.rand in double precision", (Piece(0, 0, 21), Piece(1, 0, 32)), 2
)
PHP = Layout("the top 31 bits of a word, as PHP's mt_rand() / mt_getrandmax()", (Piece(0, 1, 31),), divisor=2**31 - 1)
LARGEST = Layout("a word / (2^32 - 1)", (Piece(0, 0, 32),), divisor=2**32 - 1)
SINGLE = Layout("a word / 2^32 rounded to single precision", (Piece(0, 0, 32),), single=True)
UNITY = Layout(
    "the lowest 23 bits of a word / (2^23 - 1), as Unity's Random.value", (Piece(0, 0, 23),), 1, 2**23 - 1, True
)


def of_r(bits: int) -> Layout:
    """R's sample(0:(2^bits - 1), replace = TRUE) since version 3.6: the lowest bits of the top halves of words."""
    about = f"{bits} bits of the top halves of words, as R's sample"
    pieces = (Piece(0, 16, bits),) if bits < 16 else (Piece(0, 16, bits - 16), Piece(1, 16, 16))
    return Layout(about, tuple(piece for piece in pieces if piece.bits), 1 + (bits >= 16))
