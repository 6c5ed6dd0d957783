"""What fits into a time is decided by measured speed alone; here speed and clock are stand-ins."""

import json

import pytest
import torch

from unrandom.experiments.experiment import PlannedRun
from unrandom.experiments.fitting import LEAST_SHARE, MeasuredSpeed, fit, step_flops
from unrandom.experiments.recipes import recipe
from unrandom.experiments.timed_plan import Group, TimedPlan, train_in_turn
from unrandom.experiments.worth import most_worth
from unrandom.training import RunConfig

RATE = 1e12  # FLOP/s of the stand-in


class Machine:
    """It makes every step at the same rate, and remembers what was tried on it. Trials take no time."""

    def __init__(self, rate=RATE):
        self.rate, self.tried = rate, []

    def at_best(self, config):
        return step_flops(config) / (2 * self.rate)

    def measured(self, config):
        self.tried.append(config)
        return step_flops(config) / self.rate


def wide(steps=10_000, **changes):
    config = (
        recipe("um-64")
        .build()
        .override(
            [
                "model.d_model=512",
                f"steps={steps}",
                "warmup_steps=500",
                *(f"{key}={value}" for key, value in changes.items()),
            ]
        )
    )
    return PlannedRun("wide", config)


def seconds(run):
    """Of all its steps."""
    return run.flops / RATE


def test_where_there_is_time_a_run_is_as_planned():
    planned, machine = wide(), Machine()
    found = fit([planned], 2 * seconds(planned), machine)
    (run,) = found.runs.values()
    assert (found.share, found.divisor, found.measured) == (1.0, 1, True)
    assert (run.config.steps, run.config.model, run.config.data) == (10_000, planned.config.model, planned.config.data)
    assert list(found.runs) == [planned.id]
    assert [config.model.d_model for config in machine.tried] == [512]


def test_with_less_time_it_has_fewer_steps_and_is_finished_in_time():
    planned = wide()
    found = fit([planned], 0.6 * seconds(planned), Machine())
    (run,) = found.runs.values()
    assert found.share == pytest.approx(0.5)
    assert run.config.steps == 5000
    assert seconds(run) <= 0.6 * seconds(planned)
    assert run.config.warmup_steps == 500
    assert "50% of the planned steps (" in found.words


def test_before_it_has_too_few_steps_it_is_narrower():
    planned, machine = wide(), Machine()
    found = fit([planned], 0.2 * seconds(planned), machine)
    (run,) = found.runs.values()
    assert (found.divisor, run.config.model.d_model, run.config.model.n_heads) == (2, 256, 4)
    assert LEAST_SHARE < found.share < 1
    assert [config.model.d_model for config in machine.tried] == [512, 256]


def test_what_cannot_fit_at_best_is_not_tried():
    planned, machine = wide(), Machine()
    found = fit([planned], 1e-3 * seconds(planned), machine)
    (run,) = found.runs.values()
    assert machine.tried == []
    assert (found.measured, found.share, found.divisor, run.config.steps) == (False, LEAST_SHARE, 4, 2500)
    assert "over several calls" in found.words
    assert "at best" in found.words


def test_curves_and_checkpoints_come_often_and_cost_little():
    planned = wide(evaluate_every=5000, checkpoint_every=10_000)
    for machine in (Machine(), Machine(RATE / 1000)):
        (run,) = fit([planned], 2 * planned.flops / machine.rate, machine).runs.values()
        assert 10 <= run.config.steps / run.config.evaluate_every <= 60
        between = run.config.checkpoint_every * step_flops(run.config) / machine.rate
        assert between <= 60 or run.config.checkpoint_every == 1


def test_runs_that_are_compared_are_cut_alike_and_keep_their_widths():
    runs = [wide(), wide(**{"data.hold_out": "values"}), wide(20_000, **{"model.d_model": 256})]
    found = fit(runs, 0.3 * sum(map(seconds, runs)), Machine())
    cut = [found.runs[run.id].config for run in runs]
    assert [config.model.d_model for config in cut] == [512, 512, 256]
    assert cut[0].steps == cut[1].steps == pytest.approx(10_000 * found.share, rel=0.01)
    assert cut[2].steps == pytest.approx(2 * cut[0].steps, rel=0.02)
    assert cut[1].override(["data.hold_out=pairs"]) == cut[0]


def test_a_run_begins_with_its_parent_as_that_was_cut_and_a_curriculum_shrinks_with_it():
    phase = {"modulus": 32, "share": 0.5, "decay": "linear", "begin": 100, "steps": 4000}
    parent = wide()
    child = PlannedRun(
        "child",
        RunConfig.parse(
            {
                **wide(**{"data.curriculum": json.dumps([phase])}).config.tree(),
                "start": {"recipe": parent.name, "config": parent.config.tree()},
            }
        ),
    )
    found = fit([parent, child], 0.6 * (seconds(parent) + seconds(child)), Machine())
    cut = found.runs[child.id].config
    assert cut.start is not None
    assert cut.start.config == found.runs[parent.id].config
    (shorter,) = cut.data.curriculum
    assert (shorter.begin, shorter.steps) == (50, 2000)


class Clock:
    def __init__(self, limit):
        self.left = limit

    def __call__(self):
        return self.left


def carried_out(groups, plan, limit):
    """The runs that were trained, each whole, by a clock that only training moves."""
    clock, trained, said = Clock(limit), [], []

    def train(group, runs):
        for run in runs:
            trained.append((group.name, run.config.steps))
            clock.left -= seconds(run)

    train_in_turn(groups, plan, Machine(), seconds_left=clock, train=train, say=said.append)
    return trained, said, clock.left


def test_time_is_dealt_out_by_operations_and_what_is_left_over_goes_on(tmp_path):
    first, second = wide(), wide(30_000, seed=1)
    groups = [Group("first", (first,)), Group("second", (second,)), Group("again", (wide(seed=2),), round=1)]
    limit = 0.6 * (seconds(first) + seconds(second))
    trained, said, left = carried_out(groups, TimedPlan("gpu", tmp_path), limit)
    assert trained[0] == ("first", 5000)
    assert trained[1][0] == "second"
    assert 15_000 <= trained[1][1] <= 17_000  # evaluations took less than was set aside for them
    assert left >= 0
    assert [line.split(":")[0] for line in said] == [name for name, _ in trained]


def test_a_later_call_goes_on_with_what_was_decided(tmp_path):
    groups = [Group("first", (wide(),)), Group("second", (wide(seed=1),))]
    begun, said, _ = carried_out(groups, TimedPlan("gpu", tmp_path), 0.4 * seconds(wide()))
    assert begun[0][0] == "first"
    again, nothing_new, _ = carried_out(groups[:1], TimedPlan("gpu", tmp_path), 100 * seconds(wide()))
    assert again == begun[:1]
    assert len(said) >= 1
    assert nothing_new == []


def test_nothing_begins_when_the_time_is_up(tmp_path):
    assert carried_out([Group("first", (wide(),))], TimedPlan("gpu", tmp_path), 0.0) == ([], [], 0.0)
    assert not (tmp_path / "gpu").exists()


def test_what_is_worth_most_comes_first_for_each_seed():
    runs = most_worth("gpu", 2)
    assert [run.config.seed for run in runs] == [0] * 4 + [1] * 4
    assert [run.config.data.largest_modulus for run in runs[:4]] == [2048, 2457, 2**16, 2**32]
    assert runs[1].config.data.test_moduli == (1800, 2048, 2352)


def test_this_machine_s_speed_is_measured(tiny):
    speed = MeasuredSpeed(torch.device("cpu"))
    assert 0 < speed.at_best(tiny) < speed.measured(tiny)
