"""The draws behind tokens, numbers of fixed width and decks of cards: each character or digit was drawn, or each line
is a shuffle.
"""

from collections.abc import Iterator, Sequence

from unrandom.auditing.forms import layers
from unrandom.auditing.forms.form import Form
from unrandom.auditing.forms.shown import Cycle, Range
from unrandom.auditing.forms.stream import Stream, array_of
from unrandom.auditing.reading.alphabets import spelled
from unrandom.auditing.reading.numerals import Positional, Whole
from unrandom.auditing.reading.parsing import Numbers

MAX_DRAWS = 1_000_000  # digits of numbers that are taken for draws, at most


def of_characters(numbers: Numbers) -> Stream:
    """The characters of tokens, each drawn from an alphabet."""
    numeral, alphabet = numbers.numeral, letters(numbers)
    assert isinstance(numeral, Positional)
    return _of_digits(
        numbers.whole, Form("whole", numeral), layers.Digits(len(alphabet), numeral.width, spelled(alphabet))
    )


def of_figures(whole: list[int], form: Form) -> Iterator[Stream]:
    """The digits of hexadecimal or decimal numbers of one width, as draws."""
    numeral = form.numeral
    if isinstance(numeral, Positional) and len(numeral.alphabet) == 16 and numeral.name != "UUID":
        layer = layers.Digits(16, numeral.digits, spelled(numeral.alphabet))
    elif isinstance(numeral, Whole) and numeral.width:
        layer = layers.Digits(10, numeral.width, "0-9")
    else:
        return
    if layer.count > 1 and len(whole) * layer.count <= MAX_DRAWS:
        yield _of_digits(whole, form, layer, likely=False)


def of_shuffles(numbers: Numbers) -> Iterator[Stream]:
    """The draws behind shuffles of a deck, in both directions."""
    cards, form = numbers.deck, Form("whole", numbers.numeral)
    for from_end in (True, False):
        shuffle = layers.Shuffled(cards, from_end)
        lines = (numbers.whole[i : i + cards] for i in range(0, len(numbers.whole), cards))
        draws = [draw for line in lines for draw in shuffle.draws(line)]
        yield Stream(array_of(draws, 64), form.within(shuffle), Cycle(shuffle.ranges, (cards - 1).bit_length()))


def length(readings: Sequence[Numbers]) -> int:
    """The characters of a token."""
    numerals = (one.numeral for one in readings)
    return next((numeral.width for numeral in numerals if isinstance(numeral, Positional)), 1)


def letters(numbers: Numbers) -> str:
    """The alphabet of tokens."""
    assert isinstance(numbers.numeral, Positional)
    return numbers.numeral.alphabet


def _of_digits(whole: list[int], form: Form, layer: layers.Digits, *, likely: bool = True) -> Stream:
    draws = whole if layer.count == 1 else [draw for number in whole for draw in layer.draws(number)]
    bits = max(1, (layer.base - 1).bit_length())
    return Stream(array_of(draws, bits), form.within(layer), Range(layer.base, bits), likely=likely, stated=True)
