"""What do ``reproduce`` and ``claims`` do? Carry out experiments one by one, and show what came of them."""

import sys
import time
from argparse import Namespace
from pathlib import Path
from typing import Any

from unrandom.cli.progress import TrainingProgress, working
from unrandom.core.errors import UserError
from unrandom.core.files import make_folder, write_atomically
from unrandom.experiments.experiment import SCALES, Experiment, PlannedRun
from unrandom.experiments.registry import EXPERIMENTS, experiment
from unrandom.experiments.reproduce import all_judgements, carry_out, is_measured, keep_weights, missing_runs, train_run
from unrandom.experiments.runs import Run
from unrandom.report.results import results_page

Tree = dict[str, Any]


def list_experiments(results: Path) -> tuple[Tree, str]:
    """Every experiment with its figures and claims, and its cost and state at each scale."""
    listed = [_described(each, results) for each in EXPERIMENTS.values()]
    width = max(len(entry["name"]) for entry in listed)
    lines = []
    for entry in listed:
        costs = ", ".join(f"{scale} {flops:.0e}" for scale, flops in entry["flops"].items() if flops) or "none"
        measured = ", ".join(scale for scale, state in entry["state"].items() if state == "measured") or "nowhere yet"
        lines.append(f"{entry['name']:<{width}}  {entry['about']} ({', '.join(entry['figures'])})")
        lines.append(f"{'':<{width}}  training FLOPs: {costs}; measured: {measured}")
    return {"experiments": listed}, "\n".join(lines)


def _described(each: Experiment, results: Path) -> Tree:
    return {
        "name": each.name,
        "about": each.about,
        "figures": list(each.figures),
        "claims": [{"sentence": claim.sentence, "threshold": claim.bound} for claim in each.claims],
        "flops": {scale: sum(run.flops for run in each.runs(scale, 3)) for scale in SCALES},
        "state": {scale: "measured" if is_measured(each, scale, results) else "not run" for scale in SCALES},
    }


def reproduce(arguments: Namespace) -> tuple[Tree, str]:
    """Train what is missing, then measure, draw and judge each experiment."""
    if not arguments.all and not arguments.experiments:
        raise UserError(f"name an experiment, or --all; there are {', '.join(EXPERIMENTS)}")
    chosen = list(EXPERIMENTS.values()) if arguments.all else [experiment(name) for name in arguments.experiments]
    scale, results, how = arguments.scale, arguments.results, f"--seeds {arguments.seeds}"
    own = [_own_run(arguments.run)] if arguments.run else None
    if own:  # its verdicts are not those of the experiment's own runs, and must not take their place
        results, how = arguments.run / "experiments", f"--run {arguments.run}"
    else:
        _train(missing_runs(chosen, scale, arguments.seeds, arguments.out), arguments)
    rows: list[Tree] = []
    used: dict[str, Run] = {}
    for each in chosen:
        runs = own or [Run.open(arguments.out / planned.id) for planned in each.runs(scale, arguments.seeds)]
        with working(each.name):
            judged = carry_out(each, scale, runs, results, f"unrandom reproduce {each.name} --scale {scale} {how}")
        print(_table(judged), file=sys.stderr, flush=True)
        rows += judged
        used |= {run.id: run for run in runs}
    if not own:
        keep_weights(list(used.values()), scale, results)
    every = all_judgements(list(EXPERIMENTS.values()), scale, results)
    index = results / scale / "index.html"
    write_atomically(index, results_page(every, scale, results, index))
    return {"scale": scale, "results": str(results), "claims": rows}, _table(rows)


def _own_run(path: Path) -> Run:
    """A run of the user's own that the fixed-modulus analyses can read."""
    run = Run.open(path)
    if run.config.data.regime != "fm" or run.config.data.base is not None:
        raise UserError(f"{path} cannot be measured so: a run with one modulus and one token a number is needed")
    return run


def _train(missing: list[PlannedRun], arguments: Namespace) -> None:
    total, done, began = sum(run.flops for run in missing), 0, time.monotonic()
    for index, planned in enumerate(missing):
        spent = time.monotonic() - began
        left = f", about {spent * (total - done) / done / 60:.0f} min of training left" if done else ""
        print(f"run {index + 1} of {len(missing)}: {planned.id}{left}", file=sys.stderr, flush=True)
        with TrainingProgress(planned.config.steps) as progress:
            train_run(planned, arguments.out, arguments.command_line, (progress,))
        done += planned.flops


def claims(arguments: Namespace) -> tuple[list[Tree], str]:
    """The table of all claims at one scale; with ``--write``, as a page (Markdown or HTML) with the figures."""
    rows = all_judgements(list(EXPERIMENTS.values()), arguments.scale, arguments.results)
    if arguments.write:
        page: Path = arguments.write
        make_folder(page.parent)
        write_atomically(page, results_page(rows, arguments.scale, arguments.results, page))
    return rows, _table(rows)


def _table(rows: list[Tree]) -> str:
    return "\n".join(f"{row['verdict']:<15} {_value(row):<30} {row['experiment']}: {row['claim']}" for row in rows)


def _value(row: Tree) -> str:
    if row["value"] is None:
        return f"(wanted {row['threshold']})"
    interval = "" if row["interval"] is None else f" [{row['interval'][0]:.3g}, {row['interval'][1]:.3g}]"
    return f"{row['value']:.3g}{interval} {row['threshold']}"
