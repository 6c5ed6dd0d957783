"""How do fixed-modulus models scale? Laws, moduli that were learned and steps of known bits, from saved tables."""

from collections.abc import Callable, Sequence

import numpy as np

from unrandom.evaluation import PowerLaw, power_law
from unrandom.experiments.claims import Bound, Finding
from unrandom.experiments.experiment import Rows
from unrandom.experiments.rows import by_seed
from unrandom.experiments.scaling.elements import needed_by_modulus, reached
from unrandom.predictors import LookbackPredictor

ARBITRARY, SPECTRAL = "arbitrary", "spectrally good"  # groups of multipliers


def laws(elements: Rows, threshold: float) -> dict[str, PowerLaw | None]:
    """The power law of the numbers needed: of all seeds, and of the least and the median over them. None: no fit."""
    values = needed_by_modulus([row for row in elements if row["group"] == ARBITRARY], threshold)
    return {
        "all": power_law(reached(values)),
        "least": power_law(reached({m: [min(of)] for m, of in values.items()})),
        "median": power_law(reached({m: [float(np.median(of))] for m, of in values.items()})),
    }


def last_numbers(positions: Rows) -> dict[int, dict[int, float]]:
    """Accuracy on the last number by seed and modulus."""
    found: dict[int, dict[int, float]] = {}
    for row in positions:
        if row["group"] == ARBITRARY:
            found.setdefault(row["seed"], {})[row["modulus"]] = row["value"]  # rows come in order: the last stays
    return found


def largest_learned(last: dict[int, dict[int, float]], least: float) -> int | None:
    """The largest modulus on which every seed has an accuracy of at least ``least``; None if there is none."""
    moduli = {m for of_seed in last.values() for m in of_seed}
    return max((m for m in moduli if all(of.get(m, 0) >= least for of in last.values())), default=None)


def over_lookback(rows: Rows, of_seed: Callable[[Sequence[float]], float]) -> Finding:
    """By seed, the numbers needed over those that looking back at two numbers needs, its rows brought to one number.

    A run that never gets there counts as if it had needed one number more than it reads; the finding is a bound then.
    """
    never = sum(row["needed"] is None for row in rows)
    ratios = [
        [(row["needed"] or row["longest"] + 1) / LookbackPredictor(row["modulus"]).numbers_needed() for row in own]
        for own in by_seed(rows)
    ]
    limits = [of_seed(own) for own in ratios]
    return Bound(limits, at_least=True, why=f"{never} of {len(rows)} runs never got there") if never else limits


def known_steps(bits: Rows) -> list[tuple[int, int]]:
    """The numbers seen at which another bit is known, all lower ones with it, and how many are."""
    known: dict[int, int] = {}
    latest = 0
    for row in sorted(bits, key=lambda row: row["bit"]):
        if row["needed"] is None:
            break
        latest = max(latest, row["needed"])
        known[latest] = row["bit"] + 1
    return sorted(known.items())
