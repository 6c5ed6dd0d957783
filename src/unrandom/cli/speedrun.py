"""How does a command show the records of a track, or race a candidate against one and keep it?"""

import time
from argparse import Namespace
from pathlib import Path

from unrandom.cli.answer import Answer
from unrandom.cli.progress import TrainingProgress
from unrandom.core.errors import UserError
from unrandom.core.files import JsonObject, make_folder, write_atomically
from unrandom.experiments.speedrun.catalogue import TRACKS, track
from unrandom.experiments.speedrun.race import race
from unrandom.experiments.speedrun.records import add_entry, check_name, outcome, pair, read_records
from unrandom.experiments.speedrun.tracks import CHECKS_IN_A_ROW, FIRST_SEED, Track
from unrandom.report.records import arm_text, ratio_text, records_page
from unrandom.runs.worker import WorkerOptions

# arguments that only a race takes
RACING = ("assignments", "begin_with", "against", "seeds", "pack", "threads", "name", "keep", "max_minutes")


def speedrun(arguments: Namespace) -> Answer:
    """Show, race, or write the page."""
    racing = any(getattr(arguments, name) not in (None, []) for name in RACING)
    if arguments.track is None:
        if racing:
            raise UserError(f"name a track; there are {', '.join(TRACKS)}")
        return _all_tracks(arguments)
    chosen = track(arguments.track)
    if arguments.write:
        raise UserError("--write takes no track: the page is about all of them")
    if not racing:
        return _shown(chosen, arguments.results)
    if not arguments.assignments and arguments.begin_with is None:
        raise UserError("a race needs a candidate: --set KEY=VALUE, or --from NAME")
    return _race(chosen, arguments)


def _all_tracks(arguments: Namespace) -> Answer:
    if arguments.write:
        page: Path = arguments.write
        make_folder(page.parent)
        write_atomically(page, records_page(arguments.results))
    listed = [_shown(each, arguments.results) for each in TRACKS.values()]
    return {"tracks": [tree for tree, _ in listed]}, "\n\n".join(words for _, words in listed)


def _shown(chosen: Track, results: Path) -> Answer:
    """A track and its records, with the ratios by which they won."""
    records = read_records(chosen, results)
    tree = {"track": chosen.name, "about": chosen.about, "target": chosen.target.text, "records": records}
    lines = [f"{chosen.name}: {chosen.about}", f"target   {chosen.target.text}, in {CHECKS_IN_A_ROW} checks in a row"]
    for record in records:
        kind = "record" if record["is_record"] else "entry "
        lines += [
            f"{kind}   {record['name']} ({record['class']}, {record['date']}): {record['changed']}",
            f"         {arm_text(record['candidate'])}",
            f"         against {record['against']}: {_ratios(record)}",
        ]
    if not any(record["is_record"] for record in records):
        lines.append("record   none yet: the recipes of the paper and of the house are to be beaten")
    return tree, "\n".join(lines)


def _race(chosen: Track, arguments: Namespace) -> Answer:
    results: Path = arguments.results
    pairing = pair(chosen, arguments.begin_with, arguments.assignments, arguments.against, results)
    if (arguments.keep is None) != (arguments.name is None) or arguments.keep == "":
        raise UserError("a race is kept with --name NAME and --keep 'what was changed'")
    if arguments.name is not None:
        check_name(chosen, arguments.name, results)
    pack = arguments.pack or 1
    options = WorkerOptions(
        out=arguments.out / ("speedrun" if pack == 1 else f"speedrun-{pack}-at-once"),  # their seconds are no others'
        command=tuple(arguments.command_line),
        threads=arguments.threads,
        deadline=None if arguments.max_minutes is None else time.time() + 60 * arguments.max_minutes,
        watch=TrainingProgress if pack == 1 else None,
    )
    seeds = range(FIRST_SEED, FIRST_SEED + (arguments.seeds or chosen.seeds))
    run = race(pairing, seeds, options, pack)
    if run is None:
        return {"track": chosen.name, "finished": False}, "the time is up; the same command goes on"
    made = outcome(pairing, run, results)
    verdict = "yes" if made["is_record"] else f"no, as {made['because']}"
    words = [_outcome_text(made, pairing.against), f"a record: {verdict}"]
    if arguments.keep is not None:
        path = add_entry(pairing, arguments.name, arguments.keep, made, results)
        words.append(f"kept     {path}")
    return {**made, "finished": True}, "\n".join(words)


def _outcome_text(made: JsonObject, against: str) -> str:
    names = ("candidate", against)
    width = max(map(len, names))
    arms = [
        f"{name:<{width}}  {arm_text(made[side])}" for name, side in zip(names, ("candidate", "record"), strict=True)
    ]
    return "\n".join([*arms, f"candidate to {against} ({made['class']}): {_ratios(made)}"])


def _ratios(made: JsonObject) -> str:
    """Each ratio with its interval."""
    if made["ratios"] is None:
        return "no ratio, as the candidate did not reach the target under every seed"
    return ", ".join(f"{name} {ratio_text(ratio)}" for name, ratio in made["ratios"].items())
