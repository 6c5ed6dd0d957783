"""Who needs less? Ratios of a candidate to a record, seed by seed, with intervals, and the rule that makes a record."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from unrandom.core.files import JsonObject
from unrandom.evaluation import over_units
from unrandom.experiments.speedrun.race import Attempt, Race


@dataclass(frozen=True)
class Ratio:
    """Candidate to record, the geometric mean over seeds.

    ``at_most``: the record needs more than it was given; such a bound has no interval from below.
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
    """For steps, FLOPs and seconds of training; None unless the candidate reached the target under every seed.

    Seconds only where both runs of each seed were made by one commit on one device. Student's t over the logarithms.
    Where the record did not reach the target, all that it took stands for what it needs, and the ratio is a bound from
    above.
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
    """Compute of all runs for each one that succeeds; None where none does."""
    reached = sum(attempt.reached for attempt in attempts)
    return sum(attempt.flops for attempt in attempts) / reached if reached else None


def why_no_record(race: Race, fewest: int) -> str | None:
    """What keeps the candidate from being a record; None if it is one."""
    found, seeds = ratios(race), len(race.candidate)
    if found is None:
        reached = sum(attempt.reached for attempt in race.candidate)
        return f"it reached the target under {reached} of {seeds} seeds, and a record does under all"
    if seeds < fewest:
        return f"{seeds} seeds were run, and a record of this track needs {fewest}"
    if len(made_by := sorted({attempt.made_by for attempt in (*race.candidate, *race.record)})) > 1:
        return f"its runs were made in different ways: {'; '.join(made_by)}; race in an --out folder without older runs"
    if not all(b.more_than for b in race.record):
        return "the record was there at the first check, and what it needs is not known better"
    at_worst = _ratio([a.flops / b.more_than for a, b in zip(race.candidate, race.record, strict=True)], at_most=False)
    if at_worst.high is None or at_worst.high >= 1:
        return "the interval of the ratio of training FLOPs, with the record a check earlier, holds 1"
    return None
