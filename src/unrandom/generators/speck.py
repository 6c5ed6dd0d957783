"""The block cipher Speck32/64 (Beaulieu et al. 2013) after fewer rounds than its 22. All functions take Python
integers or uint64 arrays, one key of 64 and one block of 32 bits per entry."""

from typing import Any, TypeAlias

Words: TypeAlias = Any  # a Python integer, or a uint64 array

ROUNDS = 22  # the number of rounds of the whole cipher
MASK = 2**16 - 1


def encrypt(block: Words, key: Words, rounds: int) -> Words:
    """The block after ``rounds`` rounds, 0 to ROUNDS."""
    x, y = block >> 16 & MASK, block & MASK
    for round_key in _round_keys(key, rounds):
        x = (_rotated(x, 16 - 7) + y & MASK) ^ round_key  # The cipher rotates to the right by 7 bits.
        y = _rotated(y, 2) ^ x
    return x << 16 | y


def _round_keys(key: Words, rounds: int) -> list[Words]:
    """The key of each round; the lowest word of the key is the first round's."""
    keys, others = [key & MASK], [key >> shift & MASK for shift in (16, 32, 48)]
    for number in range(rounds - 1):
        others.append((keys[-1] + _rotated(others[number], 16 - 7) & MASK) ^ number)
        keys.append(_rotated(keys[-1], 2) ^ others[-1])
    return keys[:rounds]


def _rotated(word: Words, left: int) -> Words:
    """A word of 16 bits, rotated to the left."""
    return (word << left | word >> (16 - left)) & MASK
