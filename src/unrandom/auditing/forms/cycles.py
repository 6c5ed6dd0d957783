"""Streams whose numbers differ by their place in a cycle: outputs that were not printed, at the same places of every
cycle; or numbers of several widths in turn, which consist of one word or more.

- Every second output, or the first three of five: the others are outputs of the stream that are not `known`.
- Numbers of 32, 64 and 96 bits in turn: one, two and three words of 32 bits, the lowest first. If a width is not a
  multiple of 32, as of getrandbits(40) in Python, the last word shows its top bits only: then words are fractions.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

import numpy as np

from unrandom.auditing.forms.form import Form
from unrandom.auditing.forms.layers import Gaps, InTurn
from unrandom.auditing.forms.shown import Cycle, Fractions, Normals, Real, Words
from unrandom.auditing.forms.stream import Stream

SKIPPED = (2, 3, 4, 5)  # cycles of which one output is printed that are tried unasked
MOST_FORMS = 2  # plausible forms of the numbers for which they are tried
MOST_SKIPPED = 100_000  # numbers of streams for which they are
MOST_OUTPUTS = 500_000  # outputs of a stream with gaps, printed or not, at most
MAX_CYCLE = 8  # longest cycle of widths
FIRST = 4096  # numbers by which widths are looked for
COMPARED = 64  # numbers that are looked at for those that recur
FEWEST = 3  # numbers of each width that tell it
WORD = 32  # bits of the words that numbers of several widths consist of
LEAST_DIFFERENCE = 8  # bits between the widest and the narrowest width of a cycle
ROUNDED_UP = 3  # bits by which the widest number of a width may be narrower


def with_gaps(stream: Stream, pattern: Sequence[bool]) -> Stream:
    """The stream of which the outputs at these places of every cycle were printed, and the others were not. An
    incomplete cycle at the end is left out, and what would be more than MOST_OUTPUTS.
    """
    cycles = min(len(stream) // sum(pattern), MOST_OUTPUTS // len(pattern))
    known = np.tile(np.array(pattern, dtype=bool), cycles)

    def spread(numbers: np.ndarray) -> np.ndarray:
        wide = np.zeros(len(known), dtype=numbers.dtype)
        wide[known] = numbers[: cycles * sum(pattern)]
        return wide

    shown, form = stream.shown, stream.form.within(Gaps(tuple(pattern)))
    if isinstance(shown, Real):
        shown = replace(shown, rounding_error=spread(shown.rounding_error), printed=None)
    known = known if stream.known is None else spread(stream.known)
    return replace(stream, values=spread(stream.values), form=form, shown=shown, known=known)


def skipping(streams: Sequence[Stream]) -> Iterator[Stream]:
    """The plausible streams with gaps that are tried unasked: every second output, every third one, and so on."""
    plain = (one for one in streams if one.likely and one.known is None and not isinstance(one.shown, Cycle | Normals))
    for stream in islice(plain, MOST_FORMS):
        for size in SKIPPED if len(stream) <= MOST_SKIPPED else ():
            yield replace(with_gaps(stream, [True] + [False] * (size - 1)), likely=False)


def in_turn(whole: list[int], form: Form) -> Iterator[Stream]:
    """The words of numbers that have several widths in turn."""
    widths = _widths(whole)
    if widths is None:
        return
    layer, words = InTurn(widths), list[int]()
    for i, number in enumerate(whole[: len(whole) // len(widths) * len(widths)]):
        words += layer.words(number, i % len(widths))
    form = form.within(layer)
    bits = [layer.shown[i % layer.inner] for i in range(len(words))]
    if set(bits) == {WORD}:
        yield Stream(np.array(words, dtype=np.uint64), form, Words(WORD))
        return
    parts = 2.0 ** np.array(bits)
    fractions = (np.array(words, dtype=np.float64) + 0.5) / parts
    yield Stream(fractions, form, Fractions(0.5 / parts))


def _widths(whole: list[int]) -> tuple[int, ...] | None:
    """The widths of the numbers of a cycle, if there are several; the FIRST numbers show them, too."""
    if min(whole) < 0 or _recur(whole[:COMPARED]):
        return None
    first = whole[:FIRST]
    sizes = (size for size in range(2, MAX_CYCLE + 1) if _widths_of(first, size) is not None)
    return next((widths for size in sizes if (widths := _widths_of(whole, size)) is not None), None)


def _recur(whole: list[int]) -> bool:
    """Whether the wide ones of these numbers are a few that recur, which have different widths by chance only."""
    widest = max(whole).bit_length()
    wide = [x for x in whole if 2 * x.bit_length() > widest]
    return 4 * len(set(wide)) < 3 * len(wide)


def _widths_of(whole: list[int], size: int) -> tuple[int, ...] | None:
    """The widths of numbers in cycles of this size, if these differ: each is that of the widest number at its place."""
    if len(whole) < FEWEST * size:
        return None
    widest = [max(whole[place::size]).bit_length() for place in range(size)]
    widths = tuple(_rounded(bits) for bits in widest)
    if max(widths) - min(widths) < LEAST_DIFFERENCE:
        return None
    narrow = any(
        sum(x.bit_length() <= width - 8 for x in whole[place::size]) * 16 > len(whole) // size + 64
        for place, width in enumerate(widths)
    )
    return None if narrow else widths


def _rounded(bits: int) -> int:
    """A width of whole bytes, if it is not much wider."""
    whole = -(-bits // 8) * 8
    return whole if 0 < whole - bits <= ROUNDED_UP else max(1, bits)
