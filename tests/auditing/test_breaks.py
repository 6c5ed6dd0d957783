"""Outputs lost, changed or inserted, and new seeds: the generator is followed beyond them, and predicts."""

import random

import pytest

import unrandom
from unrandom.auditing.verdict import Break, NotPredicted, Predictable, TooFew

LCG = unrandom.LCG(m=2**32, a=1664525, c=1013904223)


def audited(numbers, **options):
    verdict = unrandom.audit(numbers, **options)
    assert isinstance(verdict, Predictable), verdict.text()
    return verdict


@pytest.mark.slow
@pytest.mark.parametrize("at", [60, 150])
@pytest.mark.parametrize("lost", [1, 7, 3000])
def test_lost_outputs(at, lost):
    states = LCG.orbit(5, 300 + lost)
    verdict = audited(states[:at] + states[at + lost : 290 + lost])
    assert verdict.verdict == "predictable up to a break"
    assert verdict.breaks == [Break(at, 0, lost)]
    assert verdict.next == states[290 + lost :]
    assert (verdict.first, verdict.last) == (1, 290)
    assert f"after output {at}, {lost} output" in verdict.text()


def test_a_changed_an_inserted_and_a_lost_output():
    states = LCG.orbit(5, 400)
    given = [*states[:100], 17, *states[101:200], 18, *states[200:300], *states[301:390]]
    verdict = audited(given)
    assert verdict.breaks == [Break(100, 1, 1), Break(200, 1, 0), Break(301, 0, 1)]
    assert verdict.next == states[390:400]


@pytest.mark.slow
def test_outputs_lost_among_the_first_ones():
    """The search begins at a later output; the generator is followed backwards, too."""
    states = LCG.orbit(5, 400)
    given = [x for i, x in enumerate(states[:390]) if i not in (2, 4, 6)]
    verdict = audited(given)
    assert verdict.next == states[390:]
    assert verdict.last == 387
    chance = random.Random(1)
    words = [chance.getrandbits(32) for _ in range(3010)]
    verdict = audited([x for i, x in enumerate(words[:3000]) if i not in (100, 777, 1500)], family="mersenne-twister")
    assert verdict.next == words[3000:]
    assert [one.after for one in verdict.breaks] == [100, 776, 1498]


@pytest.mark.slow
def test_a_new_seed():
    verdict = audited([*LCG.orbit(5, 200), *LCG.orbit(77, 200)])
    assert verdict.breaks == [Break(200, reseeded=True)]
    assert verdict.next == LCG.orbit(77, 210)[200:]
    assert "after output 200 the generator has another state" in verdict.text()


@pytest.mark.slow
def test_another_source_after_the_break_is_not_predicted():
    noise = [random.SystemRandom().getrandbits(32) for _ in range(200)]
    verdict = audited([*LCG.orbit(5, 200), *noise], max_seconds=5.0)
    assert verdict.verdict == "predictable up to a break"
    assert (verdict.first, verdict.last, verdict.next) == (1, 200, [])
    assert "collect more outputs after it" in verdict.advice


@pytest.mark.slow
def test_too_few_outputs_are_no_comfort():
    chance = random.Random(1)
    words = [chance.getrandbits(32) for _ in range(600)]
    verdict = unrandom.audit(words, family="mersenne-twister")
    assert isinstance(verdict, TooFew)
    needed = verdict.needed[0]
    assert (needed.family, needed.outputs, needed.more) == ("mersenne-twister", 626, 26)
    assert verdict.to_json()["needed"][0]["more"] == 26
    assert "Collect at least 26 more outputs" in verdict.text().splitlines()[-1]
    counter = unrandom.audit(range(1, 200, 5))
    assert isinstance(counter, TooFew)
    assert counter.candidates[0].next[0] == 201


def test_a_verdict_ends_with_advice():
    secure = random.SystemRandom()
    verdict = unrandom.audit([secure.getrandbits(64) for _ in range(1500)], family="xoshiro")
    assert isinstance(verdict, NotPredicted)
    assert verdict.text().splitlines()[-1] == verdict.to_json()["advice"]
    assert verdict.to_json()["exit_status"] == 0
