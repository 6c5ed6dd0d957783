"""The search: certificates from held-back outputs, the time limit, and the fewest outputs needed."""

import random

import pytest
from streams import PATIENT, audit_stream, stream_of

import unrandom
from plainly import lcg, take
from unrandom.auditing.families import FAMILIES
from unrandom.auditing.families.linear import scrambled
from unrandom.auditing.family import Family
from unrandom.auditing.proof import SIGNIFICANCE_BITS
from unrandom.auditing.search import _prefix_lengths, choose
from unrandom.auditing.verdict import NotFinished, NotPredicted, Predictable, TooFew
from unrandom.core.errors import UserError

MSVC = (2**32, 214013, 2531011, 7)


def test_a_certificate_counts_held_back_outputs():
    verdict = audit_stream(stream_of(take(lcg(*MSVC), 100)))
    proof = verdict.certificate
    assert 50 < proof.held_back == proof.correct <= 95
    assert proof.log2_chance <= -SIGNIFICANCE_BITS
    assert verdict.outputs_needed <= 8


def test_an_output_of_a_constant_counts_as_one_bit():
    verdict = audit_stream(stream_of([0] * 50))
    assert verdict.certificate.log2_chance == -47  # of 48 outputs predicted, after one family and one candidate tried
    assert isinstance(audit_stream(stream_of([0] * 41)), TooFew)


def test_min_entropy_is_small_where_guessing_is_easy():
    assert stream_of([1, 0] * 50).bits_per_output < 1
    assert stream_of(list(range(100))).bits_per_output == 0  # all differences are equal
    assert stream_of([0] * 99 + [1]).bits_per_output < 0.02
    assert 31 < stream_of(take(lcg(*MSVC), 100)).bits_per_output <= 32
    assert stream_of([3]).bits_per_output == 0


def test_every_family_implements_the_protocol():
    assert all(isinstance(family, Family) and "\n" not in family.about for family in FAMILIES)


def test_one_family_alone():
    numbers = take(lcg(*MSVC), 100)
    verdict = audit_stream(stream_of(numbers), family="xorshift")
    assert isinstance(verdict, NotPredicted)
    assert {tried.family for tried in verdict.tried} == {"xorshift"}
    with pytest.raises(UserError, match="no family is called 'msvc'; near misses: sums"):
        choose("msvc")


def test_a_search_without_time():
    verdict = audit_stream(stream_of(take(lcg(*MSVC), 100)), max_seconds=0)
    assert isinstance(verdict, NotFinished)
    assert verdict.seconds > 10
    assert {tried.result for tried in verdict.tried} == {"not tried: no time left"}
    assert f"--max-seconds {verdict.to_json()['max_seconds']}" in verdict.advice


def test_watch_is_called_with_each_family():
    said = []
    audit_stream(stream_of(take(lcg(*MSVC), 100)), watch=said.append)
    assert said == ["trivial", "lcg"]


def test_families_tried_without_success_are_reported():
    verdict = audit_stream(stream_of(take(lcg(*MSVC), 100)))
    assert [tried.family for tried in verdict.tried] == ["trivial"]
    tree = verdict.to_json()
    assert tree["tried"][0]["result"] == "no"
    assert tree["verdict"] == "predictable"
    assert len(tree["next"]) == len(tree["previous"]) == 10


def test_what_leaves_nothing_held_back_is_judged_by_counting():
    assert _prefix_lengths(624, 624, 3, 2048) == [624]
    assert _prefix_lengths(624, 625, 3, 2048) == [624, 625]
    assert _prefix_lengths(624, 640, 3, 2048) == [637]
    assert _prefix_lengths(4, 10, 7, 100) == [4, 10]
    assert _prefix_lengths(5, 4, 1, 100) == []


def test_twisters_come_before_states_that_are_tried_one_by_one():
    slow = [family.name for family in FAMILIES if family.slow]
    assert slow.index("mersenne-twister") < slow.index("small-state") < slow.index("scrambled")


@pytest.mark.slow
def test_pythons_uniform_is_left_to_no_solver(monkeypatch):
    """5 + 10 u has lost some low bits: no exact fractions, and too many for a solver of short streams."""
    chance = random.Random(3)
    numbers = [chance.uniform(5, 15) for _ in range(1310)]
    solved = []
    monkeypatch.setattr(scrambled, "find_words", lambda *given, **named: solved.append(given))
    verdict = unrandom.audit(numbers[:1300], max_seconds=PATIENT)
    assert isinstance(verdict, Predictable), verdict.text()
    assert verdict.form == "5 + 10 x"
    assert verdict.next == numbers[1300:]
    assert solved == []
