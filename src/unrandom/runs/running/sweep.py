"""The results of a sweep: tables of grid points, of combinations, and of the cells of a heat map."""

import hashlib
import json
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from unrandom.core.errors import UserError
from unrandom.core.files import JsonObject
from unrandom.evaluation.intervals import over_units, within_bounds
from unrandom.runs.run import Run
from unrandom.runs.running.grid_point import is_measured, measured_point
from unrandom.runs.running.plan import Grid, run_state
from unrandom.runs.running.worker import failure
from unrandom.runs.spec import RunSpec, with_ancestors
from unrandom.runs.tables import table
from unrandom.training import RunConfig

MEASURES = ("validation_last", "test_last", "validation_number", "test_number")  # columns that are averaged over seeds


@dataclass(frozen=True)
class Sweep:
    """A sweep: a base configuration, a grid over it with seeds, and the sequences per evaluation."""

    recipe: str
    config: RunConfig
    grid: Grid
    points: list[RunSpec]
    sequences: int

    @property
    def name(self) -> str:
        """Recipe and hash of the base configuration and the grid: equal sweeps have equal names."""
        asked = json.dumps([self.config.identity(), list(self.grid.items())], sort_keys=True)
        return f"{self.recipe}-{hashlib.sha256(asked.encode()).hexdigest()[:8]}"

    @property
    def axes(self) -> tuple[str | None, str | None]:
        """The keys of the map's rows and columns: the first two with several values. The other keys are tuned."""
        several = [key for key, values in self.grid.items() if len(values) > 1]
        if len(several) < 2:
            return None, next(iter(several or self.grid), None)
        return several[0], several[1]

    def is_done(self, spec: RunSpec, out: Path) -> bool:
        """Whether a grid point is trained and evaluated."""
        return run_state(spec, out) == "finished" and is_measured(out / spec.id, self.sequences)

    def begun(self, out: Path) -> list[Run]:
        """The runs of the grid points that have an evaluation, with their settings as labels; no damaged ones."""
        found = []
        for spec in self.points:
            with suppress(UserError):
                run = Run.open(out / spec.id, spec.labels)
                found += [run] if run.folder.read_metrics() else []
        return found

    def unfinished(self, out: Path) -> list[RunSpec]:
        """The grid points that are not done, preceded by their ancestors that are not trained."""
        missing = [spec for spec in self.points if not self.is_done(spec, out)]
        ancestors = [run for run in with_ancestors(missing) if run not in missing]
        return [run for run in ancestors if run_state(run, out) != "finished"] + missing


def plan(sweep: Sweep, out: Path) -> pl.DataFrame:
    """One row per grid point: settings, state and training compute."""
    return table(
        {**spec.labels, "run": spec.id, "status": run_state(spec, out), "flops": spec.flops} for spec in sweep.points
    )


def grid_point_table(sweep: Sweep, out: Path) -> pl.DataFrame:
    """One row per grid point: settings, state and, once it is finished, its measurement."""
    rows = [_grid_point_row(sweep, spec, out) for spec in sweep.points]
    columns = dict.fromkeys(key for row in rows for key in row)
    return table({key: row.get(key) for key in columns} for row in rows)


def _grid_point_row(sweep: Sweep, spec: RunSpec, out: Path) -> JsonObject:
    folder = out / spec.id
    done = sweep.is_done(spec, out)
    wrong = None if done else failure(folder)
    how_far = "finished" if done else "failed" if wrong else run_state(spec, out)
    return {
        **spec.labels,
        "run": spec.id,
        "status": "part way" if how_far == "finished" and not done else how_far,
        "error": f"{wrong['kind']}: {wrong['message']}" if wrong else None,
        "flops": spec.flops,
        **(measured_point(Run.open(folder), sweep.sequences) if done else {}),
    }


def combinations(sweep: Sweep, points: pl.DataFrame) -> pl.DataFrame:
    """One row per combination of settings: averages over finished seeds, with Student's t intervals from two on."""
    groups = points.group_by(list(sweep.grid), maintain_order=True)
    return table({**dict(zip(sweep.grid, settings, strict=True)), **_means(group)} for settings, group in groups)


def _means(group: pl.DataFrame) -> JsonObject:
    finished = group.filter(status="finished")
    means: JsonObject = {"seeds": len(group), "finished": len(finished)}
    for name in MEASURES:
        found = within_bounds(over_units(finished[name].to_list())) if len(finished) else None
        means |= {name: found and found.value, f"{name}_low": found and found.low, f"{name}_high": found and found.high}
    return {**means, "runs": group["run"].to_list()}


def choose(combined: pl.DataFrame) -> JsonObject | None:
    """The best combination by validation; combinations with unfinished seeds rank below all others."""
    able = combined.filter(pl.col("finished") > 0)
    whole = pl.col("finished") == pl.col("seeds")
    return next(able.sort(whole, "validation_last", descending=True, maintain_order=True).iter_rows(named=True), None)


def heatmap(sweep: Sweep, combined: pl.DataFrame) -> pl.DataFrame:
    """One row per cell of the heat map: the combination chosen there by validation, with its test accuracy.

    Tuned settings and runs are None where nothing is finished.
    """
    keys = [key for key in sweep.axes if key is not None]
    tuned = {key: None for key in (*sweep.grid, "runs") if key not in keys}
    places = combined.group_by(keys, maintain_order=True)
    return table(choose(place) or {**place.row(0, named=True), **tuned} for _, place in places)
