"""Runs that are trained side by side come out as runs that are trained alone."""

import shutil
from itertools import product

import pytest
import torch

from rounding import assert_agree
from tiers import slow_but
from unrandom.core.errors import Busy
from unrandom.core.run_folder import RunFolder
from unrandom.runs.run import Run
from unrandom.runs.running.execution import create_run, execute, execute_together
from unrandom.runs.spec import RunSpec

VARIANTS = (
    ["seed=0"],
    ["seed=1"],
    ["seed=0", "optimizer.lr=1e-2", "optimizer.weight_decay=1"],
    ["seed=2", "optimizer.muon_lr=0.05"],
)


def _weights(run):
    return torch.cat([parameter.detach().flatten() for parameter in run.load_model().parameters()])


def _distance(run, other):
    """Between the weights of two runs, as a share of their size."""
    ours, theirs = _weights(run), _weights(other)
    return float((ours - theirs).norm() / theirs.norm())


FAST = ("muon", "model.positions=learned"), ("adamw", "model.positions=rotary")
ALL = list(
    product(
        ("muon", "adamw"),
        (
            "model.positions=learned",
            "model.positions=rotary",
            "model.kv_shift=true",
            "model.number_rotation=true",
            "model.bias=true",
            "model.depth=2",
        ),
    )
)


@pytest.mark.parametrize(("optimizer", "model"), slow_but(FAST, ALL))
def test_the_same_as_alone(tiny, tmp_path, optimizer, model):
    configs = [tiny.override([f"optimizer.name={optimizer}", model, *changes]) for changes in VARIANTS]
    alone = [create_run(RunSpec("alone", config), tmp_path, []) for config in configs]
    together = [create_run(RunSpec("together", config), tmp_path, []) for config in configs]
    expected = [execute(run) for run in alone]
    results = execute_together(together)
    for run, other, result, wanted in zip(together, alone, results, expected, strict=True):
        assert result["finished"]
        assert run.folder.finished
        # Muon orthogonalises in bf16. Two seeds differ by 2e-2 in the loss and by .25 in the weights.
        muon = optimizer == "muon"
        assert result["train_loss"] == pytest.approx(wanted["train_loss"], rel=1e-3 if muon else 1e-4)
        assert _distance(run, other) < (0.06 if muon else 1e-3)
        assert [row["step"] for row in run.folder.read_metrics()] == [4, 8, 12]
    assert _distance(together[0], together[1]) > 0.1


def test_stopped_and_gone_on(tiny, tmp_path):
    runs = [create_run(RunSpec("r", tiny.override([f"seed={seed}"])), tmp_path, []) for seed in range(3)]
    steps = iter(range(100))
    results = execute_together(runs[:2], stop=lambda: next(steps) == 4)
    assert [(result["steps"], result["finished"]) for result in results] == [(5, False)] * 2
    results = execute_together(runs)  # two that stand at step 5 and a new one
    assert [result["finished"] for result in results] == [True] * 3
    straight = [create_run(RunSpec("s", tiny.override([f"seed={seed}"])), tmp_path, []) for seed in range(2)]
    execute_together(straight)
    for run, other in zip(runs, straight, strict=False):
        assert_agree(_weights(run), _weights(other))


def test_only_runs_of_one_shape(tiny, tmp_path):
    runs = [create_run(RunSpec("r", tiny.override([f"model.depth={depth}"])), tmp_path, []) for depth in (1, 2)]
    with pytest.raises(ValueError, match="trained together"):
        execute_together(runs)


def test_a_run_that_is_held_elsewhere_is_left_alone(tiny, tmp_path):
    runs = [create_run(RunSpec("r", tiny.override([f"seed={seed}"])), tmp_path, []) for seed in range(2)]
    with runs[1].folder.lock(), pytest.raises(Busy):
        execute_together(runs)
    assert not runs[0].folder.finished


def test_the_time_is_that_of_all_groups_together(tiny, tmp_path):
    ahead, new = (create_run(RunSpec("r", tiny.override([f"seed={seed}"])), tmp_path, []) for seed in range(2))
    execute_together([ahead], stop=lambda: True)
    results = execute_together([ahead, new], max_minutes=0)
    assert [result["steps"] for result in results] == [1, 1]  # the new one took the one step that is always made


def test_a_run_that_was_finished_elsewhere_before_the_lock_was_had_is_left_as_it_is(
    finished_run, tmp_path, monkeypatch
):
    run = Run.open(shutil.copytree(finished_run.folder.path, tmp_path / finished_run.id))
    left = run.folder.path / ".half.99.tmp"
    left.touch()
    looks = iter([False])  # and from the second on, as it is
    monkeypatch.setattr(RunFolder, "finished", property(lambda folder: next(looks, folder.result.is_file())))
    assert execute(run) == run.result()
    assert left.exists()
