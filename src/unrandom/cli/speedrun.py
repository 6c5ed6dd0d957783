"""Shows the records of the speedrun, or races a candidate: the standing record with other settings."""

import time
from argparse import Namespace
from pathlib import Path

from unrandom.cli.answer import Answer, aligned
from unrandom.cli.progress import TrainingProgress
from unrandom.core.errors import UserError
from unrandom.core.files import JsonObject
from unrandom.core.quantities import duration, scaled
from unrandom.experiments.speedrun.race import CHECKS_IN_A_ROW, FIRST_SEED, FM_256, race
from unrandom.experiments.speedrun.records import add_entry, check_name, outcome, pair, read_records
from unrandom.runs.running.worker import WorkerOptions

TRACK = FM_256


def speedrun(arguments: Namespace) -> Answer:
    """Race a candidate, or show the records."""
    if arguments.assignments:
        return _race(arguments)
    if any(getattr(arguments, name) is not None for name in ("seeds", "threads", "keep", "max_minutes")):
        raise UserError("a race needs a candidate: --set KEY=VALUE")
    return _records(arguments.results)


def _records(results: Path) -> Answer:
    records, kinds = read_records(TRACK, results), {True: "record", False: "entry "}
    lines = [f"{TRACK.name}: {TRACK.about}", f"target   {TRACK.target}, in {CHECKS_IN_A_ROW} checks in a row"]
    for record in records:
        lines += [
            f"{kinds[record['is_record']]}   {record['name']} ({record['date']}): {record['changed']}",
            f"         {arm_text(record['candidate'])}",
            f"         against {record['against']}: {ratios_text(record['ratios'])}",
        ]
    return {"track": TRACK.name, "target": TRACK.target, "records": records}, "\n".join(lines)


def _race(arguments: Namespace) -> Answer:
    results: Path = arguments.results
    pairing = pair(TRACK, arguments.assignments, results)
    if arguments.keep:
        check_name(TRACK, arguments.keep[0], results)
    options = WorkerOptions(
        out=arguments.runs / "speedrun",
        command=tuple(arguments.command_line),
        threads=arguments.threads,
        deadline=None if arguments.max_minutes is None else time.time() + 60 * arguments.max_minutes,
        watch=TrainingProgress,
    )
    arms = race(pairing, range(FIRST_SEED, FIRST_SEED + (arguments.seeds or TRACK.seeds)), options)
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
