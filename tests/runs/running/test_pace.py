"""The time that is left counts what running runs have made, shared by all places."""

import pytest

from saved import metrics_line
from unrandom.core.run_folder import RunFolder
from unrandom.runs.running import launcher
from unrandom.runs.running.launcher import Pace
from unrandom.runs.spec import RunSpec


@pytest.fixture
def clock(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(launcher.time, "monotonic", lambda: now[0])
    return now


def made(out, spec, step):
    (out / spec.id).mkdir(exist_ok=True)
    RunFolder(out / spec.id).append_metrics(metrics_line(step))


def test_steps_of_runs_that_have_not_ended_count(tiny, tmp_path, clock):
    runs = [RunSpec("r", tiny.override([f"seed={seed}", "steps=100"])) for seed in range(4)]
    pace = Pace(runs, tmp_path, places=2)
    assert pace.minutes_left() is None
    clock[0] = 60.0
    made(tmp_path, runs[0], 100)
    made(tmp_path, runs[1], 100)  # beside the first
    pace.end(runs[0])
    assert pace.minutes_left() == pytest.approx(1.0)  # 200 of 400 steps in one minute


def test_the_last_run_has_one_place(tiny, tmp_path, clock):
    runs = [RunSpec("r", tiny.override([f"seed={seed}", "steps=100"])) for seed in range(2)]
    made(tmp_path, runs[1], 50)  # before: a resumed run
    pace = Pace(runs, tmp_path, places=2)
    clock[0] = 120.0
    made(tmp_path, runs[0], 100)
    made(tmp_path, runs[1], 60)
    pace.end(runs[0])
    # 110 steps in two minutes on two places are 27.5 a minute on one
    assert pace.minutes_left() == pytest.approx(40 / 27.5)
