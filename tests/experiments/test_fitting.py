"""How runs are shortened follows from the measured speed and the time limit alone; here speed and clock are fakes."""

import json
import math

import pytest
import torch

from unrandom.core.errors import UserError
from unrandom.experiments.fitting import MIN_STEPS_SHARE, MeasuredSpeed, Shortening, choose_shortening, shortening_text
from unrandom.experiments.priorities import by_priority
from unrandom.experiments.reproduce import missing_runs
from unrandom.experiments.timed_plan import Group, TimedPlan, train_in_turn
from unrandom.runs.recipes import recipe
from unrandom.runs.spec import RunSpec
from unrandom.training import RunConfig

RATE = 1e12  # FLOP/s of the fake machine


class Machine:
    """A fake machine that trains every step at the same rate and records the trials, which take no time."""

    def __init__(self, rate=RATE):
        self.rate, self.tried = rate, []

    def fastest_step_seconds(self, config):
        return config.step_flops / (2 * self.rate)

    def measured_step_seconds(self, config):
        self.tried.append(config)
        return config.step_flops / self.rate


def wide(steps=10_000, **changes):
    config = (
        recipe("um-80")
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
    return RunSpec("wide", config)


def seconds(run):
    """Seconds for all steps of a run, and a little more, as steps are rounded down."""
    return run.flops / RATE * (1 + 1e-9)


def fitted(run, given, machine):
    """The fit of a single run into the given seconds, and the configuration that is trained."""
    found = choose_shortening([run], lambda: given, machine)
    return found, found.shorten(run).config


def test_a_shortened_run_keeps_its_labels(tiny):
    spec = RunSpec("wide", tiny, {"depth": 2, "rule": "pairs"})
    cut = Shortening(share=0.5, divisor=2, rate=1e9, measured=True).shorten(spec)
    assert cut.config.steps < spec.config.steps
    assert cut.labels == spec.labels


def test_with_enough_time_a_run_is_trained_as_planned():
    planned, machine = wide(), Machine()
    found, config = fitted(planned, 2 * seconds(planned), machine)
    assert (found.share, found.divisor, found.measured) == (1.0, 1, True)
    assert (config.steps, config.model, config.data) == (10_000, planned.config.model, planned.config.data)
    assert [config.model.d_model for config in machine.tried] == [512]


def test_with_less_time_a_run_has_fewer_steps():
    planned = wide()
    found, config = fitted(planned, 0.6 * seconds(planned), Machine())
    assert found.share == pytest.approx(0.5)
    assert (config.steps, config.warmup_steps) == (5000, 500)
    assert found.text == "50% of the planned steps"


def test_a_run_is_made_narrower_before_it_has_too_few_steps():
    planned, machine = wide(), Machine()
    found, config = fitted(planned, 0.2 * seconds(planned), machine)
    assert (found.divisor, config.model.d_model, config.model.n_heads) == (2, 256, 4)
    assert MIN_STEPS_SHARE < found.share < 1
    assert [config.model.d_model for config in machine.tried] == [512, 256]


def test_a_width_that_cannot_fit_at_the_fastest_speed_is_not_tried():
    planned, machine = wide(), Machine()
    found, config = fitted(planned, 1e-3 * seconds(planned), machine)
    assert machine.tried == []
    assert (found.measured, found.share, found.divisor, config.steps) == (False, MIN_STEPS_SHARE, 4, 2500)
    assert "over several runs of the command" in found.text
    assert "at best" in shortening_text(found, [planned])


def test_a_run_that_needs_too_much_memory_is_made_narrower():
    class Small(Machine):
        def measured_step_seconds(self, config):
            return math.inf if config.model.d_model > 256 else super().measured_step_seconds(config)

    found, _ = fitted(wide(), 100 * seconds(wide()), Small())
    assert (found.divisor, found.share) == (2, 1.0)


def test_a_run_that_may_wait_is_not_shortened_below_the_least_share():
    planned = wide()
    assert choose_shortening([planned], lambda: 0.2 * seconds(planned), Machine(), may_wait=True) is None
    found = choose_shortening([planned], lambda: 0.6 * seconds(planned), Machine(), may_wait=True)
    assert (found.share, found.divisor) == (pytest.approx(0.5), 1)


def test_the_time_of_a_trial_is_subtracted():
    planned, left = wide(), [0.6 * seconds(wide())]

    class Slow(Machine):
        def measured_step_seconds(self, config):
            left[0] /= 2
            return super().measured_step_seconds(config)

    assert choose_shortening([planned], lambda: left[0], Slow()).share == pytest.approx(0.25)


def test_evaluations_and_checkpoints_are_frequent_but_cheap():
    planned = wide(evaluate_every=5000, checkpoint_every=10_000)
    for machine in (Machine(), Machine(RATE / 1000)):
        _, config = fitted(planned, 2 * planned.flops / machine.rate, machine)
        assert 10 <= config.steps / config.evaluate_every <= 60
        between = config.checkpoint_every * config.step_flops / machine.rate
        assert 30 <= between <= 60 or config.checkpoint_every == 1


def test_runs_of_a_group_are_shortened_alike_and_keep_their_widths():
    runs = [wide(), wide(**{"data.hold_out": "values"}), wide(20_000, **{"model.d_model": 256})]
    found = choose_shortening(runs, lambda: 0.3 * sum(map(seconds, runs)), Machine())
    cut = [found.shorten(run).config for run in runs]
    assert [config.model.d_model for config in cut] == [512, 512, 256]
    assert cut[0].steps == cut[1].steps == pytest.approx(10_000 * found.share, rel=0.01)
    assert cut[2].steps == pytest.approx(2 * cut[0].steps, rel=0.02)
    assert cut[1].override(["data.hold_out=pairs"]) == cut[0]


def test_ancestors_and_curricula_are_shortened_alike():
    phase = {"modulus": 32, "share": 0.5, "decay": "linear", "begin": 100, "steps": 4000}
    parent = wide()
    child = RunSpec(
        "child",
        RunConfig.parse(
            {
                **wide(**{"data.curriculum": json.dumps([phase])}).config.to_json(),
                "start": {"recipe": parent.recipe, "config": parent.config.to_json()},
            }
        ),
    )
    found = choose_shortening([parent, child], lambda: 0.6 * (seconds(parent) + seconds(child)), Machine())
    cut = found.shorten(child).config
    assert cut.start is not None
    assert cut.start.config == found.shorten(parent).config
    (shorter,) = cut.data.curriculum
    assert (shorter.begin, shorter.steps) == (50, 2000)


class Clock:
    def __init__(self, limit):
        self.left = limit

    def __call__(self):
        return self.left


def carried_out(groups, plan, limit, finished=()):
    """The names, steps and widths of the trained runs, the messages, and the time left; only training takes time."""
    clock, trained, said = Clock(limit), [], []

    def train(runs):
        if runs[0].recipe in finished:
            return False
        for run in runs:
            trained.append((run.recipe, run.config.steps, run.config.model.d_model))
            clock.left -= seconds(run)
        return True

    train_in_turn(groups, plan, Machine(), seconds_left=clock, train=train, say=said.append)
    return trained, [line.split(":")[0] for line in said], clock.left


def single(name, steps=10_000, seed=0):
    """A group of one run that takes hours, so that there is enough time for a trial."""
    run = wide(steps, seed=seed, batch_size=2**13)
    return Group(name, (RunSpec(name, run.config),), round=seed)


def flops(*groups):
    return sum(group.flops for group in groups) / RATE * (1 + 1e-6)  # a little more, as steps are rounded down


def test_time_is_divided_by_flops_and_unused_time_goes_to_later_groups(tmp_path):
    first, second, again = single("first"), single("second", 30_000), single("first", seed=1)
    trained, said, left = carried_out([first, second, again], TimedPlan("gpu", tmp_path), 0.6 * flops(first, second))
    assert said == ["first", "second"]
    assert trained[0] == ("first", 5000, 512)
    assert (trained[1][0], trained[1][2]) == ("second", 512)
    assert 15_000 <= trained[1][1] <= 17_000  # evaluations took less time than was reserved
    assert trained[2] == trained[0]  # the next seed is shortened like the first
    assert left >= -flops(again)


def test_a_group_that_hardly_fits_waits_for_another_call(tmp_path):
    first, second = single("first", 1000), single("second", 100_000)
    plan = TimedPlan("gpu", tmp_path)
    trained, said, left = carried_out([first, second], plan, 0.1 * flops(first, second))
    assert [name for name, *_ in trained] == said == ["first"]
    assert left > 0
    assert "second" not in TimedPlan("gpu", tmp_path)
    trained, said, _ = carried_out([first, second], TimedPlan("gpu", tmp_path), 0.1 * flops(second), {"first"})
    assert said == ["second"]  # now it is the first to train, and does not wait
    assert [name for name, *_ in trained] == ["second"]
    assert trained[0][2] < 512


def test_a_later_call_uses_the_saved_decisions(tmp_path):
    groups = [single("first"), single("second")]
    begun, said, _ = carried_out(groups, TimedPlan("gpu", tmp_path), 0.5 * flops(*groups))
    again, nothing_new, _ = carried_out(groups[:1], TimedPlan("gpu", tmp_path), 100 * flops(*groups))
    assert again == begun[:1]
    assert said[0] == "first"
    assert nothing_new == []


def test_nothing_is_trained_when_the_time_is_up(tmp_path):
    assert carried_out([single("first")], TimedPlan("gpu", tmp_path), 0.0) == ([], [], 0.0)
    assert not (tmp_path / "gpu").exists()


def test_a_decision_applies_to_all_seeds_of_a_group(tmp_path):
    runs = [wide(seed=seed) for seed in range(3)]
    plan = TimedPlan("gpu", tmp_path)
    assert plan.runs("name", runs) == runs
    plan.decide("name", choose_shortening(runs[:1], lambda: 0.6 * seconds(runs[0]), Machine()))
    cut = TimedPlan("gpu", tmp_path).runs("name", runs)
    assert {run.config.steps for run in cut} == {5000}
    assert [run.config.seed for run in cut] == [0, 1, 2]
    assert missing_runs([], "gpu", 3, tmp_path, plan) == []


@pytest.mark.parametrize("text", ["[]", '{"first": 3}', '{"first": {"share": 1}}', "no JSON"])
def test_an_invalid_plan_file_is_refused(tmp_path, text):
    (tmp_path / "gpu").mkdir()
    (tmp_path / "gpu" / "plan.json").write_text(text)
    with pytest.raises(UserError, match=r"plan\.json"):
        TimedPlan("gpu", tmp_path)


def test_kinds_of_runs_are_in_order_of_priority_for_each_seed():
    groups = by_priority("gpu", 2)
    runs = [run for group in groups for run in group.runs]
    assert [group.round for group in groups] == [run.config.seed for run in runs] == [0] * 4 + [1] * 4
    assert [run.config.data.largest_modulus for run in runs[:4]] == [2048, 2457, 2**16, 2**32]
    assert runs[1].config.data.test_moduli == (1800, 2048, 2352)
    assert [group.name for group in groups[:4]] == [group.name for group in groups[4:]]


def test_this_machine_s_speed_is_measured(tiny):
    speed = MeasuredSpeed(torch.device("cpu"))
    assert 0 < speed.fastest_step_seconds(tiny) < speed.measured_step_seconds(tiny)
