"""How large is an experiment? ``smoke`` takes seconds and says nothing, ``paper`` has the paper's own settings."""

from typing import Literal

Scale = Literal["smoke", "laptop", "gpu", "paper"]
SCALES: tuple[Scale, ...] = ("smoke", "laptop", "gpu", "paper")
