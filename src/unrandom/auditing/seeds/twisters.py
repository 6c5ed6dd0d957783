"""Computes the first words of a Mersenne twister for many seeds at once: functions fill a row of words after the other,
with one column per seed.

All have the same arguments: `seeds`, one of them or a multiple of LANES; `words`, which is filled with the first
outputs, one row per output; and `table`, constants of the engine. Only s[0 … k] and s[397 … 396 + k] are needed for
k <= 227 words (Matsumoto and Nishimura 1998: s[t+624] = s[t+397] ^ twist(s[t], s[t+1])), so that few words are cheap.
"""

import numpy as np
from jaxtyping import UInt32, UInt64

from unrandom.auditing.seeds.compiled import compiled

LANES = 128  # seeds whose states are computed at the same time

N, M = 624, 397
EARLY = N - M  # words that depend on the seeded state alone, not on other words

KNUTH = 1812433253
UPPER, LOWER, MATRIX = 0x80000000, 0x7FFFFFFF, 0x9908B0DF

Seeds = UInt64[np.ndarray, " seeds"]
Words = UInt64[np.ndarray, "words seeds"]
Table = UInt64[np.ndarray, " constants"]
Block = UInt32[np.ndarray, "624 lanes"]


@compiled
def _twisted(word: np.uint32, following: np.uint32, wrong: bool) -> np.uint32:
    """What s[t] and s[t+1] contribute to s[t+624]."""
    y = np.uint32((word & np.uint32(UPPER)) | (following & np.uint32(LOWER)))
    odd = np.uint32((word if wrong else y) & np.uint32(1))
    return np.uint32((y >> np.uint32(1)) ^ np.uint32(odd * np.uint32(MATRIX)))


@compiled
def _tempered(word: np.uint32) -> np.uint64:
    y = np.uint32(word)
    y = np.uint32(y ^ (y >> np.uint32(11)))
    y = np.uint32(y ^ (np.uint32(y << np.uint32(7)) & np.uint32(0x9D2C5680)))
    y = np.uint32(y ^ (np.uint32(y << np.uint32(15)) & np.uint32(0xEFC60000)))
    return np.uint64(y ^ (y >> np.uint32(18)))


@compiled
def _knuth(block: Block) -> None:
    """Fill a state from its first word on."""
    for i in range(1, N):
        x = block[i - 1, 0]
        block[i, 0] = np.uint32(np.uint32(KNUTH) * np.uint32(x ^ (x >> np.uint32(30))) + np.uint32(i))


@compiled
def _all_words(block: Block, words: Words, wrong: bool) -> None:
    """Any number of words of one state."""
    for t in range(words.shape[0]):
        i = t % N
        twisted = _twisted(block[i, 0], block[(i + 1) % N, 0], wrong)
        block[i, 0] = np.uint32(block[(i + M) % N, 0] ^ twisted)
        words[t, 0] = _tempered(block[i, 0])


@compiled
def knuth_words(seeds: Seeds, words: Words, table: Table) -> None:
    """Seeded by init_genrand of 2002: s[i] = 1812433253 (s[i−1] ^ (s[i−1] >> 30)) + i, s[0] the lowest 32 bits of the
    seed. If table[0] is 1, the twist takes the lowest bit of the wrong word, as in PHP before 7.1.
    """
    count, wrong = words.shape[0], table[0] == 1
    if count > EARLY:
        block = np.empty((N, 1), np.uint32)
        for j in range(len(seeds)):
            block[0, 0] = np.uint32(seeds[j])
            _knuth(block)
            _all_words(block, words[:, j : j + 1], wrong)
        return
    size = min(LANES, len(seeds))
    first = np.empty((EARLY + 1, size), np.uint32)
    x = np.empty(size, np.uint32)
    for start in range(0, len(seeds), size):
        for j in range(size):
            x[j] = np.uint32(seeds[start + j])
            first[0, j] = x[j]
        for i in range(1, count + 1):
            for j in range(size):
                x[j] = np.uint32(np.uint32(KNUTH) * np.uint32(x[j] ^ (x[j] >> np.uint32(30))) + np.uint32(i))
                first[i, j] = x[j]
        for i in range(count + 1, M):
            for j in range(size):
                x[j] = np.uint32(np.uint32(KNUTH) * np.uint32(x[j] ^ (x[j] >> np.uint32(30))) + np.uint32(i))
        for i in range(count):
            for j in range(size):
                x[j] = np.uint32(np.uint32(KNUTH) * np.uint32(x[j] ^ (x[j] >> np.uint32(30))) + np.uint32(i + M))
                words[i, start + j] = _tempered(x[j] ^ _twisted(first[i, j], first[i + 1, j], wrong))


@compiled
def array_words(seeds: Seeds, words: Words, table: Table) -> None:
    """Seeded by init_by_array with the 32-bit words of the seed, the lowest first; either all seeds or none are below
    2**32. `table` is the state seeded by init_genrand(19650218).
    """
    count, size = words.shape[0], min(LANES, len(seeds))
    keys = 2 if seeds[0] >> np.uint64(32) else 1
    block = np.empty((N, size), np.uint32)
    x = np.empty(size, np.uint32)
    one = np.empty((N, 1), np.uint32)
    for start in range(0, len(seeds), size):
        for j in range(size):
            x[j] = np.uint32(table[0])
        for i in range(1, N):
            key = (i - 1) % keys
            shift = np.uint64(32 * key)
            for j in range(size):
                mixed = np.uint32(np.uint32(x[j] ^ (x[j] >> np.uint32(30))) * np.uint32(1664525))
                word = np.uint32(seeds[start + j] >> shift)
                x[j] = np.uint32((np.uint32(table[i]) ^ mixed) + word + np.uint32(key))
                block[i, j] = x[j]
        key = (N - 1) % keys
        shift = np.uint64(32 * key)
        for j in range(size):  # the step at the end of the round, which begins the next one
            mixed = np.uint32(np.uint32(x[j] ^ (x[j] >> np.uint32(30))) * np.uint32(1664525))
            word = np.uint32(seeds[start + j] >> shift)
            x[j] = np.uint32((block[1, j] ^ mixed) + word + np.uint32(key))
            block[1, j] = x[j]
        for i in range(2, N):
            for j in range(size):
                mixed = np.uint32(np.uint32(x[j] ^ (x[j] >> np.uint32(30))) * np.uint32(1566083941))
                x[j] = np.uint32((block[i, j] ^ mixed) - np.uint32(i))
                block[i, j] = x[j]
        for j in range(size):
            mixed = np.uint32(np.uint32(x[j] ^ (x[j] >> np.uint32(30))) * np.uint32(1566083941))
            block[1, j] = np.uint32((block[1, j] ^ mixed) - np.uint32(1))
            block[0, j] = np.uint32(UPPER)
        if count <= EARLY:
            for i in range(count):
                for j in range(size):
                    words[i, start + j] = _tempered(block[i + M, j] ^ _twisted(block[i, j], block[i + 1, j], False))
        else:
            for j in range(size):
                for i in range(N):  # an assignment of slices takes seconds to compile
                    one[i, 0] = block[i, j]
                _all_words(one, words[:, start + j : start + j + 1], False)


@compiled
def affine_words(seeds: Seeds, words: Words, table: Table) -> None:
    """Seeded by affine functions of the seed modulo 2**32, as in R: s[i] = table[2 i] seed + table[2 i + 1]."""
    count = words.shape[0]
    if count > EARLY:
        block = np.empty((N, 1), np.uint32)
        for j in range(len(seeds)):
            for i in range(N):
                block[i, 0] = np.uint32(table[2 * i] * seeds[j] + table[2 * i + 1])
            _all_words(block, words[:, j : j + 1], False)
        return
    for i in range(count):
        a, b = np.uint32(table[2 * i]), np.uint32(table[2 * i + 1])
        c, d = np.uint32(table[2 * i + 2]), np.uint32(table[2 * i + 3])
        e, f = np.uint32(table[2 * (i + M)]), np.uint32(table[2 * (i + M) + 1])
        for j in range(len(seeds)):
            seed = np.uint32(seeds[j])
            twisted = _twisted(np.uint32(a * seed + b), np.uint32(c * seed + d), False)
            words[i, j] = _tempered(np.uint32(e * seed + f) ^ twisted)
