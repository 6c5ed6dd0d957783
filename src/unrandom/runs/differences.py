"""The settings in which runs differ, which name them in tables and legends, where ids would tell nothing."""

from collections import Counter
from collections.abc import Sequence
from typing import TypeVar

from unrandom.core.config import as_typed, dotted_items
from unrandom.runs.run import Run
from unrandom.runs.spec import RunSpec

MOST_SETTINGS = 6  # that a name has; runs that differ in more are named otherwise

R = TypeVar("R", Run, RunSpec)


def differing_settings(runs: Sequence[R]) -> list[dict[str, str]]:
    """For each run, the settings that are not the same in all, as typed; ``-`` where its task lacks one.

    The recipe is among them; ``start`` is the id of the run that a run's weights come from.
    """
    settings = [_settings(run) for run in runs]
    keys = dict.fromkeys(key for each in settings for key in each)
    differing = [key for key in keys if len({each.get(key) for each in settings}) > 1]
    return [{key: each.get(key, "-") for key in differing} for each in settings]


def _settings(run: Run | RunSpec) -> dict[str, str]:
    values = run.config.to_json()
    start = values.pop("start", None)
    settings = {key: as_typed(value) for key, value in dotted_items(values)}
    started = {} if start is None else {"start": run.ancestors()[-1].id}
    return {"recipe": run.recipe, **settings, **started}


def names_by_settings(settings: Sequence[dict[str, str]]) -> list[str] | None:
    """The few settings in which each run differs, ``depth=2 seed=1``; None if there are many, or some runs agree."""
    if not settings or not 0 < len(settings[0]) <= MOST_SETTINGS:
        return None
    ends = Counter(key.rpartition(".")[2] for key in settings[0])
    names = [
        " ".join(f"{end if ends[end := key.rpartition('.')[2]] == 1 else key}={value}" for key, value in each.items())
        for each in settings
    ]
    return names if len(set(names)) == len(settings) else None


def names_of(runs: Sequence[R], typed: Sequence[str] = ()) -> list[str]:
    """A name for each run, none twice: its few differing settings, or recipe, or what was ``typed`` for it, or id."""
    return names_by_settings(differing_settings(runs)) or other_names(runs, typed)


def other_names(runs: Sequence[R], typed: Sequence[str] = ()) -> list[str]:
    """A name for each run, none twice, where settings do not tell them apart: see `names_of`."""
    for names in ([run.recipe for run in runs], list(typed), [run.id for run in runs]):
        if len(set(names)) == len(runs):
            return names
    return [f"{run.id} ({number})" for number, run in enumerate(runs, 1)]
