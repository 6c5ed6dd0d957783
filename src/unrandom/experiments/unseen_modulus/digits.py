"""Tests whether the low digits of unseen moduli are copied before the others are known. (fig:multip_prune b2)

The digit p^w of a full-period sequence repeats after p^(w+1) numbers, so that it can be copied once its period was
seen; the paper finds a ladder of digits at early positions. The accuracy of every digit by position is measured for
every unseen modulus of the main runs and every look-back r = m / gcd(m, a − 1) that its multipliers need (table
``digits``).
"""

import polars as pl

from unrandom.core.seeds import stream
from unrandom.evaluation import evaluate
from unrandom.experiments.claims import Claim, Evidence, at_least
from unrandom.experiments.experiment import Entry, Picture, Pictures, Rows, Run, Scale, by_scale
from unrandom.experiments.summaries import by_modulus, each_run, run_columns
from unrandom.experiments.unseen_modulus.analysis_sequences import drawn_from, multipliers_by_lookback
from unrandom.experiments.unseen_modulus.presets import main_experiment
from unrandom.figures.panels import digit_map
from unrandom.generators.residues import digits_of
from unrandom.runs.tables import Tables, table
from unrandom.tasks import Examples, LCGParameters, lcg_task

ENTRY = Entry(
    name="um-digits",
    section="unseen modulus",
    place=14,
    about="low digits of unseen moduli are right first, from the number at which they can be copied",
    minutes=100,
    figures={"fig:multip_prune": "first-layer heads and the digits lost without them"},
)

SEQUENCES = by_scale(smoke=16, laptop=512)  # per modulus and look-back
PERIODS_SEEN = 2  # from this number of its periods on, a digit counts as one that can be copied: the modulus is unknown

CLAIMS = {
    "copied": Claim(
        statement="On unseen moduli, a digit is right once its period was seen twice.",
        quantity="accuracy of digit p^w over all t ≥ 2 p^(w+1), mean over digits, moduli and r",
        wanted=at_least(0.9, "share"),
    ),
    "ladder": Claim(
        statement="On unseen moduli, lower digits are right sooner than higher ones.",
        quantity="share of neighbouring digits of one prime, over moduli and r, of which the lower one is right more "
        "often over the first half of the context",
        wanted=at_least(0.9, "share"),
    ),
}


def measure(runs: list[Run], scale: Scale) -> Tables:
    return {"digits": table(row for run in runs for row in _rows(run, SEQUENCES[scale]))}


def _rows(run: Run, sequences: int) -> Rows:
    """The accuracy of every digit by the numbers seen, for each unseen modulus and look-back from 2 on."""
    data, predictor = lcg_task(run.config.data), run.predictor()
    rng, rows = stream(run.config.seed, "digits"), []
    for m in data.moduli:
        for r, multipliers in multipliers_by_lookback(m).items():
            if 1 < r <= data.context // 2:
                drawn = drawn_from(rng, {m: multipliers}, sequences)
                one_modulus = LCGParameters(m, drawn.a, drawn.c, drawn.x0)
                by_digit = evaluate(predictor, Examples.of(one_modulus, data.context + 1)).by_digit()
                for digit, tally in zip(digits_of(m), by_digit.values(), strict=True):
                    key_columns = {"modulus": m, "look-back": r, "prime": digit.prime, "power": digit.power}
                    rows += [
                        {**run_columns(run), **key_columns, "seen": t, "value": float(value)}
                        for t, value in enumerate(tally.value, start=1)
                    ]
    return rows


def evidence(tables: Tables) -> Evidence:
    digits, value = tables["digits"], pl.col("value")
    period = pl.col("prime") ** (pl.col("power") + 1)
    copied = digits.filter(pl.col("seen") >= PERIODS_SEEN * period)
    of_digit = ["run", "seed", "modulus", "look-back", "prime", "power"]
    each = copied.group_by(of_digit).agg(value.mean())
    early = digits.filter(pl.col("seen") <= pl.col("seen").max() / 2)
    chance = 1 / pl.col("prime")
    above = early.group_by(of_digit).agg(((value - chance) / (1 - chance)).mean()).sort(of_digit)
    higher = value.shift(-1).over(of_digit[:-1], order_by="power")
    pairs = above.with_columns(lower_first=value > higher).drop_nulls("lower_first")
    return {
        "copied": each_run(each, value.mean()),
        "ladder": each_run(pairs, pl.col("lower_first").cast(pl.Float64).mean()),
    }


def draw(tables: Tables) -> Pictures:
    """One panel per unseen modulus, at its largest look-back: accuracy of every digit, mean over seeds."""
    panels = []
    for m, of_modulus in by_modulus(tables["digits"]).items():
        farthest = of_modulus.filter(pl.col("look-back") == pl.col("look-back").max())
        means = farthest.group_by("prime", "power", "seen").agg(pl.col("value").mean()).sort("prime", "power", "seen")
        digits = means.partition_by("prime", "power", maintain_order=True)
        names = [f"{each['prime'][0]}^{each['power'][0]}" for each in digits]
        title = f"m = {m}, look-back {farthest['look-back'][0]}"
        panels.append(
            digit_map(title, names, [each["value"].to_list() for each in digits], digits[0]["seen"].to_list())
        )
    yield Picture(panels)


EXPERIMENT = main_experiment(ENTRY, CLAIMS, measure=measure, evidence=evidence, draw=draw)
