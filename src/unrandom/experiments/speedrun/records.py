"""Where are records kept? One line of JSON a race, in one file a track: what was changed, and what came of it."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from unrandom.core.config import dotted_items
from unrandom.core.errors import UserError
from unrandom.core.files import make_folder, write_atomically
from unrandom.experiments.speedrun.race import Attempt, Race
from unrandom.experiments.speedrun.ratios import expected_flops, ratios, why_no_record
from unrandom.experiments.speedrun.tracks import Kind, Track
from unrandom.training import RunConfig

Tree = dict[str, Any]
THE_TRACKS = ("seed", "data_seed", "evaluate_every", "checkpoint_every", "test_sequences")  # keys that it sets
PAPER, HOUSE = "paper", "house"  # the recipes with which every track begins


def records_file(track: Track, results: Path) -> Path:
    return results / "records" / f"{track.name}.jsonl"


def read_records(track: Track, results: Path) -> list[Tree]:
    """What was kept of a track, in its order: records, and races that made none. UserError for any other line."""
    path = records_file(track, results)
    lines = path.read_text().splitlines() if path.is_file() else []
    try:
        return [json.loads(line) for line in lines]
    except json.JSONDecodeError as error:
        raise UserError(f"{path} holds a line that is no JSON object: {error}") from None


def standing(track: Track, kind: Kind, results: Path) -> str:
    """The name of the record to beat: of the neutral ones the last, or in the open class the last of all."""
    records = [record for record in read_records(track, results) if record["is_record"]]
    eligible = [record["name"] for record in records if kind == "open" or record["class"] == kind]
    return eligible[-1] if eligible else PAPER


def configuration_of(track: Track, name: str, results: Path) -> RunConfig:
    """The configuration of an entry, or of a recipe with which the track begins. UserError for any other name."""
    known = {record["name"]: record for record in read_records(track, results)}
    if name in known:
        return RunConfig.parse(known[name]["config"])
    begin = {PAPER: track.paper, HOUSE: track.house}
    if name in begin:
        return begin[name]()
    raise UserError(f"{track.name} has no record called {name!r}; there are {', '.join([*begin, *known])}")


def arm(attempts: Sequence[Attempt]) -> Tree:
    """One side of a race."""
    return {
        "reached": sum(attempt.reached for attempt in attempts),
        "seeds": len(attempts),
        "expected_flops": expected_flops(attempts),
        "attempts": [attempt.tree() for attempt in attempts],
    }


def outcome(track: Track, against: str, candidate: RunConfig, record: RunConfig, run: Race) -> Tree:
    """What a race came to, as JSON values."""
    found, reason = ratios(run), why_no_record(run, track.seeds)
    return {
        "is_record": reason is None,
        "because": reason,
        "track": track.name,
        "class": track.kind(candidate),
        "against": against,
        "changes": changes(record, candidate),
        "ratios": found and {name: ratio.tree() for name, ratio in found.items()},
        "candidate": arm(run.candidate),
        "record": arm(run.record),
    }


def changes(before: RunConfig, now: RunConfig) -> dict[str, list[Any]]:
    """The keys whose values differ, with both values; the seeds and what is measured are the track's."""
    first, second = (dict(dotted_items(config.tree())) for config in (before, now))
    keys = [key for key in {**first, **second} if first.get(key) != second.get(key)]
    return {key: [first.get(key), second.get(key)] for key in keys if key not in THE_TRACKS}


def check_name(track: Track, name: str, results: Path) -> None:
    """UserError for a name that something else has."""
    if name in (PAPER, HOUSE, *(record["name"] for record in read_records(track, results))):
        raise UserError(f"{track.name} has something called {name!r} already; choose another --name")


def add_entry(
    track: Track, name: str, changed: str, made: Tree, config: RunConfig, origin: Tree, results: Path
) -> Path:
    """Write a race at the end of the track's file, won or not; ``origin`` says by what code and machine it was run."""
    check_name(track, name, results)
    line = {
        "name": name,
        "changed": changed,
        "date": datetime.now(UTC).date().isoformat(),
        **made,
        "config": config.tree(),
        **origin,
    }
    path = records_file(track, results)
    make_folder(path.parent)
    before = path.read_text() if path.is_file() else ""
    write_atomically(path, before + json.dumps(line, allow_nan=False) + "\n")
    return path
