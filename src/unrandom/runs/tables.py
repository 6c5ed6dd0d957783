"""How are tables made and saved? As polars frames with one row per observation, in Parquet files."""

from collections.abc import Iterable, Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

import polars as pl

from unrandom.core.errors import UserError
from unrandom.core.files import write_atomically

Tables = dict[str, pl.DataFrame]
DECIMALS = 5  # of accuracies and attention weights, whose sampling error is larger


def table(rows: Iterable[Mapping[str, Any]]) -> pl.DataFrame:
    """A frame of rows with the same columns; column types are inferred from all rows."""
    return pl.DataFrame(list(rows), infer_schema_length=None)


def rounded(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame with floating-point columns rounded to five decimals, as Python rounds."""
    columns = [column for column, kind in frame.schema.items() if kind == pl.Float64]
    return frame.with_columns(
        pl.Series(column, [None if x is None else round(x, DECIMALS) for x in frame[column]], dtype=pl.Float64)
        for column in columns
    )


def save_tables(tables: Tables, folder: Path) -> None:
    """Write each table to ``<name>.parquet``."""
    for name, frame in tables.items():
        parquet = BytesIO()
        frame.write_parquet(parquet)
        write_atomically(folder / f"{name}.parquet", parquet.getvalue())


def read_tables(folder: Path) -> Tables:
    """The tables saved in a folder, by name. Raises UserError if the folder is missing."""
    if not folder.is_dir():
        raise UserError(f"{folder} does not exist: nothing was measured there")
    return {path.stem: pl.read_parquet(path) for path in sorted(folder.glob("*.parquet"))}
