"""Few outputs: proofs by counting bits, candidates that are not proven, what more outputs would tell, and searches that
were not finished.
"""

import json
import random
from importlib.util import find_spec
from itertools import islice

import numpy as np
import pytest
from streams import FRACTION, PATIENT, audit_stream, fractions_of, stream_of

import unrandom
from plainly import lcg, take, v8
from tiers import slow, slow_but
from unrandom.auditing.benchmark.false_positives import UNEVEN
from unrandom.auditing.forms.cycles import with_gaps
from unrandom.auditing.forms.shown import Fractions
from unrandom.auditing.forms.stream import Stream
from unrandom.auditing.generators.java import JAVA
from unrandom.auditing.proof import SIGNIFICANCE_BITS
from unrandom.auditing.verdict import Candidate, NotFinished, Predictable, TooFew
from unrandom.cli import main

WIDE = (2**85, 0x1D1F1AB5C3A7B9D2E4F605, 12345678901)  # modulus, multiplier, increment
OF_WIDE = {"modulus": WIDE[0], "multiplier": WIDE[1], "increment": WIDE[2], "bits": 32}
HOMEWORK = take(lcg(1009, 123, 45, 7), 20)


def next_ints(n, count, x=12345):
    """The first numbers of nextInt(n) of java.util.Random."""
    return take(lcg(JAVA.m, JAVA.a, JAVA.c, x, lambda x: (x >> 17) % n), count)


def words_of_wide(count):
    return [x >> 53 for x in take(lcg(*WIDE, 987654321), count)]


def test_ten_numbers_below_1000_prove_java():
    numbers = next_ints(1000, 20)
    verdict = unrandom.audit(numbers[:10], bounded=1000)
    proof = verdict.certificate
    assert verdict.next == numbers[10:]
    assert (proof.held_back, proof.correct) == (0, 0)
    assert proof.information == pytest.approx(10 * np.log2(1000), abs=0.1)
    assert proof.free_bits == 48
    assert proof.log2_chance <= -SIGNIFICANCE_BITS
    assert proof.about.startswith("all outputs have 100 bits, the generator has 48; by luck with a chance of 2^-")
    tree = verdict.to_json()["certificate"]
    assert (tree["information"], tree["free_bits"], tree["about"]) == (proof.information, 48, proof.about)


def test_evidence_is_information_less_free_bits_less_candidates_tried():
    verdict = unrandom.audit(words_of_wide(4), **OF_WIDE)
    proof = verdict.certificate
    assert (verdict.family, proof.information) == ("given-lcg", 128)
    assert 85 <= proof.free_bits < 87
    assert 0 <= proof.information - proof.free_bits + proof.log2_chance < 10  # log2 of what was tried
    assert verdict.next == words_of_wide(14)[4:]


def test_less_than_40_bits_are_no_proof():
    numbers = next_ints(1000, 18)
    verdict = unrandom.audit(numbers[:8], bounded=1000, family="remainder")
    assert isinstance(verdict, TooFew)
    first = verdict.candidates[0]
    assert first.next == numbers[8:]
    assert 8 * np.log2(1000) - 48 - 4 < first.bits < 8 * np.log2(1000) - 48 + 0.1
    assert first.more == 1 + (first.bits < SIGNIFICANCE_BITS - np.log2(1000))


def test_three_windows_of_a_wide_lcg_are_no_proof():
    verdict = unrandom.audit(words_of_wide(3), **OF_WIDE)
    assert isinstance(verdict, TooFew)
    assert 5 < verdict.candidates[0].bits < 12
    assert verdict.candidates[0].next == words_of_wide(13)[3:]


def test_five_doubles_prove_v8():
    numbers = [(word >> 11) / 2**53 for word in islice(v8([0x1234567890ABCDEF, 0xFEDCBA9876543210]), 15)]
    verdict = unrandom.audit(numbers[:5], seeds="none")
    assert (verdict.family, verdict.next) == ("v8", numbers[5:])


def test_two_ints_of_java_are_a_candidate():
    numbers = take(lcg(JAVA.m, JAVA.a, JAVA.c, 1, lambda x: (x >> 16) - (x >> 47 << 32)), 12)
    assert min(numbers[:2]) < 0
    verdict = unrandom.audit(numbers[:2], family="truncated-lcg")
    assert isinstance(verdict, TooFew)
    first = next(one for one in verdict.candidates if one.next == numbers[2:])
    assert 5 < first.bits < 17  # 64 less 48, less the log2 of what was tried
    assert numbers[2:] in [one["next"] for one in verdict.to_json()["candidates"]]
    text = verdict.text()
    assert "candidates that make all 2 outputs, not proven:" in text
    assert f"{first.bits:.0f} of 40 bits, {first.more} more: {first.about}" in text
    assert f"next {numbers[2]}" in text


def test_the_command_lists_candidates(capsys, file):
    path = file("\n".join(map(str, HOMEWORK[:5])))
    assert main(["audit", path, "--family", "lcg"]) == 11
    assert "not proven" in capsys.readouterr().out
    assert main(["audit", path, "--family", "lcg", "--json"]) == 11
    (one,) = json.loads(capsys.readouterr().out)["candidates"]
    assert one["parameters"] == {"m": 1009, "a": 123, "c": 45, "state": 906}
    assert (one["next"], one["needed_bits"]) == (HOMEWORK[5:15], 40)


@pytest.mark.parametrize(
    ("count", "about"),
    [
        (5, {"family": "lcg"}),
        (5, {"modulus": 1009}),
        (3, {"modulus": 1009, "multiplier": 123}),
        (2, {"modulus": 1009, "multiplier": 123, "increment": 45}),
    ],
)
def test_a_homework_lcg(count, about):
    verdict = unrandom.audit(HOMEWORK[:count], **about)
    assert isinstance(verdict, TooFew)
    first = verdict.candidates[0]
    assert first.next == HOMEWORK[count : count + 10]
    assert first.parameters == {"m": 1009, "a": 123, "c": 45, "state": 906}
    assert first.family == "lcg"
    assert 0 < first.bits < SIGNIFICANCE_BITS


def test_what_is_given_counts_as_evidence():
    bits = [unrandom.audit(HOMEWORK[:5], family="lcg", **about).candidates[0].bits for about in ({}, {"modulus": 1009})]
    assert bits[1] - bits[0] == pytest.approx(np.log2(1009), abs=2)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_exactly_the_state_of_a_twister(seed):
    chance = random.Random(seed)
    words = [chance.getrandbits(32) for _ in range(634)]
    verdict = unrandom.audit(words[:624], family="mersenne-twister")
    assert isinstance(verdict, TooFew)
    first = verdict.candidates[0]
    assert first.next == words[624:]
    assert first.bits == 0
    assert first.more == 2
    assert isinstance(unrandom.audit(words[:626], family="mersenne-twister"), Predictable)


def test_repeated_numbers_are_a_period_and_no_recurrence():
    chance = random.Random(7)
    numbers = [chance.randrange(100) for _ in range(10)] * 5
    verdict = unrandom.audit(numbers)
    assert verdict.parameters == {"kind": "period", "length": 10}
    assert verdict.next == numbers[:10]


def test_a_period_of_few_numbers_is_compared_with_draws_from_few():
    """For two words in turn four times, each of two draws is right by chance in one case of two."""
    numbers = [418, 93021, 70244, 5502, 61877, 12090, 38431, 99313, 27, 84410]

    def evidence(*numbers):
        verdict = audit_stream(stream_of(list(numbers)), family="trivial").to_json()
        if certificate := verdict["certificate"]:
            return -certificate["log2_chance"]
        return max((one["bits"] for one in verdict["candidates"] if "length" in one["parameters"]), default=0)

    assert evidence(*numbers[:2] * 2) < 3
    assert evidence(*numbers[:2], *numbers[:1]) < 3
    assert 20 < evidence(*numbers * 2) < SIGNIFICANCE_BITS < evidence(*numbers * 3)


@pytest.mark.slow
@pytest.mark.parametrize("n", [6, 100, 1000, 2**32])
def test_a_few_random_numbers_name_no_generator(n):
    for seed in range(2):
        chance = np.random.Generator(np.random.PCG64(seed + n))  # which no family covers
        for count in (3, 12):
            verdict = unrandom.audit(chance.integers(0, n, count).tolist(), seeds="none", max_seconds=1)
            assert not isinstance(verdict, Predictable)
            assert max((one.bits for one in verdict.candidates), default=0) < 15
            assert not any(one.recognised for one in verdict.needed)


@pytest.mark.slow
def test_a_state_is_not_too_large_for_words_of_unknown_frequencies():
    """Of 1,300 words of 16 bits the commonest one occurs twice, which says no more than 9.3 bits."""
    chance = random.Random(0)
    numbers = [chance.getrandbits(16) for _ in range(1310)]
    verdict = unrandom.audit(numbers[:1300], family="mersenne-twister", seeds="none", max_seconds=PATIENT)
    assert isinstance(verdict, Predictable), verdict.text()
    assert verdict.next == numbers[1300:]


def test_no_candidate_has_more_free_bits_than_the_outputs():
    chance = np.random.Generator(np.random.PCG64(5))
    for count in range(6, 24):
        verdict = audit_stream(stream_of(chance.integers(0, 1000, count).tolist()), family="multiple-recursive")
        assert not isinstance(verdict, Predictable)
        assert not verdict.candidates


def test_two_nearly_complete_periods_of_an_lcg_are_the_lcg():
    numbers = [7, *take(lcg(16, 5, 3, 7), 40)]
    assert numbers[:4] == [7, 6, 1, 8]
    verdict = unrandom.audit(numbers[:31])
    assert verdict.family == "lcg"
    assert [verdict.parameters[name] for name in "mac"] == [16, 5, 3]
    assert verdict.next == numbers[31:41]


def test_a_period_that_is_not_complete_for_the_second_time():
    chance = np.random.Generator(np.random.PCG64(3))
    numbers = chance.integers(0, 10**6, 30).tolist()
    verdict = audit_stream(stream_of([*numbers, *numbers[:15]]), family="trivial")
    assert verdict.parameters == {"kind": "period", "length": 30}
    assert verdict.certificate.held_back == 0
    assert verdict.next == numbers[15:25]
    few = audit_stream(stream_of([*numbers, *numbers[:2]]), family="trivial")
    assert isinstance(few, TooFew)
    assert few.candidates[0].next == numbers[2:12]


def test_one_number_needs_no_constant():
    for numbers in ([0.123456789012345], [5]):
        verdict = unrandom.audit(numbers, seeds="none")
        assert isinstance(verdict, TooFew)
        assert all("constant" not in one.about for one in verdict.needed)
        assert "41 more" not in verdict.text()


def test_needed_outputs_are_counted():
    verdict = audit_stream(stream_of([906, 493, 144], 10), family="lcg")
    (one,) = verdict.needed
    assert one.more == one.outputs - 3
    assert one.outputs * 10 >= 4 * 10 + SIGNIFICANCE_BITS
    assert not one.recognised
    assert f"at least {one.more} more outputs" in verdict.advice
    assert f"{one.outputs}, {one.more} more: {one.about}" in verdict.text()


@pytest.mark.nightly
def test_six_digit_codes_of_php():
    """100000 + w % 900000 of the words w: the equations of these bits depend on each other."""
    words = np.random.RandomState(1).randint(0, 2**32, 5710, dtype=np.uint64)
    assert (words < 2**32 // 900_000 * 900_000).all()  # none would be drawn again
    codes = (100_000 + words % 900_000).tolist()
    verdict = unrandom.audit(codes[:4100], family="mersenne-twister", max_seconds=PATIENT)
    assert isinstance(verdict, TooFew), verdict.text()
    (one,) = verdict.needed
    assert (one.outputs, one.more, one.recognised) == (5608, 1508, True)
    assert "Collect 1508 more outputs" in verdict.advice
    assert "recognised: " in verdict.text()
    verdict = unrandom.audit(codes[:5700], family="mersenne-twister", max_seconds=PATIENT)
    assert verdict.next == codes[5700:]


def test_a_search_without_time_is_not_finished(capsys, file):
    chance = np.random.Generator(np.random.PCG64(1))
    path = file("\n".join(map(str, chance.integers(0, 1000, 6).tolist())))
    assert main(["audit", path, "--max-seconds", "0", "--json"]) == 12
    tree = json.loads(capsys.readouterr().out)
    assert (tree["verdict"], tree["exit_status"]) == ("not finished", 12)
    assert tree["seconds_left"] > 0
    assert tree["max_seconds"] >= tree["seconds_left"]
    assert f"--max-seconds {tree['max_seconds']}" in tree["advice"]
    assert main(["audit", path, "--max-seconds", "0"]) == 12
    text = capsys.readouterr().out
    assert text.startswith("NOT FINISHED  no generator found for 6 outputs in the time allowed; not tried to the end: ")
    assert "TOO FEW" not in text


def test_candidates_found_before_time_ran_out_are_listed():
    one = Candidate("lcg", "an LCG", "", {"m": 5}, [1, 2], 7.0, 40, 3)
    verdict = NotFinished(5, [], 9.0, candidates=[one])
    assert "candidates that make all 5 outputs, not proven:\n  7 of 40 bits, 3 more: an LCG: m 5\n" in verdict.text()
    assert verdict.to_json()["candidates"][0]["more"] == 3
    assert verdict.text().startswith("NOT FINISHED  no generator proven for 5 outputs in the time allowed; ")
    assert "The candidates listed make all outputs, but are not proven." in verdict.advice


def test_the_information_of_a_stated_range():
    assert stream_of([1, 905, 333], bounded=1000, stated=True).information.sum() == pytest.approx(3 * np.log2(1000))
    assert stream_of([1, 2**31, 3], 32, stated=True).information.sum() == 96
    assert stream_of([1, 5, 3], 32, stated=True).information.sum() < 9  # they do not fill it
    shuffled = stream_of([3, 1, 0], cycle=(4, 3, 2))
    assert shuffled.information.tolist() == pytest.approx([2, np.log2(3), 1])


def test_the_information_of_fractions_is_that_of_their_digits():
    chance = random.Random(1)
    numbers = [chance.random() for _ in range(20)]
    assert fractions_of(numbers).information.tolist() == [53] * 20
    assert fractions_of(numbers, 4).information.tolist() == pytest.approx([np.log2(10**4)] * 20, abs=1e-6)


def test_fractions_of_different_digits_have_different_bits():
    chance = random.Random(6)
    errors = np.tile([2.0**-9, 2.0**-17], 200)
    values = (np.array([chance.getrandbits(16) for _ in errors]) + 0.5) / 2**16
    for count in (40, 400):
        bits = Stream(values[:count], FRACTION, Fractions(errors[:count])).information
        assert bits[1] - bits[0] == pytest.approx(8, abs=1e-6)
        assert 5 < bits[0] < 8.1


def test_many_words_have_all_bits_of_their_width():
    for seed in range(20):
        chance = random.Random(seed)
        stream = stream_of([chance.getrandbits(32) for _ in range(624)], 32)
        assert stream.information.sum() == 624 * 32
        gapped = with_gaps(stream, [True, False])
        assert gapped.information.sum() == 624 * 32


@pytest.mark.parametrize("count", [30, 400])
def test_what_repeats_or_is_skewed_has_hardly_any_information(count):
    chance = random.Random(2)
    assert stream_of([5] * count).information.sum() == 0
    assert stream_of(list(range(count))).information.sum() == 0
    mostly = [7 if i % 10 else chance.getrandbits(32) for i in range(count)]
    assert stream_of(mostly, 32).information.sum() < count
    skewed = [int(2**32 * chance.random() ** 9) for _ in range(count)]
    assert stream_of(skewed, 32).information.sum() == 0 or count > 256


@pytest.mark.parametrize("family", ["carry", "lagged-fibonacci", "trivial"])
@pytest.mark.parametrize(("least", "known"), [(0, {"bits": 32}), (0, {"bits": 8}), (254, {}), (998, {"bounded": 1000})])
def test_coins_have_no_more_information_in_a_wide_range(family, least, known):
    chance = random.Random(3)
    numbers = [least + chance.getrandbits(1) for _ in range(60)]
    verdict = unrandom.audit(numbers, family=family, seeds="none", max_seconds=1, **known)
    assert verdict.to_json()["certificate"] is None


def test_unknown_outputs_have_no_information():
    stream = with_gaps(stream_of([3, 900, 77, 512], bounded=1000, stated=True), [True, False, False])
    assert stream.information[[1, 2, 4, 5]].tolist() == [0] * 4
    assert stream.information.sum() == pytest.approx(4 * np.log2(1000))


@pytest.mark.skipif(find_spec("numba") is None, reason="2026-11-26: the extra fast is not installed")
@pytest.mark.slow
def test_likely_seeds_are_tried_unasked():
    state = np.random.RandomState(0)
    numbers = [round(x, 8) for x in state.random_sample(20).tolist()]
    verdict = unrandom.audit(numbers[:10])
    assert (verdict.family, verdict.parameters["seed"]) == ("seed", 0)
    assert verdict.next == numbers[10:]
    verdict = unrandom.audit(numbers[:10], seeds="none", max_seconds=1)
    assert verdict.to_json()["family"] is None
    assert all(one.family != "seed" for one in verdict.tried)


@pytest.mark.parametrize("equal", [8, *slow(6, 30)])
def test_a_printed_number_that_recurs_is_one_number(equal):
    """And not as many equal parts as it has bytes."""
    uuids = ["80000000-0000-0000-0000-000000000001", *["6f32f1ef-8b18-a2bc-3cea-59789c79d441"] * equal]
    verdict = unrandom.audit(uuids, seeds="none", max_seconds=1)
    assert not isinstance(verdict, Predictable), verdict.text()
    assert all(one.bits <= equal for one in verdict.candidates)


@pytest.mark.parametrize("form", slow_but(list(UNEVEN)[::4], UNEVEN))
@pytest.mark.parametrize("seed", [0, *slow(1)])
def test_numbers_of_little_entropy_are_not_predicted(form, seed):
    numbers = UNEVEN[form](random.Random(seed), 60)
    verdict = unrandom.audit(numbers, seeds="none", max_seconds=1.0)
    assert not isinstance(verdict, Predictable), verdict.text()
