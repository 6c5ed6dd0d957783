"""The sequences in the batch of a step, which are a function of (seed, step, rank) alone.

The batch of a step is drawn for all ranks and its rows are then distributed, so the number of ranks does not change
which sequences are seen, and a resumed run needs only the step.
"""

from functools import lru_cache
from typing import Protocol, runtime_checkable

import numpy as np
from jaxtyping import Integer

from unrandom.core.errors import UserError
from unrandom.core.seeds import stream
from unrandom.tasks.examples import Parameters, sequence_tokens
from unrandom.tasks.task import Split

Tokens = Integer[np.ndarray, "rows tokens"]


@runtime_checkable
class Batches(Protocol):
    """Training batches: tokens of whole sequences (context + 1 numbers each)."""

    batch_size: int

    def tokens(self, step: int, rank: int = 0, ranks: int = 1) -> Tokens:
        """The rows of batch ``step`` (from 0) that belong to ``rank``: every ``ranks``-th, from ``rank`` on."""
        ...

    def probe(self, rows: int) -> Parameters:
        """Parameters of training sequences on which accuracy is monitored."""
        ...


class StreamingBatches:
    """Draws new sequences at every step."""

    def __init__(self, split: Split, batch_size: int, seed: int | None = None) -> None:
        self.batch_size = batch_size
        self._split, self._task = split, split.task
        self._seed = split.seed if seed is None else seed
        split.check_batch(batch_size)

    def tokens(self, step: int, rank: int = 0, ranks: int = 1) -> Tokens:
        parameters = self._split.draw_training(stream(self._seed, "batches", step), self.batch_size)[rank::ranks]
        return sequence_tokens(parameters, self._task.context + 1, self._task.tokenizer)

    def probe(self, rows: int) -> Parameters:
        drawn = self._split.draw_training(stream(self._seed, "probe"), rows)
        self._split.check(drawn)
        return drawn


class FixedBatches:
    """Batches of a training set that is drawn once, stored in the narrowest integers, and shuffled in each epoch."""

    def __init__(self, split: Split, batch_size: int, seed: int | None = None) -> None:
        self.batch_size = batch_size
        self._seed = split.seed if seed is None else seed
        self.parameters = split.training_set(stream(split.seed, "training set"))
        split.check(self.parameters)
        if len(self.parameters) == 0:
            raise UserError("the training set is empty: no sequence has a period in the range asked for")
        self.set_tokens = sequence_tokens(self.parameters, split.task.context + 1, split.task.tokenizer)
        self._order = lru_cache(maxsize=2)(self._shuffled)  # a batch may contain rows of two epochs

    def _shuffled(self, epoch: int) -> Integer[np.ndarray, " sequences"]:
        return stream(self._seed, "epoch", epoch).permutation(len(self.set_tokens))

    def rows(self, step: int, rank: int = 0, ranks: int = 1) -> Integer[np.ndarray, " rows"]:
        """Indices of the batch's sequences in the training set."""
        size = len(self.set_tokens)
        epochs, places = np.divmod(np.arange(step * self.batch_size, (step + 1) * self.batch_size), size)
        rows = np.concatenate([self._order(int(epoch))[places[epochs == epoch]] for epoch in np.unique(epochs)])
        return rows[rank::ranks]

    def tokens(self, step: int, rank: int = 0, ranks: int = 1) -> Tokens:
        return self.set_tokens[self.rows(step, rank, ranks)]

    def probe(self, rows: int) -> Parameters:
        size = len(self.parameters)
        return self.parameters[stream(self._seed, "probe").permutation(size)[:rows]]


class CurriculumBatches:
    """Replaces some rows of other batches, in some steps, by new sequences of easier moduli (a curriculum)."""

    def __init__(self, batches: Batches, split: Split, seed: int | None = None) -> None:
        self.batch_size = batches.batch_size
        self._batches, self._task = batches, split.task
        self._seed = split.seed if seed is None else seed
        self._parts = split.curriculum()
        for _, easier in self._parts:  # raises UserError now rather than in the first step of the phase
            easier.draw_training(stream(self._seed, "curriculum"), 1)

    def easier(self, step: int) -> list[Parameters]:
        """The parameters that each phase adds to the batch of ``step``; row counts are rounded stochastically."""
        rng = stream(self._seed, "curriculum", step)
        shares = [share_at(step) * self.batch_size for share_at, _ in self._parts]
        ends = np.floor(np.cumsum([0.0, *shares]) + rng.random()).astype(int)
        return [
            easier.draw_training(rng, int(n)) for (_, easier), n in zip(self._parts, np.diff(ends), strict=True) if n
        ]

    def tokens(self, step: int, rank: int = 0, ranks: int = 1) -> Tokens:
        tokens = self._batches.tokens(step, rank, ranks)
        places = stream(self._seed, "places", step).permutation(self.batch_size)
        for part in self.easier(step):
            own, places = places[: len(part)], places[len(part) :]
            mine = own % ranks == rank
            tokens[own[mine] // ranks] = sequence_tokens(part[mine], self._task.context + 1, self._task.tokenizer)
        return tokens

    def probe(self, rows: int) -> Parameters:
        return self._batches.probe(rows)


def make_batches(split: Split, batch_size: int, seed: int | None = None) -> Batches:
    """The batches of a split's task. ``seed`` (by default the split's) seeds the draws at each step."""
    kind = FixedBatches if split.task.mode == "fixed" else StreamingBatches
    batches = kind(split, batch_size, seed)
    return CurriculumBatches(batches, split, seed) if split.curriculum() else batches
