"""The numbers that words stand for, by their places in a natural order: of numbers, ranks, cards, or the alphabet."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from unrandom.auditing.reading.numerals import NoNumeral


@dataclass(frozen=True)
class Words:
    """Words or other JSON values, which stand for their places in an order."""

    things: tuple[Any, ...]

    @cached_property
    def _places(self) -> dict[str, int]:
        return {str(thing): place for place, thing in enumerate(self.things)}

    def parse(self, token: str) -> int | None:
        return self._places.get(token)

    def write(self, number: int) -> Any:
        if not 0 <= number < len(self.things):
            raise NoNumeral
        return self.things[number]


PAIRS = tuple(
    (low, high)
    for low, high in map(str.split, ("false true", "f t", "tails heads", "t h", "tail head", "no yes", "n y", "off on"))
)
"""Pairs of words that stand for 0 and 1."""

RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
ALPHABETICAL = "in alphabetical order"
_ORDERS = (
    RANKS,
    ("A", *RANKS[1:9], "T", *RANKS[10:]),
    ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    ("ace", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king"),
)
_CARD = re.compile(r"(10|[2-9TJQKA])([CDHS♣♦♥♠])|([CDHS♣♦♥♠])(10|[2-9TJQKA])", re.IGNORECASE | re.ASCII)


def in_order(words: Sequence[str]) -> tuple[list[str], str]:
    """Distinct words in their natural order, and what that order is: of numbers, ranks or cards (by suit, clubs first,
    then from ace to king), else of the alphabet, with numbers inside words by size.
    """
    if all(re.fullmatch(r"[+-]?\d{1,300}", word, re.ASCII) for word in words):
        return sorted(words, key=int), "in ascending order"
    for order in _ORDERS:
        places = {name.lower(): place for place, name in enumerate(order)}
        if all(word.lower() in places for word in words):
            return sorted(words, key=lambda word: (places[word.lower()], word)), "in natural order"
    if all(_CARD.fullmatch(word) for word in words):
        return sorted(words, key=_card), "by suit, then from ace to king"
    return sorted(words, key=_natural), ALPHABETICAL


def _card(word: str) -> tuple[int, int, str]:
    match = _CARD.fullmatch(word.upper())
    assert match is not None
    rank, suit = match[1] or match[4], match[2] or match[3]
    return "CDHS♣♦♥♠".index(suit), RANKS.index("10" if rank == "T" else rank), word


def _natural(word: str) -> tuple[list[tuple[int, str]], str]:
    parts = re.findall(r"([0-9]{1,300})|([^0-9]+)", word.lower())
    return [(int(number or -1), text) for number, text in parts], word
