"""Keeps races as lines of JSON, one per race: what was changed, and the result."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import ConfigDict

from unrandom.core.config import Config, dotted_items
from unrandom.core.errors import UserError
from unrandom.core.files import JsonObject, make_folder, write_atomically
from unrandom.core.reading import about, read_json_lines
from unrandom.experiments.speedrun.race import Arm, Pairing, Ratio, ratios, why_no_record
from unrandom.experiments.speedrun.tracks import SET_BY_TRACK, Track
from unrandom.training import RunConfig

HOUSE = "house"  # the name of this project's recipe, which the first record had to beat


class _Entry(Config):
    """One line of the file."""

    model_config = ConfigDict(extra="ignore")  # the first races have more keys, of tracks that are gone

    name: str
    changed: str
    date: str
    is_record: bool
    because: str | None
    against: str
    changes: dict[str, tuple[Any, Any]]
    ratios: dict[str, Ratio] | None
    candidate: Arm
    record: Arm
    config: JsonObject


def records_file(track: Track, results: Path) -> Path:
    return results / "records" / f"{track.name}.jsonl"


def read_records(track: Track, results: Path) -> list[JsonObject]:
    """Return the entries, one per saved race, in order: also of races that made no record. Raises UserError for a
    line that is not a valid entry."""
    path = records_file(track, results)
    return read_json_lines(path, _Entry) if path.exists() else []


def standing(track: Track, results: Path) -> tuple[str, RunConfig]:
    """Return the name and the configuration of the record to beat: the last one, or at first HOUSE."""
    records = [entry for entry in read_records(track, results) if entry["is_record"]]
    if not records:
        return HOUSE, track.house()
    with about(records_file(track, results)):
        return records[-1]["name"], RunConfig.parse(records[-1]["config"])


def pair(track: Track, assignments: Sequence[str], results: Path) -> Pairing:
    """Return the standing record with some keys changed, as by ``--set``, and that record. Raises UserError for a
    candidate that the track does not accept, or that equals the record."""
    against, record = standing(track, results)
    candidate = record.override(assignments)
    track.validate(candidate)
    if track.prepared(candidate, 0).digest() == track.prepared(record, 0).digest():
        raise UserError(f"the candidate is {against} itself; change something with --set")
    return Pairing(track, candidate, against, record)


def outcome(pairing: Pairing, candidate: Arm, record: Arm) -> JsonObject:
    """Return the result of a race as JSON values."""
    reason, found = why_no_record(candidate, record, pairing.track.seeds), ratios(candidate, record)
    return {
        "is_record": reason is None,
        "because": reason,
        "against": pairing.against,
        "changes": changes(pairing.record, pairing.candidate),
        "ratios": found and {cost: ratio.to_json() for cost, ratio in found.items()},
        "candidate": candidate.to_json(),
        "record": record.to_json(),
    }


def changes(before: RunConfig, now: RunConfig) -> dict[str, list[Any]]:
    """Return the keys whose values differ, with both values, without the keys that the track sets."""
    first, second = (dict(dotted_items(config.to_json())) for config in (before, now))
    keys = [key for key in {**first, **second} if first.get(key) != second.get(key)]
    return {key: [first.get(key), second.get(key)] for key in keys if key not in SET_BY_TRACK}


def check_name(track: Track, name: str, results: Path) -> None:
    """Raise UserError for a name that is taken."""
    if name in (HOUSE, *(record["name"] for record in read_records(track, results))):
        raise UserError(f"{track.name} already has an entry called {name!r}; choose another name")


def add_entry(pairing: Pairing, name: str, changed: str, made: JsonObject, results: Path) -> Path:
    """Append a race to the file, won or not; ``changed`` is joined to one line. Returns the file."""
    check_name(pairing.track, name, results)
    today = datetime.now(UTC).date().isoformat()
    line = {"name": name, "changed": " ".join(changed.split()), "date": today, **made}
    path = records_file(pairing.track, results)
    make_folder(path.parent)
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    added = json.dumps({**line, "config": pairing.candidate.to_json()}, allow_nan=False)
    write_atomically(path, "\n".join([*lines, added, ""]))
    return path
