"""The rate rises linearly, then stays, follows half a cosine, or stays and falls in the last third."""

import pytest

from unrandom.core.errors import UserError
from unrandom.training.schedule import learning_rate_factor


def factors(config):
    return [learning_rate_factor(config, step) for step in range(config.steps)]


def test_constant_after_the_warm_up(tiny):
    config = tiny.override(["schedule=constant", "warmup_steps=4", "steps=8"])
    assert factors(config) == [0.25, 0.5, 0.75, 1, 1, 1, 1, 1]


def test_cosine_falls_from_one_towards_zero(tiny):
    config = tiny.override(["schedule=cosine", "warmup_steps=2", "steps=102"])
    rates = factors(config)
    assert rates[2] == 1
    assert rates[52] == pytest.approx(0.5)
    assert 0 < rates[-1] < 1e-3
    assert rates[2:] == sorted(rates[2:], reverse=True)


def test_a_trapezoid_falls_linearly_in_the_last_third(tiny):
    rates = factors(tiny.override(["schedule=trapezoid", "warmup_steps=2", "steps=9"]))
    assert rates == pytest.approx([0.5, 1, 1, 1, 1, 1, 1, 2 / 3, 1 / 3])


def test_no_warm_up_starts_at_one(tiny):
    assert factors(tiny.override(["warmup_steps=0", "schedule=constant"]))[0] == 1


@pytest.mark.parametrize("schedule", ["cosine", "trapezoid"])
def test_the_rates_of_a_beginning_are_those_of_the_whole(tiny, schedule):
    whole = tiny.override([f"schedule={schedule}", "warmup_steps=2", "steps=100"])
    beginning = whole.replace(steps=40, schedule_steps=100)
    assert factors(beginning) == factors(whole)[:40]
    assert factors(whole.replace(schedule_steps=100)) == factors(whole)


def test_a_schedule_that_ends_before_the_run_is_refused(tiny):
    with pytest.raises(UserError, match="schedule_steps=5 must be at least steps=6"):
        tiny.replace(steps=6, schedule_steps=5)
