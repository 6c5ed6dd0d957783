"""Where are records saved? In one file per track, one line of JSON per race: what was changed, and the result."""

import json
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import Field

from unrandom.core.config import Config, dotted_items
from unrandom.core.errors import UserError
from unrandom.core.files import JsonObject, make_folder, write_atomically
from unrandom.core.reading import about, read_json_lines
from unrandom.experiments.speedrun.race import Arm, Pairing, Ratio, ratios, why_no_record
from unrandom.experiments.speedrun.tracks import SET_BY_TRACK, Kind, Track
from unrandom.training import RunConfig

PAPER, HOUSE = "paper", "house"  # names of the first two entries of every track: the paper's recipe and this project's
NAME = re.compile(r"[\w.-]+", re.ASCII)


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
    ratios: dict[str, Ratio] | None
    candidate: Arm
    record: Arm
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
    best = {"neutral": PAPER, "open": HOUSE}[kind]
    for record in read_records(track, results):
        if record["is_record"] and record["against"] == best:
            best = record["name"]
    return best


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


def outcome(pairing: Pairing, candidate: Arm, record: Arm, results: Path) -> JsonObject:
    """Return the result of a race as JSON values."""
    track, against = pairing.track, pairing.against
    kind = track.kind(pairing.candidate)
    reason = why_no_record(candidate, record, track.seeds)
    to_beat = sorted({record_to_beat(track, "open", results), record_to_beat(track, kind, results)})
    if against not in to_beat:
        reason = f"{' or '.join(to_beat)} is the record to beat, not {against}"
    found = ratios(candidate, record)
    return {
        "is_record": reason is None,
        "because": reason,
        "track": track.name,
        "class": kind,
        "against": against,
        "against_digest": pairing.record.digest(),
        "changes": changes(pairing.record, pairing.candidate),
        "ratios": found and {cost: _rounded(ratio.to_json()) for cost, ratio in found.items()},
        "candidate": candidate.to_json(),
        "record": record.to_json(),
    }


def _rounded(ratio: JsonObject) -> JsonObject:
    return {name: round(value, 4) if isinstance(value, float) else value for name, value in ratio.items()}


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
    today = datetime.now(UTC).date().isoformat()
    line = {"name": name, "changed": " ".join(changed.split()), "date": today, **made}
    path = records_file(pairing.track, results)
    make_folder(path.parent)
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    added = json.dumps({**line, "config": pairing.candidate.to_json()}, allow_nan=False)
    write_atomically(path, "\n".join([*lines, added, ""]))
    return path
