"""The commands, one per module with an `EXAMPLE`, `add` (registers its options) and `run` (runs it).

Only the module of the command in use is imported, and it defers heavy imports to `run`, so that ``unrandom --help``
answers at once.
"""

from argparse import Namespace
from importlib import import_module
from keyword import iskeyword
from types import ModuleType

COMMANDS = {
    "demo": "train a small model in about a minute and write a report on what it learned and how",
    "train": "train a recipe, or continue its unfinished run",
    "resume": "continue training a run that was stopped",
    "sweep": "train every combination of settings, choose by validation accuracy, and draw a heat map of test accuracy",
    "evaluate": "measure accuracy on held-out sequences by position, by digit and by group of sequences",
    "lcg": "print the numbers of a linear congruential generator x -> (a x + c) mod m",
    "predict": "predict the next numbers of a sequence, with probabilities",
    "models": "list the trained models that come with the package: task, size, accuracy, checksum",
    "report": "measure a run and write a report, one HTML file",
    "open": "open the report of a run in the browser; a missing report is made first",
    "compare": "draw the learning curves of several runs together, and tabulate where they ended",
    "export": "write a run's model as a folder for transformers, TransformerLens or readers of safetensors",
    "import": "make a run of what export has written, or of a model of the paper's public code",
    "reproduce": "reproduce figures of the paper: train, measure, draw, and judge their claims",
    "claims": "list every claim of the paper with its measured value and verdict",
    "speedrun": "show the least training compute that reached a fixed target, or race a candidate against a record",
    "audit": "test whether a stream of numbers is predictable: from which generator, after how many outputs",
    "app": "play with a model, audit numbers and watch training in the browser, on this machine only",
    "bench": "measure speed as ratios to baselines and to hardware limits measured in the same run",
    "completion": "print a script that completes commands and options in bash, zsh or tcsh",
}
"""One line about each command, in the order of ``--help``."""

WITHOUT_TORCH = ("audit", "lcg", "models", "completion")
BENCHMARKS_OF_AUDITS = ("audit", "false-positives")


def needs_torch(arguments: Namespace) -> bool:
    """Whether a command needs torch, which takes seconds to import. Lists and everything about audits do not."""
    about_audits = getattr(arguments, "what", None) in BENCHMARKS_OF_AUDITS
    return not (arguments.command in WITHOUT_TORCH or about_audits or getattr(arguments, "list", False))


def module_of(command: str) -> ModuleType:
    """The module of a command of `COMMANDS`. A keyword of Python is followed by an underscore: ``import_``."""
    return import_module(f"{__name__}.{command}_" if iskeyword(command) else f"{__name__}.{command}")
