"""Knuth's ran_array: x[i] = x[i−100] − x[i−37] modulo 2**30, of which the first 100 of every 1009 are used (TAOCP vol.
2, 3.6; R's Knuth-TAOCP and Knuth-TAOCP-2002).
"""

from collections.abc import Iterator, Sequence

from unrandom.auditing.generators.lagged import LaggedFibonacci

FAR, NEAR, GENERATED, MODULUS = 100, 37, 1009, 2**30

RULE = LaggedFibonacci(NEAR, FAR, -1, 1, MODULUS)


def block_after(block: Sequence[int]) -> list[int]:
    """The next 100 numbers used, after a block of 100."""
    window = list(block)
    while len(window) < GENERATED + FAR:
        window.append(RULE.following(window))
    return window[GENERATED:]


def block_before(block: Sequence[int]) -> list[int]:
    """The 100 numbers used before a block of 100."""
    window = list(reversed(block))  # oldest number last
    while len(window) < GENERATED + FAR:
        # x[i−100] = x[i] + x[i−37]
        window.append((window[-FAR] + window[NEAR - FAR]) % MODULUS)
    return window[: -FAR - 1 : -1]


def blocks(block: Sequence[int]) -> Iterator[list[int]]:
    """A block and those that follow."""
    following = list(block)
    while True:
        yield following
        following = block_after(following)
