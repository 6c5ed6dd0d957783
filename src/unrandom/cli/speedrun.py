"""Shows the records of the speedruns, or races a candidate: the standing record with other settings."""

import time
from argparse import Namespace
from pathlib import Path

from unrandom.cli.answer import Answer, aligned
from unrandom.cli.progress import TrainingProgress
from unrandom.core.errors import UserError
from unrandom.core.files import JsonObject
from unrandom.core.quantities import duration, scaled
from unrandom.experiments.speedrun.race import FIRST_SEED, race
from unrandom.experiments.speedrun.records import add_entry, check_name, outcome, pair, read_records
from unrandom.experiments.speedrun.tracks import CHECKS_IN_A_ROW, TRACKS, Track, track
from unrandom.runs.running.worker import WorkerOptions


def speedrun(arguments: Namespace) -> Answer:
    """Race a candidate, or show the records of a track or of all."""
    if arguments.assignments:
        if arguments.track is None:
            raise UserError(f"name the track to race on; there are {', '.join(TRACKS)}")
        return _race(track(arguments.track), arguments)
    if any(getattr(arguments, name) is not None for name in ("seeds", "threads", "keep", "max_minutes")):
        raise UserError("a race needs a candidate: --set KEY=VALUE")
    shown = list(TRACKS.values()) if arguments.track is None else [track(arguments.track)]
    found = {each: read_records(each, arguments.results) for each in shown}
    tracks = [{"track": each.name, "target": each.target, "records": records} for each, records in found.items()]
    return {"tracks": tracks}, "\n".join(line for each, records in found.items() for line in _lines(each, records))


def _lines(shown: Track, records: list[JsonObject]) -> list[str]:
    """What a track is about, and its records."""
    kinds = {True: "record", False: "entry "}
    lines = [f"{shown.name}: {shown.about}", f"target   {shown.target}, in {CHECKS_IN_A_ROW} checks in a row"]
    for record in records:
        lines += [
            f"{kinds[record['is_record']]}   {record['name']} ({record['date']}): {record['changed']}",
            f"         {arm_text(record['candidate'])}",
            f"         against {record['against']}: {ratios_text(record['ratios'])}",
        ]
    return lines


def _race(raced: Track, arguments: Namespace) -> Answer:
    results: Path = arguments.results
    pairing = pair(raced, arguments.assignments, results)
    if arguments.keep:
        check_name(raced, arguments.keep[0], results)
    options = WorkerOptions(
        out=arguments.runs / "speedrun",
        command=tuple(arguments.command_line),
        threads=arguments.threads,
        deadline=None if arguments.max_minutes is None else time.time() + 60 * arguments.max_minutes,
        watch=TrainingProgress,
    )
    arms = race(pairing, range(FIRST_SEED, FIRST_SEED + (arguments.seeds or raced.seeds)), options)
    if arms is None:
        return {"finished": False}, "the time is up; the same command continues"
    result = outcome(pairing, *arms)
    lines = [
        *aligned([["candidate", arm_text(result["candidate"])], [pairing.against, arm_text(result["record"])]]),
        f"candidate to {pairing.against}: {ratios_text(result['ratios'])}",
        f"a record: {'yes' if result['is_record'] else 'no, as ' + result['because']}",
    ]
    if arguments.keep:
        name, changed = arguments.keep
        lines.append(f"saved    {add_entry(pairing, name, changed, result, results)}")
    return {**result, "finished": True}, "\n".join(lines)


def arm_text(arm: JsonObject) -> str:
    """How many seeds of one side of a race reached the target, and the steps, time and FLOPs that they took."""
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
    """A ratio with its interval."""
    return f"{ratio['value']:.3g}" + ("" if ratio["low"] is None else f" [{ratio['low']:.3g}, {ratio['high']:.3g}]")


def ratios_text(ratios: JsonObject | None) -> str:
    """Each ratio of candidate to opponent (steps, FLOPs, seconds) with its interval."""
    if ratios is None:
        return "no ratio, as not both reached the target under every seed"
    return ", ".join(f"{cost} {ratio_text(ratio)}" for cost, ratio in ratios.items())
