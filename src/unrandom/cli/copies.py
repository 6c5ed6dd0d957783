"""A command writes results about a run into its folder or, if it comes with the package, into a copy."""

from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from unrandom.cli.progress import say
from unrandom.core.run_folder import RunFolder
from unrandom.runs.finding import RUNS
from unrandom.runs.run import Run
from unrandom.runs.sharing.pretrained import copy_pretrained, is_pretrained

R = TypeVar("R", bound=Run)


def writable(run: R, parent: Path = RUNS) -> R:
    """The run in a folder that can be written to: its own or, if it comes with the package, a copy."""
    if not is_pretrained(run.folder.path):
        return run
    copy = copy_pretrained(run.folder.path, parent)
    say(f"{run.id} comes with unrandom; its copy is {copy}")
    return replace(run, folder=RunFolder(copy))
