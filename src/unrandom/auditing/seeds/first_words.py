"""Computes the first words of generators other than Mersenne twisters, for many seeds at once.

The functions have the same arguments as in `twisters`: `seeds`, one of them or a multiple of LANES; `words`, filled
with one row per output; and `table`, the constants of the engine.
"""

import numpy as np
from jaxtyping import UInt32, UInt64

from unrandom.auditing.seeds.compiled import compiled
from unrandom.auditing.seeds.twisters import LANES, Seeds, Table, Words

PRIME = 2**31 - 1

GLIBC_WORDS, GLIBC_DROPPED = 31, 310  # glibc's TYPE_3: words of state, and outputs dropped after seeding

NET_SEED = 161803398
NET_WORDS, NET_LAG = 55, 21

GO_WORDS, GO_TAP = 607, 273

POOL = 4  # words of 32 bits in the pool of numpy's SeedSequence
PCG_HIGH, PCG_LOW = divmod(0x2360ED051FC65DA44385DF649FCCF645, 2**64)  # multiplier of PCG64


@compiled
def lcg_words(seeds: Seeds, words: Words, table: Table) -> None:
    """States of x ← (a x + c) & mask, from x = ((seed ^ flipped) factor + offset) & mask on, which is not a word.
    `table` is a, c, mask, flipped, factor, offset.
    """
    a, c, mask, flipped, factor, offset = table[0], table[1], table[2], table[3], table[4], table[5]
    count, size = words.shape
    for j in range(size):
        words[0, j] = (a * (((seeds[j] ^ flipped) * factor + offset) & mask) + c) & mask
    for i in range(1, count):
        for j in range(size):
            words[i, j] = (a * words[i - 1, j] + c) & mask


@compiled
def minstd_words(seeds: Seeds, words: Words, table: Table) -> None:
    """States of x ← a x mod (2**31 − 1) after the seed modulo 2**31 − 1, or table[1] for 0. `table` is a, and this."""
    a, zero, prime = table[0], table[1], np.uint64(PRIME)
    count, size = words.shape
    for j in range(size):
        x = seeds[j] % prime
        words[0, j] = a * (zero if x == np.uint64(0) else x) % prime
    for i in range(1, count):
        for j in range(size):
            words[i, j] = a * words[i - 1, j] % prime


@compiled
def bash_words(seeds: Seeds, words: Words, table: Table) -> None:
    """States behind bash's RANDOM: x ← 16807 x mod (2**31 − 1) by Schrage's method, whose first step also takes seeds
    of 32 bits; 0 stands for 123459876.
    """
    count, size = words.shape
    for j in range(size):
        x = np.int64(np.uint32(seeds[j]))
        for i in range(count):
            if x == 0:
                x = np.int64(123459876)
            high = x // 127773
            x = 16807 * (x - 127773 * high) - 2836 * high
            if x < 0:
                x += PRIME
            words[i, j] = np.uint64(x)


@compiled
def glibc_words(seeds: Seeds, words: Words, table: Table) -> None:
    """Words of glibc's TYPE_3, of which rand() drops the lowest bit: x[i] = x[i−3] + x[i−31] modulo 2**32, after 31
    words of x ← 16807 x mod (2**31 − 1) from the seed on (1 for 0), which is signed.
    """
    size = min(LANES, len(seeds))
    state = np.empty((GLIBC_WORDS, size), np.uint32)
    x = np.empty(size, np.uint64)
    prime = np.uint64(PRIME)
    for start in range(0, len(seeds), size):
        for j in range(size):
            seed = np.uint32(seeds[start + j])
            seed = np.uint32(1) if seed == np.uint32(0) else seed
            state[0, j] = seed
            negative = np.uint64(seed >> np.uint32(31))
            x[j] = np.uint64(seed) - np.uint64(2) * negative  # the signed seed modulo the prime
        for i in range(1, GLIBC_WORDS):
            for j in range(size):
                y = np.uint64(16807) * x[j]
                y = (y & prime) + (y >> np.uint64(31))
                y = (y & prime) + (y >> np.uint64(31))
                x[j] = y - prime if y >= prime else y
                state[i, j] = np.uint32(x[j])
        for t in range(GLIBC_DROPPED):
            i, near = (t + 3) % GLIBC_WORDS, t % GLIBC_WORDS
            for j in range(size):
                state[i, j] = np.uint32(state[i, j] + state[near, j])
        for t in range(words.shape[0]):
            i, near = (t + GLIBC_DROPPED + 3) % GLIBC_WORDS, (t + GLIBC_DROPPED) % GLIBC_WORDS
            for j in range(size):
                state[i, j] = np.uint32(state[i, j] + state[near, j])
                words[t, start + j] = np.uint64(state[i, j])


@compiled
def net_words(seeds: Seeds, words: Words, table: Table) -> None:
    """Samples of .NET's Random(seed): Knuth's subtractive generator with the lags 55 and 34 modulo 2**31 − 1, where the
    lag is 34 by an error in the index.
    """
    size = min(LANES, len(seeds))
    state = np.empty((NET_WORDS + 1, size), np.int32)
    last, this = np.empty(size, np.int32), np.empty(size, np.int32)
    for start in range(0, len(seeds), size):
        for j in range(size):
            seed = np.int32(np.uint32(seeds[start + j]))
            last[j] = np.int32(np.int32(NET_SEED) - (seed if seed >= 0 else np.int32(-seed)))
            state[NET_WORDS, j] = last[j]
            this[j] = np.int32(1)
        for i in range(1, NET_WORDS):
            place = 21 * i % NET_WORDS
            for j in range(size):
                state[place, j] = this[j]
                this[j] = np.int32(last[j] - this[j])
                this[j] += np.int32(PRIME) if this[j] < 0 else np.int32(0)
                last[j] = state[place, j]
        for _ in range(4):
            for i in range(1, NET_WORDS + 1):
                other = 1 + (i + 30) % NET_WORDS
                for j in range(size):
                    y = np.int32(state[i, j] - state[other, j])
                    state[i, j] = np.int32(y + np.int32(PRIME)) if y < 0 else y
        for t in range(words.shape[0]):
            i, other = 1 + t % NET_WORDS, 1 + (t + NET_LAG) % NET_WORDS
            for j in range(size):
                y = np.int32(state[i, j] - state[other, j])
                y = np.int32(y - 1) if y == np.int32(PRIME) else y
                y = np.int32(y + np.int32(PRIME)) if y < 0 else y
                state[i, j] = y
                words[t, start + j] = np.uint64(y)


@compiled
def _go_seeded(seed: np.uint64, table: Table, i: int) -> np.uint64:
    """Word i of the seeded state."""
    prime, a = np.uint64(PRIME), np.uint64(48271)
    y = table[i] * seed % prime
    z = a * y % prime
    return np.uint64((y << np.uint64(40)) ^ (z << np.uint64(20)) ^ (a * z % prime) ^ table[GO_WORDS + i])


@compiled
def go_words(seeds: Seeds, words: Words, table: Table) -> None:
    """Words of Go's math/rand before version 2: x[i] = x[i−273] + x[i−607] modulo 2**64. Word i of the state is
    table[607 + i] ^ y << 40 ^ y' << 20 ^ y'' with y = table[i] seed, y' = 48271 y, y'' = 48271 y' modulo 2**31 − 1.
    """
    count, zero = words.shape[0], np.uint64(0)
    state = np.zeros(GO_WORDS, np.uint64)
    for j in range(len(seeds)):
        seed = seeds[j] % np.uint64(PRIME)
        seed = np.uint64(89482311) if seed == zero else seed
        if count > GO_TAP:
            for i in range(GO_WORDS):
                state[i] = _go_seeded(seed, table, i)
        for t in range(count):
            feed, tap = (2 * GO_WORDS - GO_TAP - 1 - t) % GO_WORDS, (GO_WORDS - 1 - t) % GO_WORDS
            if count > GO_TAP:
                state[feed] += state[tap]
                words[t, j] = state[feed]
            else:
                words[t, j] = _go_seeded(seed, table, feed) + _go_seeded(seed, table, tap)


@compiled
def splitmix_words(seeds: Seeds, words: Words, table: Table) -> None:
    """Outputs of SplitMix64 after the state `seed`."""
    for j in range(len(seeds)):
        state = seeds[j]
        for i in range(words.shape[0]):
            state += np.uint64(0x9E3779B97F4A7C15)
            x = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            words[i, j] = x ^ (x >> np.uint64(31))


@compiled
def pcg_words(seeds: Seeds, words: Words, table: Table) -> None:
    """Outputs of numpy's PCG64(seed): a linear congruential generator modulo 2**128 whose state and increment are those
    that SeedSequence makes of the seed, with the output XSL-RR (O'Neill 2014). The words are the outputs; or, if
    table[0] is 1, their halves, the low one first.
    """
    halves = table[0] == np.uint64(1)
    pool, made = np.empty(POOL, np.uint32), np.empty(4, np.uint64)
    for j in range(len(seeds)):
        _seed_sequence(seeds[j], pool, made)
        step_high, step_low = (
            (made[2] << np.uint64(1)) | (made[3] >> np.uint64(63)),
            (made[3] << np.uint64(1)) | np.uint64(1),
        )
        low = step_low + made[1]  # the first step, from 0, leads to the increment
        high = step_high + made[0] + np.uint64(low < step_low)
        output = np.uint64(0)
        high, low = _pcg_step(high, low, step_high, step_low)
        for i in range(words.shape[0]):
            if halves and i % 2 == 1:
                words[i, j] = output >> np.uint64(32)
                continue
            high, low = _pcg_step(high, low, step_high, step_low)
            turn = high >> np.uint64(58)
            x = high ^ low
            output = (x >> turn) | (x << ((np.uint64(64) - turn) & np.uint64(63)))
            words[i, j] = output & np.uint64(0xFFFFFFFF) if halves else output


@compiled
def _seed_sequence(seed: np.uint64, pool: UInt32[np.ndarray, " 4"], made: UInt64[np.ndarray, " 4"]) -> None:
    """The first four words of 64 bits that numpy's SeedSequence(seed) generates; `pool` holds its words of entropy."""
    factor = np.uint32(0x43B0D7E5)
    for i in range(POOL):
        entropy = np.uint32(seed >> np.uint64(32 * i)) if i < 2 else np.uint32(0)
        pool[i] = np.uint32(entropy ^ factor)
        factor = np.uint32(factor * np.uint32(0x931E8875))
        pool[i] = np.uint32(pool[i] * factor)
        pool[i] ^= pool[i] >> np.uint32(16)
    for i in range(POOL):
        for k in range(POOL):
            if i != k:
                x = np.uint32(pool[i] ^ factor)
                factor = np.uint32(factor * np.uint32(0x931E8875))
                x = np.uint32(x * factor)
                x ^= x >> np.uint32(16)
                x = np.uint32(np.uint32(0xCA01F9DD) * pool[k] - np.uint32(np.uint32(0x4973F715) * x))
                pool[k] = x ^ (x >> np.uint32(16))
    factor = np.uint32(0x8B51F9DD)
    for i in range(2 * POOL):
        x = np.uint32(pool[i % POOL] ^ factor)
        factor = np.uint32(factor * np.uint32(0x58F38DED))
        x = np.uint32(x * factor)
        x ^= x >> np.uint32(16)
        half = np.uint64(x) << np.uint64(32 * (i % 2))
        made[i // 2] = half if i % 2 == 0 else made[i // 2] | half


@compiled
def _pcg_step(
    high: np.uint64, low: np.uint64, step_high: np.uint64, step_low: np.uint64
) -> tuple[np.uint64, np.uint64]:
    """The state after this one, of which both are halves, as of the increment."""
    mask, half = np.uint64(0xFFFFFFFF), np.uint64(32)
    a, b = low & mask, low >> half
    c, d = np.uint64(PCG_LOW) & mask, np.uint64(PCG_LOW) >> half
    middle = b * c + ((a * c) >> half)
    other = a * d + (middle & mask)
    carried = b * d + (middle >> half) + (other >> half)
    after = low * np.uint64(PCG_LOW) + step_low
    over = np.uint64(after < step_low)
    return carried + high * np.uint64(PCG_LOW) + low * np.uint64(PCG_HIGH) + step_high + over, after


@compiled
def mulberry_words(seeds: Seeds, words: Words, table: Table) -> None:
    """Outputs of mulberry32, a counter and a mixing function of 32 bits in use in JavaScript."""
    for j in range(len(seeds)):
        state = np.uint32(seeds[j])
        for i in range(words.shape[0]):
            state = np.uint32(state + np.uint32(0x6D2B79F5))
            x = np.uint32(np.uint32(state ^ (state >> np.uint32(15))) * np.uint32(state | np.uint32(1)))
            x ^= np.uint32(x + np.uint32(np.uint32(x ^ (x >> np.uint32(7))) * np.uint32(x | np.uint32(61))))
            words[i, j] = np.uint64(x ^ (x >> np.uint32(14)))


@compiled
def xorshift_words(seeds: Seeds, words: Words, table: Table) -> None:
    """States of Marsaglia's xorshift32 (13, 17, 5) after the seed, which 0 does not leave."""
    for j in range(len(seeds)):
        x = np.uint32(seeds[j])
        for i in range(words.shape[0]):
            x = np.uint32(x ^ np.uint32(x << np.uint32(13)))
            x = np.uint32(x ^ (x >> np.uint32(17)))
            x = np.uint32(x ^ np.uint32(x << np.uint32(5)))
            words[i, j] = np.uint64(x)
