"""Does everything that training needs work on this device, and is it right? A check a line, passed or not.

What a device does not have, or training does not use on it, is skipped, and the line says why.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import torch

from unrandom.bench.device_checks import CHECKS, NotPassed, Place, Skipped
from unrandom.runs.recipes import recipe
from unrandom.training import RunConfig
from unrandom.training.machine import choose_device, configure_process, describe, release_models

Result = Literal["passed", "not passed", "skipped"]


@dataclass(frozen=True)
class Outcome:
    """What came of one check."""

    check: str
    result: Result
    message: str
    seconds: float = 0.0


def for_this_device() -> RunConfig:
    """What a device is checked with if nothing else is asked for: on a GPU the paper's width, with fresh sequences."""
    if choose_device().type == "cuda":
        return recipe("fm-2048").build().replace(data={"mode": "streaming", "n_sequences": None})
    return recipe("fm-256").build()


def bench_device(config: RunConfig) -> Iterator[Outcome]:
    """The outcome of each check, as it comes. No check raises."""
    device = choose_device()
    configure_process(device)
    place = Place(config, device)
    yield Outcome(
        "device", "passed", f"{describe(device)}, torch {torch.__version__}; training runs in {place.precision}"
    )
    for name, check in CHECKS.items():
        configure_process(device)  # the check before may have trained a run that returns freed memory
        release_models(device)
        began = time.perf_counter()
        result: Result = "passed"
        try:
            words = check(place)
        except Skipped as reason:
            result, words = "skipped", str(reason)
        except NotPassed as wrong:
            result, words = "not passed", str(wrong)
        except Exception as error:
            result, words = "not passed", " ".join(f"{type(error).__name__}: {error}".split())[:300]
        yield Outcome(name, result, words, round(time.perf_counter() - began, 2))
