"""The context that a larger unseen modulus needs, and whether a base helps the powers of its own prime.

(fig:um_scaling, fig:acc_um_appendix.) One model per base is tested on prime powers that training never has, at least
three powers of each base's prime. All of them are larger than the context, so that no sequence repeats within it:
otherwise copying would count as predicting. The tables are ``positions`` and ``accuracy`` (by position, and over all
positions), ``context_needed``, and ``laws`` (power laws fitted to it).
"""

import numpy as np
import polars as pl

from unrandom.core.arithmetic import factorize
from unrandom.evaluation import Estimate, PowerLaw
from unrandom.experiments.claims import Claim, Evidence, Finding, Precondition, Unknown, at_least, at_most
from unrandom.experiments.experiment import Entry, Experiment, Picture, Pictures, Rows, Run, RunSpec, Scale, by_scale
from unrandom.experiments.scaling import measurement
from unrandom.experiments.scaling.presets import Settings
from unrandom.experiments.summaries import best_modulus_accuracy, group_lines, named, run_columns, seed_means
from unrandom.figures.panels import Line, LinePanel, accuracy_panel
from unrandom.figures.style import power
from unrandom.runs.recipes import recipe
from unrandom.runs.tables import Tables, table
from unrandom.tasks import UnseenModulus, lcg_task

ENTRY = Entry(
    name="um-scaling",
    section="larger moduli",
    place=3,
    about="context needed for unseen moduli in two bases",
    minutes=110,
    figures={
        "fig:um_scaling": "context needed by unseen modulus, up to 2^16",
        "fig:acc_um_appendix": "accuracy by position of unseen moduli in two bases",
    },
)

THRESHOLD = 0.6  # context needed is compared for this accuracy, as in the paper
POSTERIOR_CONTEXT = 6  # numbers after which the exact posterior is right in nearly all cases
PAPERS_EXPONENT = 0.33  # the larger of the paper's two
SEQUENCES = by_scale(smoke=24, laptop=512, paper=4096)  # per modulus
BASES = by_scale(smoke=(4, 3), laptop=(16, 27), paper=(256, 243))

SMOKE: Settings = {
    "data": {
        "test_moduli": (16, 32, 64, 27, 81, 243),
        "min_modulus": 13,
        "max_modulus": 250,
        "context": 12,
        "n_test_a": 3,
        "n_test_c": 3,
    },
    "model": {"d_model": 16, "depth": 1},
    "steps": 8,
    "evaluate_every": 8,
    "test_sequences": 48,
    "batch_size": 16,
    "precision": "fp32",
}
# The largest training modulus by base, where it differs from the recipe's.
MAX_MODULUS: dict[Scale, dict[int, int]] = {"paper": {243: 59_048}}
RECIPES = by_scale(smoke="um-base16", laptop="um-base16", paper="um-base256")
BEST = Precondition("last-number accuracy on the best modulus of the base's prime", 0.9)

CLAIMS = {
    "exponent": Claim(
        statement="The numbers needed for 60 % grow no faster than m^0.33 on powers of the base's prime (the paper's "
        "exponents are 0.24 and 0.33).",
        quantity="exponent over the moduli that all seeds get to 60 % on, mean over the two bases",
        wanted=at_most(PAPERS_EXPONENT, "exponent"),
        precondition=None,
    ),
    "own-prime": Claim(
        statement="A modulus does better in the base of its own prime.",
        quantity="accuracy over all positions on powers of 2 and 3, own base less the other, mean over moduli",
        wanted=at_least(0.02, "difference of shares"),
        figure="fig:acc_um_appendix",
        precondition=BEST,
    ),
}


def runs(scale: Scale, seeds: int) -> list[RunSpec]:
    """One model per base and seed."""
    config = recipe(RECIPES[scale]).build()
    if scale == "smoke":
        config = config.replace(**SMOKE)
    largest = MAX_MODULUS.get(scale, {})
    based = {
        base: config.replace(data={"base": base, **({"max_modulus": largest[base]} if base in largest else {})})
        for base in BASES[scale]
    }
    return [
        RunSpec(f"um-base{base}", each.replace(seed=seed), {"data_seed": seed, "base": base})
        for base, each in based.items()
        for seed in range(seeds)
    ]


def measure(runs: list[Run], scale: Scale) -> Tables:
    rows: dict[str, Rows] = {"positions": [], "context_needed": [], "accuracy": []}
    for run in runs:
        for modulus in lcg_task(run.config.data).moduli:
            assert modulus > run.config.data.context, "a sequence that repeats in the context can be copied"
            evaluation = measurement.evaluated_run(run, run.split(), modulus, SEQUENCES[scale])
            key_columns = {**run_columns(run), "modulus": modulus, "prime": prime_of(modulus)}
            rows["positions"] += measurement.position_rows(key_columns, evaluation)
            rows["context_needed"] += measurement.context_rows(key_columns, evaluation)
            rows["accuracy"].append({**key_columns, "accuracy": float(evaluation.number_accuracy.value)})
    return {name: table(each) for name, each in rows.items()}


def derive(tables: Tables) -> Tables:
    return {"laws": _law_table(tables["context_needed"])}


def prime_of(power: int) -> int:
    """The prime that a modulus or a base is a power of."""
    (prime,) = factorize(power)
    return prime


def _law(context: pl.DataFrame, base: int, prime: int) -> PowerLaw | None:
    return measurement.fit_power_law(measurement.needed_for(context.filter(base=base, prime=prime), THRESHOLD))


def _law_table(context: pl.DataFrame) -> pl.DataFrame:
    """The power law of each base and prime. Null: every seed reached the threshold on fewer than three moduli."""
    places = context.select("base", "prime").unique().sort("base", "prime")
    return table({**place, **measurement.law_columns(_law(context, **place))} for place in places.iter_rows(named=True))


def evidence(tables: Tables) -> Evidence:
    own = tables["positions"].filter(pl.col("base") % pl.col("prime") == 0)
    return {
        "exponent": own_exponent(tables["context_needed"]),
        "own-prime": own_prime(tables["accuracy"]),
        BEST: best_modulus_accuracy(own),
    }


def own_exponent(context: pl.DataFrame) -> Finding:
    """The exponent on powers of the base's own prime, mean over bases, with the wider of the two intervals.

    ``too_low`` if moduli were left out because a seed did not reach the threshold; they would make it larger.
    """
    own = context.filter(pl.col("base") % pl.col("prime") == 0)
    laws = [_law(own, base, prime_of(base)) for base in context["base"].unique().sort()]
    found = [law.exponent for law in laws if law is not None]
    if len(found) < len(laws):
        return Unknown("no law: for some base, every seed reached 60 % on fewer than three powers of its prime")
    value = float(np.mean([each.value for each in found]))
    reach = max(abs(end - each.value) for each in found for end in (each.low, each.high) if end is not None)
    units = min(each.units for each in found)
    tested_moduli = min(own.group_by("base").agg(pl.col("modulus").n_unique())["modulus"])
    return Estimate(value, value - reach, value + reach, units, "the wider interval of two laws", units < tested_moduli)


def own_prime(accuracy: pl.DataFrame) -> list[float]:
    """By seed, accuracy in the own base minus accuracy in the other, mean over the powers of the bases' primes."""
    primes = {prime_of(base) for base in accuracy["base"].unique()}
    at, own = pl.col("accuracy"), pl.col("base") % pl.col("prime") == 0
    sides = accuracy.filter(pl.col("prime").is_in(primes)).group_by("seed", "modulus", maintain_order=True)
    difference = at.filter(own).last() - at.filter(~own).last()
    return seed_means(sides.agg(value=difference).drop_nulls())


def draw(tables: Tables) -> Pictures:
    """Accuracy by position for the largest modulus of each prime, and context needed by modulus, for each base."""
    panels: list[LinePanel] = []
    for base in tables["accuracy"]["base"].unique().sort():
        of_base = {name: tables[name].filter(base=base) for name in ("positions", "context_needed")}
        panels += [_accuracy_panel(of_base["positions"], base), _law_panel(of_base["context_needed"], base)]
    yield Picture(panels)


def _accuracy_panel(positions: pl.DataFrame, base: int) -> LinePanel:
    """Accuracy by position for the largest modulus of each prime."""
    largest = positions.filter(pl.col("modulus") == pl.col("modulus").max().over("prime")).sort(
        "prime", maintain_order=True
    )
    lines = group_lines(named(largest, "modulus", "m = {}"), "seen", "value")
    return accuracy_panel(f"base {base}: largest modulus of each prime", lines)


def _law_panel(context: pl.DataFrame, base: int) -> LinePanel:
    moduli = context["modulus"].unique().sort().to_list()
    lines = []
    for kind, prime in enumerate(context["prime"].unique().sort()):
        reached_rows = measurement.seeds_that_reached(measurement.needed_for(context.filter(prime=prime), THRESHOLD))
        law = _law(context, base, prime)
        fit = "" if law is None else ": " + power("m", f"{law.exponent.value:.2f}")
        reached = reached_rows["modulus"].to_list()
        lines.append(Line(reached, reached_rows["needed"].to_list(), f"powers of {prime}{fit}", kind, dots=True))
        if law is not None:
            lines.append(Line(reached, [law.at(m) for m in reached], "", kind))
    lines.append(Line(moduli, [POSTERIOR_CONTEXT] * len(moduli), "enough for the exact posterior: 6", 6))
    ticks = [2**k for k in range(moduli[0].bit_length() - 1, moduli[-1].bit_length() + 1)]
    levels = [2**k for k in range(2, 10)]
    return LinePanel(f"base {base}: numbers needed for 60 %", "modulus", "numbers seen", lines, ticks, limits=(4, 512),
                     levels=levels)  # fmt: skip


EXPERIMENT = Experiment(ENTRY, CLAIMS, runs, measure, evidence, draw, derive=derive, task=UnseenModulus, compares=True)
