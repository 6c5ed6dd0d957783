"""The benchmark of audits compares predictions with what follows; that of false positives goes on where it stopped."""

import json

import pytest

from unrandom.auditing.benchmark import audits as bench
from unrandom.auditing.benchmark.audits import bench_audit
from unrandom.auditing.benchmark.false_positives import FORMS, SOURCES, UNEVEN, Source, bench_false_positives, predicted
from unrandom.auditing.benchmark.peers import PEERS, compare
from unrandom.auditing.benchmark.printed import Printed
from unrandom.auditing.benchmark.rows import PRINTED
from unrandom.auditing.proof import SIGNIFICANCE_BITS
from unrandom.core.errors import UserError


def test_rows_have_different_names():
    names = [(one.program, one.form) for one in PRINTED]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("printed", [one for one in PRINTED if one.length <= 120], ids=lambda one: one.program)
def test_streams_go_on_and_depend_on_the_seed(printed):
    numbers, following = printed.numbers(1, 10)
    assert (len(numbers), len(following)) == (printed.length, 10)
    assert printed.numbers(1, 10) == (numbers, following)
    assert printed.numbers(2, 10)[0] != numbers


@pytest.mark.slow
def test_a_row(tmp_path):
    path = tmp_path / "audits.json"
    results = bench_audit(3, "minstd", path)
    assert json.loads(path.read_text()) == results
    (row,) = results["audits"].values()
    assert (row["predicted"], row["wrong"], row["runs"]) == (3, 0, 3)
    assert row["families"] == ["lcg"]
    assert row["needed"] == [5, 5]
    assert row["with_proof"][0] > 5
    assert row["memory_mb"] > 10
    watched = []
    bench_audit(1, "lrand48", path, watched.append)
    assert len(watched) == 2  # the row, and its fewest outputs
    assert len(json.loads(path.read_text())["audits"]) == 2
    bench_audit(1, "lrand48", path, watched.append)
    assert len(watched) == 2


def test_wrong_predictions_are_counted(monkeypatch):
    start = next(one for one in PRINTED if one.form == "`minstd_rand`").start

    def other_after_fifty(chance):
        yield from (next(stream) for stream in [start(chance)] for _ in range(50))
        yield from iter(lambda: 7, None)

    monkeypatch.setattr(bench, "PRINTED", [Printed("a program", "that changes", 50, other_after_fifty)])
    row = bench._audited(0, 2)
    assert (row["predicted"], row["wrong"]) == (2, 2)


def test_the_fewest_outputs_of_a_candidate_and_of_a_proof():
    row = next(i for i, one in enumerate(PRINTED) if one.form == "`minstd_rand`")
    few = bench._fewest(row, "lcg")
    assert 3 <= few["candidate"][0] <= few["candidate"][1] <= few["proof"][1] <= PRINTED[row].length
    assert few["candidate"][0] <= few["proof"][0] < 12
    numbers, following = PRINTED[row].numbers(0, 10)
    continued = [*numbers, *following]
    assert bench._answer(continued[:12], continued[12:22], "lcg", 30.0) == bench.PROOF
    assert bench._answer(continued[:12], continued[13:23], "lcg", 30.0) == bench.NOTHING
    assert bench._answer(continued[:2], continued[2:12], "lcg", 30.0) == bench.NOTHING


@pytest.mark.slow
def test_peers_are_right_or_not_installed():
    for name in PEERS:
        row = compare(name, 1)
        assert not row["installed"] or row["right"] == 1


def test_sources_are_uniform_and_repeatable():
    for name, keyed in SOURCES.items():
        numbers = [Source(keyed(bytes(32))).getrandbits(4096 * 8 * 3) for _ in range(2)]
        assert (numbers[0] == numbers[1]) == (name != "os.urandom")
        assert abs(numbers[0].bit_count() - 4096 * 12) < 1000
    assert len(FORMS) == 20


@pytest.mark.slow
def test_short_streams_and_their_candidates(tmp_path):
    path, watched = tmp_path / "short.json", []
    done = bench_false_positives(2, 0.02, path, watched.append, short=True)
    assert watched == [1, 2]
    assert (done["lengths"][0], done["lengths"][-1]) == (3, 30)
    assert list(done["candidates"]) == [*FORMS, *UNEVEN]
    for one in done["candidates"].values():
        assert 0 <= one["streams"] <= 2
        assert (one["most_bits"] > 0) == (one["streams"] > 0)
        assert one["most_bits"] < SIGNIFICANCE_BITS
    assert predicted(done) == []
    with pytest.raises(UserError, match=r"short\.json was made with --short; use another file"):
        bench_false_positives(5, 0.02, path, watched.append)


@pytest.mark.slow
def test_false_positives_go_on(tmp_path):
    path, watched = tmp_path / "false_positives.json", []
    bench_false_positives(1, 0.02, path, watched.append)
    done = bench_false_positives(2, 0.02, path, watched.append)
    assert watched == [1, 2]
    assert done == json.loads(path.read_text())
    assert sum(sum(form.values()) for source in done["verdicts"].values() for form in source.values()) == 40
    assert predicted(done) == []
    done["verdicts"]["SHA-256"]["dice"]["predictable up to a break"] = 2
    assert predicted(done) == ["SHA-256, dice: 2 predictable up to a break"]
    with pytest.raises(UserError, match=r"made with --max-seconds 0.02"):
        bench_false_positives(3, 1.0, path, watched.append)
