"""How many numbers does a larger modulus need? (fig:fixp_scale a and b, fig:med_fixp_appendix)

Beyond the paper: not two groups of multipliers but the curve, accuracy against the figure of merit of the spectral
test; and the ceiling, three numbers, which fix all later ones when the modulus is known.
"""

from dataclasses import replace

import numpy as np
import polars as pl

from unrandom.evaluation import Evaluation
from unrandom.evaluation.context_needed import THRESHOLDS, first_lasting
from unrandom.experiments.claims import Claim, Evidence, Finding, Precondition, Unknown
from unrandom.experiments.experiment import Experiment, Rows
from unrandom.experiments.scale import Scale
from unrandom.experiments.scaling.law_panels import draw
from unrandom.experiments.scaling.laws import (
    ARBITRARY,
    SPECTRAL,
    known_steps,
    largest_learned,
    last_numbers,
    laws,
    over_lookback,
)
from unrandom.experiments.scaling.measurement import (
    ALMOST,
    LEARNED_SHARE,
    context_rows,
    law_columns,
    multiplier_rows,
    position_rows,
    tested,
)
from unrandom.experiments.scaling.presets import SIZES, planned
from unrandom.experiments.summaries import about, by_modulus, by_seed, each_seed, moduli_of_every_seed
from unrandom.interpretation.ranks import rank_correlation
from unrandom.runs.run import Run
from unrandom.runs.spec import RunSpec
from unrandom.runs.tables import Tables, table
from unrandom.tasks import FixedModulus, lcg_split, lcg_task

FEWEST_MULTIPLIERS = 32  # A correlation over fewer multipliers than this, in any seed, is not judged.
SEQUENCES: dict[Scale, int] = {"smoke": 32, "laptop": 256, "gpu": 4096, "paper": 4096}  # long ones
KNOWN_BIT = 0.99  # A bit counts as known once it is right in this share of the sequences.

SHARED = Precondition(
    "learned-shared", "last-number accuracy at the largest modulus that all seeds have", LEARNED_SHARE
)
LAW = "fig:fixp_scale"

CLAIMS = (
    Claim(
        key="solved",
        statement="Every modulus is learned.",
        quantity="accuracy on the last number, the least over the moduli of a seed",
        unit="share",
        figure=LAW,
        threshold=0.99,
        precondition=None,
    ),
    Claim(
        key="exponent-low",
        statement="The numbers needed for 100 % grow as m^γ, with γ not below 0.2.",
        quantity="γ over the moduli that all seeds solve",
        unit="exponent",
        figure=LAW,
        threshold=0.2,
        precondition=None,
    ),
    Claim(
        key="exponent-high",
        statement="The numbers needed for 100 % grow as m^γ, with γ not above 0.3.",
        quantity="γ over the moduli that all seeds solve",
        unit="exponent",
        figure=LAW,
        threshold=0.3,
        at_least=False,
        precondition=None,
    ),
    Claim(
        key="least-exponent-low",
        statement="For the best seed of each modulus, as the paper counts, γ is not below 0.2.",
        quantity="γ of the least numbers needed for 100 % over seeds, without moduli that no seed solved",
        unit="exponent",
        figure=LAW,
        threshold=0.2,
        precondition=None,
        written="after",
    ),
    Claim(
        key="least-exponent-high",
        statement="For the best seed of each modulus, as the paper counts, γ is not above 0.3.",
        quantity="γ of the least numbers needed for 100 % over seeds, without moduli that no seed solved",
        unit="exponent",
        figure=LAW,
        threshold=0.3,
        at_least=False,
        precondition=None,
        written="after",
    ),
    Claim(
        key="spectral",
        statement="Spectrally good multipliers are harder.",
        quantity="accuracy over all positions, arbitrary multipliers less good ones, at the largest modulus learned",
        unit="difference of shares",
        figure=LAW,
        threshold=0.005,
    ),
    Claim(
        key="bits",
        statement="A doubling of the numbers seen gives more than the one bit of looking back 2^k.",
        quantity="low bits gained a doubling, at the largest modulus that every seed has",
        unit="bits",
        threshold=1.5,
        origin="beyond",
        written="after",
        precondition=SHARED,
    ),
    Claim(
        key="by-hand",
        statement="The model needs no more numbers than its own algorithm, looking back by hand.",
        quantity="numbers for 99 % over those from which copying and extrapolating are certain, mean over the moduli "
        "that every seed has",
        unit="ratio",
        threshold=1.25,
        at_least=False,
        origin="beyond",
        written="after",
        precondition=SHARED,
    ),
    Claim(
        key="merit",
        statement="The better a multiplier by the spectral test, the worse it is predicted.",
        quantity="rank correlation of accuracy with the figure of merit, at the largest modulus learned",
        unit="correlation",
        threshold=-0.2,
        at_least=False,
        origin="beyond",
    ),
)


def runs(scale: Scale, seeds: int) -> list[RunSpec]:
    """A model for each modulus and seed."""
    return [planned(scale, size, seed) for size in SIZES[scale] for seed in range(min(seeds, size.most_seeds or seeds))]


def measure(runs: list[Run], scale: Scale) -> Tables:
    rows: dict[str, Rows] = {"positions": [], "context_needed": [], "bits": [], "multipliers": []}
    for run in runs:
        (modulus,) = lcg_task(run.config.data).moduli
        split = lcg_split(run.split())
        groups = {ARBITRARY: split} | ({SPECTRAL: split.with_extra_multipliers()} if split.extra_multipliers else {})
        for group, part in groups.items():
            evaluation = tested(run, part, modulus, SEQUENCES[scale])
            which = {**about(run), "group": group}
            rows["positions"] += position_rows(which, evaluation)
            rows["context_needed"] += context_rows(which, evaluation)
            rows["multipliers"] += multiplier_rows(which, evaluation)
            if group == ARBITRARY:
                rows["bits"] += _bit_rows(which, evaluation)
    tables = {name: table(each) for name, each in rows.items()}
    return {**tables, "laws": _law_table(tables["context_needed"])}


def _bit_rows(which: dict[str, object], evaluation: Evaluation) -> Rows:
    """The numbers needed until each bit stays right in 99 % of sequences; null where it never does."""
    rows = []
    for bit, tally in enumerate(evaluation.by_digit().values()):
        needed = float(first_lasting(tally.value, KNOWN_BIT))
        rows.append({**which, "bit": bit, "needed": int(needed) if np.isfinite(needed) else None})
    return rows


def _law_table(context: pl.DataFrame) -> pl.DataFrame:
    """The power law for each threshold: of all seeds, and of the least and the median over them. Null: no fit."""
    return table(
        {"threshold": threshold, "seeds": statistic, **law_columns(law)}
        for threshold in THRESHOLDS
        for statistic, law in laws(context, threshold).items()
    )


def evidence(tables: Tables) -> Evidence:
    last = last_numbers(tables["positions"])
    modulus = largest_learned(last, LEARNED_SHARE)
    shared = max(moduli_of_every_seed(last)["modulus"])
    at = tables["multipliers"].filter(pl.col("modulus").eq_missing(modulus))
    every, least = (_exponent(tables["context_needed"], statistic) for statistic in ("all", "least"))
    nothing = Unknown("no modulus was learned by every seed")
    context = tables["context_needed"].filter(pl.col("modulus") <= shared, group=ARBITRARY, threshold=ALMOST)
    means = {m: float(np.mean(own["value"].to_list())) for m, own in by_modulus(last).items()}
    return Evidence(
        {
            "solved": each_seed(last, pl.col("value").min()),
            "exponent-low": every,
            "exponent-high": every,
            "least-exponent-low": least,
            "least-exponent-high": least,
            "bits": _bits_a_doubling(tables["bits"].filter(modulus=shared)),
            "by-hand": over_lookback(context, pl.Expr.mean),
            "spectral": _gaps(at) if modulus else nothing,
            "merit": _merits(at) if modulus else nothing,
        },
        {"learned": means[modulus] if modulus else None, SHARED.key: means[shared]},
    )


def _exponent(context: pl.DataFrame, statistic: str) -> Finding:
    """The exponent for 100 %. Moduli that are left out, as they were not solved, would make it larger."""
    law = laws(context, 1.0)[statistic]
    if law is None:
        solved = {"all": "every seed", "least": "any seed"}[statistic]
        return Unknown(f"no law: fewer than three moduli were solved by {solved}")
    return replace(law.exponent, too_low=law.exponent.units < context["modulus"].n_unique())


def _bits_a_doubling(bits: pl.DataFrame) -> list[float]:
    """For each seed, the slope of the bits known against log2 of the numbers seen, of three steps or more."""
    steps = [known_steps(of_seed) for of_seed in by_seed(bits)]
    return [float(np.polyfit(np.log2(each["seen"]), each["known"], 1)[0]) for each in steps if len(each) > 2]


def _gaps(multipliers: pl.DataFrame) -> list[float]:
    """For each seed, the mean accuracy on arbitrary multipliers less that on good ones."""
    arbitrary, good = (pl.col("accuracy").filter(group=group).mean() for group in (ARBITRARY, SPECTRAL))
    return each_seed(multipliers, arbitrary - good)


def _merits(multipliers: pl.DataFrame) -> Finding:
    """For each seed, the rank correlation over multipliers of accuracy with the figure of merit."""
    seeds = by_seed(multipliers)
    if min(len(of_seed) for of_seed in seeds) < FEWEST_MULTIPLIERS:
        return Unknown(f"fewer than {FEWEST_MULTIPLIERS} multipliers were tested")
    return [float(rank_correlation(each["merit"].to_numpy(), each["accuracy"].to_numpy())) for each in seeds]


EXPERIMENT = Experiment(
    name="fm-scaling",
    task=FixedModulus,
    claims=CLAIMS,
    runs=runs,
    measure=measure,
    draw=draw,
    evidence=evidence,
    compares=True,
    archived_seeds=1,
)
