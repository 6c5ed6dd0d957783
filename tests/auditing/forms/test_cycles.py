"""Outputs that differ by their place in a cycle: gaps, of which a user may state the pattern, and widths in turn."""

import random
from itertools import islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from streams import PATIENT, fractions_of, stream_of

import unrandom
from plainly import lcg, take, v8
from unrandom.auditing.forms.assumed import pattern_option
from unrandom.auditing.forms.cycles import in_turn, skipping, with_gaps
from unrandom.auditing.forms.form import Form
from unrandom.auditing.forms.layers import Gaps, InTurn, join
from unrandom.cli import main
from unrandom.core.errors import UserError

PATTERNS = st.lists(st.booleans(), min_size=1, max_size=9).filter(any)
WIDTHS = st.lists(st.integers(1, 200), min_size=1, max_size=5)


def ninths(count):
    """⌊9 u⌋ of V8."""
    return [9 * (word >> 12) >> 52 for word in islice(v8([0x1234567890ABCDEF, 0xFEDCBA9876543210]), count)]


@pytest.mark.parametrize("about", [{"pattern": "1"}, {"seeds": "none"}])
def test_every_second_output(about):
    numbers = ninths(840)[:820:2]
    verdict = unrandom.audit(numbers[10:400], bounded=9, **about)
    assert (verdict.family, verdict.form) == ("v8", "one of 2 outputs")
    assert verdict.next == numbers[400:410]
    assert verdict.previous is None or verdict.previous == numbers[:10]


def rows_of_randu(count):
    """Three of five fractions, with six digits."""
    states = take(lcg(2**31, 65539, 0, 12345), count)
    return [f"{x / 2**31:.6f}" for i, x in enumerate(states) if i % 5 < 3]


def test_three_of_five_outputs(capsys, file):
    numbers = rows_of_randu(120)
    verdict = unrandom.audit(numbers[:60], pattern="0,0,2")
    assert verdict.form == "outputs 1, 2, 3 of 5"
    assert verdict.next == [float(x) for x in numbers[60:70]]
    path = file("\n".join(numbers[:60]))
    assert main(["audit", path, "--pattern", "0,0,2"]) == 10
    assert f"next             {' '.join(str(float(x)) for x in numbers[60:62])}" in capsys.readouterr().out


def test_numbers_beyond_the_last_whole_cycle():
    numbers = rows_of_randu(140)
    for count in (61, 62):
        verdict = unrandom.audit(numbers[:count], pattern="0,0,2")
        assert verdict.next == [float(x) for x in numbers[count : count + 10]]
        assert verdict.outputs == count


@pytest.mark.parametrize("pattern", ["", "0", "0,0", "-1", "1;2", "a", "1,", "99999", "4096", "٣", "1\n2", "1" * 9999])
def test_bad_patterns_are_one_line(pattern):
    with pytest.raises(UserError, match="--pattern") as caught:
        unrandom.audit([1, 2, 3], pattern=pattern)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300


def test_patterns():
    assert pattern_option(None) is None
    assert pattern_option("1") == (True, False)
    assert pattern_option("0,0,2") == (True, True, True, False, False)


@pytest.mark.slow
@pytest.mark.parametrize(("widths", "count"), [((32, 64, 96), 390), ((8, 16, 40), 1500)])
def test_widths_in_turn(widths, count):
    """getrandbits(40) shows a word, and the top bits of another; getrandbits(8) the top bits of one."""
    chance = random.Random(3)
    numbers = [chance.getrandbits(widths[i % 3]) for i in range(count + 15)]
    verdict = unrandom.audit(numbers[3:count], family="mersenne-twister", max_seconds=PATIENT)
    about = ", ".join(map(str, widths))
    assert verdict.form == f"numbers of {about} bits in turn, of words of 32 bits, the lowest first"
    assert verdict.next == numbers[count : count + 10]
    assert verdict.previous is None or verdict.previous[-3:] == numbers[:3]


def test_numbers_of_one_width_are_not_taken_for_several():
    chance = random.Random(4)
    for bits in (16, 32, 40, 64, 100):
        assert list(in_turn([chance.getrandbits(bits) for _ in range(200)], Form("whole"))) == []
    mixed = [chance.getrandbits(chance.choice((8, 64))) for _ in range(200)]
    assert list(in_turn(mixed, Form("whole"))) == []
    assert list(in_turn([1, 2**40], Form("whole"))) == []


@given(PATTERNS, st.lists(st.integers(0, 2**64 - 1), max_size=40))
def test_gaps_restore_the_numbers(pattern, numbers):
    layer = Gaps(tuple(pattern))
    whole = len(numbers) // layer.outer * layer.outer
    stream = with_gaps(stream_of(numbers or [0], 64), pattern)
    assert stream.form.restored(stream.values.tolist()) == (numbers[:whole] if numbers else [0][: 1 // layer.outer])
    assert int(stream.known.sum()) * layer.inner == len(stream) * layer.outer


@given(WIDTHS, st.data())
def test_widths_in_turn_restore_the_numbers(widths, data):
    layer = InTurn(tuple(widths))
    numbers = [data.draw(st.integers(0, 2**width - 1)) for width in widths * 2]
    words = [word for i, x in enumerate(numbers) for word in layer.words(x, i % len(widths))]
    assert len(words) == 2 * layer.inner
    assert layer.restore(words) == numbers
    assert layer.restore(words[:-1]) == numbers[: len(widths)]
    fractions = [(word + 0.5) / 2.0 ** layer.shown[i % layer.inner] for i, word in enumerate(words)]
    assert layer.restore(fractions) == numbers
    assert join(words[: -(-widths[0] // 32)], 32, low_first=True) == numbers[0]


@given(st.lists(st.sampled_from([8, 16, 40, 64, 96]), min_size=2, max_size=4), st.integers(0, 2**32))
def test_streams_of_widths_in_turn_write_what_was_printed(widths, seed):
    chance = random.Random(seed)
    numbers = [chance.getrandbits(width) | 1 << (width - 1) for width in widths * 5]
    for stream in in_turn(numbers, Form("whole")):
        written = stream.form.write(stream.values.tolist())
        assert written == numbers[: len(written)]
        assert len(written) > len(numbers) - len(widths)


@given(PATTERNS, st.integers(0, 30), st.integers(0, 30))
def test_a_part_of_a_stream_keeps_what_is_known(pattern, start, end):
    stream = with_gaps(fractions_of([0.25] * 20, 2), pattern)
    part = stream.part(start, end)
    assert part.known.tolist() == stream.known[start:end].tolist()
    assert len(part) == len(part.values) == len(part.rounding_error)


def test_unknown_outputs_match_any_number():
    stream = with_gaps(stream_of([3, 5, 7], bounded=9), [True, False])
    assert stream.matches(0, [3, 8, 5, 0, 7, 1]) == 6
    assert stream.matches(0, [3, 8, 6, 0]) == 2
    assert stream.matches(1, [4, 5, 0, 6]) == 3
    decimal = with_gaps(fractions_of([0.25, 0.5], 2), [True, False])
    assert decimal.matches(0, [0.254, 0.9, 0.496, 0.1]) == 4
    assert decimal.matches(0, [0.256, 0.9]) == 0


def test_unknown_outputs_are_bounded_by_the_modulus_alone():
    stream = with_gaps(stream_of([3, 5], bounded=9), [True, False])
    assert stream.state_bounds(90) == [(30, 39), (0, 89), (50, 59), (0, 89)]
    assert stream.unknown([(1, 2)] * 4, 90) == [(1, 2), (0, 89)] * 2
    plain = stream_of([3, 5], bounded=9)
    assert plain.unknown([(1, 2)] * 2, 90) == [(1, 2)] * 2


def test_gaps_are_tried_unasked_for_plausible_streams_only():
    stream = stream_of(list(range(20)))
    tried = list(skipping([stream] * 5))
    assert [one.form.about for one in tried] == [f"one of {size} outputs" for size in (2, 3, 4, 5)] * 2
    assert not any(one.likely for one in tried)
    assert list(skipping([stream_of([0, 1], cycle=(2, 3))])) == []
    assert (np.flatnonzero(tried[1].known) % 3 == 0).all()
