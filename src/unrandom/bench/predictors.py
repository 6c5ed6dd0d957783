"""Times the predictors at typical sizes, in seconds."""

from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np

from unrandom.generators.lcg import lcg_orbits
from unrandom.predictors import AlgebraicPredictor, BayesUnseen
from unrandom.tasks import UnseenModulus

ROWS, LENGTH, M = 4096, 256, 2**32
UNSEEN_ROWS, POSITIONS = 512, 64


def bench_predictors() -> dict[str, Any]:
    """Seconds for algebraic prediction and the exact posterior over unseen moduli."""
    rng = np.random.default_rng(0)
    a, c, x0 = (rng.integers(0, M, size=ROWS, dtype=np.uint64) for _ in range(3))
    numbers = lcg_orbits(x0, a=a, c=c, m=M, length=LENGTH)
    data = UnseenModulus(test_moduli=(2048,), context=POSITIONS, min_modulus=256, n_test_a=64, n_test_c=64)
    unseen = data.split(0).test(2048, UNSEEN_ROWS).numbers
    moduli = range(data.smallest_modulus, data.largest_modulus + 1)
    return {
        "algebraic_4096x256_seconds": _seconds(lambda: AlgebraicPredictor(M).predict(numbers)),
        "algebraic_unknown_512x64_seconds": _seconds(lambda: AlgebraicPredictor().predict(unseen)),
        "bayes_unseen_2048_512x64_seconds": _seconds(lambda: BayesUnseen(moduli).predict(unseen)),
    }


def _seconds(action: Callable[[], object]) -> float:
    began = perf_counter()
    action()
    return round(perf_counter() - began, 3)
