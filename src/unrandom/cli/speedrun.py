"""How does a command show speedrun records or race a candidate? It reads saved records, or trains and compares both.

A race is saved with the records if ``--keep`` is given.
"""

import time
from argparse import Namespace
from pathlib import Path

from unrandom.cli.answer import Answer, aligned
from unrandom.cli.progress import TrainingProgress
from unrandom.core.errors import UserError
from unrandom.core.files import make_folder, write_atomically
from unrandom.experiments.speedrun.catalogue import TRACKS, track
from unrandom.experiments.speedrun.race import race
from unrandom.experiments.speedrun.records import add_entry, check_name, outcome, pair, read_records
from unrandom.experiments.speedrun.tracks import CHECKS_IN_A_ROW, FIRST_SEED, Track
from unrandom.report.records import arm_text, ratios_text, records_page
from unrandom.runs.running.worker import WorkerOptions

# options that only a race uses
RACE_OPTIONS = ("assignments", "begin_with", "against", "seeds", "pack", "threads", "name", "keep", "max_minutes")


def speedrun(arguments: Namespace) -> Answer:
    """Show the records of one track or of all, race a candidate, or write the page of all records."""
    racing = any(getattr(arguments, name) not in (None, []) for name in RACE_OPTIONS)
    page: Path | None = arguments.write
    if arguments.track is None:
        if racing:
            raise UserError(f"name a track; there are {', '.join(TRACKS)}")
        if page:
            make_folder(page.parent)
            write_atomically(page, records_page(arguments.results))
        answers = [_track_answer(each, arguments.results) for each in TRACKS.values()]
        return {"tracks": [values for values, _ in answers]}, "\n\n".join(text for _, text in answers)
    chosen = track(arguments.track)
    if page:
        raise UserError("--write takes no track: the page shows all tracks")
    if not racing:
        return _track_answer(chosen, arguments.results)
    if not arguments.assignments and arguments.begin_with is None:
        raise UserError("a race needs a candidate: --set KEY=VALUE, or --from NAME")
    return _race(chosen, arguments)


def _track_answer(chosen: Track, results: Path) -> Answer:
    records = read_records(chosen, results)
    values = {"track": chosen.name, "about": chosen.about, "target": chosen.target.text, "records": records}
    lines = [f"{chosen.name}: {chosen.about}", f"target   {chosen.target.text}, in {CHECKS_IN_A_ROW} checks in a row"]
    for record in records:
        kind = "record" if record["is_record"] else "entry "
        lines += [
            f"{kind}   {record['name']} ({record['class']}, {record['date']}): {record['changed']}",
            f"         {arm_text(record['candidate'])}",
            f"         against {record['against']}: {ratios_text(record['ratios'])}",
        ]
    if not any(record["is_record"] for record in records):
        lines.append("record   none yet: a candidate must beat the recipes `paper` and `house`")
    return values, "\n".join(lines)


def _race(chosen: Track, arguments: Namespace) -> Answer:
    results: Path = arguments.results
    pairing = pair(chosen, arguments.begin_with, arguments.assignments, arguments.against, results)
    if (arguments.keep is None) != (arguments.name is None) or arguments.keep == "":
        raise UserError("to save a race, give both --name NAME and --keep 'what was changed'")
    if arguments.name is not None:
        check_name(chosen, arguments.name, results)
    pack = arguments.pack or 1
    options = WorkerOptions(
        # Runs that are trained together take other times, so they have a folder of their own.
        out=arguments.runs / ("speedrun" if pack == 1 else f"speedrun-{pack}-at-once"),
        command=tuple(arguments.command_line),
        threads=arguments.threads,
        deadline=None if arguments.max_minutes is None else time.time() + 60 * arguments.max_minutes,
        watch=TrainingProgress if pack == 1 else None,
    )
    seeds = range(FIRST_SEED, FIRST_SEED + (arguments.seeds or chosen.seeds))
    arms = race(pairing, seeds, options, pack)
    if arms is None:
        return {"track": chosen.name, "finished": False}, "the time is up; the same command continues"
    result = outcome(pairing, *arms, results)
    sides = [["candidate", arm_text(result["candidate"])], [pairing.against, arm_text(result["record"])]]
    lines = [
        *aligned(sides),
        f"candidate to {pairing.against} ({result['class']}): {ratios_text(result['ratios'])}",
        f"a record: {'yes' if result['is_record'] else 'no, as ' + result['because']}",
    ]
    if arguments.keep is not None:
        lines.append(f"saved    {add_entry(pairing, arguments.name, arguments.keep, result, results)}")
    return {**result, "finished": True}, "\n".join(lines)
