"""What is to be reached, and by which test? A track is a target whose training compute is to become small.

The test is frozen: the held-out parameters of a track are the same for every seed and every candidate, and their hash
is written here.
"""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from unrandom.core.errors import UserError
from unrandom.evaluation.during_training import MONITOR
from unrandom.runs.run import split_of
from unrandom.tasks import lcg_split, lcg_task
from unrandom.training import RunConfig

Line = dict[str, Any]  # what is measured at a check, as in metrics.jsonl
Kind = Literal["neutral", "open"]

CHECKS_IN_A_ROW = 3
FIRST_SEED = 100  # Races count from here; the seeds from 0 on are those that candidates are tuned under.
DATA_SEED = 0  # It decides the split and a fixed training set, and is the same for every seed of a run.
EVERY_CHECKPOINT = 10  # checks


@dataclass(frozen=True)
class Target:
    """What must be true of a check."""

    text: str
    met: Callable[[Line], bool]


@dataclass(frozen=True)
class Track:
    """A fixed target on a frozen test, and the paper's way to it, scaled to its size."""

    name: str
    about: str
    paper: Callable[[], RunConfig]  # the paper's recipe at this size: what a neutral candidate may not change is its
    house: Callable[[], RunConfig]  # what is trained here where nothing else is asked for
    target: Target
    check_every: int  # training sequences
    test_sequences: int
    seeds: int  # the fewest that make a record
    test: str  # SHA-256 of the frozen test, its first 16 hex digits

    def prepared(self, config: RunConfig, seed: int) -> RunConfig:
        """A candidate's run under one seed: the frozen test, and a check on the grid."""
        every = max(1, -(-self.check_every // config.batch_size))
        return config.replace(
            seed=seed,
            data_seed=DATA_SEED,
            evaluate_every=every,
            checkpoint_every=EVERY_CHECKPOINT * every,
            test_sequences=self.test_sequences,
        )

    def kind(self, config: RunConfig) -> Kind:
        """``neutral`` where architecture (the tokens, too) and batch are the paper's; else ``open``."""
        paper = self.paper()
        same = (config.transformer, config.batch_size) == (paper.transformer, paper.batch_size)
        return "neutral" if same else "open"

    def check(self, config: RunConfig) -> None:
        """UserError unless the configuration is tested as the track is, starts from nothing, and has rows to draw."""
        if config.start is not None:
            raise UserError("a candidate begins with random weights; leave out start")
        if config.steps < (least := CHECKS_IN_A_ROW * self.prepared(config, 0).evaluate_every):
            often = f"{CHECKS_IN_A_ROW} times in a row"
            raise UserError(f"the candidate could not meet the target {often}: steps={least} is the least")
        if hash_of_test(self.prepared(config, 0)) != self.test:
            raise UserError(
                f"the test would not be that of the track {self.name}: leave data.context, the test moduli, "
                "data.n_test_a, data.n_test_c, data.hold_out and data.test_multipliers as they are"
            )
        split_of(config).try_drawing(config.batch_size)

    def reached(self, lines: Sequence[Line], every: int) -> int | None:
        """The step of the first of three checks in a row, on the grid, at which the target was met; None if never."""
        met = 0
        for line in lines:
            if line["step"] % every:
                continue
            met = met + 1 if self.target.met(line) else 0
            if met == CHECKS_IN_A_ROW:
                return int(line["step"] - (CHECKS_IN_A_ROW - 1) * every)
        return None


def hash_of_test(config: RunConfig) -> str:
    """Of every number that decides the test: moduli, multipliers, increments, seeds, and what training may not see."""
    split, data = lcg_split(split_of(config)), lcg_task(config.data)
    each = max(1, config.test_sequences // len(split.held_out))
    test = {
        "context": data.context,
        "hold_out": data.hold_out,
        "parameters": [
            [part.modulus, part.multipliers.tolist(), part.increments.tolist()]
            for part in (*split.held_out, *split.held_out_counting)
        ],
        "sequences": [
            [int(drawn.m), drawn.a.tolist(), drawn.c.tolist(), drawn.x0.tolist()]
            for side in (split, split.counting())
            for part in side.held_out
            for drawn in [side.test(part.modulus, each, name=MONITOR).parameters]
        ],
    }
    return hashlib.sha256(json.dumps(test, sort_keys=True).encode()).hexdigest()[:16]
