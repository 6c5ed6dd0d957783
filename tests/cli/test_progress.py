"""Long work announces how long it takes; short work prints nothing."""

from types import SimpleNamespace

import pytest

from unrandom.cli import progress
from unrandom.cli.progress import TrainingProgress, counting


@pytest.fixture
def clock(monkeypatch):
    """A clock that the test sets."""
    now = SimpleNamespace(seconds=0.0)
    monkeypatch.setattr(progress, "time", SimpleNamespace(monotonic=lambda: now.seconds))
    return now


@pytest.mark.parametrize(
    ("total", "expected"), [(100_000, "predicting 100,000 numbers: at most about 3.3 minutes\n"), (2000, "")]
)
def test_long_counts_are_announced_once(clock, capsys, total, expected):
    with counting("predicting", total) as count:
        clock.seconds = 9.0  # the first takes longer
        for done in range(1, 2001):
            count(done)
            clock.seconds += 0.002
    assert capsys.readouterr().err == expected


def test_a_line_of_training_says_how_much_time_is_left(clock, capsys):
    measured = {"train_loss": 1.0, "last_number_accuracy": 0.5}
    with TrainingProgress(400) as watch:
        for step in (101, 200, 201, 400):  # the run is resumed at step 100
            clock.seconds = float(step)
            watch(SimpleNamespace(step=step, latest={"step": step, **measured} if step % 200 == 0 else {}))
    first, last = capsys.readouterr().err.splitlines()
    assert first.startswith("step 200/400  loss 1.000")
    assert first.endswith("about 3.3 minutes left")
    assert last.endswith("0.500")
