"""Which run does a name mean? A run folder, the newest run of a recipe, a unique prefix, or the latest run of all.

If none of them, it may be the name of a model that comes with the package.
"""

import difflib
from dataclasses import dataclass
from pathlib import Path

from unrandom.core.errors import UserError
from unrandom.core.run_folder import RunFolder
from unrandom.runs.pretrained import ALIASES, find_pretrained, pretrained
from unrandom.runs.recipes import RECIPES
from unrandom.runs.run import Run

RUNS = Path("runs")  # default parent of run folders
LATEST = "latest"
CANDIDATES_SHOWN = 5  # names in an error message


@dataclass(frozen=True)
class _Known:
    """A run found in the folder that is searched."""

    path: Path
    recipe: str
    when: tuple[str, int]  # creation time in the manifest, modification time of the manifest file

    @property
    def name(self) -> str:
        return self.path.name


def find_run(name: str, parent: Path = RUNS) -> Run:
    """The run that ``name`` means. Raises UserError, with candidates or near misses, if it means none or several.

    A name that is not a run folder is looked up in ``parent``, or in the folder that it begins with, as in
    ``other/latest``: first as a recipe's name, then as a prefix of a run's name. A name that ``parent`` does not have
    is looked up among the models that come with the package.
    """
    path = Path(name)
    if RunFolder(path).exists:
        return Run.open(path)
    word = path.name
    if len(path.parts) > 1:
        parent = path.parent
    known = _runs_in(parent)
    if newest := [run for run in known if word in (LATEST, run.recipe)]:
        return Run.open(max(newest, key=lambda run: run.when).path)
    begun = [run for run in known if word and run.name.startswith(word) and word not in RECIPES]
    if not begun and (found := find_pretrained(name)):
        return Run.open(found)
    if len(begun) != 1:
        raise UserError(_ambiguous(name, parent, begun) if begun else _unknown(name, parent, known))
    return Run.open(begun[0].path)


def _runs_in(parent: Path) -> list[_Known]:
    """Every run folder with a readable manifest."""
    found = []
    for manifest in sorted(parent.glob("*/manifest.json")):
        folder = RunFolder(manifest.parent)
        try:
            tree = folder.read_manifest()
        except UserError:  # a damaged manifest is reported when its run is opened by path
            continue
        found.append(_Known(folder.path, tree["recipe"], (str(tree.get("created")), manifest.stat().st_mtime_ns)))
    return found


def _ambiguous(name: str, parent: Path, begun: list[_Known]) -> str:
    shown = ", ".join(run.name for run in begun[:CANDIDATES_SHOWN]) + ", ..." * (len(begun) > CANDIDATES_SHOWN)
    return f"{len(begun)} runs in {parent} begin with {name}: {shown}"


def _unknown(name: str, parent: Path, known: list[_Known]) -> str:
    word = Path(name).name
    if Path(name).is_dir():
        return f"{name} is not a run folder: it has no manifest.json"
    if word in RECIPES:
        return f"{name} is not a run folder, and {parent} holds no run of this recipe; make one: unrandom train {word}"
    names = [*(run.recipe for run in known), *(run.name for run in known), LATEST, *ALIASES, *pretrained()]
    near = difflib.get_close_matches(word, list(dict.fromkeys(names)), n=3, cutoff=0.4)
    where = f"nor the beginning of a run's name in {parent}" if known else f"and {parent} holds no runs"
    return f"{name} is not a run folder, {where}" + (f"; near misses: {', '.join(near)}" if near else "")
