"""How is a candidate compared with a record? Both are trained here, alternately, with the same seeds, to the target.

Every run has its own folder, so that an interrupted race continues where it stopped.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from unrandom.core.errors import RunsFailed
from unrandom.core.run_folder import RunFolder
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


@dataclass(frozen=True)
class Attempt:
    """One run: its cost until it reached the target, or its total cost if it did not."""

    seed: int
    reached: bool
    steps: int
    flops: int
    seconds: float  # training time, without evaluations and checkpoints
    more_than: int  # FLOPs at the check before the target: a lower bound on the FLOPs that the run needed
    made_by: str  # device, threads and commit


@dataclass(frozen=True)
class Race:
    """The attempts of both arms, candidate and record, by seed."""

    candidate: tuple[Attempt, ...]
    record: tuple[Attempt, ...]


def arm_runs(track: Track, config: RunConfig, seeds: Sequence[int]) -> list[RunSpec]:
    """Return the runs of one arm, one per seed."""
    return [RunSpec(track.name, track.prepared(config, seed)) for seed in seeds]


def race(pairing: Pairing, seeds: Sequence[int], options: WorkerOptions, pack: int = 1) -> Race | None:
    """Train both arms alternately, ``pack`` seeds of one arm together; None if the time is up before the end.

    A run whose loss becomes non-finite has not reached the target. Raises RunsFailed for any other failure.
    """
    track = pairing.track
    arms = [arm_runs(track, config, seeds) for config in (pairing.candidate, pairing.record)]
    for runs in _alternating(arms, pack):
        if not _train(track, runs, options):
            return None
    return Race(*(tuple(_attempt(track, run, options) for run in runs) for runs in arms))


def _alternating(arms: Sequence[Sequence[RunSpec]], pack: int) -> Iterator[Sequence[RunSpec]]:
    """A B, B A, A B, …: changes in the machine's speed over time then affect both arms alike."""
    for turn, start in enumerate(range(0, len(arms[0]), pack)):
        for runs in arms if turn % 2 == 0 else arms[::-1]:
            yield runs[start : start + pack]


def _train(track: Track, runs: Sequence[RunSpec], options: WorkerOptions) -> bool:
    """Train until each run is over: at its target, at its end, or diverged. False if the time is up before."""

    @cache  # called after every step, but the answer changes only when a metrics file has grown
    def over_with(*sizes: int) -> bool:
        return all(_is_over(track, run, options) for run in runs)

    def over() -> bool:
        return over_with(*(_measured_bytes(run, options) for run in runs))

    left = [run for run in runs if not _is_over(track, run, options)]
    if not left:
        return True
    for outcome in run_job(Job(tuple(left)), options, stop=over):
        if outcome.status in ("failed", "busy", "full disk") and not _diverged(options.out / outcome.run):
            raise RunsFailed(f"{outcome.run} failed: {outcome.error}")
    return all(_is_over(track, run, options) for run in runs)


def _is_over(track: Track, run: RunSpec, options: WorkerOptions) -> bool:
    folder = RunFolder(options.out / run.id)
    if folder.finished or _diverged(folder.path):
        return True
    return track.reached(folder.read_metrics(), run.config.evaluate_every) is not None


def _measured_bytes(run: RunSpec, options: WorkerOptions) -> int:
    metrics = RunFolder(options.out / run.id).metrics
    return metrics.stat().st_size if metrics.exists() else 0


def _diverged(folder: Path) -> bool:
    """Whether the loss of a run was not finite. Runs with any other failure are tried again."""
    broken = failure(folder)
    return broken is not None and broken["kind"] == "not finite"


def _attempt(track: Track, run: RunSpec, options: WorkerOptions) -> Attempt:
    folder, every = RunFolder(options.out / run.id), run.config.evaluate_every
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
