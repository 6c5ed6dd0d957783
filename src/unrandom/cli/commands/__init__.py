"""Which commands exist? One per module, which has an `EXAMPLE`, `add` (registers its options) and `run` (runs it).

Only the module of the command in use is imported, and it defers heavy imports to `run`, so that ``unrandom --help``
answers at once.
"""

from importlib import import_module
from types import ModuleType

COMMANDS = {
    "demo": "train a small model in about a minute and write a report on what it learned and how",
    "train": "train a recipe, or continue its unfinished run",
    "resume": "continue training a run that was stopped",
    "sweep": "train every combination of settings, choose by validation accuracy, and draw a heat map of test accuracy",
    "evaluate": "accuracy on held-out sequences by position, by digit and by group of sequences",
    "predict": "predict the next numbers of a sequence, with probabilities",
    "report": "measure a run and write a report, one HTML file",
    "reproduce": "reproduce figures of the paper: train, measure, draw, and judge their claims",
    "claims": "list every claim of the paper with its measured value and verdict",
    "speedrun": "least training compute to reach a fixed target: show the records, or race a candidate against one",
    "audit": "test whether a stream of numbers is predictable: from which generator, after how many outputs",
    "bench": "measure speed as ratios to baselines and to hardware limits measured in the same run",
}
"""One line about each command, in the order of ``--help``."""


def module_of(command: str) -> ModuleType:
    """The module of a command of `COMMANDS`."""
    return import_module(f"{__name__}.{command}")
