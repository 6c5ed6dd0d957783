"""How are a candidate and a record compared? Both run here, in turn, under the same seeds, each until it is there.

Every run has its own folder, so a race that was stopped goes on where it stood.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from unrandom.core.errors import RunsFailed
from unrandom.core.run_folder import RunFolder
from unrandom.experiments.experiment import PlannedRun
from unrandom.experiments.plan import Job
from unrandom.experiments.speedrun.tracks import Track
from unrandom.experiments.work import Work, carry_out, failure
from unrandom.training import RunConfig

SEED_BY_SEED = 1


@dataclass(frozen=True)
class Attempt:
    """One run: what it took to reach the target, or, where it did not, all that it took."""

    seed: int
    reached: bool
    steps: int
    flops: int
    seconds: float  # of training; neither measurements nor checkpoints

    def tree(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class Race:
    """The attempts of both arms, by seed."""

    candidate: tuple[Attempt, ...]
    record: tuple[Attempt, ...]


def planned(track: Track, config: RunConfig, seeds: Sequence[int]) -> list[PlannedRun]:
    """The runs of one arm."""
    return [PlannedRun(track.name, track.prepared(config, seed)) for seed in seeds]


def race(
    track: Track, candidate: RunConfig, record: RunConfig, seeds: Sequence[int], work: Work, pack: int = SEED_BY_SEED
) -> Race | None:
    """Train both arms, ``pack`` seeds of one side by side, and the arms in turn; None if the time is up before the end.

    A run that breaks down with a loss that is not finite has not reached the target. Raises RunsFailed for any
    other failure.
    """
    arms = [planned(track, config, seeds) for config in (candidate, record)]
    for runs in _in_turn(arms, pack):
        if not _train(track, runs, work):
            return None
    return Race(*(tuple(_attempt(track, run, work) for run in runs) for runs in arms))


def _in_turn(arms: Sequence[Sequence[PlannedRun]], pack: int) -> Iterator[Sequence[PlannedRun]]:
    """A B, B A, A B, …: what the machine does better or worse over time meets both alike."""
    for turn, start in enumerate(range(0, len(arms[0]), pack)):
        for runs in arms if turn % 2 == 0 else arms[::-1]:
            yield runs[start : start + pack]


def _train(track: Track, runs: Sequence[PlannedRun], work: Work) -> bool:
    """Whether each of the runs is over: at its target, at its end, or broken."""

    def over() -> bool:
        return all(_reached(track, run, work) is not None for run in runs)

    left = [run for run in runs if not _is_over(track, run, work)]
    if not left:
        return True
    for outcome in carry_out(Job(tuple(left)), work, stop=over):
        broken = failure(work.out / outcome.run)
        if outcome.status in ("failed", "busy", "full disk") and (broken is None or broken["kind"] != "not finite"):
            raise RunsFailed(f"{outcome.run} failed: {outcome.error}")
    return all(_is_over(track, run, work) for run in runs)


def _is_over(track: Track, run: PlannedRun, work: Work) -> bool:
    folder = work.out / run.id
    return RunFolder(folder).finished or failure(folder) is not None or _reached(track, run, work) is not None


def _reached(track: Track, run: PlannedRun, work: Work) -> int | None:
    return track.reached(RunFolder(work.out / run.id).read_metrics(), run.config.evaluate_every)


def _attempt(track: Track, run: PlannedRun, work: Work) -> Attempt:
    lines = RunFolder(work.out / run.id).read_metrics()
    step = track.reached(lines, run.config.evaluate_every)
    there = next((line for line in lines if line["step"] == step), lines[-1])
    return Attempt(
        seed=run.config.seed,
        reached=step is not None,
        steps=there["step"],
        flops=run.config.flops_until(there["step"]),
        seconds=there["seconds"],
    )
