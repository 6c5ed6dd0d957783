"""Saves a sweep as a folder beside its runs, with tables, a heat map and curves, which can be opened again."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import polars as pl
from pydantic import Field

from unrandom.core.config import Config, as_typed
from unrandom.core.errors import UserError
from unrandom.core.files import JsonObject, make_folder, resolved, write_json
from unrandom.core.reading import about, read_json
from unrandom.core.run_folder import RunFolder
from unrandom.core.shown import Shown
from unrandom.runs.differences import names_of
from unrandom.runs.run import Run
from unrandom.runs.running.plan import MOST_POINTS, grid_points
from unrandom.runs.running.sweep import Sweep, choose, combinations, grid_point_table, heatmap
from unrandom.runs.tables import save_tables
from unrandom.training import RunConfig

SAVED = "sweep.json"  # what was asked
MOST_CURVES = 8  # of one picture: one for each of its colours


@dataclass(frozen=True, repr=False)
class SweepResult(Shown):
    """The results of a sweep so far."""

    folder: Path
    points: pl.DataFrame  # one row per grid point
    best: JsonObject | None  # best combination of settings; None: nothing is finished
    varied: tuple[str, ...]  # the keys of the settings

    def shown(self) -> dict[str, str]:
        """The folder, the progress, and the best settings in validation."""
        finished = self.points.filter(status="finished")
        best = "none yet"
        if self.best is not None:
            settings = " ".join(f"{key}={as_typed(self.best[key])}" for key in self.varied)
            best = f"{settings}: last number right in {self.best['validation_last']:.3f} of validation"
        points = f"{len(finished)} of {len(self.points)} finished"
        return {"sweep": str(self.folder), "points": points, "best": best}


class Asked(Config):
    """The content of ``sweep.json`` in the folder of a sweep."""

    recipe: Annotated[str, Field(max_length=100)]
    config: dict[str, Any]
    grid: dict[str, list[Annotated[str, Field(max_length=10_000)]]]
    seeds: Annotated[int, Field(ge=1, le=MOST_POINTS)]
    sequences: Annotated[int, Field(ge=1, le=2**20)]
    command: str


def is_sweep(folder: Path) -> bool:
    """Whether a folder belongs to a sweep and not to a run, whose measurements have the same file name."""
    return (folder / SAVED).is_file() and not RunFolder(folder).exists


def runs_of(folder: Path) -> list[Run]:
    """The runs of a saved sweep that have an evaluation. Raises UserError if there are none, or one cannot tell."""
    folder = resolved(folder)
    with about(folder / SAVED):
        asked = read_json(folder / SAVED, Asked)
        config = RunConfig.parse(asked["config"])
        grid = {key: tuple(values) for key, values in asked["grid"].items()}
        points = grid_points(asked["recipe"], config, grid, asked["seeds"])
    sweep = Sweep(asked["recipe"], config, grid, points, asked["sequences"])
    if not (begun := sweep.begun(parent := folder.parent.parent)):
        raise UserError(f"no run of the sweep {folder.name} in {parent} has an evaluation yet")
    return begun


def save_sweep(sweep: Sweep, out: Path, command: Sequence[str]) -> SweepResult:
    """Write ``<out>/sweeps/<name>/``: what was asked, tables, the best combination, the map and the curves."""
    folder = make_folder(out / "sweeps" / sweep.name)
    found = grid_point_table(sweep, out)
    combined = combinations(sweep, found)
    chosen = heatmap(sweep, combined)
    best = choose(combined)
    asked = {
        "recipe": sweep.recipe,
        "config": sweep.config.to_json(),
        "grid": {key: list(values) for key, values in sweep.grid.items()},
        "seeds": len({spec.config.seed for spec in sweep.points}),
        "sequences": sweep.sequences,
        "command": shlex.join(command),
    }
    write_json(folder / SAVED, asked)
    save_tables({"grid_points": found, "combinations": combined, "heatmap": chosen}, folder)
    write_json(folder / "best.json", best)
    _draw_map(sweep, chosen, folder / "heatmap")
    _draw_curves(sweep.begun(out), found, folder / "curves")
    return SweepResult(folder, found, best, tuple(sweep.grid))


def _draw_map(sweep: Sweep, chosen: pl.DataFrame, stem: Path) -> None:
    from unrandom.figures.panels import MapPanel, save_panels

    down, across = sweep.axes
    rows, columns = (_places(chosen, key) for key in (down, across))
    names_down, names_across = list(dict.fromkeys(rows)), list(dict.fromkeys(columns))
    measured = dict(zip(zip(rows, columns, strict=True), chosen["test_last"].fill_null(float("nan")), strict=True))
    tuned = [key for key in sweep.grid if key not in (down, across) and len(sweep.grid[key]) > 1]
    panel = MapPanel(
        title=f"{sweep.recipe}: last number, test" + (f"\n(best {', '.join(tuned)} by validation)" if tuned else ""),
        x=across or "",
        y=down or "",
        values=[[measured.get((row, column), float("nan")) for column in names_across] for row in names_down],
        columns=names_across,
        rows=names_down,
        bar="accuracy",
        written=True,
    )
    save_panels([panel], stem)


def _draw_curves(runs: Sequence[Run], points: pl.DataFrame, stem: Path) -> None:
    """The learning curves of the runs; if there are many, of the best in validation."""
    from unrandom.figures.runs import save_runs

    measured = dict(points.select("run", "validation_last").iter_rows()) if "validation_last" in points else {}
    best = sorted(runs, key=lambda run: -(measured.get(run.id) or 0.0))[:MOST_CURVES]
    if shown := [run for run in runs if run in best]:
        save_runs(dict(zip(names_of(shown), (run.folder.read_metrics() for run in shown), strict=True)), stem)


def _places(chosen: pl.DataFrame, key: str | None) -> list[str]:
    """The position of each row of the map on one axis."""
    return [""] * len(chosen) if key is None else [as_typed(value) for value in chosen[key].to_list()]
