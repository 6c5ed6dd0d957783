"""How long do the predictors and the audit take? Seconds for typical sizes; for the audit, process start included."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import numpy as np

from unrandom.auditing.verdict import PREDICTABLE
from unrandom.core.processes import python
from unrandom.generators.known import KNOWN
from unrandom.generators.lcg import lcg_orbits
from unrandom.predictors import AlgebraicPredictor, BayesUnseen
from unrandom.tasks import UnseenModulus

ROWS, LENGTH, M = 4096, 256, 2**32
UNSEEN_ROWS, POSITIONS = 512, 64


def bench_predictors() -> dict[str, Any]:
    """Seconds for algebraic prediction, the exact posterior over unseen moduli, and the audit of two files."""
    rng = np.random.default_rng(0)
    a, c, x0 = (rng.integers(0, M, size=ROWS, dtype=np.uint64) for _ in range(3))
    numbers = lcg_orbits(x0, a=a, c=c, m=M, length=LENGTH)
    data = UnseenModulus(test_moduli=(2048,), context=POSITIONS, min_modulus=256, n_test_a=64, n_test_c=64)
    unseen = data.split(0).test(2048, UNSEEN_ROWS).numbers
    mmix, twister = KNOWN["mmix"].lcg, np.random.Generator(np.random.MT19937(1))
    moduli = range(data.smallest_modulus, data.largest_modulus + 1)
    return {
        "algebraic_4096x256_seconds": _seconds(lambda: AlgebraicPredictor(M).predict(numbers)),
        "algebraic_unknown_512x64_seconds": _seconds(lambda: AlgebraicPredictor().predict(unseen)),
        "bayes_unseen_2048_512x64_seconds": _seconds(lambda: BayesUnseen(moduli).predict(unseen)),
        "audit_lcg_1000_words_seconds": _audit(mmix.orbit(mmix(1), 1000)),
        "audit_mt19937_2000_words_seconds": _audit(twister.integers(0, 2**32, size=2000, dtype=np.uint32).tolist()),
    }


def _seconds(action: Callable[[], object]) -> float:
    began = perf_counter()
    action()
    return round(perf_counter() - began, 3)


def _audit(outputs: list[int]) -> float:
    """Seconds that ``unrandom audit`` takes as a separate process. It must find the generator."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "outputs.txt"
        path.write_text("\n".join(map(str, outputs)) + "\n")
        command = python("-m", "unrandom", "audit", str(path), "--json")
        began = perf_counter()
        answer = subprocess.run(command, capture_output=True, text=True, check=False)
        seconds = perf_counter() - began
    assert answer.returncode == PREDICTABLE, answer.stderr or answer.stdout[:200]
    return round(seconds, 3)
