"""Runs that the experiments on permuted generators share: one model for each variant and size, and one for all.

A size is a number of bits of the state; half of them are shown. Models have two layers at every scale but *paper*,
which has the model, optimiser and batch of the follow-up (Tao and Barkeshli 2025, arXiv 2510.26792, by its public
code), on new sequences.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any

from unrandom.experiments.experiment import Experiment, Run, RunSpec, Scale, by_scale
from unrandom.runs.recipes import recipe
from unrandom.tasks import Examples
from unrandom.tasks.permuted_lcg import PermutedLCG
from unrandom.training import RunConfig


@dataclass(frozen=True)
class Size:
    """A width of the state, the numbers that a model reads, the updates, and the counts of a and c that are tested.

    ``schedule`` is the number of steps until the learning rate would be 0; None: the steps that are made.
    """

    state_bits: int
    context: int
    steps: int
    tested: int
    schedule: int | None = None


SIZES: dict[Scale, tuple[Size, ...]] = by_scale(
    smoke=(Size(5, 8, 4, 2), Size(6, 12, 4, 4)),
    laptop=(Size(8, 64, 1500, 8), Size(10, 128, 3000, 16), Size(12, 256, 5010, 16, schedule=6000)),
    overnight=(Size(8, 64, 1500, 8), Size(10, 128, 3000, 16), Size(12, 256, 6000, 16), Size(14, 512, 8000, 32)),
    paper=(Size(16, 256, 100_000, 64), Size(18, 512, 400_000, 64)),
)
EVALUATIONS = 30  # the number of evaluations in a run
VARIANTS = PermutedLCG.partial
JOINT_DEPTH = by_scale(smoke=3, laptop=3, paper=4)
JOINT_STEPS = by_scale(smoke=4, laptop=6000, paper=400_000)

permuted_experiment = partial(Experiment, task=PermutedLCG, compares=True)


def permuted_task(run: Run) -> PermutedLCG:
    """The task of a run."""
    assert isinstance(run.config.data, PermutedLCG), "runs of these experiments are of permuted LCGs"
    return run.config.data


def unseen_examples(run: Run, sequences: int) -> Examples:
    """Sequences of unseen multipliers and increments (of unseen keys for a cipher)."""
    split = run.split()
    return split.test(split.parts[0], sequences)


def configured(scale: Scale, size: Size, *, steps: int | None = None, **changes: Any) -> RunConfig:
    """The configuration of a size, by default for the task's own variant; ``changes`` are changes of the data."""
    steps = size.steps if steps is None else steps
    tested = {"n_test_a": size.tested, "n_test_c": size.tested}
    config = (
        recipe("pcg-8")
        .build()
        .replace(
            data={"state_bits": size.state_bits, "context": size.context, **tested, **changes},
            steps=steps,
            schedule_steps=size.schedule,
            evaluate_every=max(1, (size.schedule or steps) // EVALUATIONS),
            checkpoint_every=max(1, (size.schedule or steps) // 3),
        )
    )
    if scale == "smoke":
        return config.replace(model={"d_model": 16}, batch_size=16, warmup_steps=1, test_sequences=16, precision="fp32")
    if scale == "paper":
        return config.replace(
            model={"depth": 4, "n_heads": 8, "d_model": 1024, "activation": "gelu"},
            optimizer={"name": "adamw", "lr": 1e-4, "weight_decay": 1.0},
            batch_size=512,
            warmup_steps=2048,
        )
    return config


def with_seeds(name: str, config: RunConfig, seeds: int, **labels: Any) -> list[RunSpec]:
    """A run for each seed."""
    return [RunSpec(name, config.replace(seed=seed), labels) for seed in range(seeds)]


def alone_runs(scale: Scale, seeds: int, sizes: tuple[Size, ...] | None = None, **changes: Any) -> list[RunSpec]:
    """One model for each variant and each size, of the scale or of ``sizes``, with ``changes`` for `configured`."""
    return [
        spec
        for size in (SIZES[scale] if sizes is None else sizes)
        for variant in VARIANTS
        for spec in with_seeds(
            f"pcg-{size.state_bits}",
            configured(scale, size, variants=(variant,), **changes),
            seeds,
            variant=variant,
            state_bits=size.state_bits,
        )
    ]


def joint_runs(scale: Scale, seeds: int) -> list[RunSpec]:
    """One model for all variants at the smallest size, with and without a number that names the variant."""
    return [
        spec
        for tagged in (False, True)
        for spec in with_seeds(
            "pcg-joint",
            configured(scale, SIZES[scale][0], steps=JOINT_STEPS[scale], variants=VARIANTS, tagged=tagged).replace(
                model={"depth": JOINT_DEPTH[scale]}
            ),
            seeds,
            tagged=tagged,
        )
    ]
