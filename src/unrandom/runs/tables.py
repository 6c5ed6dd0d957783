"""How are tables kept? As polars frames, a row for each observation, saved as Parquet files."""

from collections.abc import Iterable, Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

import polars as pl

from unrandom.core.errors import UserError
from unrandom.core.files import write_atomically

Tables = dict[str, pl.DataFrame]
DECIMALS = 5  # of shares and weights, which is all that they are good for


def table(rows: Iterable[Mapping[str, Any]]) -> pl.DataFrame:
    """A frame of rows that have the same columns; the types are those that all of its rows fit."""
    return pl.DataFrame(list(rows), infer_schema_length=None)


def rounded(frame: pl.DataFrame) -> pl.DataFrame:
    """Floating-point columns to five decimals, each number as Python rounds it."""
    columns = [column for column, kind in frame.schema.items() if kind == pl.Float64]
    return frame.with_columns(
        pl.Series(column, [None if x is None else round(x, DECIMALS) for x in frame[column]], dtype=pl.Float64)
        for column in columns
    )


def save_tables(tables: Tables, folder: Path) -> None:
    """Each table as ``<name>.parquet``."""
    for name, frame in tables.items():
        parquet = BytesIO()
        frame.write_parquet(parquet)
        write_atomically(folder / f"{name}.parquet", parquet.getvalue())


def read_tables(folder: Path) -> Tables:
    """The tables that were saved in a folder, by name. UserError where there is no such folder."""
    if not folder.is_dir():
        raise UserError(f"{folder} does not exist: nothing was measured there")
    return {path.stem: pl.read_parquet(path) for path in sorted(folder.glob("*.parquet"))}
