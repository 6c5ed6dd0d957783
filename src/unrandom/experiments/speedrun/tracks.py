"""What is the goal of a speedrun, and how is it tested? A track: a target to reach with the least training compute.

The test is frozen: the held-out parameters of a track are the same for every seed and every candidate, and their hash
is stated with the track, in ``catalogue``.
"""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from unrandom.core.errors import UserError
from unrandom.evaluation.during_training import MONITOR
from unrandom.runs.run import split_of
from unrandom.runs.spec import RunSpec
from unrandom.tasks import lcg_split, lcg_task
from unrandom.training import RunConfig

Metrics = dict[str, Any]  # the metrics of one check (an evaluation in training), as in metrics.jsonl
Kind = Literal["neutral", "open"]

CHECKS_IN_A_ROW = 3  # number of consecutive checks that must meet the target
FIRST_SEED = 100  # first seed of a race; the seeds from 0 on are for tuning candidates
DATA_SEED = 0  # decides the split and a fixed training set; the same for all runs
CHECKS_PER_CHECKPOINT = 10
SET_BY_TRACK = ("seed", "data_seed", "evaluate_every", "checkpoint_every", "test_sequences")  # configuration keys


@dataclass(frozen=True)
class Target:
    """A condition on the metrics of a check, and its description."""

    text: str
    met: Callable[[Metrics], bool]


@dataclass(frozen=True)
class Track:
    """A fixed target on a frozen test, and two recipes to start from."""

    name: str
    about: str
    paper: Callable[[], RunConfig]  # the paper's recipe at this size; a neutral candidate keeps its model and batch
    house: Callable[[], RunConfig]  # this project's own recipe at this size
    target: Target
    check_every: int  # training sequences between checks
    test_sequences: int
    seeds: int  # least number of seeds for a record
    test: str  # first 16 hex digits of the SHA-256 of the frozen test

    def prepared(self, config: RunConfig, seed: int) -> RunConfig:
        """Return a candidate's configuration for one seed, with the track's test and its steps between checks."""
        every = max(1, -(-self.check_every // config.batch_size))
        return config.replace(
            seed=seed,
            data_seed=DATA_SEED,
            evaluate_every=every,
            checkpoint_every=CHECKS_PER_CHECKPOINT * every,
            test_sequences=self.test_sequences,
        )

    def runs(self, config: RunConfig, seeds: Sequence[int]) -> list[RunSpec]:
        """Return the runs of one arm, one per seed."""
        return [RunSpec(self.name, self.prepared(config, seed)) for seed in seeds]

    def kind(self, config: RunConfig) -> Kind:
        """Return ``neutral`` if architecture (tokens included) and batch size are the paper's; else ``open``."""
        paper = self.paper()
        same = (config.transformer, config.batch_size) == (paper.transformer, paper.batch_size)
        return "neutral" if same else "open"

    def validate(self, config: RunConfig) -> None:
        """Raise UserError unless the configuration has the track's test, random initial weights, and training data."""
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

    def reached(self, lines: Sequence[Metrics], every: int) -> int | None:
        """Return the step of the first of CHECKS_IN_A_ROW consecutive checks that met the target; None if never.

        Metrics at steps that are not a multiple of ``every`` are ignored.
        """
        met = 0
        for line in lines:
            if line["step"] % every:
                continue
            met = met + 1 if self.target.met(line) else 0
            if met == CHECKS_IN_A_ROW:
                return int(line["step"] - (CHECKS_IN_A_ROW - 1) * every)
        return None


def hash_of_test(config: RunConfig) -> str:
    """Hash every number that defines the test: moduli, multipliers, increments, x0, and what training must not have."""
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
