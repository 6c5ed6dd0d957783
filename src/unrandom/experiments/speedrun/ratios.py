"""Does a candidate need less than a record? Ratios of their costs, with intervals, and the rule that makes a record."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from unrandom.core.files import JsonObject
from unrandom.evaluation import over_units
from unrandom.experiments.speedrun.race import Attempt, Race


@dataclass(frozen=True)
class Ratio:
    """Cost of the candidate over that of the record, the geometric mean over seeds.

    ``at_most`` marks an upper bound, as the record did not reach the target; its interval has no lower end.
    """

    value: float
    low: float | None
    high: float | None
    at_most: bool

    def to_json(self) -> JsonObject:
        rounded = {
            name: None if (x := getattr(self, name)) is None else round(x, 4) for name in ("value", "low", "high")
        }
        return {**rounded, "at_most": self.at_most}


def ratios(race: Race) -> dict[str, Ratio] | None:
    """Return ratios of steps, FLOPs and training seconds; None unless the candidate reached the target for every seed.

    Seconds are compared only if both runs of each seed were made by one commit on one device. Intervals are Student's t
    over the logarithms. If the record did not reach the target, its total cost is used; the ratio is an upper bound.
    """
    if not all(attempt.reached for attempt in race.candidate):
        return None
    at_most = not all(attempt.reached for attempt in race.record)
    pairs = list(zip(race.candidate, race.record, strict=True))
    found = {"steps": _ratio([a.steps / b.steps for a, b in pairs], at_most)}
    found["flops"] = _ratio([a.flops / b.flops for a, b in pairs], at_most)
    if all(a.made_by == b.made_by and b.seconds > 0 for a, b in pairs):
        found["seconds"] = _ratio([a.seconds / b.seconds for a, b in pairs], at_most)
    return found


def _ratio(each: Sequence[float], at_most: bool) -> Ratio:
    log = over_units([math.log(ratio) for ratio in each])
    low, high = (None if end is None else math.exp(end) for end in (log.low, log.high))
    return Ratio(math.exp(log.value), None if at_most else low, high, at_most)


def expected_flops(attempts: Sequence[Attempt]) -> float | None:
    """FLOPs of all runs over the number of runs that reached the target; None if no run did."""
    reached = sum(attempt.reached for attempt in attempts)
    return sum(attempt.flops for attempt in attempts) / reached if reached else None


def why_no_record(race: Race, fewest: int) -> str | None:
    """Return the reason why the candidate is not a record; None if it is one."""
    found, seeds = ratios(race), len(race.candidate)
    if found is None:
        reached = sum(attempt.reached for attempt in race.candidate)
        return f"it reached the target under {reached} of {seeds} seeds, and a record does under all"
    if seeds < fewest:
        return f"{seeds} seeds were run, and a record of this track needs {fewest}"
    if len(made_by := sorted({attempt.made_by for attempt in (*race.candidate, *race.record)})) > 1:
        return f"its runs were made in different ways: {'; '.join(made_by)}; race in an --out folder without older runs"
    if not all(b.more_than for b in race.record):
        return "the record reached the target at the first check, so that its cost has no lower bound"
    at_worst = _ratio([a.flops / b.more_than for a, b in zip(race.candidate, race.record, strict=True)], at_most=False)
    if at_worst.high is None or at_worst.high >= 1:
        return "the interval of the ratio of training FLOPs, with the record one check earlier, is not wholly below 1"
    return None
