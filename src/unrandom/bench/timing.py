"""How are two things timed fairly? In turn, many times, and the median of each; so a drifting machine hits both."""

import time
from collections.abc import Callable
from statistics import median


def interleaved(*actions: Callable[[], object], rounds: int, warmup: int = 2) -> list[float]:
    """Median seconds of each action, run in turn ``rounds`` times after ``warmup`` rounds that do not count."""
    seconds: list[list[float]] = [[] for _ in actions]
    for turn in range(warmup + rounds):
        for action, kept in zip(actions, seconds, strict=True):
            began = time.perf_counter()
            action()
            if turn >= warmup:
                kept.append(time.perf_counter() - began)
    return [median(kept) for kept in seconds]
