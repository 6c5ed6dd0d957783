"""Where are records saved? In one file per track, one line of JSON per race: what was changed, and the result."""

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
from unrandom.core.reading import about, read_json_lines
from unrandom.experiments.speedrun.race import Attempt, Pairing, Race
from unrandom.experiments.speedrun.ratios import expected_flops, ratios, why_no_record
from unrandom.experiments.speedrun.tracks import Kind, Track
from unrandom.training import RunConfig

SET_BY_TRACK = ("seed", "data_seed", "evaluate_every", "checkpoint_every", "test_sequences")  # configuration keys
PAPER, HOUSE = "paper", "house"  # names of the first two entries of every track: the paper's recipe and this project's
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
    """Return the entries of a track, one per saved race, in order: also of races that made no record.

    Raises UserError for a line that is not a valid entry.
    """
    path = records_file(track, results)
    return read_json_lines(path, _Entry) if path.exists() else []


def record_to_beat(track: Track, kind: Kind, results: Path) -> str:
    """Return the name of the record to beat: at first PAPER in the neutral class, and HOUSE in the open class.

    A new record replaces only the one that it beat, in every class where that one stood.
    """
    best: dict[str, str] = {"neutral": PAPER, "open": HOUSE}
    for record in (record for record in read_records(track, results) if record["is_record"]):
        best = {of: record["name"] if record["against"] == name else name for of, name in best.items()}
    return best[kind]


def configuration_of(track: Track, name: str, results: Path) -> RunConfig:
    """Return the configuration of an entry, PAPER and HOUSE included. Raises UserError for any other name."""
    known = {record["name"]: record for record in read_records(track, results)}
    if name in known:
        with about(records_file(track, results)):
            return RunConfig.parse(known[name]["config"])
    base = {PAPER: track.paper, HOUSE: track.house}
    if name in base:
        return base[name]()
    raise UserError(f"{track.name} has no record called {name!r}; there are {', '.join([*base, *known])}")


def arm(attempts: Sequence[Attempt]) -> JsonObject:
    """Return one arm of a race as JSON values."""
    return {
        "reached": sum(attempt.reached for attempt in attempts),
        "seeds": len(attempts),
        "expected_flops": expected_flops(attempts),
        "attempts": [asdict(attempt) for attempt in attempts],
    }


def pair(track: Track, base: str | None, assignments: Sequence[str], against: str | None, results: Path) -> Pairing:
    """Return a candidate (the entry ``base`` with some keys changed, as by ``--set``) and the record it runs against.

    By default ``base`` is the open record to beat, and ``against`` the record to beat in the candidate's class. Raises
    UserError for a candidate that the track does not accept, or that equals the record.
    """
    base = record_to_beat(track, "open", results) if base is None else base
    candidate = configuration_of(track, base, results).override(assignments)
    track.validate(candidate)
    against = record_to_beat(track, track.kind(candidate), results) if against is None else against
    record = configuration_of(track, against, results)
    if track.prepared(candidate, 0).digest() == track.prepared(record, 0).digest():
        raise UserError(f"the candidate is {against} itself; change something with --set, or take another --against")
    return Pairing(track, candidate, against, record)


def outcome(pairing: Pairing, finished_race: Race, results: Path) -> JsonObject:
    """Return the result of a race as JSON values."""
    track, against = pairing.track, pairing.against
    kind = track.kind(pairing.candidate)
    to_beat = sorted({record_to_beat(track, "open", results), record_to_beat(track, kind, results)})
    found, reason = ratios(finished_race), why_no_record(finished_race, track.seeds)
    if against not in to_beat:
        reason = f"{' or '.join(to_beat)} is the record to beat, not {against}"
    return {
        "is_record": reason is None,
        "because": reason,
        "track": track.name,
        "class": kind,
        "against": against,
        "against_digest": pairing.record.digest(),
        "changes": changes(pairing.record, pairing.candidate),
        "ratios": found and {name: ratio.to_json() for name, ratio in found.items()},
        "candidate": arm(finished_race.candidate),
        "record": arm(finished_race.record),
    }


def changes(before: RunConfig, now: RunConfig) -> dict[str, list[Any]]:
    """Return the keys whose values differ, with both values, without those that the track sets."""
    first, second = (dict(dotted_items(config.to_json())) for config in (before, now))
    keys = [key for key in {**first, **second} if first.get(key) != second.get(key)]
    return {key: [first.get(key), second.get(key)] for key in keys if key not in SET_BY_TRACK}


def check_name(track: Track, name: str, results: Path) -> None:
    """Raise UserError for a name that is taken, or has other than letters, digits, dots, hyphens and underscores."""
    if not NAME.fullmatch(name):
        raise UserError(f"--name takes letters, digits, dots, hyphens and underscores, not {name!r}")
    if name in (PAPER, HOUSE, *(record["name"] for record in read_records(track, results))):
        raise UserError(f"{track.name} already has an entry called {name!r}; choose another --name")


def add_entry(pairing: Pairing, name: str, changed: str, made: JsonObject, results: Path) -> Path:
    """Append a race to the track's file, won or not; ``changed`` is joined to one line. Returns the file."""
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
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    write_atomically(path, "\n".join([*lines, json.dumps(line, allow_nan=False), ""]))
    return path
