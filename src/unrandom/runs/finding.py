"""Finds the run that a name means: a model that comes with the package, a run folder, or one of the user's own runs.

A name in `unrandom models` always means that model, whatever was trained since. One's own runs are named by their
folder, by their id or the unique beginning of it, by a recipe with one run, as ``RECIPE:newest``, or as ``latest``.
"""

import logging
from dataclasses import dataclass
from pathlib import Path

from unrandom.core.errors import UserError, near_misses
from unrandom.core.run_folder import RunFolder
from unrandom.runs.recipes import RECIPES
from unrandom.runs.run import Run
from unrandom.runs.sharing.pretrained import ALIASES, find_pretrained, pretrained
from unrandom.training.checkpoint import saved_step

log = logging.getLogger(__name__)

RUNS = Path("runs")  # default parent of run folders
LATEST, NEWEST = "latest", ":newest"
CANDIDATES_SHOWN = 5  # names in an error message


@dataclass(frozen=True)
class _Known:
    """A run found in the folder that is searched."""

    path: Path
    recipe: str
    when: tuple[str, int]  # creation time in the manifest, modification time of the manifest file


def find_run(name: str, parent: Path = RUNS, *, unfinished: bool = False) -> Run:
    """The run that ``name`` means. Raises UserError, with candidates or near misses, if it means none or several.

    A name in `unrandom models` is looked up first, then a run folder, then a run in ``parent``, or in the folder that
    the name begins with, as in ``other/latest``. An unfinished run is logged as a warning, unless ``unfinished`` says
    that it may be one.
    """
    run = Run.open(find_pretrained(name) or _find_own(name, parent))
    if not (run.folder.finished or unfinished):
        log.warning("%s is not finished: step %d of %d", run.folder.path, saved_step(run.folder), run.config.steps)
    return run


def _find_own(name: str, parent: Path) -> Path:
    """The folder of a run whose name `unrandom models` does not list."""
    path = Path(name)
    if RunFolder(path).exists:
        return path
    word = path.name
    if len(path.parts) > 1:
        parent = path.parent
    known = _runs_in(parent)
    if newest := [run for run in known if word in (LATEST, run.recipe + NEWEST)]:
        return max(newest, key=lambda run: run.when).path
    of_recipe = [run for run in known if word == run.recipe]
    begun = of_recipe or [run for run in known if word and run.path.name.startswith(word) and word not in RECIPES]
    if len(begun) == 1:
        if find_pretrained(name, by_id=True):
            log.warning("%s is a run of yours; the model of the package is called %s", begun[0].path, begun[0].recipe)
        return begun[0].path
    if not begun and (found := find_pretrained(name, by_id=True)):
        return found
    raise UserError(_ambiguous(word, parent, begun, bool(of_recipe)) if begun else _unknown(name, parent, known))


def _runs_in(parent: Path) -> list[_Known]:
    """Every run folder with a readable manifest."""
    found = []
    for manifest in sorted(parent.glob("*/manifest.json")):
        try:
            folder = RunFolder.open(manifest.parent)
            tree = folder.read_manifest()
            modified = manifest.stat().st_mtime_ns
        except (UserError, OSError):  # a damaged run is reported when it is opened by its path
            continue
        found.append(_Known(folder.path, tree["recipe"], (tree["created"], modified)))
    return found


def _ambiguous(word: str, parent: Path, begun: list[_Known], of_recipe: bool) -> str:
    shown = ", ".join(run.path.name for run in begun[:CANDIDATES_SHOWN]) + ", ..." * (len(begun) > CANDIDATES_SHOWN)
    if of_recipe:
        return f"{len(begun)} runs in {parent} are of the recipe {word}: {shown}; {word}{NEWEST} means the newest"
    return f"{len(begun)} runs in {parent} begin with {word}: {shown}"


def _unknown(name: str, parent: Path, known: list[_Known]) -> str:
    word = Path(name).name
    recipe = word.removesuffix(NEWEST)
    if Path(name).is_dir():
        return f"{name or repr(name)} is not a run folder: it has no manifest.json"
    if recipe in RECIPES:
        return (
            f"{name} is not a run folder, and {parent} holds no run of this recipe; make one: unrandom train {recipe}"
        )
    own = [*(run.recipe for run in known), *(run.path.name for run in known), *[LATEST][: len(known)]]
    names = [*own, *ALIASES, *pretrained()]
    where = f"nor the beginning of a run's name in {parent}" if known else f"and {parent} holds no runs"
    near = near_misses(word, names, otherwise=False) or "; unrandom models lists the models of the package"
    return f"{name} is not a run folder, {where}{near}"
