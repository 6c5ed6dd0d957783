"""Compares models of single variants with copying and the exact posterior, whole words shown or one bit.

The follow-up reports about 1.00 after 128 numbers for truncated LCGs, XSL-RR, XSH-RR and XSH-RS, and .95 after 256
single bits. The posterior, which the follow-up has not, is over all states, multipliers and increments; it takes 50 ms
for a sequence of 12 bits of state, and is tested on fewer sequences. ``positions`` has accuracy by numbers seen on
unseen multipliers and increments, and ``needed`` the numbers for each threshold.
"""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import polars as pl

from unrandom.evaluation import Evaluation, context_needed, evaluate
from unrandom.experiments.claims import Bound, Claim, Evidence, Finding, Unknown, at_least, at_most
from unrandom.experiments.experiment import Entry, Picture, Pictures, Rows, Run, RunSpec, Scale, by_scale
from unrandom.experiments.permuted.presets import SIZES, VARIANTS, alone_runs, permuted_experiment, unseen_examples
from unrandom.experiments.summaries import bound_if, each_seed, group_lines, predictor_lines, rows_of, tables_by_run
from unrandom.figures.panels import LinePanel, accuracy_panel
from unrandom.runs.comparison import CEILING
from unrandom.runs.tables import Tables
from unrandom.tasks import make_predictors
from unrandom.tasks.permuted_lcg import PermutedLCG

ALONE = Entry(
    name="pcg-alone",
    place=11,
    about="each variant alone: accuracy by position and by size of the state",
    minutes=1200,
)
POSTERIOR = Entry(
    name="pcg-posterior",
    place=16,
    about="the model against copying and the exact posterior, by variant and size",
    minutes=1200,
)
ONE_BIT = Entry(
    name="pcg-one-bit",
    place=14,
    about="one output bit: the model, copying and the exact posterior",
    minutes=250,
)

MODEL = "model"
SEQUENCES = by_scale(smoke=16, laptop=512)
OF_POSTERIOR = by_scale(smoke=16, laptop=256)
THRESHOLDS = (0.6, 0.9)
RANKS = ("smallest", "second", "third")
BITS = by_scale(smoke=8, laptop=128, paper=512)  # context of single bits
BIT_STEPS = by_scale(smoke=4, laptop=3000, paper=100_000)


def _learned(rank: str) -> Claim:
    return Claim(
        statement=f"Every variant is learned at the {rank} size of the state.",
        quantity="last-number accuracy on unseen multipliers and increments, the lowest of all variants",
        wanted=at_least(0.9, "share"),
    )


ALONE_CLAIMS = {
    **{rank: _learned(rank) for rank in RANKS},
    "as-easy": Claim(
        statement="At the smallest size, permuted variants are as easy as the truncated LCG.",
        quantity="last-number accuracy on the truncated LCG less the mean of the others",
        wanted=at_most(0.05, "difference of shares"),
    ),
}

POSTERIOR_CLAIMS = {
    "far": Claim(
        statement="The model needs at least three times as many numbers as the exact posterior.",
        quantity="numbers for 90 %, model over exact posterior, geometric mean over variants and sizes",
        wanted=at_least(3.0, "ratio"),
    ),
    "gap-grows": Claim(
        statement="The gap to the exact posterior grows with the state.",
        quantity="numbers for 60 %, model over exact posterior, at the largest size over at the smallest",
        wanted=at_least(1.5, "ratio"),
    ),
    "beyond-copying": Claim(
        statement="Copying explains little of what the model predicts.",
        quantity="last-number accuracy less that of copying, mean over variants and sizes",
        wanted=at_least(0.5, "difference of shares"),
    ),
}

ONE_BIT_CLAIMS = {
    "learned": Claim(
        statement="A single bit is predicted reliably, for every variant.",
        quantity="accuracy on the last bit, the lowest of all variants",
        wanted=at_least(0.9, "share"),
    ),
    "far": Claim(
        statement="The model needs at least twice as many bits as the exact posterior.",
        quantity="bits for 90 %, model over exact posterior, geometric mean over variants",
        wanted=at_least(2.0, "ratio"),
    ),
}


def bit_runs(scale: Scale, seeds: int) -> list[RunSpec]:
    """One model for each variant."""
    return alone_runs(scale, seeds, SIZES[scale][:1], steps=BIT_STEPS[scale], bits=1, context=BITS[scale])


def tested(run: Run, scale: Scale) -> Evaluation:
    """The results of a model on its test, evaluated once for all experiments."""
    return _tested(run.folder.path, scale)


@cache
def _tested(folder: Path, scale: Scale) -> Evaluation:
    run = Run.open(folder)
    return evaluate(run.predictor(), unseen_examples(run, SEQUENCES[scale]))


def numbers_needed(evaluation: Evaluation, threshold: float) -> dict[str, int | None]:
    """The numbers for a threshold, null if the context is too short, and the numbers shown."""
    return {"numbers": context_needed(evaluation, threshold).needed, "shown": evaluation.correct.shape[1]}


def measure_alone(runs: list[Run], scale: Scale) -> Tables:
    return tables_by_run(runs, lambda run: {"positions": rows_of({}, **tested(run, scale).curve())})


def compared(runs: list[Run], scale: Scale) -> Tables:
    """``positions``, the accuracy of each predictor by numbers seen, and ``needed``, the numbers for each threshold."""
    return tables_by_run(runs, lambda run: _compared(_evaluated(run, scale)))


def _compared(evaluated: dict[str, Evaluation]) -> dict[str, Rows]:
    curves = {name: each.by_position.value for name, each in evaluated.items()}
    return {
        "positions": [
            row
            for name, curve in curves.items()
            for row in rows_of({"predictor": name}, seen=range(1, len(curve) + 1), value=curve)
        ],
        "needed": [
            {"predictor": name, "threshold": f"{threshold:.0%}", **numbers_needed(each, threshold)}
            for name, each in evaluated.items()
            for threshold in THRESHOLDS
        ],
    }


def _evaluated(run: Run, scale: Scale) -> dict[str, Evaluation]:
    task = run.config.data
    found = {MODEL: tested(run, scale)}
    for predictor in make_predictors(list(task.baselines()), task):
        sequences = OF_POSTERIOR if predictor.name == CEILING else SEQUENCES
        found[predictor.name] = evaluate(predictor, unseen_examples(run, sequences[scale]))
    return found


def alone_evidence(tables: Tables) -> Evidence:
    last = at_the_end(tables["positions"])
    sizes = last["state_bits"].unique().sort().to_list()
    value, plain = pl.col("value"), pl.col("variant") == PermutedLCG.plain
    worst = {
        rank: each_seed(last.filter(state_bits=sizes[place]), value.min()) if place < len(sizes) else []
        for place, rank in enumerate(RANKS)
    }
    easier = value.filter(plain).mean() - value.filter(~plain).mean()
    return {**worst, "as-easy": each_seed(last.filter(state_bits=sizes[0]), easier)}


def posterior_evidence(tables: Tables) -> Evidence:
    last = at_the_end(tables["positions"])
    of = {name: last.filter(predictor=name).select("run", "seed", "value") for name in (MODEL, "copy")}
    both = of[MODEL].join(of["copy"], on="run", suffix=" of copying")
    return {
        "far": over_posterior(tables, "90%"),
        "gap-grows": growth(tables["needed"]),
        "beyond-copying": each_seed(both, (pl.col("value") - pl.col("value of copying")).mean()),
    }


def bit_evidence(tables: Tables) -> Evidence:
    return {
        "learned": each_seed(at_the_end(tables["positions"]).filter(predictor=MODEL), pl.col("value").min()),
        "far": over_posterior(tables, "90%"),
    }


def growth(needed: pl.DataFrame) -> Finding:
    """By seed, the ratio to the posterior for 60 % at the largest size over that at the smallest.

    A bound if models of the largest size never reached it; unknown if some of the smallest did not.
    """
    bits = pl.col("state_bits")
    most, least = (over_posterior({"needed": needed.filter(bits == end)}, "60%") for end in (bits.max(), bits.min()))
    if not isinstance(least, list):
        return Unknown("a model of the smallest size never reached 60 %")
    limits = most.limits if isinstance(most, Bound) else most
    assert isinstance(limits, Sequence), "there is a ratio for each seed"
    ratios = [above / below for above, below in zip(limits, least, strict=True)]
    return Bound(ratios, at_least=True, why=most.why) if isinstance(most, Bound) else ratios


def over_posterior(tables: Tables, threshold: str) -> Finding:
    """By seed, the model's numbers for a threshold over the exact posterior's, the geometric mean over variants.

    If the model never reaches the threshold, it needs more numbers than it was shown, and the ratio is a bound.
    """
    needed = tables["needed"].filter(threshold=threshold)
    least = needed.filter(predictor=CEILING).select("run", least="numbers")
    model = needed.filter(predictor=MODEL).join(least, on="run", maintain_order="left").drop_nulls("least")
    ratio = pl.coalesce("numbers", pl.col("shown") + 1) / pl.col("least")
    limits = each_seed(model, ratio.log().mean().exp())
    censored = model["numbers"].null_count()
    return bound_if(censored, limits, f"the model never reached {threshold} for {censored} of {len(model)} runs")


def at_the_end(positions: pl.DataFrame) -> pl.DataFrame:
    """The rows of the last position of each run."""
    return positions.filter(pl.col("seen") == pl.col("seen").max().over("run"))


def draw_alone(tables: Tables) -> Pictures:
    """Accuracy by numbers seen, one panel per size, one line per variant and seed."""
    panels = []
    for (bits,), positions in tables["positions"].group_by("state_bits", maintain_order=True):
        groups = {variant.upper(): positions.filter(variant=variant) for variant in VARIANTS}
        title = f"{bits} bits of state, {bits // 2} shown"
        panels.append(accuracy_panel(title, group_lines(groups, "seen", "value")))
    yield Picture(panels)


def draw_posterior(tables: Tables) -> Pictures:
    """Accuracy by numbers seen, one panel per variant, at the middle size."""
    sizes = tables["positions"]["state_bits"].unique().sort().to_list()
    bits = sizes[len(sizes) // 2]
    positions = tables["positions"].filter(state_bits=bits)
    yield Picture([panel(positions, name, f", {bits} bits of state") for name in VARIANTS])


def draw_bits(tables: Tables) -> Pictures:
    """Accuracy by bits seen, one panel per variant."""
    yield Picture([panel(tables["positions"], variant) for variant in VARIANTS])


def panel(positions: pl.DataFrame, variant: str, size: str = "") -> LinePanel:
    """Accuracy by numbers seen: the model once per seed, baselines for the first seed."""
    return accuracy_panel(variant.upper() + size, predictor_lines(positions.filter(variant=variant), MODEL))


ALONE_EXPERIMENT = permuted_experiment(ALONE, ALONE_CLAIMS, alone_runs, measure_alone, alone_evidence, draw_alone)
POSTERIOR_EXPERIMENT = permuted_experiment(
    POSTERIOR, POSTERIOR_CLAIMS, alone_runs, compared, posterior_evidence, draw_posterior
)
ONE_BIT_EXPERIMENT = permuted_experiment(ONE_BIT, ONE_BIT_CLAIMS, bit_runs, compared, bit_evidence, draw_bits)
