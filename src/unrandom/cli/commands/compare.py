"""What does `unrandom compare` do? It draws the curves of several runs together, and tabulates where they ended."""

import os
from argparse import Namespace
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unrandom.cli.answer import Answer, aligned
from unrandom.cli.options import RUN, TASK, Parser

if TYPE_CHECKING:
    from unrandom.runs.run import Run

EXAMPLE = "unrandom compare runs/fm-256-11566064 latest --out curves"
LEVELS = (0.5, 0.9)  # accuracies of the last number whose first step is tabulated


def add(command: Parser) -> None:
    command.add_argument("runs", metavar="RUN", nargs="+", help=RUN)
    command.add_argument("--task", metavar="FILE:CLASS", help=TASK)
    command.add_argument(
        "--out", default="comparison", metavar="STEM", help="where to draw: STEM.png and STEM.svg (comparison)"
    )


def run(arguments: Namespace) -> Answer:
    from unrandom.core.errors import UserError
    from unrandom.core.files import make_folder
    from unrandom.figures.runs import save_runs
    from unrandom.runs.finding import find_run

    runs = list({each.folder.path.resolve(): each for each in map(find_run, arguments.runs)}.values())
    ids = Counter(each.id for each in runs)  # a model of the package and a run of one's own may have the same
    found = {each.id if ids[each.id] == 1 else str(each.folder.path): each for each in runs}
    metrics = {name: each.folder.read_metrics() for name, each in found.items()}
    if unmeasured := [found[name].folder.path for name, rows in metrics.items() if not rows]:
        raise UserError(f"{unmeasured[0]} has no evaluation yet; train it with: unrandom resume {unmeasured[0]}")
    stem = Path(arguments.out)
    if not stem.name or arguments.out.endswith(("/", os.sep)):
        raise UserError(f"--out takes the beginning of the pictures' names, not {arguments.out!r}")
    stem = stem.with_suffix("") if stem.suffix in (".png", ".svg") else stem
    make_folder(stem.parent)
    picture = save_runs(metrics, stem)
    rows = [{"run": name, **_row(each, metrics[name])} for name, each in found.items()]
    lines = aligned([list(rows[0]), *([_text(value) for value in row.values()] for row in rows)])
    return {"runs": rows, "picture": str(picture)}, "\n".join([*lines, f"picture {picture}"])


def _row(run: "Run", metrics: list[dict[str, Any]]) -> dict[str, Any]:
    last = metrics[-1]
    steps = {level: [row["step"] for row in metrics if (row["last_number_accuracy"] or 0) >= level] for level in LEVELS}
    reached = {f"step of {level:g}": min(found, default=None) for level, found in steps.items()}
    return {
        "step": last["step"],
        "of": run.config.steps,
        "loss": last["test_loss"],
        "last number": last["last_number_accuracy"],
        **reached,
        "seconds": last["seconds"],
    }


def _text(value: Any) -> str:
    return "–" if value is None else f"{value:.4f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)
