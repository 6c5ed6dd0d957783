"""The processors that this process may use."""

import os


def usable_processors() -> set[int]:
    """Their numbers in the system: all, or on Linux those a scheduler or `taskset` leaves to the process."""
    return os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set(range(os.cpu_count() or 1))
