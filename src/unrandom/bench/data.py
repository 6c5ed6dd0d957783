"""Times the generation of sequences, beside a copy of their bytes and a scalar loop, and of tokens of permuted ones."""

import json
import subprocess
from time import perf_counter, process_time
from typing import Any

import numpy as np
import torch

from unrandom.bench.timing import interleaved
from unrandom.core.processes import python
from unrandom.core.seeds import stream
from unrandom.generators.lcg import lcg_orbits
from unrandom.tasks import FixedModulus, Task, sequence_tokens
from unrandom.tasks.permuted_lcg import PermutedLCG

ROWS, LENGTH, M = 4096, 512, 2**32
SET_ROWS = 2**20  # the paper's n_a x n_c = 1024 x 1024
DRAWN_CONTEXT = 64  # numbers read of the sequences that are drawn as for training
PERMUTED_BITS = 16  # bits of the state of permuted generators

# Run in a separate process, so that the peak memory is the token set's and excludes torch.
MAKE_SET = """
import json, sys, time
import numpy as np
from unrandom.core.memory import peak_memory
from unrandom.core.seeds import stream
from unrandom.tasks import LCGParameters, sequence_tokens
from unrandom.tokenization import Tokenizer
low, high, width, rows, length = map(int, sys.argv[1:])
rng = stream(0, "bench")
m = low if low == high else rng.integers(low, high, size=rows, dtype=np.uint64, endpoint=True)
a, c, x0 = (rng.integers(0, m, size=rows, dtype=np.uint64) for _ in range(3))
began = time.perf_counter()
tokens = sequence_tokens(LCGParameters(m, a, c, x0), length, Tokenizer(256, width))
print(json.dumps([time.perf_counter() - began, tokens.nbytes, peak_memory()]))
"""


def bench_data(set_rows: int = SET_ROWS) -> dict[str, Any]:
    """Nanoseconds per 64-bit number on one core; seconds and bytes for the token set of the paper's 2^32 experiment;
    sequences of 65 numbers a second of CPU time, from drawing to tokens, for LCGs and for each permuted generator.
    """
    rng = np.random.default_rng(0)
    a, c, x0 = (rng.integers(0, M, size=ROWS, dtype=np.uint64) for _ in range(3))
    numbers = np.empty((ROWS, LENGTH), dtype=np.uint64)
    copy_target = np.ones_like(numbers)
    power_of_two, other_modulus, copying = interleaved(
        lambda: lcg_orbits(x0, a=a, c=c, m=M, length=LENGTH, out=numbers),
        lambda: lcg_orbits(x0 % (M - 5), a=a % (M - 5), c=c % (M - 5), m=M - 5, length=LENGTH, out=numbers),
        lambda: np.copyto(copy_target, numbers),
        rounds=15,
    )
    nanoseconds = 1e9 / numbers.size
    token_set = make_set((M, M), set_rows)
    return {
        "ns_per_number": round(power_of_two * nanoseconds, 3),
        "copy_ns_per_number": round(copying * nanoseconds, 3),
        "ratio_to_copy": round(power_of_two / copying, 2),
        "baseline_ns_per_number": round(_scalar_loop() * 1e9, 1),
        "ns_per_number_other_modulus": round(other_modulus * nanoseconds, 3),
        **{f"token_set_{key}": token_set[key] for key in ("seconds", "gigabytes", "peak_gigabytes")},
        **{f"{name}_sequences_per_second": _rate(task) for name, task in _drawn_tasks().items()},
    }


def _drawn_tasks() -> dict[str, Task]:
    """LCGs of full period and those that skip, and each permuted generator."""
    full = {"modulus": M, "context": DRAWN_CONTEXT, "base": 256, "mode": "streaming", "full_period_share": 1.0}
    permuted = {"state_bits": PERMUTED_BITS, "context": DRAWN_CONTEXT}
    return {
        "full_period": FixedModulus.parse(full),
        "skipping": FixedModulus.parse({**full, "skipping_share": 1.0}),
        **{name: PermutedLCG.parse({**permuted, "variants": [name]}) for name in PermutedLCG.partial},
    }


def _rate(task: Task, rounds: int = 5) -> int:
    """Sequences a second of CPU time, drawn as for training and written as tokens; the best round."""
    split, fastest = task.split(0), 0.0
    for number in range(rounds):
        began = process_time()
        sequence_tokens(split.draw_training(stream(0, "bench", number), ROWS), task.context + 1, task.tokenizer)
        fastest = max(fastest, ROWS / (process_time() - began))
    return round(fastest)


def make_set(moduli: tuple[int, int], rows: int, *, width: int = 4, length: int = LENGTH) -> dict[str, float | None]:
    """Seconds and memory for the base-256 tokens of ``rows`` sequences, with moduli between the two given.

    ``width`` is the number of tokens per number, ``length`` the numbers per sequence. Peak memory is None where it
    cannot be measured.
    """
    command = python("-c", MAKE_SET, *map(str, (*moduli, width, rows, length)))
    seconds, size, peak = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return {
        "seconds": round(seconds, 2),
        "gigabytes": round(size / 1e9, 3),
        "peak_gigabytes": peak and round(peak / 1e9, 3),
        "peak_to_size": peak and round(peak / size, 3),
    }


def _scalar_loop(steps: int = 20_000) -> float:
    """Seconds per number if each is computed by operations on single tensor elements, as in the public scripts."""
    x = torch.zeros(steps + 1, dtype=torch.int64)
    began = perf_counter()
    for t in range(steps):
        x[t + 1] = (1_664_525 * x[t] + 1_013_904_223) % M
    return (perf_counter() - began) / steps
