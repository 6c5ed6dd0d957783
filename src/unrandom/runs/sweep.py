"""What came of a sweep? Rows of grid points, means over seeds, and a map whose every choice was made by validation."""

import hashlib
import json
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unrandom.core.files import make_folder, read_json, write_json
from unrandom.evaluation.intervals import over_units, within_bounds
from unrandom.runs.crew import Crew
from unrandom.runs.engines import load_engine
from unrandom.runs.grid_point import is_measured, measured_point
from unrandom.runs.plan import Grid, plain, state
from unrandom.runs.run import Run
from unrandom.runs.spec import RunSpec
from unrandom.runs.tables import save_tables, table
from unrandom.runs.worker import failure
from unrandom.training import RunConfig

MEASURES = ("validation_last", "test_last", "validation_number", "test_number")  # averaged over seeds

Tree = dict[str, Any]
Rows = list[Tree]


@dataclass(frozen=True)
class Sweep:
    """What was asked for: a recipe's configuration, a grid over it, seeds, and how much to measure."""

    recipe: str
    config: RunConfig
    grid: Grid
    points: list[RunSpec]
    sequences: int

    @property
    def name(self) -> str:
        """The same whenever the same grid over the same configuration is asked for."""
        asked = json.dumps([self.config.identity(), list(self.grid.items())], sort_keys=True)
        return f"{self.recipe}-{hashlib.sha256(asked.encode()).hexdigest()[:8]}"

    def is_done(self, spec: RunSpec, out: Path) -> bool:
        """Whether a grid point is trained and measured."""
        return state(spec, out) == "finished" and is_measured(out / spec.id, self.sequences)


def point_rows(sweep: Sweep, out: Path) -> Rows:
    """A row for every grid point: its settings and where it stands; once it is finished, also what was measured."""
    rows = [_row(sweep, spec, out) for spec in sweep.points]
    columns = dict.fromkeys(key for row in rows for key in row)
    return [{key: row.get(key) for key in columns} for row in rows]


def _row(sweep: Sweep, spec: RunSpec, out: Path) -> Tree:
    folder = out / spec.id
    done = sweep.is_done(spec, out)
    wrong = None if done else failure(folder)
    how_far = "finished" if done else "failed" if wrong else state(spec, out)
    return {
        **spec.labels,
        "run": spec.id,
        "status": "part way" if how_far == "finished" and not done else how_far,
        "error": f"{wrong['kind']}: {wrong['message']}" if wrong else None,
        "flops": spec.flops,
        **(measured_point(Run.open(folder), sweep.sequences) if done else {}),
    }


def combinations(sweep: Sweep, rows: Rows) -> Rows:
    """A row for every combination of settings: means over finished seeds; from two on, Student's intervals."""
    groups: dict[str, Rows] = {}
    for row in rows:
        groups.setdefault(json.dumps([row[key] for key in sweep.grid]), []).append(row)
    return [_mean(sweep, group) for group in groups.values()]


def _mean(sweep: Sweep, group: Rows) -> Tree:
    finished = [row for row in group if row["status"] == "finished"]
    mean: Tree = {key: group[0][key] for key in sweep.grid} | {"seeds": len(group), "finished": len(finished)}
    for name in MEASURES:
        found = within_bounds(over_units([row[name] for row in finished])) if finished else None
        mean |= {name: found and found.value, f"{name}_low": found and found.low, f"{name}_high": found and found.high}
    return mean


def choose(rows: Rows) -> Tree | None:
    """The best combination by validation. One whose seeds did not all finish is second to those whose did."""
    able = [row for row in rows if row["finished"]]
    return max(able, key=lambda row: (row["finished"] == row["seeds"], row["validation_last"]), default=None)


def axes(sweep: Sweep) -> tuple[str | None, str | None]:
    """The keys of the map's rows and columns: the first two with several values. The others are tuned."""
    several = [key for key, values in sweep.grid.items() if len(values) > 1]
    if len(several) < 2:
        return None, next(iter(several or sweep.grid), None)
    return several[0], several[1]


def map_rows(sweep: Sweep, combined: Rows) -> Rows:
    """A row for every place of the map: the combination chosen there by validation, and how it does in the test."""
    keys = [key for key in axes(sweep) if key is not None]
    places: dict[str, Rows] = {}
    for row in combined:
        places.setdefault(json.dumps([row[key] for key in keys]), []).append(row)
    return [choose(rows) or {**rows[0], **_tuned_blank(sweep, keys)} for rows in places.values()]


def _tuned_blank(sweep: Sweep, keys: Sequence[str]) -> Tree:
    return {key: None for key in sweep.grid if key not in keys}


def save_sweep(sweep: Sweep, out: Path, command: Sequence[str]) -> tuple[Path, Rows, Tree | None]:
    """Write ``<out>/sweeps/<name>/``: tables, the best combination, the map. Returns the folder, rows and the best."""
    folder = make_folder(out / "sweeps" / sweep.name)
    rows = point_rows(sweep, out)
    combined = combinations(sweep, rows)
    chosen = map_rows(sweep, combined)
    best = choose(combined)
    if best is not None:
        same = [row for row in rows if all(row[key] == best[key] for key in sweep.grid)]
        best = {**best, "runs": [row["run"] for row in same]}
    asked = {
        "recipe": sweep.recipe,
        "config": sweep.config.tree(),
        "grid": {key: list(values) for key, values in sweep.grid.items()},
        "seeds": len({spec.config.seed for spec in sweep.points}),
        "sequences": sweep.sequences,
        "command": shlex.join(command),
    }
    write_json(folder / "sweep.json", asked)
    save_tables({"cells": table(rows), "combinations": table(combined), "heatmap": table(chosen)}, folder)
    write_json(folder / "best.json", best)
    _draw(sweep, chosen, folder / "heatmap")
    return folder, rows, best


def _draw(sweep: Sweep, chosen: Rows, stem: Path) -> None:
    from unrandom.figures.panels import MapPanel, save_panels

    down, across = axes(sweep)
    rows, columns = ([plain(value) for value in _values(chosen, key)] for key in (down, across))
    values = [[float("nan")] * len(columns) for _ in rows]
    for place in chosen:
        if place["test_last"] is not None:
            row, column = (plain(place[key]) if key else "" for key in (down, across))
            values[rows.index(row)][columns.index(column)] = place["test_last"]
    tuned = [key for key in sweep.grid if key not in (down, across) and len(sweep.grid[key]) > 1]
    panel = MapPanel(
        title=f"{sweep.recipe}: last number, test" + (f"\n(best {', '.join(tuned)} by validation)" if tuned else ""),
        x=across or "",
        y=down or "",
        values=values,
        columns=columns,
        rows=rows,
        bar="accuracy",
        written=True,
    )
    save_panels([panel], stem)


def _values(rows: Rows, key: str | None) -> list[Any]:
    """The distinct values of a column, in the order in which they come."""
    if key is None:
        return [""]
    return list({plain(row[key]): row[key] for row in rows}.values())


def minutes_left(sweep: Sweep, crew: Crew) -> float | None:
    """What is left will take so long, by the speed of the grid points that are finished; none without one."""
    out = crew.out
    finished = [spec for spec in sweep.points if state(spec, out) == "finished"]
    if not finished:
        return None
    seconds = sum(read_json(out / run.id / "result.json")["train_seconds"] for run in finished)
    left = sum(spec.flops for spec in sweep.points) - sum(run.flops for run in finished)
    workers = 1
    if crew.engine == "local":
        workers = load_engine("local", crew.options).places
    waiting = len(sweep.points) - len(finished)
    return round(seconds / sum(run.flops for run in finished) * left / max(1, min(workers, waiting)) / 60, 2)
