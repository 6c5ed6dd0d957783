"""Finds the multiply-with-carry generator that produces given words, by the short vector in a lattice of two unknowns.

With t[i] = a x[i−r] + c[i−1], the output is x[i] = t[i] mod b and the carry c[i] = ⌊t[i] / b⌋ (Marsaglia 1994). Read n
successive words as one number in base b, lowest first: Z = x[r] + x[r+1] b + … and Y = x[0] + x[1] b + …; then
Z ≡ a Y + c (mod b**n), with the multiplier a and the first carry c both below b. For n of 4 or more, no other pair so
small fulfils this.
"""

from collections.abc import Sequence

from unrandom.core.lattices import short_vectors

WORDS = 5  # words of which a number is made


def multiplier_and_carry(words: Sequence[int], bits: int, lag: int = 1) -> tuple[int, int] | None:
    """a and the carry c that enters word number `lag`, for words of `bits` bits; None if there are none, or fewer than
    lag + WORDS words.
    """
    if len(words) < lag + WORDS:
        return None
    m = 1 << (bits * WORDS)
    before, after = _number(words[:WORDS], bits), _number(words[lag : lag + WORDS], bits)
    weight = m  # forces the last coordinate to 0
    embedding = 1 << bits
    rows = [
        [1, 0, 0, weight * before],
        [0, 1, 0, weight],
        [0, 0, 0, weight * m],
        [0, 0, embedding, -weight * after],
    ]
    for a, carry, last, rest in short_vectors(rows):
        if rest == 0 and abs(last) == embedding:
            a, carry = (a, carry) if last > 0 else (-a, -carry)
            if 1 < a < 1 << bits and 0 <= carry < 1 << bits:
                return a, carry
    return None


def _number(words: Sequence[int], bits: int) -> int:
    return sum(word << (bits * i) for i, word in enumerate(words))
