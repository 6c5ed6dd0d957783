"""The deadline of a search, which long loops ask for."""

import time
from math import inf


class OutOfTime(Exception):
    """The deadline has passed."""


class Deadline:
    """The time at which something must end. Long loops call `check` regularly."""

    def __init__(self, seconds: float) -> None:
        self.end = time.monotonic() + seconds

    @property
    def left(self) -> float:
        """Seconds left, negative once the deadline has passed."""
        return self.end - time.monotonic()

    def within(self, seconds: float) -> "Deadline":
        """The earlier of this deadline and one in this many seconds."""
        return Deadline(min(seconds, self.left))

    def check(self) -> None:
        """Raise OutOfTime if the deadline has passed."""
        if self.left < 0:
            raise OutOfTime


NO_LIMIT = Deadline(inf)  # the deadline that never comes
