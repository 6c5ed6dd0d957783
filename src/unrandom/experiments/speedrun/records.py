"""Where are records kept? One line of JSON a race, in one file a track: what was changed, and what came of it."""

import json
import re
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import Field

from unrandom.core.config import Config, dotted_items
from unrandom.core.errors import UserError
from unrandom.core.files import JsonObject, make_folder, write_atomically
from unrandom.experiments.speedrun.race import Attempt, Pairing, Race
from unrandom.experiments.speedrun.ratios import expected_flops, ratios, why_no_record
from unrandom.experiments.speedrun.tracks import Kind, Track
from unrandom.training import RunConfig

THE_TRACKS = ("seed", "data_seed", "evaluate_every", "checkpoint_every", "test_sequences")  # keys that it sets
PAPER, HOUSE = "paper", "house"  # the recipes with which every track begins
NAME = re.compile(r"[\w.-]+", re.ASCII)


class _Ratio(Config):
    value: float
    low: float | None
    high: float | None
    at_most: bool


class _Arm(Config):
    reached: int
    seeds: int
    expected_flops: float | None
    attempts: tuple[Attempt, ...]


class _Entry(Config):
    """One line of a track's file."""

    name: str
    changed: str
    date: str
    is_record: bool
    because: str | None
    track: str
    kind: Kind = Field(alias="class")
    against: str
    against_digest: str
    changes: dict[str, tuple[Any, Any]]
    ratios: dict[str, _Ratio] | None
    candidate: _Arm
    record: _Arm
    config: JsonObject


def records_file(track: Track, results: Path) -> Path:
    return results / "records" / f"{track.name}.jsonl"


def read_records(track: Track, results: Path) -> list[JsonObject]:
    """What was kept of a track, in its order: records, and races that made none. UserError for any other line."""
    path = records_file(track, results)
    try:
        records = [json.loads(line) for line in path.read_text().splitlines()] if path.is_file() else []
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise UserError(f"{path} holds a line that is no JSON object: {error}") from None
    for number, record in enumerate(records, start=1):
        try:
            _Entry.parse(record)
        except UserError as error:
            raise UserError(f"{path}: line {number}: {error}") from None
    return records


def standing(track: Track, kind: Kind, results: Path) -> str:
    """The name of the record to beat: in the neutral class at first the paper's recipe, in the open one the house's.

    A record takes the place of the one that it beat, and no other.
    """
    best: dict[str, str] = {"neutral": PAPER, "open": HOUSE}
    for record in (record for record in read_records(track, results) if record["is_record"]):
        best = {of: record["name"] if record["against"] == name else name for of, name in best.items()}
    return best[kind]


def configuration_of(track: Track, name: str, results: Path) -> RunConfig:
    """The configuration of an entry, or of a recipe with which the track begins. UserError for any other name."""
    known = {record["name"]: record for record in read_records(track, results)}
    if name in known:
        return RunConfig.parse(known[name]["config"])
    begin = {PAPER: track.paper, HOUSE: track.house}
    if name in begin:
        return begin[name]()
    raise UserError(f"{track.name} has no record called {name!r}; there are {', '.join([*begin, *known])}")


def arm(attempts: Sequence[Attempt]) -> JsonObject:
    """One side of a race."""
    return {
        "reached": sum(attempt.reached for attempt in attempts),
        "seeds": len(attempts),
        "expected_flops": expected_flops(attempts),
        "attempts": [asdict(attempt) for attempt in attempts],
    }


def pair(track: Track, begin: str | None, assignments: Sequence[str], against: str | None, results: Path) -> Pairing:
    """The entry called ``begin`` with some keys changed (as ``--set`` does it), and what it is to run against.

    Without a name it begins as the standing open record, and runs against the standing record of its class. UserError
    for a candidate that the track does not take, or that is the record itself.
    """
    candidate = configuration_of(track, begin or standing(track, "open", results), results).override(assignments)
    track.check(candidate)
    against = against or standing(track, track.kind(candidate), results)
    record = configuration_of(track, against, results)
    if track.prepared(candidate, 0).digest() == track.prepared(record, 0).digest():
        raise UserError(f"the candidate is {against} itself; change something with --set, or take another --against")
    return Pairing(track, candidate, against, record)


def outcome(pairing: Pairing, run: Race, results: Path) -> JsonObject:
    """What a race came to, as JSON values."""
    track, against = pairing.track, pairing.against
    kind = track.kind(pairing.candidate)
    to_beat = sorted({standing(track, "open", results), standing(track, kind, results)})
    found, reason = ratios(run), why_no_record(run, track.seeds)
    if against not in to_beat:
        reason = f"{' or '.join(to_beat)} is to be beaten, and not {against}"
    return {
        "is_record": reason is None,
        "because": reason,
        "track": track.name,
        "class": kind,
        "against": against,
        "against_digest": pairing.record.digest(),
        "changes": changes(pairing.record, pairing.candidate),
        "ratios": found and {name: ratio.to_json() for name, ratio in found.items()},
        "candidate": arm(run.candidate),
        "record": arm(run.record),
    }


def changes(before: RunConfig, now: RunConfig) -> dict[str, list[Any]]:
    """The keys whose values differ, with both values; the seeds and what is measured are the track's."""
    first, second = (dict(dotted_items(config.to_json())) for config in (before, now))
    keys = [key for key in {**first, **second} if first.get(key) != second.get(key)]
    return {key: [first.get(key), second.get(key)] for key in keys if key not in THE_TRACKS}


def check_name(track: Track, name: str, results: Path) -> None:
    """UserError for a name that something else has, or that is more than letters, digits, dots and hyphens."""
    if not NAME.fullmatch(name):
        raise UserError(f"--name takes letters, digits, dots, hyphens and underscores, not {name!r}")
    if name in (PAPER, HOUSE, *(record["name"] for record in read_records(track, results))):
        raise UserError(f"{track.name} has something called {name!r} already; choose another --name")


def add_entry(pairing: Pairing, name: str, changed: str, made: JsonObject, results: Path) -> Path:
    """Write a race at the end of the track's file, won or not; ``changed`` becomes one line. Returns the file."""
    check_name(pairing.track, name, results)
    line = {
        "name": name,
        "changed": " ".join(changed.split()),
        "date": datetime.now(UTC).date().isoformat(),
        **made,
        "config": pairing.candidate.to_json(),
    }
    path = records_file(pairing.track, results)
    make_folder(path.parent)
    lines = path.read_text().splitlines() if path.is_file() else []
    write_atomically(path, "\n".join([*lines, json.dumps(line, allow_nan=False), ""]))
    return path
