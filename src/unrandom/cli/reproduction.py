"""What do ``reproduce`` and ``claims`` do? Carry out experiments one by one, and show what came of them."""

import sys
from argparse import Namespace
from pathlib import Path
from typing import Any

from unrandom.cli.progress import working
from unrandom.cli.work import train_all
from unrandom.core.errors import UserError
from unrandom.core.files import make_folder, write_atomically
from unrandom.experiments.experiment import SCALES, Experiment, with_ancestors
from unrandom.experiments.kept import keep_runs, open_kept
from unrandom.experiments.registry import EXPERIMENTS, experiment
from unrandom.experiments.reproduce import all_judgements, carry_out, is_measured, missing_runs
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
        "flops": {scale: sum(run.flops for run in with_ancestors(each.runs(scale, 3))) for scale in SCALES},
        "state": {scale: "measured" if is_measured(each, scale, results) else "not run" for scale in SCALES},
    }


def reproduce(arguments: Namespace) -> tuple[Tree, str]:
    """Train what is missing, then measure, draw and judge each experiment."""
    if not arguments.all and not arguments.experiments:
        raise UserError(f"name an experiment, or --all; there are {', '.join(EXPERIMENTS)}")
    chosen = list(EXPERIMENTS.values()) if arguments.all else [experiment(name) for name in arguments.experiments]
    scale, results = arguments.scale, arguments.results
    own = _own_run(arguments.run, chosen) if arguments.run else None
    if own:  # its verdicts are not those of the experiment's own runs, and must not take their place
        results, how = arguments.run / "experiments", f"--run {arguments.run}"
    else:
        how = f"--seeds {arguments.seeds}" + " --kept" * arguments.kept
        left = 0 if arguments.kept else _train(chosen, arguments)
        if left:
            print(f"the time is up; {left} runs are left, and the same command goes on", file=sys.stderr)
            return {"scale": scale, "results": str(results), "claims": [], "left": left}, ""
    rows: list[Tree] = []
    for each, runs in [(each, [own] if own else _runs(each, arguments)) for each in chosen]:
        with working(each.name):
            judged = carry_out(each, scale, runs, results, f"unrandom reproduce {each.name} --scale {scale} {how}")
            if not own:
                keep_runs(each, runs, scale, results)
        print(_table(judged), file=sys.stderr, flush=True)
        rows += judged
    every = all_judgements(list(EXPERIMENTS.values()), scale, results)
    index = results / scale / "index.html"
    write_atomically(index, results_page(every, scale, results, index))
    return {"scale": scale, "results": str(results), "claims": rows}, _table(rows)


def _train(chosen: list[Experiment], arguments: Namespace) -> int:
    """Train what is missing; returns how many runs are left when the time was up."""
    return train_all(missing_runs(chosen, arguments.scale, arguments.seeds, arguments.out), arguments, what="run")


def _runs(each: Experiment, arguments: Namespace) -> list[Run]:
    """The experiment's runs: those that were trained, or those that are kept beside the results."""
    planned = each.runs(arguments.scale, arguments.seeds)
    if arguments.kept:
        return open_kept(planned, arguments.scale, arguments.results)
    return [Run.open(arguments.out / run.id) for run in planned]


def _own_run(path: Path, chosen: list[Experiment]) -> Run:
    """A run of the user's own that the chosen analyses can read."""
    run = Run.open(path)
    regime = run.config.data.regime
    if run.config.data.base is not None:
        raise UserError(f"{path} cannot be measured so: a run with one token a number is needed")
    for each in chosen:
        if each.compares:
            raise UserError(f"{each.name} compares runs of its own; --run {path} cannot take their place")
        if each.regime != regime:
            needed = {"fm": "a fixed-modulus run", "um": "an unseen-modulus run", None: "no run"}[each.regime]
            raise UserError(f"{path} cannot be measured by {each.name}, which needs {needed}")
    return run


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
