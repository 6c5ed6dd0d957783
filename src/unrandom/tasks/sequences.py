"""What is a set of sequences, and which slice does each belong to?"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Integer, UInt64

from unrandom.tasks.parameters import Parameters
from unrandom.tokenization import Tokenizer

CHUNK = 1024  # rows generated at once: large enough to vectorise, small enough to stay in cache


@dataclass(frozen=True)
class SequenceSet:
    """Sequences with the parameters that made them, and hence every slice label."""

    parameters: Parameters
    numbers: UInt64[np.ndarray, "rows length"]

    @classmethod
    def of(cls, parameters: Parameters, length: int) -> "SequenceSet":
        return cls(parameters, parameters.orbits(length))

    def __len__(self) -> int:
        return len(self.parameters)


def sequence_tokens(parameters: Parameters, length: int, tokenizer: Tokenizer) -> Integer[np.ndarray, "rows tokens"]:
    """Tokens of every sequence in the narrowest integers, made in chunks so that only the tokens are ever held."""
    tokens = np.empty((len(parameters), length * tokenizer.width), dtype=tokenizer.dtype)
    for start in range(0, len(parameters), CHUNK):
        chunk = slice(start, start + CHUNK)
        tokens[chunk] = tokenizer.encode(parameters[chunk].orbits(length))
    return tokens


def period_group(period: int) -> str:
    """The name of the slice a period falls in: doubling ranges, ``1``, ``2``, ``3-4``, ``5-8``, …"""
    high = 1 << (period - 1).bit_length()
    low = high // 2 + 1
    return str(high) if low >= high else f"{low}-{high}"
