"""Times actions alternately, by the median of many rounds, so that machine drift affects all alike."""

import time
from collections.abc import Callable
from statistics import median


def interleaved(*actions: Callable[[], object], rounds: int, warmup: int = 2) -> list[float]:
    """Median seconds of each action, run alternately for ``rounds`` rounds after ``warmup`` uncounted rounds."""
    seconds: list[list[float]] = [[] for _ in actions]
    for round_index in range(warmup + rounds):
        for action, measured in zip(actions, seconds, strict=True):
            began = time.perf_counter()
            action()
            if round_index >= warmup:
                measured.append(time.perf_counter() - began)
    return [median(measured) for measured in seconds]
