"""Reproduces experiments: trains missing runs, measures them, saves tables, draws figures and judges claims.

``results/<scale>/<experiment>/`` holds the tables (Parquet), the figures (SVG and PNG) and ``made.json``: the command
and the configurations. Judging and drawing read the saved tables alone, so that they can be repeated without any model.
Experiments share their runs, and a finished run is not trained again.
"""

import shutil
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import polars as pl
from polars.exceptions import PolarsError
from pydantic import Field

from unrandom.core.config import Config, as_typed, dotted_items
from unrandom.core.errors import UserError
from unrandom.core.files import JsonObject, replaced_atomically, restore, write_json
from unrandom.core.reading import MAX_JSON, about, read_bytes, read_json
from unrandom.core.run_folder import RunFolder
from unrandom.experiments.catalogue import figure_title
from unrandom.experiments.claims import Judgement
from unrandom.experiments.experiment import Experiment, Rows
from unrandom.experiments.scale import Scale
from unrandom.figures.panels import save_panels
from unrandom.generators.stride import share_predicted
from unrandom.runs.run import Run
from unrandom.runs.running.plan import unfinished
from unrandom.runs.sharing.archive import archive_folder, archive_runs, open_archived
from unrandom.runs.spec import RunSpec, with_ancestors
from unrandom.runs.tables import Tables, read_tables, rounded, save_tables, table
from unrandom.tasks import UnseenModulus
from unrandom.training import RunConfig


class Made(Config):
    """The content of ``made.json``: how the tables in its folder were made."""

    command: str
    configurations: dict[str, dict[str, Any]]  # of the runs, by their ids
    tables: dict[Annotated[str, Field(pattern=r"^[\w-]+$")], str]  # the checksum of each table


IN_THE_REPOSITORY: tuple[Scale, ...] = ("laptop", "overnight")  # scales with saved results

Notes = dict[str, dict[str, JsonObject]]  # experiment → claim key → {"verdict": …, "note": its explanation}


def missing_runs(
    experiments: Sequence[Experiment], scale: Scale, seeds: int, runs_folder: Path, *, but: Path | None = None
) -> list[RunSpec]:
    """Return the unfinished runs that the experiments need, ancestors included, each once, ancestors first; ``but`` is
    for `planned_runs`."""
    needed = with_ancestors(run for each in experiments for run in planned_runs(each, scale, seeds, but=but))
    return unfinished(needed, runs_folder)


def planned_runs(experiment: Experiment, scale: Scale, seeds: int, *, but: Path | None = None) -> list[RunSpec]:
    """Return the runs of an experiment, without those that the saved tables in the folder ``but`` have rows of."""
    measured = set() if but is None else measured_runs(experiment, scale, but)
    return [run for run in experiment.runs(scale, seeds) if run.id not in measured]


def measured_runs(experiment: Experiment, scale: Scale, results: Path) -> set[str]:
    """Return the ids of the runs that the saved tables have rows of."""
    return set(_measured_configurations(experiment, scale, results))


def _measured_seeds(experiment: Experiment, scale: Scale, results: Path) -> int:
    """How many seeds the experiment needs to plan all runs that the saved tables have rows of; 0 without tables."""
    trees = _measured_configurations(experiment, scale, results).values()
    return max((RunConfig.parse(tree).seed + 1 for tree in trees), default=0)


def _measured_configurations(experiment: Experiment, scale: Scale, results: Path) -> JsonObject:
    """The configurations of the runs that the saved tables have rows of, by their ids; none without tables."""
    if not is_measured(experiment, scale, results):
        return {}
    found: JsonObject = _read_made(results / scale / experiment.name)["configurations"]
    return found


def own_run(run: Run, experiments: Sequence[Experiment]) -> Run:
    """Return ``run``, a run of the user's. Raises UserError unless all of these experiments can measure it."""
    path = run.folder.path
    for each in experiments:
        if each.compares:
            raise UserError(f"{each.name} compares several runs; --run {path} cannot replace them")
        if each.task is None or each.task.name != run.config.data.name:
            needed = "no run" if each.task is None else f"a run of {each.task.kind}"
            raise UserError(f"{path} cannot be measured by {each.name}, which needs {needed}")
        if each.digits != (run.config.data.base is not None):
            needed = "base-b digits" if each.digits else "one token per number"
            raise UserError(f"{path} cannot be measured by {each.name}, which needs a run with {needed}")
    return run


def measure_planned(
    experiment: Experiment,
    scale: Scale,
    seeds: int,
    results: Path,
    runs_folder: Path,
    *,
    archived: bool = False,
    add: bool = False,
) -> list[JsonObject]:
    """Measure and judge the planned runs, and archive the small models. Returns one row per claim.

    The runs are the trained ones or, with ``archived``, the archived models. With ``add``, the saved rows of runs stay,
    more seeds' than these too, and only the other runs are measured, if they are finished.
    """
    if add:
        seeds = max(seeds, _measured_seeds(experiment, scale, results))
    wanted = planned_runs(experiment, scale, seeds, but=results if add else None)
    kept = [run for run in experiment.runs(scale, seeds) if run not in wanted]
    if add:
        wanted = [run for run in wanted if RunFolder(runs_folder / run.id).finished]
        if not (kept or wanted):
            return judged_rows(experiment, scale, results, {})
    archive = archive_folder(scale, results)
    if archived:
        runs = open_archived(wanted, archive)
    else:
        runs = [Run.open(runs_folder / spec.id, spec.labels) for spec in wanted]
    how = f"--seeds {seeds}{' --archived' if archived else ''}"
    rows = measure_and_judge(experiment, scale, runs, results, f"{experiment.command(scale)} {how}", kept)
    archive_runs(runs, experiment.archived_seeds, archive)
    return rows


def measure_own(experiment: Experiment, scale: Scale, run: Run) -> list[JsonObject]:
    """Measure and judge a run of the user's. Returns one row per claim.

    The results go into that run's folder, and do not replace the planned runs'.
    """
    command = f"{experiment.command(scale)} --run {run.folder.path}"
    return measure_and_judge(experiment, scale, [run], own_results(run), command)


def own_results(run: Run) -> Path:
    """Return the folder for the results of a run of the user's."""
    return run.folder.path / "experiments"


def measure_and_judge(
    experiment: Experiment,
    scale: Scale,
    runs: list[Run],
    results: Path,
    command: str,
    kept: Sequence[RunSpec] = (),
) -> list[JsonObject]:
    """Measure runs, save, draw and judge in ``results/<scale>/<experiment>/``. Returns one row per claim.

    The tables keep the saved rows of the runs ``kept``, before the others' where both have some.
    """
    target = results / scale / experiment.name
    measured = dict(experiment.measure(runs, scale)) if runs or not kept else {}
    if runs:
        measured["trained"] = table(_trained(runs))
    if kept:
        tables = _added(experiment, saved_tables(target), measured, [spec.id for spec in kept])
    else:
        tables = {**measured, **experiment.derive(measured)}
    with replaced_atomically(target, replace=True) as folder:
        if target.is_dir():  # Its pictures, and whatever else the user keeps there, stay.
            shutil.copytree(
                target, folder, symlinks=True, dirs_exist_ok=True, ignore=shutil.ignore_patterns("*.parquet")
            )
        checksums = save_tables({name: rounded(frame) for name, frame in tables.items()}, folder)
        configurations = {each.id: each.config.to_json() for each in (*kept, *(run.spec for run in runs))}
        made = Made(command=command, configurations=configurations, tables=checksums)
        write_json(folder / "made.json", made.to_json(), compact=True)
    return draw_and_judge(experiment, scale, results)


def _added(experiment: Experiment, saved: Tables, measured: Tables, kept: Sequence[str]) -> Tables:
    """The saved rows of the runs ``kept``, with what was measured below them, and what is derived from both.
    A column that only one of them has is null in the other. Raises UserError if another table is not by run."""
    by_run = {name: rows.filter(pl.col("run").is_in(kept)) for name, rows in saved.items() if "run" in rows.columns}
    for name, rows in measured.items():
        by_run[name] = pl.concat([by_run[name], rows], how="diagonal_relaxed") if name in by_run else rows
    derived = experiment.derive(by_run)
    for name, rows in saved.items():
        if "run" not in rows.columns and name not in derived:
            raise UserError(f"the table {name} is not by run, so that no runs can be added to it: leave out --add")
    return {**by_run, **derived}


def draw_and_judge(experiment: Experiment, scale: Scale, results: Path) -> list[JsonObject]:
    """Draw and judge from the saved tables. Raises UserError if they are missing. Returns one row per claim."""
    folder = results / scale / experiment.name
    with _using_tables(folder):
        for picture in experiment.draw(saved_tables(folder)):
            save_panels(picture.panels, folder / f"{experiment.name}{picture.suffix}", columns=picture.columns)
    return judged_rows(experiment, scale, results, {})


def all_judgements(experiments: Sequence[Experiment], scale: Scale, results: Path) -> list[JsonObject]:
    """Return one row per claim, from the saved tables; claims that were never measured are *not run*. Raises
    UserError if nothing was ever measured at this scale."""
    if not (results / scale).is_dir():
        saved = where_saved(scale, results)
        raise UserError(
            f"there are no results in {results / scale}{saved}; make some with: unrandom reproduce NAME --scale {scale}"
        )
    notes = read_notes(experiments, scale, results)
    return [row for experiment in experiments for row in judged_rows(experiment, scale, results, notes)]


def where_saved(scale: Scale, results: Path) -> str:
    """Where else the results of a scale are, if not in this folder; empty if nowhere."""
    if scale not in IN_THE_REPOSITORY or (results / scale).is_dir():
        return ""
    return " (the saved ones are in the repository, not in an installed package: use a checkout, or read the site)"


def judged_rows(experiment: Experiment, scale: Scale, results: Path, notes: Notes) -> list[JsonObject]:
    """Return one row per claim of one experiment."""
    if not is_measured(experiment, scale, results):
        command = experiment.command(scale)
        judged = [Judgement(claim, "not run") for claim in experiment.claims]
    else:
        folder = results / scale / experiment.name
        command = _read_made(folder)["command"]
        with _using_tables(folder):
            judged = experiment.judge(saved_tables(folder)) if experiment.claims else []
    return [_row(experiment, scale, each, command, notes) for each in judged]


def is_measured(experiment: Experiment, scale: Scale, results: Path) -> bool:
    """Whether the experiment has saved tables at this scale."""
    folder = results / scale / experiment.name
    restore(folder)
    return (folder / "made.json").exists()


def _read_made(folder: Path) -> JsonObject:
    made: JsonObject = read_json(folder / "made.json", Made)
    return made


def saved_tables(folder: Path) -> Tables:
    """The tables in an experiment's folder, by name. Raises UserError for what `measure_and_judge` did not write."""
    return read_tables(folder, _read_made(folder)["tables"])


@contextmanager
def _using_tables(folder: Path) -> Iterator[None]:
    """Within the block, what an experiment does not find in saved tables becomes a UserError that names them."""
    try:
        with about(folder):
            yield
    except UserError:
        raise
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, PolarsError) as error:
        kind = type(error).__name__
        raise UserError(f"the tables in {folder} are not this experiment's ({kind}: {error!s:.200})") from error


def other_settings(experiment: Experiment, scale: Scale, results: Path) -> dict[str, str]:
    """Return the settings in which the measured runs differ from all runs that the experiment would train today.

    Maps configuration keys to the values of the measured runs, as typed on the command line; seeds are left out.
    """
    with about(results / scale / experiment.name / "made.json"):
        before = _settings(map(RunConfig.parse, _measured_configurations(experiment, scale, results).values()))
    today = _settings(run.config for run in experiment.runs(scale, 1))
    return {key: ", ".join(sorted(values)) for key, values in before.items() if not values & today.get(key, values)}


def _settings(configs: Iterable[RunConfig]) -> dict[str, set[str]]:
    """Map every configuration key to the set of its values."""
    found: dict[str, set[str]] = {}
    for config in configs:
        for key, value in dotted_items(config.to_json()):
            if not key.startswith(("start", "seed")):
                found.setdefault(key, set()).add(as_typed(value))
    return found


def read_notes(experiments: Sequence[Experiment], scale: Scale, results: Path) -> Notes:
    """Read ``results/<scale>/notes.toml``: explanations of verdicts, by experiment and claim key. Raises UserError
    for a file that is not valid, or that names an unknown claim."""
    path = results / scale / "notes.toml"
    try:
        notes: Notes = tomllib.loads(read_bytes(path, MAX_JSON).decode()) if path.exists() else {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UserError(f"{path} is not TOML: {error}") from None
    known = {(experiment.name, claim.key) for experiment in experiments for claim in experiment.claims}
    for name, claims in notes.items():
        if not isinstance(claims, dict):
            raise UserError(f"{path}: {name} is not a table of claims")
        for key, note in claims.items():
            if (name, key) not in known:
                raise UserError(f"{path} explains {name}.{key}, which is not a claim")
            if not isinstance(note, dict) or {k: type(v) for k, v in note.items()} != {"verdict": str, "note": str}:
                raise UserError(f"{path}: {name}.{key} needs a verdict and a note, and nothing else")
    return notes


def _trained(runs: Sequence[Run]) -> Rows:
    """Last-number accuracy on unseen sequences at the end of training, one row per run.

    The modulus is the fixed one, or the largest that training draws; for tasks without one, the number of different
    numbers. ``shortcut`` is the share of unseen moduli's multipliers that the best fixed look-back predicts; null for
    other tasks.
    """
    rows = []
    for run in runs:
        data, metrics = run.config.data, run.folder.read_metrics()
        best = share_predicted(data.moduli, data.best_stride) if isinstance(data, UnseenModulus) else None
        accuracy = metrics[-1]["last_number_accuracy"] if metrics else None
        key_columns = {"run": run.id, "modulus": data.vocabulary, "seed": run.config.seed}
        rows.append({**key_columns, "accuracy": accuracy, "shortcut": best})
    return rows


def _row(experiment: Experiment, scale: Scale, judgement: Judgement, command: str, notes: Notes) -> JsonObject:
    note = notes.get(experiment.name, {}).get(judgement.claim.key)
    return {
        "experiment": experiment.name,
        "half": experiment.entry.section,
        "scale": scale,
        **judgement.to_json(),
        "figure_title": figure_title(judgement.claim.figure),
        "why": note["note"] if note and note["verdict"] == judgement.verdict else "",
        "command": command,
    }
