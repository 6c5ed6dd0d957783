"""A curriculum: phases in which a share of every batch has easier sequences, of a smaller modulus or that skip."""

import math
from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from unrandom.core.config import Config

Count = Annotated[int, Field(ge=1, le=2**32)]
Modulus = Annotated[int, Field(ge=2, le=2**64)]


class Phase(Config):
    """A range of steps in which a share of every batch has easier sequences."""

    # Fixed modulus: the easier sequences'; unseen moduli: the largest of theirs; other tasks: the number of
    # states of the smaller generator.
    modulus: Modulus
    skipping: bool = False  # whether they skip, as with data.skipping_share (of LCGs)
    share: Annotated[float, Field(gt=0, le=1)] = 1.0  # share of the batch at the first step
    # A step is a constant share that ends.
    decay: Literal["constant", "linear", "cosine", "exponential"] = "constant"
    begin: Annotated[int, Field(ge=0, le=2**32)] = 0  # first step, from 0
    # constant: duration (None: to the end); linear and cosine: until the share is 0; exponential: half-life
    steps: Count | None = None

    added_later: ClassVar[frozenset[str]] = frozenset({"skipping"})

    def share_at(self, step: int) -> float:
        """The share of the batch of ``step`` (from 0)."""
        passed = step - self.begin
        if passed < 0:
            return 0.0
        if self.steps is None:
            return self.share
        if self.decay == "exponential":
            return self.share * 0.5 ** (passed / self.steps)
        left = max(0.0, 1 - passed / self.steps)
        if self.decay == "cosine":
            return self.share * (1 - math.cos(math.pi * left)) / 2
        return self.share * (left if self.decay == "linear" else left > 0)

    def bits(self, least: int, most: int) -> int:
        """The width of the smaller state, for tasks whose states are words. Raises ValueError outside this range."""
        width = self.modulus.bit_length() - 1
        if self.modulus != 1 << width or not least <= width <= most:
            raise ValueError(f"curriculum: {self.modulus} is not a power of two from {2**least} to {2**most}")
        return width

    @model_validator(mode="after")
    def _ends(self) -> "Phase":
        if self.decay != "constant" and self.steps is None:
            raise ValueError(f"decay={self.decay} needs steps")
        return self


def check_shares(curriculum: Sequence[Phase]) -> None:
    """Raise ValueError if the phases ask for more than the whole batch when one of them begins."""
    for phase in curriculum:
        if (total := sum(other.share_at(phase.begin) for other in curriculum)) > 1 + 1e-9:
            raise ValueError(f"curriculum: the shares add up to {total:g} at step {phase.begin}; 1 is all")
