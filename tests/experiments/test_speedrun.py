"""A track's target, the race of two arms to it, the ratios and the rule that makes a record."""

import math
from dataclasses import replace

import pytest

from unrandom.core.errors import NonFiniteLoss, RunsFailed, UserError
from unrandom.experiments.speedrun import race as race_module
from unrandom.experiments.speedrun.catalogue import TRACKS, track
from unrandom.experiments.speedrun.race import Arm, Attempt, Pairing, race, ratios, why_no_record
from unrandom.experiments.speedrun.records import (
    add_entry,
    changes,
    configuration_of,
    outcome,
    read_records,
    record_to_beat,
)
from unrandom.experiments.speedrun.tracks import Target, Track, hash_of_test
from unrandom.runs.running import worker as worker_module
from unrandom.runs.running.worker import Outcome, WorkerOptions


@pytest.fixture
def small(tiny) -> Track:
    """A track that any model reaches at its sixth step, with a check every two steps."""
    target = Target("six steps were made", lambda line: line["step"] >= 6)
    made = Track(
        "small", "a test", lambda: tiny, lambda: tiny, target, check_every=32, test_sequences=16, seeds=2, test=""
    )
    return replace(made, test=hash_of_test(made.prepared(tiny, 0)))


@pytest.fixture
def never(small) -> Track:
    return replace(small, target=Target("nothing does", lambda line: False))


@pytest.mark.parametrize("name", TRACKS)
def test_the_tests_of_the_tracks_are_frozen(name):
    chosen = TRACKS[name]
    chosen.validate(chosen.paper())
    chosen.validate(chosen.house())
    assert chosen.kind(chosen.paper()) == "neutral"
    assert hash_of_test(chosen.prepared(chosen.paper(), 0)) == hash_of_test(chosen.prepared(chosen.paper(), 7))


@pytest.mark.parametrize(
    "assignment",
    ["data.context=10", "data.n_test_a=3", "data.modulus=128", "data.hold_out=pairs", "data.n_test_c=7"],
)
def test_a_candidate_with_another_test_is_refused(small, tiny, assignment):
    small.validate(tiny.override(["optimizer.lr=0.1", "batch_size=8", "data.full_period_share=0.5", "seed=3"]))
    with pytest.raises(UserError, match="the test would not be that of the track small"):
        small.validate(tiny.override([assignment]))


def test_a_candidate_cannot_begin_with_trained_weights(small, tiny):
    start = {"recipe": "tiny", "config": tiny.to_json()}
    with pytest.raises(UserError, match="begins with random weights"):
        small.validate(type(tiny).parse({**tiny.to_json(), "start": start}))


def test_an_unknown_track_names_the_near_misses():
    with pytest.raises(UserError, match="near misses: fm-256"):
        track("fm-255")


def test_the_class_follows_from_what_was_changed(small, tiny):
    assert small.kind(tiny.override(["optimizer.name=adamw", "steps=3", "data.full_period_share=1"])) == "neutral"
    assert small.kind(tiny.override(["batch_size=8"])) == "open"
    assert small.kind(tiny.override(["model.positions=rotary"])) == "open"


def test_the_first_of_three_checks_in_a_row_counts(small):
    small = replace(small, target=Target("a number", lambda line: line["test_loss"] >= 0))

    def lines(*losses: float) -> list[dict]:
        return [{"step": 2 * (i + 1), "test_loss": loss} for i, loss in enumerate(losses)]

    assert small.reached(lines(-1, 1, 1, 1), 2) == 4
    assert small.reached(lines(1, 1, -1, 1, 1), 2) is None
    assert small.reached(lines(1, 1, -1, 1, 1, 1, 1), 2) == 8
    off_the_grid = [*lines(1, 1), {"step": 5, "test_loss": 1.0}]  # like the last line of some runs
    assert small.reached(off_the_grid, 2) is None


@pytest.mark.parametrize(
    ("name", "least", "moduli"),
    [
        ("fm-256", 0.99, ()),
        ("fm-2048", 0.99, ()),
        ("um-128", 0.9, (108, 125, 128)),
        ("um-2048", 0.9, (1800, 2048, 2352)),
    ],
)
def test_a_target_of_the_last_number_is_met_from_above(name, least, moduli):
    met = TRACKS[name].target.met

    def line(accuracy: float) -> dict:
        tested = {
            str(m): {"last_number_accuracy": accuracy + shift}
            for m, shift in zip(moduli, (0.05, -0.05, 0), strict=False)
        }
        return {"last_number_accuracy": accuracy, "test_moduli": {"127": {"last_number_accuracy": 0.0}, **tested}}

    assert met(line(least + 1e-6))
    assert not met(line(least - 1e-6))


@pytest.mark.parametrize(("name", "most"), [("fm-4096", 86), ("fm-65536", 256)])
def test_a_target_of_numbers_needed_is_met_up_to_it(name, most):
    met = TRACKS[name].target.met
    assert [met({"numbers_needed": {"0.99": needed}}) for needed in (most, most + 1, None)] == [True, False, False]


def test_steps_between_checks_follow_from_sequences(small, tiny):
    assert small.prepared(tiny, 0).evaluate_every == 2
    assert small.prepared(tiny.override(["batch_size=8"]), 0).evaluate_every == 4
    assert small.prepared(tiny.override(["batch_size=20"]), 0).evaluate_every == 2


@pytest.mark.parametrize("pack", [1, 2])
def test_both_arms_are_trained_to_the_target(small, tiny, tmp_path, pack):
    candidate = tiny.override(["optimizer.lr=0.01"])
    arms = race(Pairing(small, candidate, "paper", tiny), range(2), WorkerOptions(tmp_path), pack)
    assert arms is not None
    assert [(a.seed, a.reached, a.steps) for a in arms[0].attempts] == [(0, True, 6), (1, True, 6)]
    assert {a.flops for arm in arms for a in arm.attempts} == {6 * tiny.step_flops}
    assert {a.more_than for a in arms[1].attempts} == {4 * tiny.step_flops}
    lines = (tmp_path / small.runs(tiny, [0])[0].id / "metrics.jsonl").read_text().splitlines()
    assert len(lines) == 5  # not six: training stopped at the target
    assert (
        race(Pairing(small, candidate, "paper", tiny), range(2), WorkerOptions(tmp_path), pack) == arms
    )  # nothing is trained again
    assert (
        why_no_record(*arms, 2)
        == "the interval of the ratio of training FLOPs, with the record one check earlier, is not wholly below 1"
    )


def test_the_arms_take_turns(small, tiny, tmp_path, monkeypatch):
    order = []
    monkeypatch.setattr(race_module, "_train", lambda track, runs, options: not order.append([r.id for r in runs]))
    monkeypatch.setattr(race_module, "_attempt", lambda track, run, path: _arm(100).attempts[0])
    candidate = tiny.override(["optimizer.lr=0.01"])
    race(Pairing(small, candidate, "paper", tiny), range(3), WorkerOptions(tmp_path))
    a, b = ([run.id for run in small.runs(config, range(3))] for config in (candidate, tiny))
    assert [each for (each,) in order] == [a[0], b[0], b[1], a[1], a[2], b[2]]


def test_a_race_that_ran_out_of_time_is_continued(never, tiny, tmp_path):
    candidate = tiny.override(["optimizer.lr=0.01"])
    assert race(Pairing(never, candidate, "paper", tiny), range(2), WorkerOptions(tmp_path, deadline=1.0)) is None
    arms = race(Pairing(never, candidate, "paper", tiny), range(2), WorkerOptions(tmp_path))
    assert arms is not None
    assert not any(a.reached for arm in arms for a in arm.attempts)
    assert {a.steps for a in arms[0].attempts} == {tiny.steps}
    assert ratios(*arms) is None
    assert arms[0].expected_flops is None
    assert "under 0 of 2 seeds" in why_no_record(*arms, 2)


def test_a_run_that_diverges_has_not_reached_the_target(small, tiny, tmp_path):
    candidate = tiny.override(["optimizer.muon_lr=1000", "optimizer.lr=1000", "gradient_clip=none", "warmup_steps=0"])
    target = Target("a rate", lambda line: line["learning_rate"] < 1)
    arms = race(Pairing(replace(small, target=target), candidate, "paper", tiny), range(1), WorkerOptions(tmp_path))
    assert arms is not None
    assert [arm.attempts[0].reached for arm in arms] == [False, True]


def test_another_failure_ends_the_race(small, tiny, tmp_path, monkeypatch):
    monkeypatch.setattr(race_module, "run_job", lambda job, options, stop: [Outcome("x", "failed", "it fell over")])
    with pytest.raises(RunsFailed, match="x failed: it fell over"):
        race(Pairing(small, tiny.override(["optimizer.lr=0.01"]), "paper", tiny), range(1), WorkerOptions(tmp_path))


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
    assert found["flops"].value == pytest.approx(2 ** (-4 / 3))
    logs = [math.log(0.5), math.log(0.5), math.log(0.25)]
    spread = math.sqrt(sum((x - sum(logs) / 3) ** 2 for x in logs) / 2 / 3) * 4.302653  # Student's t, 2 degrees
    assert found["flops"].low == pytest.approx(2 ** (-4 / 3) * math.exp(-spread), rel=1e-5)
    assert found["flops"].high == pytest.approx(2 ** (-4 / 3) * math.exp(spread), rel=1e-5)
    assert not found["flops"].at_most


def test_a_record_that_did_not_reach_the_target_gives_a_bound():
    arms = _arm(100, 100, 110), _arm(400, 420, 400, missed=(1,))
    assert ratios(*arms)["flops"].at_most
    assert ratios(*arms)["flops"].low is None
    assert why_no_record(*arms, 3) is None
    assert arms[1].expected_flops == 1220 / 2


def test_reasons_against_a_record():
    better = _arm(100, 100, 110)
    assert why_no_record(better, _arm(400, 400, 400), 5) == "3 seeds were run, and a record of this track needs 5"
    assert "is not wholly below 1" in why_no_record(better, _arm(90, 100, 500), 3)
    assert "is not wholly below 1" in why_no_record(_arm(100), _arm(400), 1)  # a single seed has no interval
    assert "under 2 of 3 seeds" in why_no_record(_arm(100, 100, 100, missed=(2,)), _arm(400, 400, 400), 3)


def test_races_are_saved_line_by_line(small, tiny, tmp_path):
    assert (record_to_beat(small, "neutral", tmp_path), record_to_beat(small, "open", tmp_path)) == ("paper", "house")
    assert configuration_of(small, "paper", tmp_path) == tiny
    faster = tiny.override(["optimizer.lr=0.01"])
    arms = _arm(100, 100, 110), _arm(400, 420, 400)
    higher = Pairing(small, faster, "paper", tiny)
    made = outcome(higher, *arms, tmp_path)
    add_entry(higher, "faster", "a higher rate", made, tmp_path)
    smaller = faster.override(["batch_size=8"])
    with_less = Pairing(small, smaller, "house", tiny)
    add_entry(with_less, "smaller", "a smaller batch", outcome(with_less, *arms, tmp_path), tmp_path)
    first, second = read_records(small, tmp_path)
    assert first["changes"] == {"optimizer.lr": [0.003, 0.01]}
    assert first["against_digest"] == tiny.digest()
    assert (first["class"], second["class"]) == ("neutral", "open")
    assert record_to_beat(small, "neutral", tmp_path) == "faster"  # it has not beaten the house recipe
    assert record_to_beat(small, "open", tmp_path) == "smaller"
    assert configuration_of(small, "smaller", tmp_path) == smaller
    with pytest.raises(UserError, match="already has an entry called 'faster'"):
        add_entry(higher, "faster", "again", made, tmp_path)
    with pytest.raises(UserError, match=r"no record called 'none'; there are paper, house, faster, smaller"):
        configuration_of(small, "none", tmp_path)


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


def test_only_the_record_to_beat_can_be_beaten(small, tiny, tmp_path):
    arms = _arm(100, 100, 110), _arm(400, 420, 400)
    first, second = (tiny.override([f"batch_size={size}"]) for size in (8, 32))
    beaten = Pairing(small, first, "house", tiny)
    add_entry(beaten, "first", "a smaller batch", outcome(beaten, *arms, tmp_path), tmp_path)
    made = outcome(Pairing(small, second, "house", tiny), *arms, tmp_path)
    assert not made["is_record"]
    assert made["because"] == "first is the record to beat, not house"
    neutral = tiny.override(["optimizer.lr=0.01"])
    assert outcome(Pairing(small, neutral, "paper", tiny), *arms, tmp_path)["is_record"]
    both = Pairing(small, neutral, "first", first)
    add_entry(both, "both", "a rate", outcome(both, *arms, tmp_path), tmp_path)
    assert (record_to_beat(small, "neutral", tmp_path), record_to_beat(small, "open", tmp_path)) == ("paper", "both")


def test_a_record_replaces_only_the_one_that_it_beat(small, tiny, tmp_path):
    arms = _arm(100, 100, 110), _arm(400, 420, 400)
    for name, against, rate in (("good", "paper", "0.01"), ("worse", "house", "0.02")):
        pairing = Pairing(small, tiny.override([f"optimizer.lr={rate}"]), against, tiny)
        add_entry(pairing, name, "a rate", outcome(pairing, *arms, tmp_path), tmp_path)
    assert (record_to_beat(small, "neutral", tmp_path), record_to_beat(small, "open", tmp_path)) == ("good", "worse")


def test_a_last_line_without_a_line_end_stays_a_line(small, tiny, tmp_path):
    pairing = Pairing(small, tiny, "house", tiny)
    made = outcome(pairing, _arm(100, 100, 110), _arm(400, 420, 400), tmp_path)
    path = add_entry(pairing, "first", "a\nrate", made, tmp_path)
    path.write_text(path.read_text().rstrip("\n"))
    add_entry(pairing, "second", "another", made, tmp_path)
    assert [record["changed"] for record in read_records(small, tmp_path)] == ["a rate", "another"]


def test_runs_of_different_commits_make_no_record():
    other = _arm(400, 420, 400, made_by="there")
    assert "made in different ways: here; there" in why_no_record(_arm(100, 100, 110), other, 3)


def test_a_record_is_credited_with_one_check_less():
    candidate = _arm(95, 95, 95)
    assert ratios(candidate, _arm(100, 100, 100))["flops"].high == pytest.approx(0.95)
    assert "with the record one check earlier" in why_no_record(candidate, _arm(100, 100, 100), 3)


def test_seconds_of_different_machines_are_not_compared():
    other = _arm(400, 400, 400, made_by="there")
    assert set(ratios(_arm(100, 100, 110), other)) == {"steps", "flops"}


def test_a_failure_other_than_divergence_is_retried(small, tiny, tmp_path, monkeypatch):
    candidate = tiny.override(["optimizer.lr=0.01"])
    real = worker_module.execute
    monkeypatch.setattr(worker_module, "execute", lambda *_, **__: 1 / 0)
    with pytest.raises(RunsFailed):
        race(Pairing(small, candidate, "paper", tiny), range(1), WorkerOptions(tmp_path))
    monkeypatch.setattr(worker_module, "execute", real)
    arms = race(Pairing(small, candidate, "paper", tiny), range(1), WorkerOptions(tmp_path))
    assert arms is not None
    assert arms[0].attempts[0].reached


def test_a_run_that_diverges_at_once_is_charged_up_to_the_first_check(small, tiny, tmp_path, monkeypatch):
    def broken(*_, **__):
        raise NonFiniteLoss("the loss is nan at step 1")

    monkeypatch.setattr(worker_module, "execute", broken)
    arms = race(Pairing(small, tiny.override(["optimizer.lr=0.01"]), "paper", tiny), range(1), WorkerOptions(tmp_path))
    assert arms is not None
    (attempt,) = arms[0].attempts
    assert (attempt.reached, attempt.steps, attempt.flops) == (False, 2, 2 * tiny.step_flops)


def test_a_candidate_with_too_few_steps_is_refused(small, tiny):
    small.validate(tiny.override(["steps=6"]))
    with pytest.raises(UserError, match="steps=6 is the least"):
        small.validate(tiny.override(["steps=5"]))


def test_settings_of_the_track_are_not_listed_as_changes(small, tiny):
    assert changes(tiny, small.prepared(tiny, 5).override(["steps=9"])) == {"steps": [12, 9]}
