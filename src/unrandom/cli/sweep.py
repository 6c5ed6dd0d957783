"""Shows a sweep: one line as each grid point ends, then a table of all and the best settings."""

from argparse import Namespace

import polars as pl

from unrandom.cli.answer import Answer, aligned
from unrandom.cli.launcher import launcher_of, train_shown
from unrandom.cli.progress import say
from unrandom.core.config import as_typed
from unrandom.core.files import JsonObject
from unrandom.core.quantities import duration
from unrandom.runs.run import Run
from unrandom.runs.running.engines import load_engine
from unrandom.runs.running.grid_point import measured_point
from unrandom.runs.running.launcher import Launcher, raise_failures
from unrandom.runs.running.plan import cost_text, grid_points, parse_grid, run_state, settings_of
from unrandom.runs.running.saved_sweep import SweepResult, save_sweep
from unrandom.runs.running.sweep import Sweep, plan
from unrandom.runs.spec import RunSpec
from unrandom.training.estimate import core_seconds


def sweep(arguments: Namespace, base: RunSpec) -> Answer:
    """Train and measure each unfinished grid point over the base configuration, then save and show all of them."""
    grid = parse_grid(arguments.grid)
    points = grid_points(base.recipe, base.config, grid, arguments.seeds)
    asked = Sweep(base.recipe, base.config, grid, points, arguments.sequences)
    if arguments.dry_run:
        return _dry_run(asked, arguments)
    known = {spec.id: spec for spec in asked.points}

    def describe(run: RunSpec) -> str:
        if run.id not in known:
            return f"{run.id}, from which others start"
        settings = f"{settings_of(known[run.id])} ({run.id})"
        if not asked.is_done(run, arguments.runs):
            return settings
        measured = measured_point(Run.open(arguments.runs / run.id), asked.sequences)
        return f"{settings}: last number {measured['validation_last']:.3f} in validation"

    outcomes = train_shown(
        asked.unfinished(arguments.runs),
        launcher_of(arguments),
        what="grid point",
        sequences=asked.sequences,
        describe=describe,
    )
    found = save_sweep(asked, arguments.runs, arguments.command_line)
    left, failed = (sum(outcome.status == status for outcome in outcomes) for status in ("stopped", "failed"))
    if not left and found.best is None:
        raise_failures(outcomes)
    if left:
        say(f"the time is up; {left} grid points are left, and the same command continues")
    answer = {"sweep": str(found.folder), "grid_points": found.points.to_dicts(), "best": found.best}
    return {**answer, "left": left, "failed": failed}, _sweep_text(asked, found)


def _sweep_text(asked: Sweep, found: SweepResult) -> str:
    columns = [*asked.grid, "seed", "validation", "test", "95 % interval", "run"]
    points = found.points.iter_rows(named=True)
    table = [
        columns,
        *([*(as_typed(row[key]) for key in asked.grid), str(row["seed"]), *_result_cells(row)] for row in points),
    ]
    lines = aligned(table)
    lines.append("(accuracy on the last number; settings are chosen by validation)")
    if (best := found.best) is not None:
        settings = " ".join(f"{key}={as_typed(best[key])}" for key in asked.grid)
        lines.append(f"best    {settings}: validation {best['validation_last']:.4f}, test {best['test_last']:.4f}")
    return "\n".join([*lines, f"sweep   {found.folder}"])


def _result_cells(row: JsonObject) -> list[str]:
    """Validation and test accuracy with its interval, and the run; the status or the error of an unfinished run."""
    if row["status"] != "finished":
        return ["-", "-", "-", f"{row['run']}  {row['error'] or row['status']}"]
    low, high = row["test_last_low"], row["test_last_high"]
    interval = "-" if low is None else f"{low:.4f} to {high:.4f}"
    return [f"{row['validation_last']:.4f}", f"{row['test_last']:.4f}", interval, row["run"]]


def _dry_run(asked: Sweep, arguments: Namespace) -> Answer:
    out, points = arguments.runs, plan(asked, arguments.runs)
    rows = [
        [status, f"{flops:.1e}", duration(core_seconds(flops)), settings_of(spec)]
        for spec, status, flops in zip(asked.points, points["status"], points["flops"], strict=True)
    ]
    lines = aligned([["status", "FLOPs", "on a core, roughly", "settings"], *rows])
    minutes = _minutes_left(asked, launcher_of(arguments))
    expected = "" if minutes is None else f", about {minutes:.0f} min by the finished ones"
    lines.append(f"{cost_text(asked.points, out)}{expected}")
    flops = points["flops"].to_list()  # Python integers, because the sum may exceed 2^63
    left = sum(points.filter(pl.col("status") != "finished")["flops"].to_list())
    answer = {"grid_points": points.to_dicts(), "flops": sum(flops), "flops_left": left, "minutes_left": minutes}
    return answer, "\n".join(lines)


def _minutes_left(sweep: Sweep, launcher: Launcher) -> float | None:
    """Estimated minutes for the unfinished grid points, by the speed of finished ones; None without any."""
    out = launcher.out
    finished = [spec for spec in sweep.points if run_state(spec, out) == "finished"]
    if not finished:
        return None
    seconds = sum(Run.open(out / run.id).result()["train_seconds"] or 0.0 for run in finished)
    left = sum(spec.flops for spec in sweep.points) - sum(run.flops for run in finished)
    workers = load_engine("local", launcher.options).places if launcher.engine == "local" else 1
    waiting = len(sweep.points) - len(finished)
    return round(seconds / sum(run.flops for run in finished) * left / max(1, min(workers, waiting)) / 60, 2)
