"""Streams are found in every common form: offsets, scales, signs, orders of bytes and words; options restrict it."""

import random
from pathlib import Path

import pytest

import unrandom
from unrandom.auditing.forms.assumed import Assumed
from unrandom.auditing.forms.interpretations import interpretations
from unrandom.auditing.forms.layers import Shuffled
from unrandom.auditing.forms.ranges import real_ranges, whole_ranges
from unrandom.auditing.reading.values import numbers_of_values
from unrandom.core.errors import UserError

VECTORS = Path(__file__).parents[1] / "vectors"


def forms(numbers, **assumed):
    return interpretations(numbers_of_values(numbers), Assumed.of(**assumed))


def words(count, bits=32, seed=1):
    chance = random.Random(seed)
    return [chance.getrandbits(bits) for _ in range(count)]


@pytest.mark.parametrize(
    ("least", "greatest", "count", "expected"),
    [
        (1, 6, 200, (1, 6)),
        (0, 99, 300, (0, 100)),
        (0, 51, 400, (0, 52)),
        (3, 98, 50, (0, 100)),
        (109_000, 998_000, 100, (100_000, 900_000)),
        (0, 1, 60, (0, 2)),
        (-5, 5, 400, (-5, 11)),
        (7, 4_294_000_000, 2000, (0, 2**32)),
    ],
)
def test_a_round_range_that_holds_the_numbers_is_among_the_first(least, greatest, count, expected):
    assert expected in whole_ranges(least, greatest, count)[:4]


@pytest.mark.parametrize(
    ("least", "greatest", "expected"),
    [(0.01, 99.9, (0, 100)), (-0.999, 0.998, (-1, 2)), (5.02, 14.99, (5, 10)), (0.3, 359.5, (0, 360))],
)
def test_the_roundest_range_of_reals(least, greatest, expected):
    assert next(iter(real_ranges(least, greatest, 400))) == pytest.approx(expected)


def test_every_form_writes_back_the_numbers_that_were_printed():
    chance = random.Random(3)
    inputs = [
        words(40, 8),
        words(40, 16),
        words(40, 32),
        words(40, 64),
        words(40, 128),
        [x - 2**31 for x in words(60)],
        [1 + x % 6 for x in words(90)],
        [10 * (x % 100) for x in words(90)],
        [chance.random() for _ in range(40)],
        [100 * chance.random() for _ in range(40)],
        [round(5 + 10 * chance.random(), 4) for _ in range(40)],
        [2 * chance.random() - 1 for _ in range(40)],
    ]
    for numbers in inputs:
        for stream in forms(numbers):
            written = stream.form.write(stream.values.tolist())
            expected = numbers[: len(written)]
            assert len(written) > len(numbers) - 8
            assert written == (pytest.approx(expected, rel=1e-12) if stream.fractions else expected), stream.form.about


@pytest.mark.parametrize(
    ("printed", "form"),
    [
        (lambda x: int.from_bytes(x.to_bytes(4, "little"), "big"), "bytes of 32-bit words in reverse order"),
        (lambda x: int(f"{x:032b}"[::-1], 2), "bits of 32-bit words in reverse order"),
        (lambda x: x - 2**31, "signed 32-bit numbers"),
    ],
)
def test_an_lcg_is_found_behind_a_form(printed, form):
    lcg = unrandom.LCG(m=2**32, a=1664525, c=1013904223)
    states = lcg.orbit(5, 130)
    shown = [printed(x) for x in states]
    if form.startswith("signed"):
        shown = [x - 2**32 if x >= 2**31 else x for x in states]
    verdict = unrandom.audit(shown[:120])
    assert verdict.verdict == "predictable"
    assert verdict.form == form
    assert verdict.next == shown[120:]


def test_words_divided_and_joined():
    """128-bit numbers of four words each, and single bytes of words, in both orders; predictions are whole numbers."""
    chance = random.Random(4)
    wide = [chance.getrandbits(128) for _ in range(200)]
    verdict = unrandom.audit(wide[:190])
    assert verdict.form == "4 words of 32 bits per number, the lowest first"
    assert verdict.next == wide[190:]
    octets = list(random.Random(4).randbytes(4 * 704))
    verdict = unrandom.audit(octets[:-13])
    assert verdict.form == "4 numbers of 8 bits per word, the lowest first"
    assert verdict.next == octets[-13:-3]
    assert verdict.outputs_needed == 2496


def test_bytes_of_words_as_tokens():
    """Tokens of Python's randbytes(16): four words each, of which every one has its lowest byte first."""
    chance = random.Random(4)
    tokens = [chance.randbytes(16).hex() for _ in range(180)]
    verdict = unrandom.audit(tokens[:170])
    assert verdict.family == "mersenne-twister"
    assert verdict.next == tokens[170:]
    assert verdict.outputs_needed == 156


@pytest.mark.parametrize("calls", [2, 3, 4])
@pytest.mark.parametrize("low_first", [False, True])
def test_several_calls_make_a_number(calls, low_first):
    """Of rand() with 15 bits, as in Visual C++."""
    numbers, x = [], 5
    for _ in range(60):
        number = 0
        for call in range(calls):
            x = (214013 * x + 2531011) % 2**32
            place = call if low_first else calls - 1 - call
            number |= (x >> 16 & 0x7FFF) << 15 * place
        numbers.append(number)
    verdict = unrandom.audit(numbers[2:-10])
    assert verdict.family == "truncated-lcg"
    order = "lowest" if low_first else "highest"
    assert verdict.form == f"{calls} words of 15 bits per number, the {order} first"
    assert verdict.next == numbers[-10:]
    assert verdict.previous[-2:] == numbers[:2]


@pytest.mark.slow
def test_two_calls_of_glibc_make_a_number():
    lines = (VECTORS / "c_rand_62_bits.txt").read_text().splitlines()
    numbers = [int(line) for line in lines if not line.startswith("#")]
    verdict = unrandom.audit(numbers[:-10])
    assert (verdict.family, verdict.form) == ("lagged-fibonacci", "2 words of 31 bits per number, the highest first")
    assert verdict.next == numbers[-10:]


def test_what_is_assumed_is_not_inferred():
    def without_gaps(numbers, **assumed):
        return [stream for stream in forms(numbers, **assumed) if stream.known is None]

    (stream,) = without_gaps([1, 6, 3], start=1, bounded=6)
    assert stream.values.tolist() == [0, 5, 2]
    assert stream.bounded == 6
    assert stream.form.write([0, 5]) == [1, 6]
    (stream,) = without_gaps([0.5, -0.5], start=-1, scale=2)
    assert stream.values.tolist() == pytest.approx([0.75, 0.25])
    (stream,) = without_gaps([30, 50], scale=10, bits=8)
    assert stream.values.tolist() == [3, 5]
    assert (stream.bits, stream.bounded) == (8, None)


@pytest.mark.parametrize(
    ("numbers", "assumed", "line"),
    [
        ([], {}, "holds no numbers"),
        ([1, 6], {"bounded": 6}, "6 is out of range: --bounded allows 0 to 5; --from says"),
        ([1, 9], {"bits": 3}, "9 is out of range: --bits allows 0 to 7"),
        ([1, 9], {"modulus": 9}, "9 is out of range: --modulus allows 0 to 8"),
        ([1, 9], {"scale": 2}, "1 is not --from 0 plus a multiple of --scale 2"),
        ([0.5], {"bounded": 6}, "are for whole numbers"),
        ([0, 9], {"start": 1}, "0 is not --from 1 plus a multiple of --scale 1"),
        ([1, 9], {"scale": 0}, "--scale must be a number from 1e-100 on, whole or at most 1e.100, not 0"),
        ([1, 9], {"scale": 0.5}, "must be whole, as the numbers are"),
        ([1, 9], {"start": 0.5}, "must be whole, as the numbers are"),
        ([0.5, 7.0], {"scale": 5}, "are not all from --from 0 to 5"),
        ([0.5, 7.0], {"scale": -5}, "--scale must be a number from 1e-100 on, whole or at most 1e.100, not -5"),
    ],
)
def test_contradictions_are_refused(numbers, assumed, line):
    with pytest.raises(UserError, match=line):
        forms(numbers, **assumed)


@pytest.mark.parametrize("from_end", [True, False])
def test_draws_of_shuffles(from_end):
    shuffle, chance = Shuffled(9, from_end), random.Random(1)
    draws = [chance.randrange(n) for _ in range(5) for n in shuffle.ranges]
    cards = shuffle.restore(draws)
    lines = [cards[i : i + 9] for i in range(0, 45, 9)]
    assert all(sorted(line) == list(range(9)) for line in lines)
    assert [draw for line in lines for draw in shuffle.draws(line)] == draws


def test_a_deck_shuffled_by_v8():
    """`node -e` printed these lines with the loop of Durstenfeld (1964); 40 are audited, the next ones predicted."""
    lines = [line.split() for line in (VECTORS / "node_shuffles.txt").read_text().splitlines() if line[0] != "#"]
    verdict = unrandom.audit([[int(card) for card in line] for line in lines[:40]])
    assert verdict.verdict == "predictable"
    assert verdict.form == "shuffles of 13, from the last card on"
    assert verdict.next == [int(card) for card in lines[40]][:10]
