"""Combined, recursive and multiply-with-carry generators are recovered; those of R and PHP from real outputs."""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from streams import audit_stream, found, fractions_of, stream_of

import unrandom
from plainly import take
from tiers import slow_but
from unrandom.auditing.generators.combined import COMBINED
from unrandom.auditing.verdict import Predictable

VECTORS = Path(__file__).parents[1] / "vectors"


@pytest.mark.parametrize(
    ("name", "family", "needed"),
    [
        ("r_wichmann_hill", "combined", 2),
        ("r_wichmann_hill_7_digits", "combined", 3),
        ("r_lecuyer_cmrg", "combined", 14),
        ("r_lecuyer_cmrg_7_digits", "combined", 14),
        ("php_lcg_value", "combined", 4),
        ("r_marsaglia_multicarry", "multiply-with-carry", 6),
        ("r_super_duper", "super-duper", 36),
        ("r_knuth_taocp", "knuth-taocp", 208),
        ("r_knuth_taocp_2002", "knuth-taocp", 208),
    ],
)
def test_fractions_of_r_and_php(name, family, needed):
    lines = [line for line in (VECTORS / f"{name}.txt").read_text().splitlines() if not line.startswith("#")]
    verdict = unrandom.audit(lines[:-10], family=family)
    assert isinstance(verdict, Predictable), verdict.text()
    assert verdict.outputs_needed <= needed
    expected = [float(line) for line in lines[-10:]]
    assert [float(x) for x in verdict.next] == pytest.approx(expected, rel=1e-14, abs=1e-14)
    assert unrandom.audit(lines[10:60] if needed < 30 else lines[10:], family=family).previous is not None


def mysql(seed_1: int, seed_2: int) -> Iterator[float]:
    """RAND() as in MySQL's my_rnd."""
    limit = 0x3FFFFFFF
    while True:
        seed_1 = (seed_1 * 3 + seed_2) % limit
        seed_2 = (seed_1 + seed_2 + 33) % limit
        yield seed_1 / limit


def test_rand_of_mysql():
    fractions = take(mysql(123456789, 987654), 120)
    exact = audit_stream(fractions_of(fractions[:100]), family="combined")
    assert (exact.next, exact.outputs_needed) == (fractions[100:110], 2)
    for bound in (6, 100, 1000):
        verdict = found([int(bound * u) for u in fractions], "combined", bounded=bound)
        assert verdict.outputs_needed <= 30


@pytest.mark.parametrize("combined", slow_but(COMBINED[::3], COMBINED), ids=lambda one: one.name.split(",")[0])
def test_ranges_of_combined_generators(combined):
    state = combined.windows([123456789012345 % combined.modulus] * combined.order)
    fractions = [u for u, _ in zip(combined.outputs(state), range(150), strict=False)]
    verdict = found([int(100 * u) for u in fractions], "combined", bounded=100)
    if combined.invertible:
        later = audit_stream(stream_of([int(100 * u) for u in fractions[10:]], bounded=100), family="combined")
        assert later.previous == [int(100 * u) for u in fractions[:10]]
    assert verdict.parameters["generator"] == combined.name


@pytest.mark.parametrize("m", [2**31 - 1, 2**32, 10**12 + 39])
@pytest.mark.parametrize("order", [2, 5, 8])
def test_multiple_recursive_generators(order, m):
    chance = random.Random(order)
    a, x = [chance.randrange(m) | 1 for _ in range(order)], [chance.randrange(m) for _ in range(order)]
    constant = chance.randrange(m)
    while len(x) < 130:
        x.append((sum(p * q for p, q in zip(a, x[::-1], strict=False)) + constant) % m)
    verdict = found(x[10:], "multiple-recursive")
    assert (verdict.parameters["m"], verdict.parameters["a"], verdict.parameters["c"]) == (m, a, constant)
    assert verdict.outputs_needed <= 2 * order + 6
    assert verdict.previous == x[:10]
    assert audit_stream(stream_of(x[:60], modulus=m), family="multiple-recursive").outputs_needed <= 2 * order + 4


def multiply_with_carry(a: int, bits: int, lag: int, carry: int, complementary: bool = False) -> Iterator[int]:
    """The definition of Marsaglia."""
    chance = random.Random(a)
    window = [chance.getrandbits(bits) for _ in range(lag)]
    yield from window
    while True:
        total = a * window.pop(0) + carry
        carry, word = total >> bits, total % 2**bits
        window.append(2**bits - 1 - word if complementary else word)
        yield window[-1]


@pytest.mark.parametrize(
    ("a", "bits", "lag"),
    [
        (4294957665, 32, 1),  # Marsaglia 1999
        (0xFFEBB71D94FCDAF9, 64, 1),  # MWC128, Vigna 2021
        (0xFFA04E67B3C95D86, 64, 2),  # MWC192
        (809430660, 32, 256),  # Marsaglia 2003, MWC256
        (30903, 16, 1),
    ],
)
def test_multiply_with_carry(a, bits, lag):
    numbers = take(multiply_with_carry(a, bits, lag, 12345), lag + 150)
    verdict = found(numbers, "multiply-with-carry", bits=bits)
    assert verdict.parameters["multiplier"] == a
    assert verdict.outputs_needed <= lag + 6
    later = audit_stream(stream_of(numbers[10:], bits), family="multiply-with-carry")
    assert later.previous == numbers[:10]


def test_complementary_multiply_with_carry():
    numbers = take(multiply_with_carry(18782, 32, 4096, 362436, True), 4250)  # Marsaglia 2003, CMWC4096
    verdict = audit_stream(stream_of(numbers[:-10], 32), family="multiply-with-carry")
    assert verdict.next == numbers[-10:]


def marsaglia(carry_shown: bool) -> Iterator[int]:
    """Marsaglia's MWC of 1999, and Math.random() of Chrome until 2015 times 2**32."""
    z, w = 362436069, 521288629
    while True:
        z, w = 36969 * (z & 65535) + (z >> 16), 18000 * (w & 65535) + (w >> 16)
        yield ((z << 16) + (w if carry_shown else w & 65535)) % 2**32


def test_pairs_of_multiply_with_carry():
    assert found(take(marsaglia(True), 120), "multiply-with-carry", bits=32).outputs_needed == 6
    fractions = [x / 2**32 for x in take(marsaglia(False), 100)]
    verdict = audit_stream(fractions_of(fractions[:90]), family="multiply-with-carry")
    assert verdict.next == fractions[90:]
