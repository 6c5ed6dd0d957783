"""Runs that the fixed-modulus experiments share: one layer and one head, by two recipes, at four scales.

The *fast* recipe draws fresh sequences and uses Muon; the *paper's* recipe repeats 100,000 sequences and uses AdamW.
"""

from collections.abc import Sequence
from typing import Any

from unrandom.experiments.scale import Scale, by_scale
from unrandom.runs.recipes import recipe
from unrandom.runs.spec import RunSpec
from unrandom.tasks import lcg_task
from unrandom.training import RunConfig

POWERS_OF_TWO = by_scale(smoke=(16,), laptop=(256,), overnight=(2048,), paper=(2048, 512))
COMPOSITES = by_scale(smoke=(36,), laptop=(216, 360), overnight=(1800, 7776), paper=(7776, 1800))
# a prime, and the power of two to compare with it
PRIMES = by_scale(smoke=(13, 16), laptop=(251, 256), overnight=(2039, 2048))
# Where the fast recipe of scale overnight differs from that of 2048. Fewer steps suffice for 1800. Those of 7776 are
# the first of a longer schedule.
CHANGES: dict[int, dict[str, Any]] = {
    1800: {"steps": 400},
    7776: {"steps": 1401, "schedule_steps": 2500, "evaluate_every": 100, "checkpoint_every": 250},
}
MAX_SEEDS = {7776: 1}  # a run takes two and a half hours of one core
# Numbers of held-out (multipliers, increments), where few have full period and training needs some of them, too.
HELD_OUT = {16: (2, 3), 36: (1, 4), 13: (2, 4), 216: (6, 16), 360: (2, 16), 1800: (10, 64)}


def labels(config: RunConfig) -> dict[str, Any]:
    """Labels of a run, from its configuration: its modulus, and its kind of data and optimiser (``recipe``)."""
    data = lcg_task(config.data)
    return {"modulus": data.largest_modulus, "recipe": f"{data.mode} data, {config.optimizer.name}"}


def fast_runs(scale: Scale, seeds: int, chosen: Sequence[int]) -> list[RunSpec]:
    """The runs for each modulus and seed: with the fast recipe, but at paper scale with the paper's."""
    if scale == "paper":
        return paper_runs(scale, seeds, chosen)
    name = "fm-{}-fast" if scale == "overnight" else "fm-{}"
    return [
        spec
        for m in chosen
        for spec in _with_seeds(name.format(m), _fast(scale, m), min(seeds, MAX_SEEDS.get(m, seeds)))
    ]


def all_runs(scale: Scale, seeds: int) -> list[RunSpec]:
    """The runs of the powers of two and of the composites."""
    return fast_runs(scale, seeds, POWERS_OF_TWO[scale] + COMPOSITES[scale])


def first_runs(scale: Scale, seeds: int) -> list[RunSpec]:
    """The runs of the first power of two."""
    return fast_runs(scale, seeds, POWERS_OF_TWO[scale][:1])


def paper_runs(scale: Scale, seeds: int, chosen: Sequence[int]) -> list[RunSpec]:
    """The paper's recipe for each modulus and seed, at the size of the scale; none overnight, as it takes ten times
    the compute of the fast one.
    """
    if scale == "overnight":
        return []
    return [spec for m in chosen for spec in _with_seeds(f"fm-{m}-paper", _paper(scale, m), seeds)]


def prime_runs(scale: Scale, seeds: int) -> list[RunSpec]:
    """A prime and a power of two with the same two-layer model and steps (the paper's appendix on prime moduli)."""
    prime, power = PRIMES[scale]
    # The only full-period multiplier of a prime is 1, so that its runs have no balanced rows.
    data = {
        prime: {"test_multipliers": "primitive-root", "full_period_share": 0.0, "balanced_share": 0.0},
        power: {"test_multipliers": "full-period"},
    }
    planned = []
    for m, changes in data.items():
        config = _paper(scale, m) if scale == "paper" else _fast(scale, m)
        config = config.replace(model={"depth": 2}, data=changes)
        if scale == "paper":
            config = config.replace(model={"d_model": 1024}, steps=50_000)
        planned += _with_seeds(f"fm-{m}-depth2", config, seeds)
    return planned


def _with_seeds(name: str, config: RunConfig, seeds: int) -> list[RunSpec]:
    return [RunSpec(name, config.replace(seed=seed), labels(config)) for seed in range(seeds)]


def _fast(scale: Scale, m: int) -> RunConfig:
    if scale == "overnight":
        return _with_modulus(recipe("fm-2048-fast").build().replace(**CHANGES.get(m, {})), m)
    fast = recipe("fm-256").build()
    return _smoke(fast, m) if scale == "smoke" else _with_modulus(fast, m)


def _paper(scale: Scale, m: int) -> RunConfig:
    paper = recipe("fm-2048").build()
    if scale == "paper":
        return _with_modulus(paper, m)
    small = recipe("fm-256").build()
    laptop = small.replace(
        data={"mode": "fixed", "n_sequences": 100_000},
        optimizer=paper.optimizer.replace(lr=1e-3),
        schedule=paper.schedule,
        batch_size=paper.batch_size,
        steps=3200,
        warmup_steps=100,
    )
    return _smoke(laptop, m) if scale == "smoke" else _with_modulus(laptop, m)


def _with_modulus(config: RunConfig, m: int) -> RunConfig:
    data = lcg_task(config.data)
    n_a, n_c = HELD_OUT.get(m, (data.n_test_a, data.n_test_c))
    return config.replace(data={"modulus": m, "n_test_a": n_a, "n_test_c": n_c})


def _smoke(config: RunConfig, m: int) -> RunConfig:
    few = {"n_sequences": 64} if config.data.mode == "fixed" else {}
    tiny = config.replace(
        data={"context": 12, **few},
        model={"d_model": 16},
        batch_size=32,
        steps=30,
        warmup_steps=2,
        evaluate_every=5,
        checkpoint_every=30,
        precision="fp32",
    )
    return _with_modulus(tiny, m)
