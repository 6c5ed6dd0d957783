"""The alphabets from which the characters of tokens may have been drawn, in the order of 0, 1, 2 …: alphabets that
programs use and that hold all the characters seen; much larger ones than needed only for few characters.
"""

import string
from collections.abc import Iterable
from itertools import permutations
from math import log

from unrandom.auditing.reading.tokens import shown
from unrandom.core.errors import UserError

UNLIKELY = 1e-3  # probability below which it is not chance that all characters are of a smaller alphabet
FEW_LETTERS = 1e-6  # chance below which letters of few kinds were not drawn from the whole alphabet
MAX_ALPHABET = 1024  # most characters of an alphabet that a user states
JOINERS = "\ufe0e\ufe0f\u200d\u20e3"
"""Characters that only change how a symbol looks; they are left out."""

_CLASSES = (string.digits, string.ascii_uppercase, string.ascii_lowercase)
_BASE58 = "".join(letter for part in _CLASSES for letter in part if letter not in "0OIl")
_ALNUM = "".join(_CLASSES)
_BASE64 = string.ascii_uppercase + string.ascii_lowercase + string.digits

ALPHANUMERIC = tuple(
    "".join(parts) for count in (1, 2, 3) for parts in permutations(_CLASSES, count) if parts != (string.digits,)
)
"""Alphabets of whole classes of letters and digits, in every order of the classes."""

LETTERS = (
    string.hexdigits[:16],
    string.hexdigits[:10] + string.hexdigits[-6:],
    _BASE64[:26] + "234567",
    "0123456789ABCDEFGHJKMNPQRSTVWXYZ",
    *ALPHANUMERIC,
    _BASE58,
    _BASE58[:9] + _BASE58[33:] + _BASE58[9:33],
    _BASE64 + "+/",
    _BASE64 + "-_",
    _ALNUM + "-_",
    "./" + _ALNUM,
    "useandom-26T198340PX75pxJACKVERYMINDBUSHWOLF_GQZbfghjklqvwyzrict",
)
"""Alphabets of ASCII characters: hexadecimal, base 32 of RFC 4648 and of Crockford, letters and digits, base 58 of
Bitcoin and of Flickr, base 64 of RFC 4648 and of crypt, and the alphabet of nanoid.
"""

_ZODIAC = "".join(map(chr, range(0x2648, 0x2654)))
_DICE = "".join(map(chr, range(0x2680, 0x2686)))
_CARDS = "".join(chr(suit + rank) for suit in range(0x1F0A0, 0x1F0E0, 16) for rank in range(1, 15) if rank != 12)

SYMBOLS = (
    _ZODIAC,
    _ZODIAC + "⛎",
    _ZODIAC[:8] + "⛎" + _ZODIAC[8:],
    _DICE,
    _CARDS,
    "♠♥♦♣",
    "♣♦♥♠",
    "♠♣♥♦",
    "♥♦♣♠",
    "♥♦♠♣",
    "".join(map(chr, range(0x1F311, 0x1F319))),  # phases of the moon
    "".join(map(chr, range(0x1F550, 0x1F55C))),  # faces of clocks
    "".join(map(chr, range(0x1F400, 0x1F43F))),  # animals
    "←↑→↓",
    "↑→↓←",
    "↑↓←→",
    "🔴🟠🟡🟢🔵🟣",
    "🔴🟠🟡🟢🔵🟣🟤⚫⚪",
    "🟥🟧🟨🟩🟦🟪🟫⬛⬜",
    "⬜🟨🟩",
    "⬛⬜",
    "⚪⚫",
    "❌⭕",
)
"""Alphabets of symbols in their common orders: signs of the zodiac (with Ophiuchus last, or in its place), dice, cards.
"""


def without_joiners(text: str) -> str:
    """The text without what only changes how a symbol looks."""
    for joiner in JOINERS:
        text = text.replace(joiner, "")  # many times as fast as translating all of it
    return text


def stated_alphabet(text: str) -> str:
    """The alphabet that a user states. UserError for one of fewer than two characters, with spaces, or with a character
    twice.
    """
    alphabet = without_joiners(text)
    twice = next((letter for i, letter in enumerate(alphabet) if letter in alphabet[:i]), None)
    if twice is not None:
        raise UserError(f"--alphabet has {shown(twice)} twice; give its characters once each, in order of value")
    if not 2 <= len(alphabet) <= MAX_ALPHABET or any(letter.isspace() for letter in alphabet):
        raise UserError(f"--alphabet must have from 2 to {MAX_ALPHABET} characters and no spaces, in order of value")
    if not alphabet.isprintable():
        raise UserError("--alphabet has control characters")
    return alphabet


def alphabets_of(used: Iterable[str], count: int) -> list[str]:
    """The known alphabets that hold all the `count` characters in `used`; whole classes of letters
    first, then the smallest; without those so large that characters drawn from them would not all be of the smallest.
    """
    letters = set(used)
    known = LETTERS if all(letter.isascii() for letter in letters) else SYMBOLS
    found = [one for one in known if letters <= set(one)]
    smallest = min(map(len, found), default=0)
    near = [one for one in found if count * log(len(one) / smallest) <= -log(UNLIKELY)]
    return sorted(near, key=lambda one: (one in LETTERS and one not in ALPHANUMERIC, len(one)))


def is_symbolic(letters: str) -> bool:
    """Whether all characters are symbols, such as signs of the zodiac, and not letters or marks of text."""
    return letters.isprintable() and not any(letter.isascii() or letter.isalnum() for letter in set(letters))


def few_letters(letters: str) -> bool:
    """Whether letters are of so few kinds that they are not a token of all letters, as a row of H and T."""
    kinds = len(set(letters))
    return letters.isascii() and letters.isalpha() and kinds > 1 and len(letters) * log(26 / kinds) > -log(FEW_LETTERS)


def spelled(alphabet: str) -> str:
    """An alphabet in words: its runs of characters that follow each other, such as 0-9A-Z; of a long one the first."""
    parts, start = list[str](), 0
    for end in range(1, len(alphabet) + 1):
        if end == len(alphabet) or ord(alphabet[end]) != ord(alphabet[end - 1]) + 1:
            run = alphabet[start:end]
            parts.append(f"{run[0]}-{run[-1]}" if len(run) > 3 else run)
            start = end
    text = "".join(parts)
    return text if len(text) <= 24 else f"{text[:12]}…{text[-8:]}"
