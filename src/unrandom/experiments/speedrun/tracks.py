"""The tracks of the speedrun: fixed targets on frozen tests, to be reached with the least training compute."""

import hashlib
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from unrandom.core.errors import UserError, lookup
from unrandom.evaluation.during_training import MONITOR
from unrandom.experiments.scaling.presets import size_of, sized_run
from unrandom.runs.recipes import recipe
from unrandom.runs.run import split_of
from unrandom.runs.spec import RunSpec
from unrandom.training import RunConfig

Metrics = dict[str, Any]  # the metrics of one check (an evaluation in training), as in metrics.jsonl

CHECKS_IN_A_ROW = 3  # number of consecutive checks that must meet the target
DATA_SEED = 0  # decides the split and a fixed training set; the same for all runs
CHECKS_PER_CHECKPOINT = 10
SET_BY_TRACK = ("seed", "data_seed", "evaluate_every", "checkpoint_every", "test_sequences")  # configuration keys
SHARE = 0.99  # of the sequences, in every target


@dataclass(frozen=True)
class Track:
    """A fixed target on a frozen test, and the recipe that the first record had to beat."""

    name: str
    about: str
    house: Callable[[], RunConfig]
    target: str
    met: Callable[[Metrics], bool]  # whether a check meets the target
    check_every: int  # training sequences between checks
    test_sequences: int
    seeds: int  # least number of seeds for a record
    test: str  # the `hash_of_test` of the frozen test

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

    def validate(self, config: RunConfig) -> None:
        """Raise UserError unless the configuration has the track's test, random initial weights, and training data."""
        if config.start is not None:
            raise UserError("a candidate begins with random weights; leave out start")
        if config.steps < (least := CHECKS_IN_A_ROW * self.prepared(config, 0).evaluate_every):
            often = f"{CHECKS_IN_A_ROW} times in a row"
            raise UserError(f"the candidate could not meet the target {often}: steps={least} is the least")
        if hash_of_test(self.prepared(config, 0)) != self.test:
            raise UserError(
                f"the test would differ from the track {self.name}: leave data.context, data.modulus, "
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
            met = met + 1 if self.met(line) else 0
            if met == CHECKS_IN_A_ROW:
                return int(line["step"] - (CHECKS_IN_A_ROW - 1) * every)
        return None


def hash_of_test(config: RunConfig) -> str:
    """The first 16 hex digits of the SHA-256 of the test's numbers and of what training must not have."""
    split = split_of(config)
    numbers = split.test_of_largest(config.test_sequences, name=MONITOR).numbers.tolist()
    frozen = [config.data.at("hold_out"), split.manifest()["test"], numbers]
    return hashlib.sha256(json.dumps(frozen).encode()).hexdigest()[:16]


def _last_number(seen: int) -> tuple[str, Callable[[Metrics], bool]]:
    target = f"after {seen} numbers the next is right in .99 of the sequences"
    return target, lambda line: bool(line["last_number_accuracy"] >= SHARE)


def _from(seen: int, context: int) -> tuple[str, Callable[[Metrics], bool]]:
    target = f"from {seen} numbers on, to {context}, every next one is right in .99 of the sequences"
    return target, lambda line: (line["numbers_needed"][str(SHARE)] or math.inf) <= seen


def _in_digits(exponent: int) -> RunConfig:
    """The recipe of 2^exponent in base-16 digits."""
    return sized_run("overnight", size_of("overnight", exponent), 0, data={"extra_test_multipliers": ()}).config


TRACKS = {
    each.name: each
    for each in (
        Track(
            "fm-256",
            "one modulus, 2^8, one token per number, one layer",
            recipe("fm-256").build,
            *_last_number(64),
            check_every=2560,
            test_sequences=1024,
            seeds=5,
            test="6d8edb08ae50ac5c",
        ),
        Track(
            "fm-4096",
            "one modulus, 2^12, three base-16 digits per number, two layers",
            partial(_in_digits, 12),
            *_from(86, 95),
            check_every=1600,
            test_sequences=1024,
            seeds=5,
            test="ef6239a14a42e40e",
        ),
        Track(
            "fm-65536",
            "one modulus, 2^16, four base-16 digits per number, three layers",
            partial(_in_digits, 16),
            *_last_number(127),
            check_every=3200,
            test_sequences=256,
            seeds=5,
            test="8e1160bf610410cb",
        ),
        Track(
            "fm-2p24",
            "one modulus, 2^24, six base-16 digits per number, three layers",
            partial(_in_digits, 24),
            *_last_number(255),
            check_every=3200,
            test_sequences=256,
            seeds=3,
            test="d76a65cc9a45eccf",
        ),
    )
}


def track(name: str) -> Track:
    """Return the track called ``name``. Raises UserError, with near misses, if there is none."""
    return lookup("track", name, TRACKS)
