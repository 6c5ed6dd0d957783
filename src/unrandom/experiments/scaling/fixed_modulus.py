"""The context that a larger fixed modulus needs. (fig:fixp_scale a and b, fig:med_fixp_appendix)

One model per modulus and seed reads base-b tokens. The tables are ``positions`` (accuracy by position),
``context_needed`` (by threshold), ``laws`` (power laws fitted to it), ``bits`` (context needed for each bit),
``multipliers`` (accuracy of each) and ``costs`` (operations to 90 % of the last numbers, and those of the paper's
recipe). Beyond the paper, accuracy is correlated with the figure of merit of the spectral test, the context needed is
compared with that of look-back, and the compute with the modulus.
"""

from dataclasses import replace

import numpy as np
import polars as pl

from unrandom.evaluation import Estimate, Evaluation
from unrandom.evaluation.context_needed import THRESHOLDS, first_lasting
from unrandom.evaluation.intervals import over_trials
from unrandom.experiments.claims import (
    LEARNED,
    Bound,
    Claim,
    Evidence,
    Finding,
    LateClaim,
    Precondition,
    Unknown,
    at_least,
    at_most,
)
from unrandom.experiments.costs import cost_to, training_curve
from unrandom.experiments.experiment import Entry, Experiment, Rows, Run, RunSpec, Scale, by_scale
from unrandom.experiments.scaling import measurement
from unrandom.experiments.scaling.law_panels import draw
from unrandom.experiments.scaling.laws import (
    ARBITRARY,
    SPECTRAL,
    bit_stairs,
    largest_learned,
    last_number_accuracies,
    laws,
    lookback_ratio,
)
from unrandom.experiments.scaling.measurement import CONTEXT_THRESHOLD, LEARNED_SHARE
from unrandom.experiments.scaling.presets import SIZES, sized_run
from unrandom.experiments.summaries import by_modulus, by_seed, each_seed, moduli_of_every_seed, run_columns
from unrandom.interpretation.ranks import rank_correlation
from unrandom.runs.tables import Tables, table
from unrandom.tasks import FixedModulus, lcg_split

ENTRY = Entry(
    name="fm-scaling",
    section="larger moduli",
    place=1,
    about="context needed by modulus, and accuracy by quality of the multiplier",
    minutes=354,
    figures={
        "fig:fixp_scale": "context needed by fixed modulus, up to 2^32",
        "fig:med_fixp_appendix": "median context needed by fixed modulus",
    },
)

MIN_MULTIPLIERS = 32  # A correlation over fewer multipliers than this, in any seed, is not judged.
SEQUENCES = by_scale(smoke=32, laptop=256, paper=4096)  # few, as they are long
FULL_ACCURACY = 0.99  # from this last-number accuracy on, a seed counts as having come to 100 %
KNOWN_BIT_ACCURACY = 0.99  # A bit counts as known once it is right in this share of the sequences.

SHARED = Precondition("last-number accuracy at the largest modulus that all seeds have", LEARNED_SHARE)

CLAIMS = {
    "solved": Claim(
        statement="Every modulus is learned.",
        quantity="accuracy on the last number, the least over the moduli of a seed",
        wanted=at_least(0.99, "share"),
    ),
    "exponent": LateClaim(
        statement="The numbers needed for 100 % grow no faster than m^0.3 (the paper's exponent is about 1/4).",
        quantity="exponent of the least numbers needed over seeds, as the paper counts; without moduli for which no "
        "seed reaches 100 %",
        wanted=at_most(0.3, "exponent"),
    ),
    "few-seeds": LateClaim(
        statement="At the largest modulus of several seeds, few of them come to 100 %.",
        quantity=f"share of seeds that are right on {FULL_ACCURACY:.0%} of last numbers",
        wanted=at_most(0.5, "share"),
    ),
    "spectral": LateClaim(
        statement="Spectrally good multipliers with v_2(a − 1) = 2, like the paper's, are harder than arbitrary ones.",
        quantity="accuracy over all positions, arbitrary multipliers less such good ones, at the largest modulus",
        wanted=at_least(0.005, "difference of shares"),
    ),
    "spectral-at-v": LateClaim(
        statement="Where v_2(a − 1) = 2, spectrally good multipliers are no harder than the others.",
        quantity="accuracy over all positions, other multipliers less good ones, at the largest modulus",
        wanted=at_most(0.02, "difference of shares"),
        origin="beyond",
    ),
    "bits": LateClaim(
        statement="Doubling the numbers seen gives more than the one further bit that copying from 2^k back gives.",
        quantity="low bits gained per doubling, at the largest modulus that every seed has",
        wanted=at_least(1.5, "bits"),
        origin="beyond",
        precondition=SHARED,
    ),
    "by-hand": LateClaim(
        statement="The model needs no more numbers than the look-back predictor of order 2.",
        quantity="numbers for 99 % over those from which copying and extrapolating are certain, mean over the moduli "
        "that every seed has",
        wanted=at_most(1.25, "ratio"),
        origin="beyond",
        precondition=SHARED,
    ),
    "compute": LateClaim(
        statement="The compute that a modulus takes grows no faster than its square root.",
        quantity="exponent of the operations to 90 % of the last numbers; without moduli that a seed did not learn",
        wanted=at_most(0.5, "exponent"),
        origin="beyond",
        precondition=None,
    ),
    "cheaper": LateClaim(
        statement="A modulus takes less than a thousandth of the compute of the paper's recipe.",
        quantity="operations of the paper's recipe over those to 90 % of the last numbers, the least over the moduli "
        "from 2^16 on that every seed has",
        wanted=at_least(1000, "ratio"),
        origin="beyond",
        precondition=None,
    ),
    "merit": LateClaim(
        statement="The better a multiplier by the spectral test, the worse it is predicted.",
        quantity="rank correlation of accuracy with the figure of merit, v = 2, at the largest modulus that every seed "
        "learned",
        wanted=at_most(-0.2, "correlation"),
        origin="beyond",
        precondition=LEARNED,
    ),
}


def runs(scale: Scale, seeds: int) -> list[RunSpec]:
    """One model per modulus and seed."""
    return [sized_run(scale, size, seed) for size in SIZES[scale] for seed in range(seeds)]


def measure(runs: list[Run], scale: Scale) -> Tables:
    rows: dict[str, Rows] = {"positions": [], "context_needed": [], "bits": [], "multipliers": [], "costs": []}
    for run in runs:
        modulus = measurement.modulus_of(run)
        cost = cost_to(training_curve(run), LEARNED_SHARE)
        rows["costs"].append({**run_columns(run), **cost, "papers_flops": _papers_flops(modulus)})
        split = lcg_split(run.split())
        groups = {ARBITRARY: split} | ({SPECTRAL: split.with_extra_multipliers()} if split.extra_multipliers else {})
        for group, part in groups.items():
            evaluation = measurement.evaluated_run(run, part, modulus, SEQUENCES[scale])
            key_columns = {**run_columns(run), "group": group}
            rows["positions"] += measurement.position_rows(key_columns, evaluation)
            rows["context_needed"] += measurement.context_rows(key_columns, evaluation)
            rows["multipliers"] += measurement.multiplier_rows(key_columns, evaluation)
            if group == ARBITRARY:
                rows["bits"] += _bit_rows(key_columns, evaluation)
    return {name: table(each) for name, each in rows.items()}


def derive(tables: Tables) -> Tables:
    return {"laws": _law_table(tables["context_needed"])}


def _bit_rows(key_columns: dict[str, object], evaluation: Evaluation) -> Rows:
    """Context needed until each bit stays right in 99 % of sequences; null if it never does."""
    rows = []
    for bit, tally in enumerate(evaluation.by_digit().values()):
        needed = float(first_lasting(tally.value, KNOWN_BIT_ACCURACY))
        rows.append({**key_columns, "bit": bit, "needed": int(needed) if np.isfinite(needed) else None})
    return rows


def _papers_flops(modulus: int) -> float | None:
    """The operations of the paper's recipe for a modulus; None for moduli that the paper does not train."""
    sizes = (size for size in SIZES["paper"] if size.modulus == modulus)
    return next((float(sized_run("paper", size, 0).config.flops) for size in sizes), None)


def _law_table(context: pl.DataFrame) -> pl.DataFrame:
    """Power laws by threshold: over all seeds, and of the least and the median over seeds. Null: no fit."""
    return table(
        {"threshold": threshold, "seeds": statistic, **measurement.law_columns(law)}
        for threshold in THRESHOLDS
        for statistic, law in laws(context, threshold).items()
    )


def evidence(tables: Tables) -> Evidence:
    last = last_number_accuracies(tables["positions"])
    modulus = largest_learned(last, LEARNED_SHARE)
    shared = max(moduli_of_every_seed(last)["modulus"])
    hardest = pl.col("multiplier") % 8 == 5  # v = 2
    learned = tables["multipliers"].filter(hardest, pl.col("modulus").eq_missing(modulus))
    largest = tables["multipliers"].filter(pl.col("modulus") == pl.col("modulus").max())
    at_shared = last.filter(modulus=shared)["value"]
    context = tables["context_needed"].filter(pl.col("modulus") <= shared, group=ARBITRARY, threshold=CONTEXT_THRESHOLD)
    means = {m: float(np.mean(of_modulus["value"].to_list())) for m, of_modulus in by_modulus(last).items()}
    return {
        "solved": each_seed(_of_seeds_with_every_modulus(last), pl.col("value").min()),
        "exponent": _exponent(tables["context_needed"]),
        "few-seeds": over_trials(int((at_shared >= FULL_ACCURACY).sum()), len(at_shared), "seeds"),
        "compute": _compute_exponent(tables["costs"]),
        "cheaper": _times_cheaper(tables["costs"]),
        "bits": _bits_per_doubling(tables["bits"].filter(modulus=shared)),
        "by-hand": lookback_ratio(context, pl.Expr.mean),
        "spectral": _gaps(largest.filter(hardest | (pl.col("group") == ARBITRARY))),
        "spectral-at-v": _gaps(largest.filter(hardest)),
        "merit": _merits(learned) if modulus else Unknown("no modulus was learned by every seed"),
        LEARNED: means[modulus] if modulus else None,
        SHARED: means[shared],
    }


def _exponent(context: pl.DataFrame) -> Estimate | Unknown:
    """The exponent for 100 %; ``too_low`` if moduli without 100 % were left out, which biases it low."""
    law = laws(context, 1.0)["least"]
    if law is None:
        return Unknown("no law: fewer than three moduli were predicted without error by any seed")
    return replace(law.exponent, too_low=law.exponent.units < context["modulus"].n_unique())


def _of_seeds_with_every_modulus(last: pl.DataFrame) -> pl.DataFrame:
    """Keep the seeds that have every modulus of the frame: another seed's least accuracy is that of fewer moduli."""
    return last.filter(pl.col("modulus").n_unique().over("seed") == last["modulus"].n_unique())


def _compute_exponent(costs: pl.DataFrame) -> Estimate | Unknown:
    """The growth of the compute with the modulus; ``too_low`` if moduli that some seed did not learn were left out."""
    spent = pl.when("censored").then(np.inf).otherwise("flops")
    law = measurement.fit_power_law(moduli_of_every_seed(costs).with_columns(needed=spent))
    if law is None:
        return Unknown("no law: fewer than three moduli were learned by every seed")
    return replace(law.exponent, too_low=law.exponent.units < costs["modulus"].n_unique())


def _times_cheaper(costs: pl.DataFrame) -> Finding:
    """By seed, the paper's compute over that to the target, the least over moduli; a bound if runs were censored."""
    shared = moduli_of_every_seed(costs.drop_nulls("papers_flops"))
    ratios = each_seed(shared, (pl.col("papers_flops") / pl.col("flops")).min())
    censored = shared["censored"].sum()
    if censored:
        return Bound(ratios, at_least=False, why=f"{censored} of {len(shared)} runs never got there")
    return ratios


def _bits_per_doubling(bits: pl.DataFrame) -> list[float]:
    """By seed, the slope of the bits known against log2 of the numbers seen, if there are three stairs or more."""
    stairs = [bit_stairs(of_seed) for of_seed in by_seed(bits)]
    return [float(np.polyfit(np.log2(each["seen"]), each["known"], 1)[0]) for each in stairs if len(each) > 2]


def _gaps(multipliers: pl.DataFrame) -> list[float]:
    """By seed, the mean accuracy on arbitrary multipliers minus that on spectrally good ones."""
    arbitrary, good = (pl.col("accuracy").filter(group=group).mean() for group in (ARBITRARY, SPECTRAL))
    return each_seed(multipliers, arbitrary - good)


def _merits(multipliers: pl.DataFrame) -> list[float] | Unknown:
    """By seed, the rank correlation over multipliers of accuracy with the figure of merit."""
    seeds = by_seed(multipliers)
    if min(len(of_seed) for of_seed in seeds) < MIN_MULTIPLIERS:
        return Unknown(f"fewer than {MIN_MULTIPLIERS} multipliers were tested")
    return [float(rank_correlation(each["merit"].to_numpy(), each["accuracy"].to_numpy())) for each in seeds]


EXPERIMENT = Experiment(
    ENTRY,
    CLAIMS,
    runs,
    measure,
    evidence,
    draw,
    task=FixedModulus,
    compares=True,
    presupposes=None,
    archived_seeds=1,
    derive=derive,
)
