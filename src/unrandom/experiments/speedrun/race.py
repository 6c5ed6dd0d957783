"""How is a candidate compared with a record? As a sweep of two arms under the same seeds, each run to the target.

The arms are trained here, in turn. Every run has its own folder, so that a stopped race continues where it was. Costs
are compared as ratios with intervals, by which a candidate becomes a record, or not.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from unrandom.core.config import Config
from unrandom.core.errors import RunsFailed
from unrandom.core.run_folder import RunFolder
from unrandom.evaluation import over_units
from unrandom.experiments.speedrun.tracks import Track
from unrandom.runs.running.plan import Job
from unrandom.runs.running.worker import WorkerOptions, failure, run_job
from unrandom.runs.spec import RunSpec
from unrandom.training import RunConfig


@dataclass(frozen=True)
class Pairing:
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
    """Cost of the candidate over that of the record, the geometric mean over seeds.

    ``at_most`` marks an upper bound, as the record did not reach the target; its interval has no lower end.
    """

    value: float
    low: float | None
    high: float | None
    at_most: bool

    @classmethod
    def of(cls, each: Sequence[float], *, at_most: bool = False) -> "Ratio":
        """The ratio with Student's t interval over the logarithms of one ratio per seed."""
        log = over_units([math.log(ratio) for ratio in each])
        low, high = (None if end is None else math.exp(end) for end in (log.low, log.high))
        return cls(value=math.exp(log.value), low=None if at_most else low, high=high, at_most=at_most)


def race(pairing: Pairing, seeds: Sequence[int], options: WorkerOptions, pack: int = 1) -> tuple[Arm, Arm] | None:
    """Train both arms in turn, ``pack`` seeds of one arm together; None if the time is up before the end.

    A run whose loss becomes non-finite has not reached the target. Raises RunsFailed for any other failure.
    """
    track = pairing.track
    arms = [track.runs(config, seeds) for config in (pairing.candidate, pairing.record)]
    for turn, start in enumerate(range(0, len(seeds), pack)):
        # A B, B A, A B, …: changes in the machine's speed over time then affect both arms alike.
        for runs in arms if turn % 2 == 0 else arms[::-1]:
            if not _train(track, runs[start : start + pack], options):
                return None
    candidate, record = (Arm.of([_attempt(track, run, options.out / run.id) for run in runs]) for runs in arms)
    return candidate, record


def _train(track: Track, runs: Sequence[RunSpec], options: WorkerOptions) -> bool:
    """Train until each run is over: at its target, at its end, or diverged. False if the time is up before."""

    def left() -> tuple[RunSpec, ...]:
        return tuple(run for run in runs if not _is_over(track, run, options.out / run.id))

    @cache  # called after every step, but the answer changes only when a metrics file has grown
    def over_with(*sizes: int) -> bool:
        return not left()

    def over() -> bool:
        files = [RunFolder(options.out / run.id).metrics for run in runs]
        return over_with(*(file.stat().st_size if file.exists() else 0 for file in files))

    for outcome in run_job(Job(left()), options, stop=over):
        if outcome.status in ("failed", "busy", "full disk") and not _diverged(options.out / outcome.run):
            raise RunsFailed(f"{outcome.run} failed: {outcome.error}")
    return not left()


def _is_over(track: Track, run: RunSpec, path: Path) -> bool:
    folder = RunFolder(path)
    if folder.finished or _diverged(path):
        return True
    return track.reached(folder.read_metrics(), run.config.evaluate_every) is not None


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
    """Return ratios of steps, FLOPs and training seconds; None unless the candidate reached the target for every seed.

    Seconds are compared only if both runs of each seed were made by one commit on one device. If the record did not
    reach the target, its total cost is used; the ratio is an upper bound.
    """
    if candidate.reached < candidate.seeds:
        return None
    pairs = list(zip(candidate.attempts, record.attempts, strict=True))
    comparable = all(a.made_by == b.made_by and b.seconds > 0 for a, b in pairs)
    return {
        cost: Ratio.of([getattr(a, cost) / getattr(b, cost) for a, b in pairs], at_most=record.reached < record.seeds)
        for cost in ("steps", "flops", *(["seconds"] if comparable else []))
    }


def why_no_record(candidate: Arm, record: Arm, fewest: int) -> str | None:
    """Return the reason why the candidate is not a record; None if it is one."""
    seeds = candidate.seeds
    if candidate.reached < seeds:
        return f"it reached the target under {candidate.reached} of {seeds} seeds, and a record does under all"
    if seeds < fewest:
        return f"{seeds} seeds were run, and a record of this track needs {fewest}"
    if len(made_by := sorted({attempt.made_by for attempt in (*candidate.attempts, *record.attempts)})) > 1:
        return f"its runs were made in different ways: {'; '.join(made_by)}; race in a --runs folder without older runs"
    if not all(attempt.more_than for attempt in record.attempts):
        return "the record reached the target at the first check, so that its cost has no lower bound"
    at_worst = Ratio.of([a.flops / b.more_than for a, b in zip(candidate.attempts, record.attempts, strict=True)])
    if at_worst.high is None or at_worst.high >= 1:
        return "the interval of the ratio of training FLOPs, with the record one check earlier, is not wholly below 1"
    return None
