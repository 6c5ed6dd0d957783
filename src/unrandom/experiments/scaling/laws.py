"""How do fixed-modulus models scale? Laws, moduli that were learned and steps of known bits, from saved tables."""

from collections.abc import Callable

import polars as pl

from unrandom.evaluation import PowerLaw
from unrandom.experiments.claims import Bound, Finding
from unrandom.experiments.scaling.measurement import law_of, needed_for
from unrandom.experiments.summaries import each_seed, last_position
from unrandom.predictors import LookbackPredictor

ARBITRARY, SPECTRAL = "arbitrary", "spectrally good"  # groups of multipliers


def laws(context: pl.DataFrame, threshold: float) -> dict[str, PowerLaw | None]:
    """The power law of the numbers needed: of all seeds, and of the least and the median over them. None: no fit."""
    needed = needed_for(context.filter(group=ARBITRARY), threshold)
    moduli, number = needed.group_by("modulus", maintain_order=True), pl.col("needed")
    return {
        "all": law_of(needed),
        "least": law_of(moduli.agg(number.min())),
        "median": law_of(moduli.agg(number.median())),
    }


def last_numbers(positions: pl.DataFrame) -> pl.DataFrame:
    """Accuracy on the last number of arbitrary multipliers, a row for each seed and modulus."""
    return last_position(positions.filter(group=ARBITRARY))


def largest_learned(last: pl.DataFrame, least: float) -> int | None:
    """The largest modulus on which every seed has an accuracy of at least ``least``; None if there is none."""
    learned = last.filter(pl.col("value") >= least).group_by("modulus").agg(pl.col("seed").n_unique().alias("seeds"))
    return max(learned.filter(seeds=last["seed"].n_unique())["modulus"], default=None)


def over_lookback(needed: pl.DataFrame, of_seed: Callable[[pl.Expr], pl.Expr]) -> Finding:
    """By seed, the numbers needed over those that looking back at two numbers needs, its rows brought to one number.

    A run that never gets there counts as if it had needed one number more than it reads; the finding is a bound then.
    """
    by_hand = {m: LookbackPredictor(m).numbers_needed() for m in needed["modulus"].unique()}
    ratio = pl.coalesce("needed", pl.col("longest") + 1) / pl.col("modulus").replace_strict(by_hand)
    limits, never = each_seed(needed, of_seed(ratio)), needed["needed"].null_count()
    return Bound(limits, at_least=True, why=f"{never} of {len(needed)} runs never got there") if never else limits


def known_steps(bits: pl.DataFrame) -> pl.DataFrame:
    """The numbers ``seen`` at which another bit of a run is known with all lower ones, and how many are ``known``."""
    lower = bits.sort("bit").filter(pl.col("needed").is_null().cum_sum() == 0)
    steps = lower.group_by(pl.col("needed").cast(pl.Int64).cum_max().alias("seen"), maintain_order=True)
    return steps.agg(known=pl.col("bit").max() + 1)
