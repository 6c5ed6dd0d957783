"""An example of a user-defined task: x[t+2] = (p x[t+1] + q x[t]) mod m, tested on held-out p and q.

    unrandom train examples/second_order.py:SecondOrder --set steps=400
    unrandom evaluate SecondOrder --task examples/second_order.py:SecondOrder --predictors copy

A task is a class whose fields are its settings. It defines the range of the numbers (`vocabulary`), the parameter
values that are held out from training (`held_values`), and how the parameters of sequences are drawn (`draw`). The
parameters are a dataclass that computes the numbers. Everything else (tokens, batches, evaluation, sweeps, reports)
needs no code.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from unrandom.predictors import CopyPredictor
from unrandom.tasks import Baseline, HeldValuesTask, Parameters


@dataclass(frozen=True)
class Recurrences(Parameters):
    """Parameters of sequences modulo m, one row each: p, q and the first two numbers."""

    units: ClassVar[Mapping[str, str]] = {"p": "first coefficients", "q": "second coefficients"}

    m: int
    p: np.ndarray
    q: np.ndarray
    first: np.ndarray
    second: np.ndarray

    def numbers(self, length: int) -> np.ndarray:
        columns = [self.first, self.second]
        for _ in range(length - 2):
            columns.append((self.p * columns[-1] + self.q * columns[-2]) % np.uint64(self.m))
        return np.stack(columns[:length], axis=1)


class SecondOrder(HeldValuesTask):
    """Second-order linear recurrences modulo ``modulus``."""

    modulus: Annotated[int, Field(ge=11, le=2**16)] = 31
    context: Annotated[int, Field(ge=2, le=2**16)] = 48
    mode: Literal["fixed", "streaming"] = "streaming"
    held_out: Annotated[int, Field(ge=1, le=8)] = 6  # number of values of p, and of q, that occur only in the test

    @property
    def vocabulary(self) -> int:
        return self.modulus

    def held_values(self, rng: np.random.Generator) -> dict[str, np.ndarray]:
        values = np.arange(1, self.modulus, dtype=np.uint64)
        return {name: rng.permutation(values)[: self.held_out] for name in ("p", "q")}

    def draw(self, rng: np.random.Generator, rows: int, **given: np.ndarray) -> Recurrences:
        drawn = {name: rng.integers(1, self.modulus, rows, dtype=np.uint64) for name in ("p", "q")}
        first, second = rng.integers(0, self.modulus, (2, rows), dtype=np.uint64)
        return Recurrences(self.modulus, **{**drawn, **given}, first=first, second=second)

    def baselines(self) -> dict[str, Baseline]:
        return {"copy": Baseline("repeats what followed the current number before", CopyPredictor)}
