"""Likely seeds are few enough to be tried unasked, and what matches them by chance is not listed."""

import random
import time

import numpy as np
import pytest

from unrandom.auditing.deadline import Deadline
from unrandom.auditing.verdict import NotPredicted, TooFew

pytest.importorskip("numba", reason="2026-11-23: the extra fast is not installed")

from unrandom.auditing.conclusion import unpredicted
from unrandom.auditing.forms.assumed import Assumed
from unrandom.auditing.forms.form import Form
from unrandom.auditing.forms.interpretations import interpretations
from unrandom.auditing.forms.shown import Cycle, Fractions, Normals, Range, Words
from unrandom.auditing.forms.stream import Stream
from unrandom.auditing.reading.values import numbers_of_values
from unrandom.auditing.search import Search
from unrandom.auditing.seeds import compiled
from unrandom.auditing.seeds.by_trial import SeedSearch
from unrandom.auditing.seeds.likely import PATIENCE, likely_spans
from unrandom.auditing.seeds.spans import Span

DAY = 86400


def search(numbers, spans, **about):
    found = SeedSearch(interpretations(numbers_of_values(numbers), Assumed()), spans, Deadline(100.0), **about)
    found.run()
    return found


def verdict_after(found):
    """The verdict if no family is tried after the seeds."""
    search = Search([], Deadline(100.0))
    assert found.entered(search) is None
    return unpredicted(search, found.streams[0], len(found.streams[0]), [])


def holds(spans, seed, per_second):
    return any(span.start <= seed < span.end and span.per_second == per_second for span in spans)


def test_likely_spans():
    now = time.time()
    spans = likely_spans()
    assert spans[0] == Span(0, 100001)
    assert holds(spans, int(now), 1)
    assert holds(spans, int(now) - 29 * DAY, 1)
    for written in (now, now - 100 * DAY, now - 30 * DAY):
        spans = likely_spans(written)
        assert holds(spans, int(written) - 1500, 1)
        assert holds(spans, int(1000 * written) - 1_500_000, 1000)
        assert sum(len(span) for span in spans) < 6e6
        seconds = [seed for span in spans if span.per_second == 1 for seed in range(span.start, span.end)]
        assert len(seconds) == len(set(seconds))
    for odd in (-5.0, 0.0, 1e300):
        assert likely_spans(odd)[:1] == spans[:1]


def test_a_seed_of_this_month():
    seed = int(time.time()) - 12345
    chance = random.Random(seed)
    numbers = [chance.randrange(1000) for _ in range(30)]
    spans = [Span(0, 100), Span(seed - 1000, seed + 1000, 1)]
    found = search(numbers, spans, patience=PATIENCE).found
    assert found.generator.parameters["seed"] == seed
    assert found.generator.parameters["unit"] == "seconds since 1970"


@pytest.mark.slow
def test_what_matches_by_chance_is_listed_only_if_the_user_asks():
    numbers = [1, 5, 3]
    for patience in (None, PATIENCE):
        found = search(numbers, [Span(0, 3000)], patience=patience)
        verdict = verdict_after(found)
        assert found.count > 100
        assert isinstance(verdict, TooFew if patience is None else NotPredicted)
        assert any("by chance" in note for note in verdict.notes) == (patience is None)


def test_evidence_is_listed_with_what_comes_next():
    chance = random.Random(42)
    numbers = [chance.randrange(1000) for _ in range(7)]
    found = search(numbers[:5], [Span(0, 500)], patience=PATIENCE)
    verdict = verdict_after(found)
    first = verdict.candidates[0]
    assert first.parameters["seed"] == 42
    assert first.next[:2] == numbers[5:]
    assert first.bits == pytest.approx(found.unproven[0].bits, abs=0.1)
    assert 20 < first.bits < 40
    assert f"{first.bits:.0f} of the 40 bits of a proof" in " ".join(verdict.notes)


def test_little_time_is_no_error():
    numbers = [random.SystemRandom().random() for _ in range(5)]
    found = search(numbers, [Span(0, 100), Span(0, 2**40)], patience=0.2)
    assert found.tried[0].result == "no, as far as there was time"


def test_the_user_is_told_if_no_program_makes_such_numbers():
    asked = search([2**70, 2**70 + 5**20, 3**41], [Span(0, 10)])
    asked.trials.clear()
    assert verdict_after(asked).notes[-1] == "no seeds were tried: such numbers are compared with no program"


ODD = {
    "no fractions": Stream(np.zeros(0), Form("fraction"), Fractions(np.zeros(0))),
    "no words": Stream(np.zeros(0, dtype=np.uint64), Form("whole"), Words(8)),
    "Python's integers": Stream(np.array([2**63 + 1, 5], dtype=object), Form("whole"), Words(64)),
    "wide integers": Stream(np.array([2**200, 5], dtype=object), Form("whole"), Words(201)),
    "a range of 2^64": Stream(np.array([1, 2, 3], dtype=np.uint64), Form("whole"), Range(2**64, 2)),
    "a range of 2^70": Stream(np.array([1, 2, 3], dtype=np.uint64), Form("whole"), Range(2**70, 2)),
    "a range of 1": Stream(np.array([0, 0, 0], dtype=np.uint64), Form("whole"), Range(1, 1)),
    "a cycle with a range of 1": Stream(np.array([0, 2, 0, 4], dtype=np.uint64), Form("whole"), Cycle((1, 5), 3)),
    "a cycle with a large range": Stream(np.array([9, 2, 7, 4], dtype=np.uint64), Form("whole"), Cycle((2**40, 5), 40)),
    "0 and 1": Stream(np.array([0.0, 1.0]), Form("fraction"), Fractions(np.zeros(2))),
    "fractions of which nothing is known": Stream(np.array([0.0, 1.0]), Form("fraction"), Fractions(np.ones(2))),
    "deviates of 0": Stream(np.array([0.0, 1.0, 0.0]), Form("fraction"), Normals(np.zeros(3))),
    "no known outputs": Stream(
        np.array([5, 1], dtype=np.uint64), Form("whole"), Words(4), known=np.array([False, False])
    ),
    "one known output": Stream(
        np.array([5, 1], dtype=np.uint64), Form("whole"), Range(9, 4), known=np.array([False, True])
    ),
    "known fractions": Stream(
        np.array([0.5, 0.1]), Form("fraction"), Fractions(np.zeros(2)), known=np.array([False, True])
    ),
}  # fmt: skip


@pytest.mark.parametrize("stream", ODD.values(), ids=ODD)
def test_odd_streams(stream):
    found = SeedSearch([stream], [Span(0, 200), Span(2**32 - 50, 2**32 + 50)], Deadline(100.0))
    assert found.run() is None
    verdict_after(found).text()


def test_functions_are_compiled_without_a_place_to_keep_them(monkeypatch):
    compiling = compiled.numba.njit

    def without_a_place(function, **options):
        if options.get("cache"):
            raise RuntimeError("no locator available")
        return compiling(function, **options)

    monkeypatch.setattr(compiled.numba, "njit", without_a_place)
    assert compiled.compiled(lambda x: x + 1)(2) == 3
