"""Trains a candidate and the record under the same seeds, in turn, each run to the target, and compares the costs.

Every run has its own folder, so that a stopped race continues where it was. Costs are compared as ratios with
intervals, which decide whether a candidate becomes a record.
"""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from pydantic import ConfigDict

from unrandom.core.config import Config
from unrandom.core.errors import RunsFailed
from unrandom.core.run_folder import RunFolder
from unrandom.evaluation import over_units
from unrandom.experiments.speedrun.tracks import Track
from unrandom.runs.running.plan import Job
from unrandom.runs.running.worker import WorkerOptions, failure, run_job
from unrandom.runs.spec import RunSpec
from unrandom.training import RunConfig

COSTS = ("steps", "flops", "seconds")
FIRST_SEED = 100  # first seed of a race; the seeds from 0 on are for tuning candidates


class Pairing(NamedTuple):
    """A candidate configuration of a track, and the name and configuration of the record that it runs against."""

    track: Track
    candidate: RunConfig
    against: str
    record: RunConfig


class Attempt(Config):
    """One run: its cost until it reached the target, or its total cost if it did not."""

    seed: int
    reached: bool
    steps: int
    flops: int
    seconds: float  # training time, without evaluations and checkpoints
    more_than: int  # FLOPs at the check before the target: a lower bound on the FLOPs that the run needed
    made_by: str  # device, threads and commit


class Arm(Config):
    """The attempts of the candidate or of the record, by seed."""

    reached: int  # number of attempts that reached the target
    seeds: int
    expected_flops: float | None  # FLOPs of all attempts over the number that reached the target; None if none did
    attempts: tuple[Attempt, ...]

    @classmethod
    def of(cls, attempts: Sequence[Attempt]) -> "Arm":
        reached = sum(attempt.reached for attempt in attempts)
        expected = sum(attempt.flops for attempt in attempts) / reached if reached else None
        return cls(reached=reached, seeds=len(attempts), expected_flops=expected, attempts=tuple(attempts))


class Ratio(Config):
    """The candidate's cost over the record's, the geometric mean over seeds."""

    model_config = ConfigDict(extra="ignore")  # in the first races a ratio could be a bound

    value: float
    low: float | None
    high: float | None

    @classmethod
    def of(cls, each: Sequence[float]) -> "Ratio":
        """The ratio with Student's t interval over the logarithms of one ratio per seed."""
        log = over_units([math.log(ratio) for ratio in each])
        low, high = (None if end is None else round(math.exp(end), 4) for end in (log.low, log.high))
        return cls(value=round(math.exp(log.value), 4), low=low, high=high)


def race(pairing: Pairing, seeds: Sequence[int], options: WorkerOptions) -> tuple[Arm, Arm] | None:
    """Train both arms in turn; None if the time is up before the end.

    A run whose loss becomes non-finite has not reached the target. Raises RunsFailed for any other failure.
    """
    track = pairing.track
    arms = [track.runs(config, seeds) for config in (pairing.candidate, pairing.record)]
    for turn, pair in enumerate(zip(*arms, strict=True)):
        # A B, B A, A B, …: changes in the machine's speed over time then affect both arms alike.
        if not all(_train(track, run, options) for run in (pair if turn % 2 == 0 else pair[::-1])):
            return None
    candidate, record = (Arm.of([_attempt(track, run, options.out / run.id) for run in runs]) for runs in arms)
    return candidate, record


def _train(track: Track, run: RunSpec, options: WorkerOptions) -> bool:
    """Train until the run is over: at its target, at its end, or diverged. False if the time is up before."""
    path = options.out / run.id
    folder = RunFolder(path)

    def over() -> bool:
        reached = track.reached(folder.read_metrics(), run.config.evaluate_every) is not None
        return reached or folder.finished or _diverged(path)

    if over():
        return True
    for outcome in run_job(Job((run,)), options, stop=over):
        if outcome.status in ("failed", "busy", "full disk") and not _diverged(path):
            raise RunsFailed(f"{outcome.run} failed: {outcome.error}")
    return over()


def _diverged(path: Path) -> bool:
    """Whether the loss of a run was not finite. Runs with any other failure are tried again."""
    broken = failure(path)
    return broken is not None and broken["kind"] == "not finite"


def _attempt(track: Track, run: RunSpec, path: Path) -> Attempt:
    folder, every = RunFolder(path), run.config.evaluate_every
    lines, manifest = folder.read_metrics(), folder.read_manifest()
    reached = track.reached(lines, every)
    last = lines[-1]["step"] if lines else 0
    # A diverged run is charged up to the check that it did not reach.
    steps = reached or (last if folder.finished else min(last + every, run.config.steps))
    return Attempt(
        seed=run.config.seed,
        reached=reached is not None,
        steps=steps,
        flops=steps * run.config.step_flops,
        seconds=next((line["seconds"] for line in reversed(lines) if line["step"] <= steps), 0.0),
        more_than=(steps - every if reached else steps) * run.config.step_flops,
        made_by=f"{manifest['device']}, commit {manifest['commit']}",
    )


def ratios(candidate: Arm, record: Arm) -> dict[str, Ratio] | None:
    """Return ratios of steps, FLOPs and training seconds; None unless both reached the target under every seed."""
    if candidate.reached < candidate.seeds or record.reached < record.seeds:
        return None
    pairs = list(zip(candidate.attempts, record.attempts, strict=True))
    return {cost: Ratio.of([getattr(a, cost) / getattr(b, cost) for a, b in pairs]) for cost in COSTS}


def why_no_record(candidate: Arm, record: Arm, fewest: int) -> str | None:
    """Return the reason why the candidate is not a record; None if it is one."""
    for name, arm in (("it", candidate), ("the record", record)):
        if arm.reached < arm.seeds:
            return f"{name} reached the target under {arm.reached} of {arm.seeds} seeds, and both have to under all"
    if candidate.seeds < fewest:
        return f"{candidate.seeds} seeds were run, and a record needs {fewest}"
    if len(made_by := sorted({attempt.made_by for attempt in (*candidate.attempts, *record.attempts)})) > 1:
        return f"its runs were made in different ways: {'; '.join(made_by)}; race in a --runs folder without older runs"
    if not all(attempt.more_than for attempt in record.attempts):
        return "the record reached the target at the first check, so that its cost has no lower bound"
    at_worst = Ratio.of([a.flops / b.more_than for a, b in zip(candidate.attempts, record.attempts, strict=True)])
    if at_worst.high is None or at_worst.high >= 1:
        return "the interval of the ratio of training FLOPs, with the record one check earlier, is not wholly below 1"
    return None
