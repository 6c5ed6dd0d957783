"""Writes parameters for people: powers of two as 2^e, words in hexadecimal, shifts by their operator."""

from collections.abc import Iterable
from typing import Any

from unrandom.auditing.generators.shifts import Shift
from unrandom.core.files import JsonObject

MAX_TEXT = 160  # characters of a parameter that a terminal shows


def power(value: Any) -> str:
    """A value as text; powers of two above 1024 as ``2^e``."""
    large_power = isinstance(value, int) and value > 1024 and value & (value - 1) == 0
    return f"2^{value.bit_length() - 1}" if large_power else str(value)


def hexadecimal(words: Iterable[int], bits: int) -> list[str]:
    """Words of `bits` bits, each zero-padded to full width."""
    return [f"0x{word:0{bits // 4}x}" for word in words]


def xorshift_parameters(words: int, bits: int, shifts: Iterable[Shift]) -> JsonObject:
    """Parameters of a xorshift generator: number of state words, word size in bits, and the shifts in order."""
    return {"words": words, "bits": bits, "shifts": " ".join(map(str, shifts))}


def abbreviated(text: str) -> str:
    """A text of at most MAX_TEXT characters: the middle of a longer one is left out."""
    return text if len(text) <= MAX_TEXT else f"{text[: MAX_TEXT // 2]} … {text[-MAX_TEXT // 2 :]}"
