"""Runs the checks of ``device_checks`` one by one, or skips, with a reason, what does not apply to the device."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import torch

from unrandom.bench.device_checks import CHECKS, CheckContext, NotPassed, Skipped
from unrandom.runs.recipes import recipe
from unrandom.training import RunConfig
from unrandom.training.machine import choose_device, configure_process, describe, release_models

Result = Literal["passed", "not passed", "skipped"]


@dataclass(frozen=True)
class Outcome:
    """The result of one check."""

    check: str
    result: Result
    message: str
    seconds: float = 0.0


def for_this_device() -> RunConfig:
    """The default configuration for checking a device: on a GPU the paper's width, with streaming data."""
    if choose_device().type == "cuda":
        return recipe("fm-2048").build().replace(data={"mode": "streaming", "n_sequences": None})
    return recipe("fm-256").build()


def bench_device(config: RunConfig) -> Iterator[Outcome]:
    """Yield the outcome of each check as soon as it is known. Failed checks do not raise."""
    device = choose_device()
    configure_process(device)
    context = CheckContext(config, device)
    yield Outcome(
        "device", "passed", f"{describe(device)}, torch {torch.__version__}; training runs in {context.precision}"
    )
    for name, check in CHECKS.items():
        configure_process(device)  # the previous check may have set the allocator to return freed memory
        release_models(device)
        began = time.perf_counter()
        result: Result = "passed"
        try:
            message = check(context)
        except Skipped as reason:
            result, message = "skipped", str(reason)
        except NotPassed as failure:
            result, message = "not passed", str(failure)
        except Exception as error:
            result, message = "not passed", " ".join(f"{type(error).__name__}: {error}".split())[:300]
        yield Outcome(name, result, message, round(time.perf_counter() - began, 2))
