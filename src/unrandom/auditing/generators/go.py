"""The numbers with which Go's math/rand mixes the words of a seed: the state that its generator reaches after 7.8 ·
10**12 outputs (Go's source, `gen_cooked.go`).

The generator is x[t] = x[t−607] + x[t−273] modulo 2**64. Its states so far ahead follow from x**n modulo the
characteristic polynomial x**607 − x**334 − 1, with coefficients modulo 2**64.
"""

from functools import cache

WORDS, TAP = 607, 273
"""The lags: words of the state, and the nearer one."""

SEED_MULTIPLIER, SEED_MODULUS = 48271, 2**31 - 1
"""Of the LCG that makes words of a seed."""

SKIPPED = 20
"""States of this LCG that are skipped after the seed."""

OUTPUTS = 7_800_000_000_000
SLOT = 20
"""Bytes for a sum of 607 products of words."""


@cache
def cooked() -> list[int]:
    """The 607 numbers, in the order of the words of a state."""
    initial = _seeded_by_one()
    # the generator passes the positions of its state downwards, from the nearer lag on
    places = [(WORDS - TAP - 1 - t) % WORDS for t in range(WORDS)]
    sequence = [initial[place] for place in places]
    for t in range(WORDS, 2 * WORDS):
        sequence.append((sequence[t - WORDS] + sequence[t - TAP]) % 2**64)
    power = _power_of_x(OUTPUTS)
    after = [sum(c * x for c, x in zip(power, sequence[k:], strict=False)) % 2**64 for k in range(WORDS)]
    state = [0] * WORDS
    for k, value in enumerate(after):
        state[(WORDS - TAP - 1 - OUTPUTS - k) % WORDS] = value
    return state


def _seeded_by_one() -> list[int]:
    """The state that is stepped so often: words of three states of the LCG, shifted by 20 bits, 10 bits and none."""
    x = pow(SEED_MULTIPLIER, SKIPPED, SEED_MODULUS)
    words = []
    for _ in range(WORDS):
        word = 0
        for shift in (20, 10, 0):
            x = SEED_MULTIPLIER * x % SEED_MODULUS
            word ^= x << shift
        words.append(word)
    return words


def _power_of_x(exponent: int) -> list[int]:
    """The coefficients of x**exponent modulo the characteristic polynomial, the lowest first."""
    result = [1] + [0] * (WORDS - 1)
    for bit in f"{exponent:b}":
        packed = int.from_bytes(b"".join(c.to_bytes(SLOT, "little") for c in result), "little")
        square = (packed * packed).to_bytes(2 * WORDS * SLOT, "little")
        product = [int.from_bytes(square[i : i + SLOT], "little") for i in range(0, len(square), SLOT)]
        result = _reduced([0, *product] if bit == "1" else product)
    return result


def _reduced(polynomial: list[int]) -> list[int]:
    """The polynomial modulo x**607 − x**334 − 1, with coefficients modulo 2**64."""
    for i in range(len(polynomial) - 1, WORDS - 1, -1):
        polynomial[i - WORDS] += polynomial[i]
        polynomial[i - TAP] += polynomial[i]
    return [coefficient % 2**64 for coefficient in polynomial[:WORDS]]
