"""Which runs are trained first when time is limited? One run of each kind, then the same kinds with other seeds.

This is the order of ``unrandom reproduce`` without experiment names.
"""

from unrandom.experiments.fixed_modulus.presets import POWERS_OF_TWO, fast_runs
from unrandom.experiments.scale import Scale
from unrandom.experiments.scaling.presets import size_of, sized_run
from unrandom.experiments.timed_plan import Group
from unrandom.experiments.unseen_modulus.presets import main_runs

EXPONENTS: dict[Scale, tuple[int, ...]] = {"smoke": (4, 6), "gpu": (16, 32)}  # the larger moduli are 2^exponent


def by_priority(scale: Scale, seeds: int) -> list[Group]:
    """Return groups of one run: a fixed modulus, unseen moduli and larger moduli in base-b tokens, seed by seed.

    Groups of one kind have the same name, so that all seeds are shortened alike.
    """
    kinds = [
        fast_runs(scale, seeds, POWERS_OF_TWO[scale][:1]),
        main_runs(scale, seeds),
        *([sized_run(scale, size_of(scale, exponent), seed) for seed in range(seeds)] for exponent in EXPONENTS[scale]),
    ]
    return [Group(kind[seed].recipe, (kind[seed],), seed) for seed in range(seeds) for kind in kinds]
