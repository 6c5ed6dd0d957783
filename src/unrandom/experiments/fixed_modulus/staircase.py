"""Tests whether accuracy climbs in stairs, where a look-back of p^k becomes possible.

(fig:acc_vs_token, figapp:accuracy_m=2048_h1, figapp:accuracy_m=7776.) One-layer models of powers of two and composites
are tested. The tables are ``positions`` (accuracy by position, with the product of the digit accuracies), ``digits``
(accuracy by digit) and ``jumps`` (the rise at each prime power). The claims test all three.
"""

import polars as pl

from unrandom.core.arithmetic import factorize
from unrandom.experiments.claims import Claim, Evidence, LateClaim, at_least, at_most
from unrandom.experiments.experiment import Entry, Experiment, Picture, Pictures, Run, Scale
from unrandom.experiments.fixed_modulus.accuracy import PRIME_COUNT, SEQUENCES, digit_rows, evaluated, position_rows
from unrandom.experiments.fixed_modulus.presets import all_runs
from unrandom.experiments.summaries import by_run, column_lines, each_run
from unrandom.figures.panels import LinePanel, MapPanel, Panel, accuracy_panel, digit_map
from unrandom.figures.style import power
from unrandom.generators.residues import digit_period, digits_of
from unrandom.runs.tables import Tables, table
from unrandom.tasks import FixedModulus

ENTRY = Entry(
    name="fm-staircase",
    section="fixed modulus",
    place=2,
    about="accuracy by position climbs in steps, digit by digit",
    minutes=19,
    figures={
        "fig:acc_vs_token": "accuracy by position and by digit, m = 2048",
        "figapp:accuracy_m=2048_h1": "accuracy as the product of its digits, m = 2048",
        "figapp:accuracy_m=7776": "accuracy by position and by digit, m = 7776",
    },
)

CLAIMS = {
    "jumps": Claim(
        statement="For m = p^w, accuracy climbs in jumps at t = p^k.",
        quantity="share of the whole rise between t = p^k − 1 and p^k + 1",
        wanted=at_least(0.5, "share"),
    ),
    "digits": Claim(
        statement="A digit is right once its period has been seen.",
        quantity="accuracy of digit p^w over all t ≥ p^(w+1), mean over moduli",
        wanted=at_least(0.95, "share"),
    ),
    "sharp": LateClaim(
        statement="For m = p^w, a digit becomes right when its period has been seen, and not before.",
        quantity="share of its rise between t = p^(w+1) − 1 and p^(w+1) + 1, mean over digits whose period fits",
        wanted=at_least(0.5, "share"),
    ),
    "product": Claim(
        statement="Overall accuracy is the product of the digit accuracies.",
        quantity="largest gap between the two over positions, mean over moduli",
        wanted=at_most(0.02, "share"),
        figure="figapp:accuracy_m=2048_h1",
    ),
}


def measure(runs: list[Run], scale: Scale) -> Tables:
    tested = [(run, evaluated(run, SEQUENCES[scale])) for run in runs]
    positions, digits = (table(row for each in tested for row in rows(*each)) for rows in (position_rows, digit_rows))
    return {"positions": positions, "digits": digits, "jumps": _jumps(positions)}


def _jumps(positions: pl.DataFrame) -> pl.DataFrame:
    """The rise of accuracy at each power of a prime of m: just after it minus just before it."""
    rows = []
    for curve in by_run(positions):
        value = dict(curve.select("seen", "value").iter_rows())
        key_columns = curve.drop("value", "low", "high", "product").row(0, named=True)
        for prime in factorize(key_columns["modulus"]):
            power = prime if prime > 2 else 4  # not 2: its jump would begin at the first position
            while power + 1 in value:
                jump, rise = value[power + 1] - value[power - 1], max(value.values()) - value[1]
                rows.append({**key_columns, "prime": prime, "seen": power, "jump": jump, "rise": rise})
                power *= prime
    return table(rows)


def evidence(tables: Tables) -> Evidence:
    digits = {digit for m in tables["digits"]["modulus"].unique() for digit in digits_of(m)}
    period = pl.col("digit").replace_strict({str(digit): digit_period(digit) for digit in digits})
    seen, value = pl.col("seen"), pl.col("value")
    # not the lowest digit of 2: its rise would begin at the first position
    fits = (period > 2) & (period < seen.max().over("run"))
    rise = value.filter(seen == period + 1).first() - value.filter(seen == period - 1).first()
    of_power = tables["digits"].filter(PRIME_COUNT == 1, fits).group_by("run", "seed", "digit", maintain_order=True)
    sharp = of_power.agg(share=rise / (value.max() - value.filter(seen == 1).first()).clip(1e-9))
    gap = pl.col("value") - pl.col("product")
    return {
        "jumps": _shares_of_rise(tables["jumps"]),
        "digits": each_run(tables["digits"].filter(seen >= period), value.mean()),
        "sharp": each_run(sharp, pl.col("share").mean()),
        "product": each_run(tables["positions"], gap.abs().max()),
    }


def _shares_of_rise(jumps: pl.DataFrame) -> list[float]:
    """By seed, the sum of the jumps over the whole rise, for m = p^w; empty if no jump fits into the context."""
    if jumps.is_empty():
        return []
    return each_run(jumps.filter(PRIME_COUNT == 1), pl.col("jump").sum() / pl.col("rise").first().clip(1e-9))


def draw(tables: Tables) -> Pictures:
    """Accuracy of every seed with the product of its digits, and the digits for the first seed, for each modulus."""
    panels: list[Panel] = []
    for (m,), positions in tables["positions"].group_by("modulus", maintain_order=True):
        panels += [_curves(m, positions), _digit_map(m, by_run(tables["digits"].filter(modulus=m))[0])]
    yield Picture(panels)


def _curves(m: int, positions: pl.DataFrame) -> LinePanel:
    longest = max(positions["seen"])
    labels = {"value": "accuracy (one line per seed)", "product": "product of digits"}
    lines = column_lines(positions, "seen", labels)
    marks = [p**k for p in factorize(m) for k in range(1, 12) if p**k <= longest]
    name = " · ".join(power(p, w) for p, w in factorize(m).items())
    return accuracy_panel(f"m = {m} = {name}", lines, base=min(factorize(m)), marks=marks)


def _digit_map(m: int, digits: pl.DataFrame) -> MapPanel:
    """The accuracy of each digit of one run, by numbers seen."""
    values = [of_digit["value"].to_list() for of_digit in digits.partition_by("digit", maintain_order=True)]
    seen, each = digits["seen"].unique(maintain_order=True).to_list(), digits_of(m)
    title = f"m = {m}: digits, seed {digits['seed'][0]}"
    return digit_map(title, [str(digit) for digit in each], values, seen, [digit_period(digit) for digit in each])


EXPERIMENT = Experiment(ENTRY, CLAIMS, all_runs, measure, evidence, draw, task=FixedModulus, archived_seeds=1)
