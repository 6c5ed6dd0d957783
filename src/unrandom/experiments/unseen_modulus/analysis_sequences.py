"""Which sequences do the analyses of the main run use? The same ones of each unseen modulus, and some from training."""

import numpy as np
from jaxtyping import UInt64

from unrandom.experiments.scale import by_scale
from unrandom.runs.run import Run
from unrandom.tasks import Examples, LCGParameters, lcg_split, make_batches

SEQUENCES = by_scale(smoke=16, laptop=256, paper=512)  # per unseen modulus
REFERENCE_SEQUENCES = by_scale(smoke=32, laptop=2048, gpu=4096, paper=40_000)  # training sequences


def unseen_sequences(run: Run, sequences: int) -> dict[int, Examples[LCGParameters]]:
    """Draw sequences of every test modulus, with its held-out multipliers and increments."""
    split = lcg_split(run.split())
    return {m: split.test(m, sequences, name="inside") for m in split.parts}


def training_numbers(run: Run, sequences: int) -> UInt64[np.ndarray, "rows context"]:
    """Draw sequences as in training, over which means of activations are taken."""
    drawn = make_batches(run.split(), run.config.batch_size, run.config.seed).probe(sequences)
    return drawn.numbers(run.config.data.context)
