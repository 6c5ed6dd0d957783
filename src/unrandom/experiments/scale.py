"""How large is an experiment? It has one of four scales, each with its own moduli, models, steps and test sequences.

``smoke`` takes seconds and only tests the code; ``laptop`` and ``gpu`` are for such machines; ``paper`` has the paper's
own settings.
"""

from typing import Literal

Scale = Literal["smoke", "laptop", "gpu", "paper"]
SCALES: tuple[Scale, ...] = ("smoke", "laptop", "gpu", "paper")
