"""Pools of values, of different sizes, from which many rows draw at once."""

import numpy as np
from jaxtyping import Integer


class Pools:
    """One pool of values (or indices) per modulus, look-back or skip, stored contiguously."""

    def __init__(self, parts: list[Integer[np.ndarray, "..."]]) -> None:
        self.parts = parts
        self._sizes = np.array([len(part) for part in parts])
        self._starts = np.cumsum(self._sizes) - self._sizes
        self._values = np.concatenate(parts)

    def pick(self, which: Integer[np.ndarray, " rows"], rng: np.random.Generator) -> Integer[np.ndarray, " rows"]:
        """A uniform value of pool ``which[row]`` for each row."""
        return self._values[self._starts[which] + rng.integers(self._sizes[which])]
