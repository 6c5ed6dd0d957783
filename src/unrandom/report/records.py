"""How are speedrun records shown? As text: the compute of both sides of a race and their ratios with intervals.

`records_page` renders all tracks with their records as one Markdown page.
"""

from pathlib import Path

from unrandom.core.config import as_typed
from unrandom.core.files import JsonObject
from unrandom.core.quantities import duration, scaled
from unrandom.core.templates import template
from unrandom.experiments.speedrun.catalogue import TRACKS
from unrandom.experiments.speedrun.records import PAPER, read_records
from unrandom.experiments.speedrun.tracks import CHECKS_IN_A_ROW, FIRST_SEED


def records_page(results: Path) -> str:
    shown = {"took": arm_text, "ratio": ratio_text, "setting": as_typed, "number_of_checks": CHECKS_IN_A_ROW}
    tracks = [(track, read_records(track, results)) for track in TRACKS.values()]
    return template(__package__, "records.md.j2").render(tracks=tracks, first_seed=FIRST_SEED, paper=PAPER, **shown)


def arm_text(arm: JsonObject) -> str:
    """How many seeds of one side of a race reached the target, and the steps, time and FLOPs it took."""
    reached = [attempt for attempt in arm["attempts"] if attempt["reached"]]
    seeds = f"reached under {arm['reached']} of {arm['seeds']} seeds"
    if not reached:
        spent = max(attempt["flops"] for attempt in arm["attempts"])
        return f"{seeds}, with {scaled(spent, 'FLOP')} each"
    steps = sorted(attempt["steps"] for attempt in reached)
    span = f"{steps[0]:,}" if steps[0] == steps[-1] else f"{steps[0]:,} to {steps[-1]:,}"
    seconds = sum(attempt["seconds"] for attempt in reached) / len(reached)
    return f"{seeds}, after {span} steps and {duration(seconds)}; {scaled(arm['expected_flops'], 'FLOP')} per success"


def ratio_text(ratio: JsonObject) -> str:
    """A ratio with its interval, or marked as an upper bound."""
    interval = "" if ratio["low"] is None else f" [{ratio['low']:.3g}, {ratio['high']:.3g}]"
    return f"{'at most ' * ratio['at_most']}{ratio['value']:.3g}{interval}"


def ratios_text(ratios: JsonObject | None) -> str:
    """Each ratio of candidate to opponent (steps, FLOPs, seconds) with its interval."""
    if ratios is None:
        return "no ratio, as the candidate did not reach the target under every seed"
    return ", ".join(f"{cost} {ratio_text(ratio)}" for cost, ratio in ratios.items())
