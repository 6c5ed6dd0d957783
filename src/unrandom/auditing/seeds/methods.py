"""The methods by which programs make numbers from words: each joins an x from one or two words by a layout, and makes
its output of that: the word itself, a number from a range of any size n, a fraction, or a normal deviate.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from unrandom.auditing.forms.layers import Exponential, Layer, Quantile
from unrandom.auditing.layouts.layout import R_NORMAL, Layout, Piece, low_word_first, window
from unrandom.auditing.seeds import draws, ziggurat

WORD, PRIME = 2**32 - 1, 2**31 - 1

OutputKind = Literal["word", "range", "fraction", "normal"]

ATTEMPTS = 3  # of normal deviates that may be drawn again, for which words are computed for every seed


@dataclass(frozen=True)
class Method:
    """A method of a program: `layout` says what x it joins of words; `bits` is the width of its outputs, 0 for x's.

    `code` and `limit` are explained in `draws`; a fraction is x / divisor, or x times the `inverse` of the divisor. A
    method of kind "range" is used with sizes up to `most`; `powers` says whether only with powers of two (True), only
    with others (False), or with all (None). If `through` is set, the numbers of the method are behind this layer of a
    stream. `error` bounds how far its real numbers may be from the program's, relative to these.
    """

    about: str
    kind: OutputKind
    code: int
    layout: Layout
    limit: int = 0
    bits: int = 0
    inverse: bool = False
    most: int = WORD
    powers: bool | None = None
    through: Layer | None = None
    error: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "bits", self.bits or self.layout.size)

    @cached_property
    def constants(self) -> draws.Constants:
        """The method as the compiled functions take it."""
        high, low, *_ = (*self.layout.pieces, Piece(0, 0, 0))
        pieces = (high.word, high.lost, high.mask, low.word, low.lost, low.mask, low.bits)
        numbers = (self.code, self.layout.words, *pieces, self.limit, self.layout.parts % 2**64, self.inverse)
        return np.array(numbers, dtype=np.uint64)

    @property
    def real(self) -> bool:
        """Whether the outputs are real numbers."""
        return self.kind in ("fraction", "normal")

    def words(self, n: int) -> int:
        """Words used for an output, including some that are rejected."""
        if self.code == draws.LETTERS:
            return self.layout.words * -(-draws.CHARACTERS // n)
        if self.code == draws.ZIGGURAT:
            return self.layout.words
        if self.code in (draws.POLAR, draws.POLAR_TURNED, draws.RATIO, draws.BOX_MULLER, draws.R_EXPONENTIAL):
            return 2 * ATTEMPTS * self.layout.words
        return self.layout.words + (self.code == draws.R_BITS and n > 2**15)

    def fits(self, n: int) -> bool:
        """Whether the method draws from ranges of this size."""
        power = not n & (n - 1)
        if self.code == draws.LETTERS:
            return n in (10, 52, 62)
        return 2 <= n <= self.most and (self.powers is None or self.powers == power)


def words(about: str, bits: int, shift: int = 0) -> Method:
    return Method(about, "word", draws.BITS, window(bits, shift))


def ranges(about: str, code: int, bits: int = 32, shift: int = 0, **more: Any) -> Method:
    return Method(about, "range", code, window(bits, shift), **more)


def remainders(about: str, bits: int, shift: int = 0, limit: int = 0, powers: bool | None = None) -> Method:
    return ranges(about, draws.REMAINDER, bits, shift, limit=limit, most=min(2**bits, WORD), powers=powers)


def fractions(about: str, product: str, layout: Layout, bits: int = 0, inverse: bool = False) -> tuple[Method, Method]:
    """Fractions u of a layout, and ⌊n u⌋."""
    more: dict[str, Any] = {"bits": bits, "inverse": inverse}
    most = 2 ** (bits or layout.size)
    return (
        Method(about, "fraction", draws.FRACTION, layout, **more),
        Method(product, "range", draws.FRACTION, layout, most=most, **more),
    )


def normals(about: str, code: int, layout: Layout, bits: int = 0) -> Method:
    error = ziggurat.ERROR if code == draws.ZIGGURAT else 0.0
    return Method(about, "normal", code, layout, bits=bits, error=error)


def getrandbits(bits: int) -> Method:
    about = f"getrandbits({bits})"
    if bits > 32:
        return Method(about, "word", draws.BITS, low_word_first(min(bits, 64)), bits=bits)
    return words(about, bits, 32 - bits)


def c_methods(shift: int, bits: int) -> tuple[Method, ...]:
    """What C programs do with rand(), which gives this many bits from `shift` on."""
    whole, largest = window(bits, shift), window(bits, shift, 2**bits - 1)
    return (
        words("rand()", bits, shift),
        remainders("rand() % n", bits, shift),
        *fractions("rand() / (RAND_MAX + 1.0)", "n * (rand() / (RAND_MAX + 1.0))", whole),
        *fractions("rand() / (double) RAND_MAX", "n * (rand() / (double) RAND_MAX)", largest),
    )


def minstd_methods(n_of: str) -> tuple[Method, ...]:
    return (
        words("the generator", 31),
        remainders("the generator % n", 31),
        ranges(f"{n_of} of libstdc++", draws.QUOTIENT, 31, limit=2**31 - 3, most=2**31 - 3),
    )


R_DEVIATES = (
    Method("rnorm", "fraction", draws.FRACTION, R_NORMAL, through=Quantile()),
    Method("rexp", "fraction", draws.R_EXPONENTIAL, window(32), bits=53, through=Exponential(complement=True)),
)
