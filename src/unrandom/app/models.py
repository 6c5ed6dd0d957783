"""The models that can be played with: LCG models of the package, then the user's own runs (the newest checkpoint)."""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from threading import Lock

import numpy as np

from unrandom.app.curves import run_names
from unrandom.app.limits import LOADED_MODELS, OWN_MODELS
from unrandom.core.errors import UserError
from unrandom.core.quantities import listed
from unrandom.core.run_folder import RunFolder
from unrandom.generators.lcg import LCG
from unrandom.runs.interface import load
from unrandom.runs.loaded import LoadedRun
from unrandom.runs.run import Run
from unrandom.runs.sharing.pretrained import pretrained
from unrandom.tasks import LCGSplit, LCGTask, UnseenModulus, lcg_split, lcg_task
from unrandom.tasks.lcg.held_out import Withheld
from unrandom.training.checkpoint import saved_step

FIRST = "fm-256"  # shown when the page is opened
MODULI_NAMED = 4
_loading = Lock()


def model_choices(runs: Path) -> list[tuple[str, str]]:
    """Labels and names of the package's models that are here, then of the newest runs in a folder with a checkpoint.

    The label of a run says its modulus, which its name does not.
    """
    packaged = [name for name, model in pretrained().items() if model.folder and _moduli(model.folder, 0)]
    own = [name for name in run_names(runs) if name not in packaged]
    labels = [(f"{name}, {moduli}", name) for name in own if (moduli := _moduli_of_checkpoint(runs / name))]
    return [*((name, name) for name in packaged), *labels[:OWN_MODELS]]


def model_names(runs: Path) -> list[str]:
    return [name for _, name in model_choices(runs)]


def _moduli_of_checkpoint(folder: Path) -> str:
    """The moduli of a run that has a checkpoint; empty if it has none, is not of LCGs, or cannot be read."""
    try:
        has_weights = any(RunFolder(folder).checkpoints.glob("*"))
        return _moduli(folder, (folder / "manifest.json").stat().st_mtime_ns) if has_weights else ""
    except (UserError, OSError):
        return ""


@lru_cache(1000)
def _moduli(folder: Path, _changed: int) -> str:
    """The text ``m = 16`` or ``m up to 144``; empty unless the task is of LCGs that show whole numbers."""
    task = Run.open(folder).config.data
    if not isinstance(task, LCGTask):
        return ""
    return f"m {'up to' if isinstance(task, UnseenModulus) else '='} {task.largest_modulus:,}"


@dataclass(frozen=True, eq=False)
class Model:
    """A run whose weights are in memory, at the ``step`` of its checkpoint. What is computed from it can be cached."""

    run: LoadedRun
    step: int

    @cached_property
    def largest_tested(self) -> int:
        """The largest modulus of its test."""
        return max(part for part in self.split.parts if isinstance(part, int))

    @cached_property
    def split(self) -> LCGSplit:
        """The training data, and what was held out."""
        return lcg_split(self.run.split())


@lru_cache(LOADED_MODELS)
def _loaded(place: Path | str, step: int) -> Model:
    run = load(place, device="cpu")
    _ = run.model  # read from disk once, not by several requests at a time
    return Model(run, step)


def loaded(name: str, runs: Path) -> Model:
    """The model of this name of `model_names`, which is kept in memory until the run has a newer checkpoint."""
    with _loading:
        if name in pretrained():
            return _loaded(name, 0)
        folder = (runs / name).resolve()
        return _loaded(folder, saved_step(RunFolder(folder)))


def trained_on(model: Model, generator: LCG | None = None) -> str:
    """Sentences on what a model was trained on, and whether it can know the modulus and the values of a generator."""
    run = model.run
    task = lcg_task(run.config.data)
    said = [f"{_trained_on(task)}{'' if generator is None else _about(model.split, generator.m)}."]
    if generator is not None:
        said.append(_withheld(model.split.withheld, generator.a, generator.c))
    if not run.folder.finished:
        said.append(f"It has not finished: these are the weights of step {model.step:,} of {run.config.steps:,}.")
    return " ".join(filter(None, said))


def _withheld(withheld: Withheld, a: int, c: int) -> str:
    """A sentence on parameters that training never had; empty if it may have had some."""
    if withheld.by_values:
        return f"It never saw a = {a}, nor c = {c}." if a in withheld.a and c in withheld.c else ""
    is_withheld = withheld.rows(np.array([a], dtype=np.uint64), np.array([c], dtype=np.uint64))[0]
    return f"It never saw a = {a} together with c = {c}." if is_withheld else ""


def _trained_on(task: LCGTask) -> str:
    if not isinstance(task, UnseenModulus):
        return f"It was trained on m = {task.largest_modulus:,} only"
    unseen = sorted(task.held_out_moduli)
    named = listed([f"{m:,}" for m in unseen]) if len(unseen) <= MODULI_NAMED else f"{len(unseen)} that it is tested on"
    return f"It was trained on moduli from {task.smallest_modulus:,} to {task.largest_modulus:,}, but never on {named}"


def _about(split: LCGSplit, modulus: int) -> str:
    """A clause on one modulus; empty if nothing more is to be said."""
    if split.seen_moduli == {modulus}:
        return ""
    if modulus in split.seen_moduli:
        return f"; m = {modulus} was one of them"
    if modulus in split.parts:
        return f"; m = {modulus} is unseen"
    return f", so it cannot know m = {modulus}" if len(split.seen_moduli) == 1 else f"; m = {modulus} was none of them"
