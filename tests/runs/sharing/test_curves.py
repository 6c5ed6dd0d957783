"""Curves are copies of the metrics: each evaluation once, also after an interruption, in the format of each tool."""

import csv
import json
import sys

import pytest

from unrandom.core.errors import UserError
from unrandom.runs.loaded import LoadedRun
from unrandom.runs.running.execution import create_run
from unrandom.runs.sharing import curves
from unrandom.runs.sharing.curves import Curves, scalars
from unrandom.runs.spec import RunSpec


@pytest.fixture
def run(tiny, tmp_path):
    made = create_run(RunSpec("tiny", tiny), tmp_path, ["unrandom"])
    return LoadedRun(made.folder, made.spec, "cpu")


def stopped_after(run, step, log):
    """Train until ``step``, as if it was interrupted there."""
    seen = []
    run.train(log=log, stop=lambda: bool(seen) and seen[-1] >= step, observers=(lambda p: seen.append(p.step),))


def rows(run):
    with (run.folder.path / "metrics.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def test_csv_has_each_evaluation_once_also_if_training_was_interrupted(run):
    stopped_after(run, 6, ["csv"])
    assert [row["step"] for row in rows(run)] == ["4"]
    run.train(log=["csv"])
    assert [int(row["step"]) for row in rows(run)] == [4, 8, 12]
    for row, measured in zip(rows(run), run.folder.read_metrics(), strict=True):
        assert {name: float(value) for name, value in row.items() if value} == scalars(measured)


def test_csv_begun_late_has_the_earlier_evaluations(run):
    stopped_after(run, 6, [])
    run.train(log=["csv"])
    assert [int(row["step"]) for row in rows(run)] == [4, 8, 12]


def test_numbers_are_named_by_their_path():
    assert scalars({"step": 2, "after": {"1": 0.5, "2": None}, "none": None}) == {"step": 2, "after/1": 0.5}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # tensorboard's own, of numpy and protobuf
def test_tensorboard_reads_what_was_written(run):
    pytest.importorskip("tensorboard", reason="the extra unrandom[tensorboard] is not installed")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    stopped_after(run, 6, ["tensorboard"])
    run.train(log=["tensorboard"])
    events = EventAccumulator(str(run.folder.path / "tensorboard"))
    events.Reload()
    shown = {event.step: event.value for event in events.Scalars("test_loss")}
    assert shown == {row["step"]: pytest.approx(row["test_loss"]) for row in run.folder.read_metrics()}
    assert "accuracy_after/12" in events.Tags()["scalars"]


def test_wandb_is_offline_unless_it_is_asked(run, monkeypatch):
    """Against a stand-in, which records what it is given: the real one starts a service."""
    logged: list[tuple[int, dict]] = []

    class Run:
        def log(self, values, step):
            logged.append((step, values))

        def finish(self):
            logged.append((-1, {}))

    class Wandb:
        Settings = dict

        @staticmethod
        def init(**settings):
            begun.append(settings)
            return Run()

    begun: list[dict] = []
    monkeypatch.setitem(sys.modules, "wandb", Wandb)
    monkeypatch.setattr(curves, "find_spec", lambda _name: object())
    monkeypatch.delenv("WANDB_MODE", raising=False)
    run.train(log=["wandb"])
    assert begun[0]["mode"] == "offline"
    assert begun[0]["id"] == run.id
    assert json.dumps(begun[0]["config"])
    assert [step for step, _ in logged] == [4, 8, 12, -1]
    assert logged[0][1]["test_loss"] == run.folder.read_metrics()[0]["test_loss"]


def test_a_missing_package_is_named_before_training(run, monkeypatch):
    monkeypatch.setattr(curves, "find_spec", lambda _name: None)
    with pytest.raises(UserError, match=r"pip install 'unrandom\[tensorboard\]'"):
        run.train(log=["tensorboard"])
    assert not run.folder.read_metrics()


def test_an_unknown_log_names_near_misses():
    with pytest.raises(UserError, match="near misses: tensorboard"):
        Curves(["tensorbord"])
