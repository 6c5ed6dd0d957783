"""The target, the race of two arms to it, the ratios, the rule that makes a record, and the saved records."""

import math
from dataclasses import replace

import pytest

from unrandom.core.errors import NonFiniteLoss, RunsFailed, UserError
from unrandom.experiments.speedrun import race as race_module
from unrandom.experiments.speedrun.race import Arm, Attempt, Pairing, race, ratios, why_no_record
from unrandom.experiments.speedrun.records import add_entry, changes, outcome, pair, read_records, standing
from unrandom.experiments.speedrun.tracks import TRACKS, Track, hash_of_test
from unrandom.runs.running import worker as worker_module
from unrandom.runs.running.worker import Outcome, WorkerOptions


@pytest.fixture
def small(tiny) -> Track:
    """A track that any model reaches at its sixth step, with a check every two steps."""
    made = Track(
        name="small",
        about="a test",
        house=lambda: tiny,
        target="six steps were made",
        met=lambda line: line["step"] >= 6,
        check_every=32,
        test_sequences=16,
        seeds=2,
        test="",
    )
    return replace(made, test=hash_of_test(made.prepared(tiny, 0)))


@pytest.fixture
def faster(tiny):
    return tiny.override(["optimizer.lr=0.01"])


@pytest.mark.parametrize("track", TRACKS.values(), ids=TRACKS)
def test_the_test_of_a_track_is_frozen(track):
    track.validate(track.house())
    assert hash_of_test(track.prepared(track.house(), 0)) == hash_of_test(track.prepared(track.house(), 7))


@pytest.mark.parametrize(
    "assignment",
    ["data.context=10", "data.n_test_a=3", "data.modulus=128", "data.hold_out=pairs", "data.n_test_c=7"],
)
def test_a_candidate_with_another_test_is_refused(small, tiny, assignment):
    small.validate(tiny.override(["optimizer.lr=0.1", "batch_size=8", "data.full_period_share=0.5", "seed=3"]))
    with pytest.raises(UserError, match="the test would differ from the track small"):
        small.validate(tiny.override([assignment]))


def test_a_candidate_cannot_begin_with_trained_weights(small, tiny):
    start = {"recipe": "tiny", "config": tiny.to_json()}
    with pytest.raises(UserError, match="begins with random weights"):
        small.validate(type(tiny).parse({**tiny.to_json(), "start": start}))


def test_a_candidate_with_too_few_steps_is_refused(small, tiny):
    small.validate(tiny.override(["steps=6"]))
    with pytest.raises(UserError, match="steps=6 is the least"):
        small.validate(tiny.override(["steps=5"]))


def test_the_first_of_three_checks_in_a_row_counts(small):
    small = replace(small, met=lambda line: line["test_loss"] >= 0)

    def lines(*losses: float) -> list[dict]:
        return [{"step": 2 * (i + 1), "test_loss": loss} for i, loss in enumerate(losses)]

    assert small.reached(lines(-1, 1, 1, 1), 2) == 4
    assert small.reached(lines(1, 1, -1, 1, 1), 2) is None
    assert small.reached(lines(1, 1, -1, 1, 1, 1, 1), 2) == 8
    off_the_grid = [*lines(1, 1), {"step": 5, "test_loss": 1.0}]  # like the last line of some runs
    assert small.reached(off_the_grid, 2) is None


def test_the_target_is_met_from_above():
    assert TRACKS["fm-256"].met({"last_number_accuracy": 0.99})
    assert not TRACKS["fm-256"].met({"last_number_accuracy": 0.9899})


def test_steps_between_checks_follow_from_sequences(small, tiny):
    assert small.prepared(tiny, 0).evaluate_every == 2
    assert small.prepared(tiny.override(["batch_size=8"]), 0).evaluate_every == 4
    assert small.prepared(tiny.override(["batch_size=20"]), 0).evaluate_every == 2


def test_both_arms_are_trained_to_the_target(small, tiny, faster, tmp_path):
    arms = race(Pairing(small, faster, "house", tiny), range(2), WorkerOptions(tmp_path))
    assert arms is not None
    assert [(a.seed, a.reached, a.steps) for a in arms[0].attempts] == [(0, True, 6), (1, True, 6)]
    assert {a.flops for arm in arms for a in arm.attempts} == {6 * tiny.step_flops}
    assert {a.more_than for a in arms[1].attempts} == {4 * tiny.step_flops}
    lines = (tmp_path / small.runs(tiny, [0])[0].id / "metrics.jsonl").read_text().splitlines()
    assert len(lines) == 5  # not six: training stopped at the target
    again = race(Pairing(small, faster, "house", tiny), range(2), WorkerOptions(tmp_path))
    assert again == arms  # nothing is trained again
    assert "with the record one check earlier, is not wholly below 1" in why_no_record(*arms, 2)


def test_the_arms_take_turns(small, tiny, faster, tmp_path, monkeypatch):
    order = []
    monkeypatch.setattr(race_module, "_train", lambda track, run, options: not order.append(run.id))
    monkeypatch.setattr(race_module, "_attempt", lambda track, run, path: _arm(100).attempts[0])
    race(Pairing(small, faster, "house", tiny), range(3), WorkerOptions(tmp_path))
    a, b = ([run.id for run in small.runs(config, range(3))] for config in (faster, tiny))
    assert order == [a[0], b[0], b[1], a[1], a[2], b[2]]


def test_a_race_that_ran_out_of_time_is_continued(small, tiny, faster, tmp_path):
    pairing = Pairing(replace(small, met=lambda line: False), faster, "house", tiny)
    assert race(pairing, range(2), WorkerOptions(tmp_path, deadline=1.0)) is None
    arms = race(pairing, range(2), WorkerOptions(tmp_path))
    assert arms is not None
    assert not any(a.reached for arm in arms for a in arm.attempts)
    assert {a.steps for a in arms[0].attempts} == {tiny.steps}
    assert ratios(*arms) is None
    assert arms[0].expected_flops is None
    assert "under 0 of 2 seeds" in why_no_record(*arms, 2)


def test_a_run_that_diverges_has_not_reached_the_target(small, tiny, tmp_path):
    candidate = tiny.override(["optimizer.muon_lr=1000", "optimizer.lr=1000", "gradient_clip=none", "warmup_steps=0"])
    track = replace(small, met=lambda line: line["learning_rate"] < 1)
    arms = race(Pairing(track, candidate, "house", tiny), range(1), WorkerOptions(tmp_path))
    assert arms is not None
    assert [arm.attempts[0].reached for arm in arms] == [False, True]


def test_a_run_that_diverges_at_once_is_charged_up_to_the_first_check(small, tiny, faster, tmp_path, monkeypatch):
    def broken(*_, **__):
        raise NonFiniteLoss("the loss is nan at step 1")

    monkeypatch.setattr(worker_module, "execute", broken)
    arms = race(Pairing(small, faster, "house", tiny), range(1), WorkerOptions(tmp_path))
    assert arms is not None
    (attempt,) = arms[0].attempts
    assert (attempt.reached, attempt.steps, attempt.flops) == (False, 2, 2 * tiny.step_flops)


def test_another_failure_ends_the_race(small, tiny, faster, tmp_path, monkeypatch):
    monkeypatch.setattr(race_module, "run_job", lambda job, options, stop: [Outcome("x", "failed", "it fell over")])
    with pytest.raises(RunsFailed, match="x failed: it fell over"):
        race(Pairing(small, faster, "house", tiny), range(1), WorkerOptions(tmp_path))


def test_a_failure_other_than_divergence_is_retried(small, tiny, faster, tmp_path, monkeypatch):
    real = worker_module.execute
    monkeypatch.setattr(worker_module, "execute", lambda *_, **__: 1 / 0)
    with pytest.raises(RunsFailed):
        race(Pairing(small, faster, "house", tiny), range(1), WorkerOptions(tmp_path))
    monkeypatch.setattr(worker_module, "execute", real)
    arms = race(Pairing(small, faster, "house", tiny), range(1), WorkerOptions(tmp_path))
    assert arms is not None
    assert arms[0].attempts[0].reached


def _arm(*flops: int, missed: tuple[int, ...] = (), made_by: str = "here") -> Arm:
    return Arm.of(
        [
            Attempt(
                seed=seed,
                reached=seed not in missed,
                steps=each // 10,
                flops=each,
                seconds=each / 100,
                more_than=each - 20,
                made_by=made_by,
            )
            for seed, each in enumerate(flops)
        ]
    )


def test_ratios_are_geometric_means_with_students_interval():
    found = ratios(_arm(100, 200, 400), _arm(200, 400, 1600))
    assert found["flops"].value == pytest.approx(2 ** (-4 / 3), abs=1e-4)
    logs = [math.log(0.5), math.log(0.5), math.log(0.25)]
    spread = math.sqrt(sum((x - sum(logs) / 3) ** 2 for x in logs) / 2 / 3) * 4.302653  # Student's t, 2 degrees
    assert found["flops"].low == pytest.approx(2 ** (-4 / 3) * math.exp(-spread), abs=1e-4)
    assert found["flops"].high == pytest.approx(2 ** (-4 / 3) * math.exp(spread), abs=1e-4)


def test_reasons_against_a_record():
    better = _arm(100, 100, 110)
    assert why_no_record(better, _arm(400, 420, 400), 3) is None
    assert why_no_record(better, _arm(400, 400, 400), 5) == "3 seeds were run, and a record needs 5"
    assert "is not wholly below 1" in why_no_record(better, _arm(90, 100, 500), 3)
    assert "is not wholly below 1" in why_no_record(_arm(100), _arm(400), 1)  # a single seed has no interval
    assert "it reached the target under 2 of 3" in why_no_record(_arm(1, 1, 1, missed=(2,)), _arm(400, 400, 400), 3)
    assert "the record reached the target under 2 of 3" in why_no_record(better, _arm(1, 1, 1, missed=(2,)), 3)
    other = _arm(400, 420, 400, made_by="there")
    assert "made in different ways: here; there" in why_no_record(better, other, 3)


def test_a_record_is_credited_with_one_check_less():
    candidate = _arm(95, 95, 95)
    assert ratios(candidate, _arm(100, 100, 100))["flops"].high == pytest.approx(0.95)
    assert "with the record one check earlier" in why_no_record(candidate, _arm(100, 100, 100), 3)


def test_a_record_replaces_the_last_one_and_other_races_are_kept(small, tiny, faster, tmp_path):
    assert standing(small, tmp_path) == ("house", tiny)
    arms = _arm(100, 100, 110), _arm(400, 420, 400)
    first = pair(small, ["optimizer.lr=0.01"], tmp_path)
    assert first == Pairing(small, faster, "house", tiny)
    path = add_entry(first, "faster", "a higher\nrate", outcome(first, *arms), tmp_path)
    path.write_text(path.read_text().rstrip("\n"))  # a last line without a line end stays a line
    assert standing(small, tmp_path) == ("faster", faster)
    second = pair(small, ["batch_size=8"], tmp_path)
    add_entry(second, "slower", "a smaller batch", outcome(second, *arms[::-1]), tmp_path)
    assert standing(small, tmp_path) == ("faster", faster)
    one, two = read_records(small, tmp_path)
    assert (one["is_record"], two["is_record"]) == (True, False)
    assert (one["changed"], one["changes"]) == ("a higher rate", {"optimizer.lr": [0.003, 0.01]})
    with pytest.raises(UserError, match="already has an entry called 'faster'"):
        add_entry(first, "faster", "again", outcome(first, *arms), tmp_path)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "line 1 is not JSON that can be read"),
        ("5", "line 1: "),
        ("{}", "line 1: name"),
        ('{"ratios": 5}', "line 1: "),
    ],
)
def test_an_invalid_line_is_reported(small, tmp_path, line, said):
    (tmp_path / "records").mkdir()
    (tmp_path / "records" / "small.jsonl").write_text(line + "\n")
    with pytest.raises(UserError, match=said):
        read_records(small, tmp_path)


def test_settings_of_the_track_are_not_listed_as_changes(small, tiny):
    assert changes(tiny, small.prepared(tiny, 5).override(["steps=9"])) == {"steps": [12, 9]}
