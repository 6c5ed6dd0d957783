"""Suggests the model of the package that would have guessed most of the last of some numbers."""

from collections.abc import Sequence

import numpy as np

from unrandom.runs.continuation import LIKELY, Reliability, Tried
from unrandom.runs.run import Run
from unrandom.runs.sharing.pretrained import pretrained


def suggested_model(numbers: Sequence[int]) -> tuple[str, Tried] | None:
    """The name of the model that would have guessed most of the last of some numbers, from 0 on, and how it was
    tried. One model of each recipe on this machine is tried, and only models to be relied on are suggested; of
    equals, the first of `unrandom models`."""
    best: tuple[str, Tried] | None = None
    for name, model in pretrained().items():
        if name == model.id or model.folder is None:  # an id names another seed, or other settings, of a recipe
            continue
        run = Run.open(model.folder)
        task, reliability = run.config.data, Reliability.of(run.folder.read_metrics())
        if max(numbers) >= task.vocabulary:
            continue
        predictor = run.predictor()
        tried = Tried.on(numbers, predictor, task, probability=1.0, reliable_from=reliability.reliable_from)
        if tried.verdict != "rely" or (best is not None and tried.guessed <= best[1].guessed):
            continue
        row = np.array([numbers[-task.context :]], dtype=np.uint64)
        if predictor.continue_sequences(row, 1)[1][0, 0] >= LIKELY:
            best = name, tried
            if tried.guessed == tried.tested:
                break
    return best
