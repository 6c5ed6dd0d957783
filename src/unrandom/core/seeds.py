"""Every random number comes from one root seed, split into named, independent streams.

A stream depends on the seed and its name alone, never on what was drawn from others: a batch is the same whether the
run was resumed, divided over ranks, or drawn out of order.
"""

import hashlib
import json

import numpy as np


def _key(seed: int, name: tuple[str | int, ...]) -> int:
    return int.from_bytes(hashlib.sha256(json.dumps([seed, *name]).encode()).digest()[:16])


def stream(seed: int, *name: str | int) -> np.random.Generator:
    """The random stream called ``name`` under the root ``seed`` (Philox, keyed by a hash of both)."""
    return np.random.Generator(np.random.Philox(key=_key(seed, name)))


def torch_seed(seed: int, *name: str | int) -> int:
    """A 63-bit seed for a torch generator, derived in the same way."""
    return _key(seed, name) >> 65
