"""Makes polars tables with one row per observation, and saves them in Parquet files."""

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

import polars as pl

from unrandom.core.errors import UserError
from unrandom.core.files import write_atomically
from unrandom.core.reading import read_bytes

Tables = dict[str, pl.DataFrame]
MAX_BYTES = 2**28  # maximum size of a saved table, bytes
MAX_CELLS = 10**8
"""Maximum of rows times columns in a saved table: compression makes a file of any number of equal rows small."""

DECIMALS = 5  # of accuracies and attention weights: their sampling error is larger


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


def save_tables(tables: Tables, folder: Path) -> dict[str, str]:
    """Write each table to ``<name>.parquet``; returns the SHA-256 of each file, by name."""
    checksums = {}
    for name, frame in tables.items():
        parquet = BytesIO()
        frame.write_parquet(parquet, compression_level=22)
        write_atomically(folder / f"{name}.parquet", parquet.getvalue())
        checksums[name] = hashlib.sha256(parquet.getvalue()).hexdigest()
    return checksums


def read_tables(folder: Path, checksums: Mapping[str, str]) -> Tables:
    """The tables saved in a folder, by name, in the order of their names. Raises UserError for a file that is
    missing, or whose checksum is not what `save_tables` returned."""
    return {name: _read_table(folder / f"{name}.parquet", checksums[name]) for name in sorted(checksums)}


def _read_table(path: Path, checksum: str) -> pl.DataFrame:
    content = read_bytes(path, MAX_BYTES)
    if hashlib.sha256(content).hexdigest() != checksum:
        raise UserError(f"{path} is not the table that was measured: it does not match its checksum")
    try:
        with _silent():
            rows = pl.scan_parquet(BytesIO(content)).select(pl.len()).collect().item()
            columns = len(pl.read_parquet_schema(BytesIO(content)))
            if rows * columns <= MAX_CELLS:
                return pl.read_parquet(BytesIO(content))
        raise UserError(f"{path} has {rows:,} rows of {columns:,} columns; at most {MAX_CELLS:,} cells are read")
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise UserError(f"{path} is not a Parquet file: {error!s:.200}") from None


@contextmanager
def _silent() -> Iterator[None]:
    """Within the block, nothing is printed on standard error: polars panics at some damaged pages, at length."""
    try:
        standard_error = os.dup(2)
    except OSError:  # it is closed
        yield
        return
    try:
        with open(os.devnull, "wb") as nothing:
            os.dup2(nothing.fileno(), 2)
        yield
    finally:
        os.dup2(standard_error, 2)
        os.close(standard_error)
