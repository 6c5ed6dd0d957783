"""Growth of the context needed with the number of states: numbers for 60 and 90 %, over √m, and where they jump.

The follow-up finds ½ √m numbers for near-perfect prediction, from 2^14 to 2^22 states, and jumps at powers of two.
``needed`` has the numbers for each run and threshold, null if the context is too short, and ``jumps`` the share of the
rise of accuracy that lies next to powers of two.
"""

import numpy as np
import polars as pl

from unrandom.evaluation import Evaluation
from unrandom.experiments.claims import Claim, Evidence, Finding, Threshold, Unknown, Written, at_least, at_most
from unrandom.experiments.experiment import Entry, Picture, Pictures, Rows, Run, Scale
from unrandom.experiments.permuted.alone import THRESHOLDS, numbers_needed, tested
from unrandom.experiments.permuted.presets import VARIANTS, alone_runs, permuted_experiment
from unrandom.experiments.summaries import bound_if, each_seed, tables_by_run
from unrandom.figures.panels import Axis, Line, LinePanel
from unrandom.figures.style import powers
from unrandom.runs.tables import Tables

ENTRY = Entry(
    name="pcg-context",
    place=15,
    about="numbers needed against the number of states, with the exponent and jumps at powers of two",
    minutes=1200,
)

FEWEST_SIZES = 3  # a line fits any two points


def _exponent(wanted: Threshold, share: str, how: str, written: Written = "before") -> Claim:
    return Claim(
        statement=f"The numbers needed grow {how} (the follow-up: m^0.5).",
        quantity=f"exponent of the numbers for {share} in the number of states m, mean over variants",
        wanted=wanted,
        written=written,
    )


LEAST, MOST = at_least(0.4, "exponent"), at_most(0.6, "exponent")

CLAIMS = {
    "exponent-least": _exponent(LEAST, "90 %", "at least as fast as m^0.4"),
    "exponent-most": _exponent(MOST, "90 %", "at most as fast as m^0.6"),
    "exponent-least-60": _exponent(LEAST, "60 %", "at least as fast as m^0.4", "after"),
    "exponent-most-60": _exponent(MOST, "60 %", "at most as fast as m^0.6", "after"),
    "factor": Claim(
        statement="About ½ √m numbers are enough (the follow-up, at larger m).",
        quantity="numbers for 90 % over √m at the largest size, geometric mean over variants",
        wanted=at_most(0.75, "ratio"),
    ),
    "our-factor": Claim(
        statement="At these sizes, more than √m numbers are needed.",
        quantity="numbers for 90 % over √m at the largest size, geometric mean over variants",
        wanted=at_least(1.0, "ratio"),
    ),
    "jumps": Claim(
        statement="Accuracy climbs in jumps at powers of two.",
        quantity="share of the whole rise between t = 2^k − 1 and 2^k + 1, summed over k, mean over runs",
        wanted=at_least(0.5, "share"),
    ),
}


def measure(runs: list[Run], scale: Scale) -> Tables:
    return tables_by_run(runs, lambda run: _measured(tested(run, scale)))


def _measured(evaluation: Evaluation) -> dict[str, Rows]:
    return {
        "needed": [{"threshold": each, **numbers_needed(evaluation, each)} for each in THRESHOLDS],
        "jumps": [{"share": share_at_powers(evaluation.by_position.value)}],
    }


def share_at_powers(accuracy: np.ndarray) -> float:
    """The rise of accuracy from 2^k − 1 to 2^k + 1 numbers, summed over k >= 2, as a share of the whole rise.

    Entry i of ``accuracy`` is after i + 1 numbers.
    """
    places = [2**k for k in range(2, 32) if 2**k + 1 <= len(accuracy)]
    rise = accuracy.max() - accuracy[0]
    return float(sum(accuracy[place] - accuracy[place - 2] for place in places) / max(rise, 1e-9))


def exponents(needed: pl.DataFrame) -> Finding:
    """By seed, the slope of log(numbers) over log(m), mean over variants.

    A run of the largest size that never reaches the accuracy counts as if it had needed one number more than its
    context, and the exponent is a bound from below. Unknown if one of a smaller size never does.
    """
    sizes = needed["state_bits"].n_unique()
    if sizes < FEWEST_SIZES:
        return Unknown(f"{sizes} sizes are too few for an exponent")
    censored = needed.filter(pl.col("numbers").is_null())
    if (censored["state_bits"] < needed["state_bits"].max()).any():
        return Unknown("a run of a smaller size never reached the accuracy")
    x = pl.col("state_bits") * np.log(2)
    y = pl.coalesce("numbers", pl.col("shown") + 1).log()
    slopes = needed.group_by("seed", "variant").agg(slope=pl.cov(x, y) / x.var())
    limits = each_seed(slopes, pl.col("slope").mean())
    return bound_if(len(censored), limits, f"{len(censored)} of {len(needed)} runs never reached the accuracy")


def factors(needed: pl.DataFrame) -> Finding:
    """By seed, numbers for 90 % over √m at the largest size; a bound if some run never reached it."""
    largest = needed.filter(state_bits=pl.col("state_bits").max())
    numbers = pl.coalesce("numbers", pl.col("shown") + 1) / 2.0 ** (pl.col("state_bits") / 2)
    limits = each_seed(largest, numbers.log().mean().exp())
    censored = largest["numbers"].null_count()
    return bound_if(censored, limits, f"{censored} of {len(largest)} runs never reached 90 %")


def evidence(tables: Tables) -> Evidence:
    needed, sooner = (tables["needed"].filter(threshold=threshold) for threshold in (0.9, 0.6))
    exponent, exponent_60, factor = exponents(needed), exponents(sooner), factors(needed)
    jumps = each_seed(tables["jumps"], pl.col("share").mean())
    return {
        "exponent-least": exponent,
        "exponent-most": exponent,
        "exponent-least-60": exponent_60,
        "exponent-most-60": exponent_60,
        "factor": factor,
        "our-factor": factor,
        "jumps": jumps,
    }


def draw(tables: Tables) -> Pictures:
    """Numbers for 60 and 90 % by bits of state, with the lines ½ √m and 2 √m."""
    panels = []
    for threshold in THRESHOLDS:
        needed = tables["needed"].filter(threshold=threshold)
        means = needed.drop_nulls("numbers").group_by("variant", "state_bits").agg(pl.col("numbers").mean())
        bits = needed["state_bits"].unique().sort().to_list()
        lines = [
            Line(curve["state_bits"].to_list(), curve["numbers"].to_list(), variant.upper(), kind)
            for kind, variant in enumerate(VARIANTS)
            for curve in [means.filter(variant=variant).sort("state_bits")]
        ]
        for kind, (factor, name) in enumerate(((0.5, "½ √m"), (2.0, "2 √m")), start=len(VARIANTS)):
            lines.append(Line(bits, [factor * 2 ** (width / 2) for width in bits], name, kind))
        levels = powers(2, max(needed["shown"]))
        title = f"numbers for {threshold:.0%}, mean over seeds"
        x, y = Axis("bits of state", bits), Axis("numbers", levels, limits=(levels[2], 2 * levels[-1]), log=True)
        panels.append(LinePanel(title, x, y, lines))
    yield Picture(panels)


EXPERIMENT = permuted_experiment(ENTRY, CLAIMS, alone_runs, measure, evidence, draw)
