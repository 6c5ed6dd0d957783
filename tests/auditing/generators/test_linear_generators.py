"""WELL, Tausworthe, tiny and SIMD-oriented Mersenne twisters and xorwow produce their published outputs."""

import numpy as np
import pytest

from unrandom.auditing.generators.mersenne import MT19937_PHP5
from unrandom.auditing.generators.sfmt import SFMT19937
from unrandom.auditing.generators.tausworthe import LFSR113, TAUS88
from unrandom.auditing.generators.tiny_twister import TINY_MT32, TINY_MT64
from unrandom.auditing.generators.well import WELL512A, WELL1024A, WELL19937A, WELL19937C
from unrandom.auditing.generators.xorshift import XORWOW

SEED = [
    0x2C2878C6, 0x47AF36C4, 0xF422E677, 0xF08FD8D3, 0xEE9A47C7, 0xBA983942, 0xA2A9F9A5, 0x1D443748,
    0x8FC260B2, 0x5275C681, 0x4A2F5A28, 0x2911683D, 0xA204C27E, 0xB20A6A26, 0x54BA33BE, 0x67D63EB0,
    0xDC8174CF, 0x3E73A4BC, 0x6FCE0775, 0x9E6141FC, 0x5232218A, 0x0FA9E601, 0x0B6FDB4A, 0xF10A0A8C,
    0x97829DBA, 0xC60B0778, 0x0566DB41, 0x620807AA, 0x599B89C9, 0x1A34942B, 0x6BAAE3DA, 0x4BA0B73D,
]  # fmt: skip
"""The seed in the tests of Apache Commons RNG, whose outputs are those of the authors' programs."""


def after(generator, state, count):
    """The outputs of the `count` states after this one."""
    outputs = []
    for _ in range(count):
        state = generator.step(state)
        outputs.append(generator.output(state))
    return outputs


@pytest.mark.parametrize(
    ("well", "expected"),
    [
        (WELL512A, [0x61714569, 0x6FDD4898, 0xC5F47050, 0x810A6B1C, 0xC1AF8B8C, 0x92A98227, 0x64CB1D8D, 0x24578071]),
        (WELL1024A, [0xA7DC11E2, 0x9DEA7324, 0x844C7605, 0x85025732, 0x92AD1E10, 0x968E8090, 0xFD92CB4E, 0x665E1202]),
        (WELL19937A, [0xDB784719, 0xEAD77DDC, 0x926F567B, 0x95CF8AFF, 0x1097E8D5, 0x486A7CA8, 0x97893622, 0xD2A69352]),
        (WELL19937C, [0x7EDEC319, 0x137F7BDC, 0x37C1C37B, 0xFB0D1DFF, 0xC1F16AD5, 0x7C4068A8, 0xC0032722, 0x9BEE9252]),
    ],
)
def test_well_generators(well, expected):
    state = tuple((SEED[i % 32] + (i if well.r > 32 else 0)) % 2**32 for i in range(well.r))
    assert after(well, state, 8) == expected


def lcg(s):
    return s * 69069 % 2**32


def test_combined_tausworthe_generators():
    """The outputs of GSL's `taus` and `taus113` after seed 1 in GSL's own tests: the 10,000th and the 1,000th one."""
    first = lcg(1)
    state = (first, lcg(first), lcg(lcg(first)))
    assert after(TAUS88, state, 10006)[-1] == 2733957125
    words = [lcg(1)]
    for _ in range(3):
        words.append(lcg(words[-1]))
    assert after(LFSR113, tuple(words), 1010)[-1] == 1925420673


def seeded(words, bits, factor, shift):
    for i in range(1, 8):
        before = words[(i - 1) % len(words)]
        words[i % len(words)] ^= (i + factor * (before ^ (before >> shift))) % 2**bits
    return tuple(words)


def test_tiny_twisters():
    """The first outputs after seed 1 in the authors' check32.out.txt and check64.out.txt."""
    state = seeded([1, TINY_MT32.mat1, TINY_MT32.mat2, TINY_MT32.tmat], 32, 1812433253, 30)
    assert after(TINY_MT32, state, 13)[8:] == [2545341989, 981918433, 3715302833, 2387538352, 3591001365]
    state = seeded([1 ^ TINY_MT64.mat1 << 32, TINY_MT64.mat2 ^ TINY_MT64.tmat], 64, 6364136223846793005, 62)
    assert after(TINY_MT64, state, 2) == [15503804787016557143, 17280942441431881838]
    for tiny in (TINY_MT32, TINY_MT64):
        state = tuple(SEED[i] for i in range(len(tiny.sizes)))
        assert [tiny.linear_output(state)] == [tiny.output(state) & 1]


def test_the_simd_oriented_twister():
    """The first outputs after seed 1234 in the authors' SFMT.19937.out.txt."""
    words = [1234]
    for i in range(1, 624):
        words.append((1812433253 * (words[-1] ^ (words[-1] >> 30)) + i) % 2**32)
    state = tuple(sum(words[4 * i + k] << (32 * k) for k in range(4)) for i in range(156))
    parity = state[0] & (1 | 0x13C9E684 << 96)
    if parity.bit_count() % 2 == 0:
        state = (state[0] ^ 1, *state[1:])
    for _ in range(156):
        state = SFMT19937.step(state)
    assert [(state[0] >> (32 * k)) & (2**32 - 1) for k in range(4)] == [3440181298, 1564997079, 1510669302, 2930277156]


def test_xorwow_steps_back():
    """Marsaglia's start values; the first output is that of his paper's recurrence written out."""
    state = (123456789, 362436069, 521288629, 88675123, 5783321, 6615241)
    assert XORWOW.output(XORWOW.step(state)) == 246875399
    assert XORWOW.back(XORWOW.step(state)) == state


def test_the_twist_of_old_php_is_invertible():
    words = np.random.default_rng(0).integers(0, 2**32, MT19937_PHP5.n, dtype=np.uint64)
    blocks = [words]
    for _ in range(3):
        blocks.append(MT19937_PHP5.next_block(blocks[-1]))
    assert (MT19937_PHP5.block_before(blocks[3], 624) == blocks[2]).all()
