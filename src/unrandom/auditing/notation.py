"""How are parameters written for people?"""

from collections.abc import Iterable
from typing import Any

from unrandom.core.files import JsonObject
from unrandom.generators.words import Shift


def power(value: Any) -> str:
    """A value as text, a large power of two as such."""
    large_power = isinstance(value, int) and value > 1024 and value & (value - 1) == 0
    return f"2^{value.bit_length() - 1}" if large_power else str(value)


def hexadecimal(words: Iterable[int], bits: int) -> list[str]:
    """Words of so many bits, each with all its digits."""
    return [f"0x{word:0{bits // 4}x}" for word in words]


def xorshift_parameters(words: int, bits: int, shifts: Iterable[Shift]) -> JsonObject:
    """What a xorshift generator is made of: the words of its state, and its shifts in their order."""
    return {"words": words, "bits": bits, "shifts": " ".join(map(str, shifts))}
