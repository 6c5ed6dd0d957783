"""Which runs come first when a fast machine is there for minutes? One of each kind, then the same with other seeds."""

from unrandom.experiments.fixed_modulus.presets import POWERS_OF_TWO, fast_runs
from unrandom.experiments.scale import Scale
from unrandom.experiments.scaling.presets import planned, size_of
from unrandom.experiments.timed_plan import Group
from unrandom.experiments.unseen_modulus.presets import main_runs

EXPONENTS: dict[Scale, tuple[int, ...]] = {"smoke": (4, 6), "gpu": (16, 32)}  # of the larger moduli


def by_priority(scale: Scale, seeds: int) -> list[Group]:
    """A fixed modulus, unseen moduli, and larger moduli in digits; one seed of each, then the next seed.

    The seeds of a kind have one name, and so are cut alike.
    """
    kinds = [
        fast_runs(scale, seeds, POWERS_OF_TWO[scale][:1]),
        main_runs(scale, seeds),
        *([planned(scale, size_of(scale, exponent), seed) for seed in range(seeds)] for exponent in EXPONENTS[scale]),
    ]
    return [Group(kind[seed].recipe, (kind[seed],), seed) for seed in range(seeds) for kind in kinds]
