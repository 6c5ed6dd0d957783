"""What does ``sweep`` do? Plans the cells, trains what is missing, and shows the table, the best cell and the map."""

import sys
from argparse import Namespace
from pathlib import Path
from typing import Any

from unrandom.cli.work import carry_out
from unrandom.core.files import read_json
from unrandom.experiments.cell import measured_cell
from unrandom.experiments.engines import Options, load_engine
from unrandom.experiments.experiment import PlannedRun, Rows, with_ancestors
from unrandom.experiments.plan import cells, cost_words, parse_grid, plain, state
from unrandom.experiments.runs import Run
from unrandom.experiments.sweep import Sweep, save_sweep
from unrandom.training import RunConfig

Tree = dict[str, Any]


def sweep(arguments: Namespace, recipe: str, config: RunConfig) -> tuple[Tree, str]:
    """Train and measure every cell that is not done, then save and show all."""
    grid = parse_grid(arguments.grid)
    planned = cells(recipe, config, grid, arguments.seeds)
    asked = Sweep(recipe, config, grid, planned, arguments.sequences)
    if arguments.dry_run:
        return _plan(asked, arguments)
    missing = [cell for cell in planned if not asked.is_done(cell, arguments.out)]
    named = {cell.planned.id: cell for cell in planned}

    def words(run: PlannedRun) -> str:
        if run.id not in named:
            return f"{run.id}, which others begin with"
        said = f"{named[run.id].words} ({run.id})"
        if not asked.is_done(named[run.id], arguments.out):
            return said
        measured = measured_cell(Run.open(arguments.out / run.id), arguments.sequences)
        return f"{said}: last number {measured['validation_last']:.3f} in validation"

    cells_wanted = [cell.planned for cell in missing]
    begun_with = [run for run in with_ancestors(cells_wanted) if run not in cells_wanted]
    wanted = [run for run in begun_with if state(run, arguments.out) != "finished"] + cells_wanted
    outcomes = carry_out(wanted, arguments, what="cell", sequences=arguments.sequences, words=words)
    folder, rows, best = save_sweep(asked, arguments.out, arguments.command_line)
    left, failed = (sum(outcome.status == status for outcome in outcomes) for status in ("stopped", "failed"))
    if left:
        print(f"the time is up; {left} cells are left, and the same command goes on", file=sys.stderr)
    answer = {"sweep": str(folder), "cells": rows, "best": best, "left": left, "failed": failed}
    return answer, _words(asked, rows, best, folder)


def _words(asked: Sweep, rows: Rows, best: Tree | None, folder: Path) -> str:
    columns = [*asked.grid, "seed", "validation", "test", "95 % interval", "run"]
    table = [columns, *([*(plain(row[key]) for key in asked.grid), str(row["seed"]), *_shares(row)] for row in rows)]
    widths = [max(len(line[index]) for line in table) for index in range(len(columns))]
    lines = ["  ".join(f"{text:<{width}}" for text, width in zip(line, widths, strict=True)).rstrip() for line in table]
    lines.append("(accuracy on the last number; settings are chosen by validation)")
    if best is not None:
        settings = " ".join(f"{key}={plain(best[key])}" for key in asked.grid)
        lines.append(f"best    {settings}: validation {best['validation_last']:.4f}, test {best['test_last']:.4f}")
    return "\n".join([*lines, f"sweep   {folder}"])


def _shares(row: Tree) -> list[str]:
    if row["status"] != "finished":
        return ["-", "-", "-", f"{row['run']}  {row['error'] or row['status']}"]
    interval = f"{row['test_last_low']:.4f} to {row['test_last_high']:.4f}"
    return [f"{row['validation_last']:.4f}", f"{row['test_last']:.4f}", interval, row["run"]]


def _plan(asked: Sweep, arguments: Namespace) -> tuple[Tree, str]:
    """The cells, where each stands, and what is to be paid."""
    out = arguments.out
    rows: Rows = []
    lines = []
    for cell in asked.cells:
        named = {"run": cell.planned.id, "status": state(cell.planned, out), "flops": cell.planned.flops}
        rows.append({**cell.settings, "seed": cell.seed, **named})
        lines.append(f"{named['status']:<9} {cell.planned.flops:.1e}  {cell.words}")
    runs = [cell.planned for cell in asked.cells]
    minutes = _minutes_left(asked, arguments)
    expected = "" if minutes is None else f", about {minutes:.0f} min"
    lines.append(f"{cost_words(runs, out)}{expected}")
    left = sum(row["flops"] for row in rows if row["status"] != "finished")
    answer = {"cells": rows, "flops": sum(run.flops for run in runs), "flops_left": left, "minutes_left": minutes}
    return answer, "\n".join(lines)


def _minutes_left(asked: Sweep, arguments: Namespace) -> float | None:
    """From the speed of the cells that are finished; none: nobody knows."""
    out = arguments.out
    finished = [cell.planned for cell in asked.cells if state(cell.planned, out) == "finished"]
    if not finished:
        return None
    seconds = sum(read_json(out / run.id / "result.json")["train_seconds"] for run in finished)
    left = sum(cell.planned.flops for cell in asked.cells) - sum(run.flops for run in finished)
    workers = 1
    if arguments.engine == "local":
        workers = load_engine("local", Options(arguments.workers, arguments.threads, arguments.gpus_per_run)).places
    waiting = len(asked.cells) - len(finished)
    return round(seconds / sum(run.flops for run in finished) * left / max(1, min(workers, waiting)) / 60, 2)
