"""What an experiment says of made-up tables."""

from typing import Any

from frames import frames
from unrandom.experiments.claims import Verdict
from unrandom.experiments.registry import EXPERIMENTS


def verdicts_of(name: str, tables: dict[str, list[dict[str, Any]]]) -> dict[str, Verdict]:
    """The verdict on each claim of an experiment, by key, from lists of rows."""
    return {each.claim.key: each.verdict for each in EXPERIMENTS[name].judge(frames(tables))}
