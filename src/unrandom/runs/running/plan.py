"""Turns a grid of settings into run specifications, packed into jobs, with their costs.

Every setting is validated here, before anything is trained.
"""

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from unrandom.core.config import as_typed
from unrandom.core.errors import UserError
from unrandom.core.quantities import counted
from unrandom.core.run_folder import RunFolder
from unrandom.runs.run import split_of
from unrandom.runs.spec import RunSpec
from unrandom.tasks import check_task
from unrandom.training import RunConfig

Grid = Mapping[str, tuple[str, ...]]  # configuration key → values as typed
RunState = Literal["finished", "failed", "part way", "new"]
MOST_POINTS = 10_000  # grid points, seeds included


@dataclass(frozen=True)
class Job:
    """The work of one worker: a run, or several stacked runs."""

    runs: tuple[RunSpec, ...]


def parse_grid(assignments: Sequence[str]) -> Grid:
    """``["model.depth=1,2", "data.test_moduli=[64,81],[125]"]`` as keys and values. Raises UserError if unclear."""
    grid: dict[str, tuple[str, ...]] = {}
    for assignment in assignments:
        key, _, text = (part.strip() for part in assignment.partition("="))
        values = tuple(_split_values(text))
        if not key or not all(values):
            raise UserError(f"--grid takes key=value,value,..., not {assignment!r}")
        if key in grid:
            raise UserError(f"--grid gives {key} twice; list all its values in one")
        if key == "seed":
            raise UserError("--grid cannot vary the seed; --seeds K does")
        if len(set(values)) < len(values):
            raise UserError(f"--grid {assignment} gives one value twice")
        grid[key] = values
    return grid


def _split_values(text: str) -> Iterator[str]:
    """Split at commas outside brackets."""
    depth, start = 0, 0
    for index, letter in enumerate(text):
        depth += (letter in "[{") - (letter in "]}")
        if letter == "," and depth == 0:
            yield text[start:index].strip()
            start = index + 1
    yield text[start:].strip()


def grid_points(recipe: str, config: RunConfig, grid: Grid, seeds: int) -> list[RunSpec]:
    """Every combination of the grid, with each of the seeds ``config.seed``, ``config.seed + 1``, …

    The labels of a run are its settings and its seed. Raises UserError for a key or value that does not fit, for a task
    that cannot be split, if nothing is left to train on, and for more than MOST_POINTS points.
    """
    count = seeds * math.prod(map(len, grid.values()))
    if count > MOST_POINTS:
        raise UserError(f"the grid has {count:,} points, seeds included; at most {MOST_POINTS:,} are planned")
    made = []
    split_seeds: dict[str, set[int]] = {}  # that split a task, by the task and the run that it starts from
    for values in itertools.product(*grid.values()):
        assignments = [f"{key}={text}" for key, text in zip(grid, values, strict=True)]
        for seed in range(config.seed, config.seed + seeds):
            chosen = config.override([*assignments, f"seed={seed}"])
            spec = RunSpec(recipe, chosen, {**{key: chosen.at(key) for key in grid}, "seed": seed})
            task_and_parent = chosen.data.digest() + "".join(each.id for each in spec.ancestors()[-1:])
            if chosen.split_seed not in (seeds_so_far := split_seeds.setdefault(task_and_parent, set())):
                if chosen.data.source is not None:
                    check_task(chosen.data, chosen.split_seed)
                split = split_of(chosen)
                split.validation_and_test()
                if not seeds_so_far:
                    split.try_drawing(chosen.batch_size)
                seeds_so_far.add(chosen.split_seed)
            made.append(spec)
    if len({spec.id for spec in made}) < len(made):
        raise UserError("the grid asks for the same run twice")
    return made


def settings_of(spec: RunSpec) -> str:
    """The settings that distinguish a grid point, as typed on the command line."""
    return " ".join(f"{key}={as_typed(value)}" for key, value in spec.labels.items())


def pack_jobs(runs: Sequence[RunSpec], pack: int = 1) -> list[Job]:
    """The runs as jobs, in order; up to ``pack`` runs that can be stacked share a job."""
    packs: list[list[RunSpec]] = []
    filling: dict[str, list[RunSpec]] = {}
    for run in runs:
        key = run.config.stack_key()
        if key not in filling or len(filling[key]) == pack:
            filling[key] = []
            packs.append(filling[key])
        filling[key].append(run)
    return [Job(tuple(packed)) for packed in packs]


def run_state(spec: RunSpec, out: Path) -> RunState:
    """The state of a run by the files in its folder."""
    folder = out / spec.id
    if RunFolder(folder).finished:
        return "finished"
    if (folder / "error.json").is_file():
        return "failed"
    return "part way" if (folder / "manifest.json").is_file() else "new"


def unfinished(runs: Sequence[RunSpec], out: Path) -> list[RunSpec]:
    return [run for run in runs if not RunFolder(out / run.id).finished]


def cost_text(runs: Sequence[RunSpec], out: Path) -> str:
    left = unfinished(runs, out)
    total, wanted = sum(run.flops for run in runs), sum(run.flops for run in left)
    finished = f"{counted(len(runs), 'run')}, {len(runs) - len(left)} finished"
    return f"{finished}; {wanted:.1e} of {total:.1e} training FLOPs to go"
