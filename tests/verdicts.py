"""What an experiment says of made-up tables."""

from typing import Any

from frames import frames
from unrandom.experiments.claims import Verdict, judge_all
from unrandom.experiments.registry import EXPERIMENTS


def verdicts_of(name: str, tables: dict[str, list[dict[str, Any]]]) -> dict[str, Verdict]:
    """The verdict on each claim of an experiment, by key, from lists of rows."""
    experiment = EXPERIMENTS[name]
    judged = judge_all(experiment.claims, experiment.evidence(frames(tables)))
    return {each.claim.key: each.verdict for each in judged}
