"""`unrandom compare` draws the curves of several runs together, and tabulates where they ended."""

import os
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unrandom.cli.answer import Answer, aligned
from unrandom.cli.options import RUN, TASK, Parser, add_runs

if TYPE_CHECKING:
    from unrandom.runs.run import Run

EXAMPLE = """unrandom compare fm-256 um-144
unrandom compare runs/sweeps/fm-256-1a2b3c4d --out curves"""
LEVELS = (0.5, 0.9)  # the first step with this accuracy of the last number is tabulated


def add(command: Parser) -> None:
    command.add_argument("names", metavar="RUN", nargs="+", help=f"{RUN}; or the folder of a sweep, for all its runs")
    command.add_argument("--task", metavar="FILE:CLASS", action="append", help=f"{TASK} (repeatable)")
    add_runs(command)
    command.add_argument(
        "--out", default="comparison", metavar="STEM", help="where to draw: STEM.png and STEM.svg (comparison)"
    )


def run(arguments: Namespace) -> Answer:
    from unrandom.core.errors import UserError
    from unrandom.core.files import make_folder
    from unrandom.figures.runs import save_runs
    from unrandom.runs.differences import differing_settings, names_by_settings, other_names

    named = _runs(arguments.names, arguments.runs)
    runs = [each for each, _ in named]
    metrics = [each.folder.read_metrics() for each in runs]
    if unmeasured := [each for each, rows in zip(runs, metrics, strict=True) if not rows]:
        path = unmeasured[0].folder.path
        raise UserError(f"{path} has no evaluation yet; train it with: unrandom resume {path}")
    stem = Path(arguments.out)
    if not stem.name or arguments.out.endswith(("/", os.sep)):
        raise UserError(f"--out takes the beginning of the pictures' names, not {arguments.out!r}")
    stem = stem.with_suffix("") if stem.suffix in (".png", ".svg") else stem
    make_folder(stem.parent)
    settings = differing_settings(runs)
    by_settings = names_by_settings(settings)
    names = by_settings or other_names(runs, [typed for _, typed in named])
    picture = save_runs(dict(zip(names, metrics, strict=True)), stem)
    rows = [
        {"name": name, "run": str(each.folder.path), "settings": chosen, **_reached(each, measured)}
        for name, each, chosen, measured in zip(names, runs, settings, metrics, strict=True)
    ]
    table = _table(rows, by_settings is not None)
    return {"runs": rows, "picture": str(picture)}, "\n".join([*table, f"picture {picture}"])


def _runs(names: Sequence[str], parent: Path) -> list[tuple["Run", str]]:
    """The runs that the names mean, each once, with their names; for a sweep, its runs so far, with their ids."""
    from unrandom.core.errors import UserError
    from unrandom.runs.finding import find_run
    from unrandom.runs.running.saved_sweep import is_sweep, runs_of

    found: list[tuple[Run, str]] = []
    for name in names:
        if sweeps := [str(each) for each in sorted(Path(name).glob("*")) if is_sweep(each)]:
            raise UserError(f"{name} holds sweeps; name one of them: {', '.join(sweeps[:5])}")
        if is_sweep(Path(name)):
            found += [(each, each.id) for each in runs_of(Path(name))]
        else:
            found.append((find_run(name, parent), name))
    return list({each.folder.path.resolve(): (each, name) for each, name in reversed(found)}.values())[::-1]


def _reached(run: "Run", metrics: list[dict[str, Any]]) -> dict[str, Any]:
    last = metrics[-1]
    steps = {level: [row["step"] for row in metrics if row["last_number_accuracy"] >= level] for level in LEVELS}
    reached = {f"step of {level:g}": min(found, default=None) for level, found in steps.items()}
    return {
        "step": last["step"],
        "of": run.config.steps,
        "loss": last["test_loss"],
        "last number": last["last_number_accuracy"],
        **reached,
        "seconds": last["seconds"],
    }


def _table(rows: Sequence[dict[str, Any]], by_settings: bool) -> list[str]:
    """One line per run: where it ended, with its name or, if they tell the runs apart, the settings that differ."""
    shown = [
        {
            **(row["settings"] if by_settings else {"name": row["name"]}),
            **{key: value for key, value in row.items() if key not in ("name", "run", "settings")},
            "run": Path(row["run"]).name,
        }
        for row in rows
    ]
    return aligned([list(shown[0]), *([_text(value) for value in row.values()] for row in shown)])


def _text(value: Any) -> str:
    return "–" if value is None else f"{value:.4f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)
