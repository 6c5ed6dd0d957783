"""Which runs come first when a fast machine is there for minutes? One of each kind, then the same with other seeds."""

from unrandom.experiments.experiment import PlannedRun, Scale
from unrandom.experiments.fixed_modulus.runs import POWERS_OF_TWO, fast_runs
from unrandom.experiments.scaling.runs import planned, size_of
from unrandom.experiments.unseen_modulus.runs import main_runs

EXPONENTS: dict[Scale, tuple[int, ...]] = {"smoke": (4, 6), "laptop": (12, 14), "gpu": (16, 32), "paper": (16, 32)}


def most_worth(scale: Scale, seeds: int) -> list[PlannedRun]:
    """A fixed modulus, unseen moduli, and larger moduli in digits; one seed of each, then the next seed."""
    kinds = [
        fast_runs(scale, seeds, POWERS_OF_TWO[scale][:1]),
        main_runs(scale, seeds),
        *([planned(scale, size_of(scale, exponent), seed) for seed in range(seeds)] for exponent in EXPONENTS[scale]),
    ]
    return [kind[seed] for seed in range(seeds) for kind in kinds]
