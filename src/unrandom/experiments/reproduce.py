"""What does `unrandom reproduce` do? Trains what is missing, measures, saves the tables, draws, judges.

``results/<scale>/<experiment>/`` holds the tables (Parquet and JSON), the pictures (SVG and PNG), the judgements and
the configurations. Finished runs are shared and never trained again.
"""

import json
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

from unrandom.core.files import make_folder, read_json, write_atomically, write_json
from unrandom.core.run_folder import RunFolder
from unrandom.experiments.claims import Judgement
from unrandom.experiments.experiment import Experiment, PlannedRun, Scale, Tables, with_ancestors
from unrandom.experiments.runs import Run


def missing_runs(experiments: Sequence[Experiment], scale: Scale, seeds: int, runs_folder: Path) -> list[PlannedRun]:
    """Every run that the experiments need and that is not finished, each once, in the order of need."""
    needed = with_ancestors(run for experiment in experiments for run in experiment.runs(scale, seeds))
    return [run for run in needed if not RunFolder(runs_folder / run.id).finished]


def carry_out(
    experiment: Experiment,
    scale: Scale,
    runs: list[Run],
    results: Path,
    command: str,
) -> list[dict[str, Any]]:
    """Measure finished runs, save, draw and judge under ``results/<scale>/<experiment>/``. Returns the judgements."""
    folder = make_folder(results / scale / experiment.name)
    tables = _rounded(experiment.measure(runs, scale))
    save_tables(tables, folder)
    write_json(folder / "configurations.json", {run.id: run.config.tree() for run in runs})
    experiment.draw(tables, folder)
    evidence = experiment.evidence(tables)
    judged = [claim.judge(evidence.get(claim.key, ())) for claim in experiment.claims]
    rows = [_row(experiment, scale, judgement, command) for judgement in judged]
    write_json(_judgements(experiment, scale, results), rows)
    return rows


def all_judgements(experiments: Sequence[Experiment], scale: Scale, results: Path) -> list[dict[str, Any]]:
    """A row for every claim; those that were never measured are *not run*."""
    rows = []
    for experiment in experiments:
        if is_measured(experiment, scale, results):
            rows += read_json(_judgements(experiment, scale, results))
        else:
            command = f"unrandom reproduce {experiment.name} --scale {scale}"
            rows += [_row(experiment, scale, claim.judge(()), command) for claim in experiment.claims]
    return rows


def is_measured(experiment: Experiment, scale: Scale, results: Path) -> bool:
    """Whether the experiment has been judged at this scale."""
    return _judgements(experiment, scale, results).is_file()


def _judgements(experiment: Experiment, scale: Scale, results: Path) -> Path:
    return results / scale / experiment.name / "judgements.json"


def save_tables(tables: Tables, folder: Path) -> None:
    """Each table as ``<name>.json`` and ``<name>.parquet``."""
    import polars

    for name, rows in tables.items():
        write_atomically(folder / f"{name}.json", json.dumps(rows, allow_nan=False) + "\n")
        parquet = BytesIO()
        polars.DataFrame(rows, infer_schema_length=None).write_parquet(parquet)
        write_atomically(folder / f"{name}.parquet", parquet.getvalue())


def _rounded(tables: Tables) -> Tables:
    """Shares and weights to five decimals, which is all that they are good for."""
    return {
        name: [
            {key: round(value, 5) if isinstance(value, float) else value for key, value in row.items()} for row in rows
        ]
        for name, rows in tables.items()
    }


def _row(experiment: Experiment, scale: Scale, judgement: Judgement, command: str) -> dict[str, Any]:
    explained = scale == "laptop" and judgement.verdict != "reproduced" and "--run" not in command
    why = judgement.claim.at_laptop if explained else ""
    return {"experiment": experiment.name, "scale": scale, **judgement.tree(), "why": why, "command": command}
