"""Which commands are there? One module each: an `EXAMPLE`, what can be typed (`add`), and what is done (`run`).

Only the module of the command that is typed is imported, and it imports nothing heavy before it is run, so that
``unrandom --help`` answers at once.
"""

from importlib import import_module
from types import ModuleType

COMMANDS = {
    "demo": "train a model in about a minute and write a report of its insides",
    "train": "train a recipe; go on where an earlier try stopped",
    "resume": "go on with a run that was stopped",
    "sweep": "train every combination of settings, choose by validation, and draw a map of the test",
    "evaluate": "accuracy by position, by digit, and by how hard sequences are, on what training never saw",
    "predict": "the next numbers of a sequence, with probabilities",
    "report": "measure a run and write its report, one HTML file",
    "reproduce": "make a figure of the paper, its numbers, and a verdict",
    "claims": "every claim of the paper with its measured value and verdict",
    "speedrun": "the least training compute to a fixed target: show the records, or race a candidate against one",
    "audit": "can a stream of numbers be predicted, by what, from how many, and what comes next",
    "bench": "measure speed as ratios to baselines and ceilings of the same run",
}
"""What each does, in a line, in the order in which ``--help`` lists them."""


def module_of(command: str) -> ModuleType:
    """The module of a command of `COMMANDS`."""
    return import_module(f"{__name__}.{command}")
