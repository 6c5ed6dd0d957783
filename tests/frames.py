"""Made-up tables: lists of rows as the frames that experiments see."""

from collections.abc import Mapping
from typing import Any

from unrandom.runs.tables import Tables, table


def frames(tables: Mapping[str, list[dict[str, Any]]]) -> Tables:
    """Each list of rows as a frame."""
    return {name: table(rows) for name, rows in tables.items()}
