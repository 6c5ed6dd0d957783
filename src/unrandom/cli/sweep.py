"""How does a command carry out a sweep? It plans, trains what is missing, and shows the best and the map."""

import sys
from argparse import Namespace
from pathlib import Path
from typing import Any

from unrandom.cli.answer import Answer
from unrandom.cli.crew import crew_of, train_shown
from unrandom.experiments.experiment import Rows
from unrandom.runs.grid_point import measured_point
from unrandom.runs.plan import cost_words, grid_points, parse_grid, plain, settings_of, state
from unrandom.runs.run import Run
from unrandom.runs.spec import RunSpec, with_ancestors
from unrandom.runs.sweep import Sweep, minutes_left, save_sweep
from unrandom.training import RunConfig

Tree = dict[str, Any]


def sweep(arguments: Namespace, recipe: str, config: RunConfig) -> Answer:
    """Train and measure every cell that is not done, then save and show all."""
    grid = parse_grid(arguments.grid)
    planned = grid_points(recipe, config, grid, arguments.seeds)
    asked = Sweep(recipe, config, grid, planned, arguments.sequences)
    if arguments.dry_run:
        return _plan(asked, arguments)
    missing = [spec for spec in planned if not asked.is_done(spec, arguments.out)]
    known = {spec.id: spec for spec in planned}

    def words(run: RunSpec) -> str:
        if run.id not in known:
            return f"{run.id}, which others begin with"
        said = f"{settings_of(known[run.id])} ({run.id})"
        if not asked.is_done(known[run.id], arguments.out):
            return said
        measured = measured_point(Run.open(arguments.out / run.id), arguments.sequences)
        return f"{said}: last number {measured['validation_last']:.3f} in validation"

    begun_with = [run for run in with_ancestors(missing) if run not in missing]
    wanted = [run for run in begun_with if state(run, arguments.out) != "finished"] + missing
    outcomes = train_shown(wanted, crew_of(arguments), what="cell", sequences=arguments.sequences, words=words)
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


def _plan(asked: Sweep, arguments: Namespace) -> Answer:
    """The cells, where each stands, and what is to be paid."""
    out = arguments.out
    rows: Rows = []
    lines = []
    for spec in asked.points:
        named = {"run": spec.id, "status": state(spec, out), "flops": spec.flops}
        rows.append({**spec.labels, **named})
        lines.append(f"{named['status']:<9} {spec.flops:.1e}  {settings_of(spec)}")
    runs = asked.points
    minutes = minutes_left(asked, crew_of(arguments))
    expected = "" if minutes is None else f", about {minutes:.0f} min"
    lines.append(f"{cost_words(runs, out)}{expected}")
    left = sum(row["flops"] for row in rows if row["status"] != "finished")
    answer = {"cells": rows, "flops": sum(run.flops for run in runs), "flops_left": left, "minutes_left": minutes}
    return answer, "\n".join(lines)
