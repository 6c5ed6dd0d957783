"""Where may a command write results about a run? Into its folder or, if it comes with the package, into a copy."""

from pathlib import Path

from unrandom.cli.progress import say
from unrandom.runs.finding import RUNS
from unrandom.runs.pretrained import copy_pretrained, is_pretrained
from unrandom.runs.run import Run


def writable(run: Run, parent: Path = RUNS) -> Path:
    """The folder of a run that results can be written to: its own or, if it comes with the package, that of a copy."""
    if not is_pretrained(run.folder.path):
        return run.folder.path
    copy = copy_pretrained(run.folder.path, parent)
    say(f"{run.id} comes with unrandom; its copy is {copy}")
    return copy
