"""Power laws of the context needed, learned moduli and known bits, from saved tables."""

from collections.abc import Callable

import polars as pl

from unrandom.evaluation import PowerLaw
from unrandom.experiments.claims import Finding
from unrandom.experiments.scaling.measurement import fit_power_law, needed_for
from unrandom.experiments.summaries import bound_if, each_seed, last_position
from unrandom.predictors import LookbackPredictor

ARBITRARY, SPECTRAL = "arbitrary", "spectrally good"  # groups of multipliers


def laws(context: pl.DataFrame, threshold: float) -> dict[str, PowerLaw | None]:
    """Power laws of the context needed: over all seeds, and of the least and the median over seeds. None: no fit."""
    needed = needed_for(context.filter(group=ARBITRARY), threshold)
    moduli, number = needed.group_by("modulus", maintain_order=True), pl.col("needed")
    return {
        "all": fit_power_law(needed),
        "least": fit_power_law(moduli.agg(number.min())),
        "median": fit_power_law(moduli.agg(number.median())),
    }


def last_number_accuracies(positions: pl.DataFrame) -> pl.DataFrame:
    """Last-number accuracy on arbitrary multipliers, one row per seed and modulus."""
    return last_position(positions.filter(group=ARBITRARY))


def largest_learned(last: pl.DataFrame, least: float) -> int | None:
    """The largest modulus on which every seed has an accuracy of at least ``least``; None if no modulus qualifies."""
    learned = last.filter(pl.col("value") >= least).group_by("modulus").agg(pl.col("seed").n_unique().alias("seeds"))
    return max(learned.filter(seeds=last["seed"].n_unique())["modulus"], default=None)


def lookback_ratio(needed: pl.DataFrame, of_seed: Callable[[pl.Expr], pl.Expr]) -> Finding:
    """By seed, context needed over order-2 look-back's; ``of_seed`` aggregates the rows of a seed.

    A run that never reaches the accuracy counts as if it had needed one number more than its context, and the finding
    is a bound.
    """
    lookback = {m: LookbackPredictor(m).numbers_needed() for m in needed["modulus"].unique()}
    ratio = pl.coalesce("needed", pl.col("longest") + 1) / pl.col("modulus").replace_strict(lookback)
    limits, censored = each_seed(needed, of_seed(ratio)), needed["needed"].null_count()
    return bound_if(censored, limits, f"{censored} of {len(needed)} runs never reached the accuracy")


def bit_stairs(bits: pl.DataFrame) -> pl.DataFrame:
    """The numbers ``seen`` when a further bit is known with all lower ones, and how many bits are then ``known``."""
    lower = bits.sort("bit").filter(pl.col("needed").is_null().cum_sum() == 0)
    stairs = lower.group_by(pl.col("needed").cast(pl.Int64).cum_max().alias("seen"), maintain_order=True)
    return stairs.agg(known=pl.col("bit").max() + 1)
