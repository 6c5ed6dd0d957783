"""Tests which rows of training end the plateaus of a fixed modulus, and what attention that turns with the number adds.

Beyond the paper. Digits are learned lowest first, and the higher one is, the further back a model must look. In a row
that *skips*, x = q y + K, the low digits stand still, and the upper ones move as in a smaller LCG
(`unrandom.tasks.skipping`). The part ``rows`` compares kinds of rows at equal steps: full period alone; half of them
balanced over the look-back; half of them skipping; both; and half of them the same smaller LCGs in the lowest digits (a
curriculum of smaller moduli). There a look-back at two numbers, order 2, fits into the context; in ``beyond``, a larger
modulus, it does not. ``beyond`` has the first four kinds, and both kinds also with attention that does not turn with
the number (`ModelConfig.number_rotation`), and with twice the context at equal compute. In ``end``, one beginning at
the full rate goes on with different rows while the rate falls.

The tables are ``curves`` (accuracy by step) and ``runs`` (steps to 90 % of the last numbers, and the longest plateau).
"""

from dataclasses import dataclass, replace

import polars as pl

from unrandom.experiments.claims import Claim, Evidence, LateClaim, at_least
from unrandom.experiments.costs import cost_to, ratio, training_curve
from unrandom.experiments.experiment import Entry, Experiment, Picture, Pictures, Rows, Run, RunSpec, Scale, by_scale
from unrandom.experiments.scaling.presets import Settings, Size, sized_run
from unrandom.experiments.summaries import group_lines, named, tables_by_run
from unrandom.figures.panels import LinePanel
from unrandom.runs.tables import Tables
from unrandom.tasks import FixedModulus, Phase
from unrandom.training import StartFrom

ENTRY = Entry(
    name="fm-skipping",
    place=2,
    about="which rows end the plateaus of a fixed modulus, and what rotation by number adds",
    minutes=907,
)

TARGET_ACCURACY = 0.9  # steps are counted up to this last-number accuracy
PROGRESS = 0.02  # gain in the share of right tokens that ends a plateau
FULL, BALANCED, SKIPPING, BOTH, SMALLER = (
    "full period alone",
    "half balanced",
    "half skipping",
    "half skipping, half balanced",
    "half of smaller moduli",
)
ANY_SKIP, SMALL_SKIPS, NO_SKIPS = "all skips", "small skips", "no skips"
STILL, LONG = f"{BOTH}, no rotation", f"{BOTH}, twice the context"
ROWS, BEYOND, END = "rows", "beyond", "end"
FEW = 3  # seeds of the part `end`, at most
SKIPPING_ROWS: Settings = {"data": {"skipping_share": 0.5, "balanced_share": 0.5}}
KINDS: dict[str, Settings] = {
    FULL: {},
    BALANCED: {"data": {"balanced_share": 0.5}},
    SKIPPING: {"data": {"skipping_share": 0.5}},
    BOTH: SKIPPING_ROWS,
}
# The rate stays high for two thirds of the steps, as a plateau can last that long.
STEADY: Settings = {"model": {"n_heads": 2}, "schedule": "trapezoid"}
# As in the package's recipes; WIDE also has their depth and width.
TURNING: Settings = {
    **STEADY,
    "model": {**STEADY["model"], "number_rotation": True},
    "optimizer": {"muon_lr": 0.03},
    "wave_positions": True,
}
WIDE: Settings = {**TURNING, "model": {**TURNING["model"], "depth": 3, "d_model": 256}}
# The paper's recipe repeats its data and has AdamW.
FRESH: Settings = {
    "data": {"mode": "streaming", "n_a": None, "n_c": None},
    "optimizer": {"name": "muon"},
    "micro_batches": 8,
}
FRESH_TURNING: Settings = {**FRESH, "model": {"number_rotation": True}, "wave_positions": True}


@dataclass(frozen=True)
class Sizes:
    """The modulus of the part ``rows``, where order 2 fits, and that of the other two, in a short context and in one
    twice as long."""

    rows: Size
    beyond: Size
    long: Size
    begun: int  # steps at the full rate, in the part ``end``
    fall: int  # steps in which the rate falls, after these


SIZES: dict[Scale, Sizes] = by_scale(
    smoke=Sizes(
        rows=Size(exponent=6, context=10, steps=8),
        beyond=Size(exponent=6, context=6, steps=8, batch_size=32, changes=TURNING),
        long=Size(exponent=6, context=12, steps=8, batch_size=16, changes=TURNING),
        begun=4,
        fall=4,
    ),
    laptop=Sizes(
        rows=Size(exponent=14, context=255, steps=1_200, batch_size=16, changes=STEADY),
        beyond=Size(exponent=16, context=127, steps=500, batch_size=32, changes=WIDE),
        long=Size(exponent=16, context=255, steps=437, batch_size=16, changes=WIDE),
        begun=400,
        fall=200,
    ),
    paper=Sizes(
        rows=Size(exponent=16, context=511, steps=200_000, batch_size=512, changes=FRESH),
        beyond=Size(exponent=32, context=255, steps=200_000, batch_size=1024, changes=FRESH_TURNING),
        long=Size(exponent=32, context=511, steps=200_000, batch_size=512, changes=FRESH_TURNING),
        begun=100_000,
        fall=50_000,
    ),
)


def _gain(statement: str, quantity: str, least: float) -> Claim:
    return Claim(statement=statement, quantity=quantity, wanted=at_least(least, "difference of shares"))


CLAIMS = {
    "skipping": _gain(
        "Where half of the rows skip, a model is right far more often than with rows of full period alone.",
        "last-number accuracy where order 2 fits, half skipping less full period alone",
        0.3,
    ),
    "balanced": _gain(
        "Rows that skip help more than balanced ones.",
        "last-number accuracy where order 2 fits, half skipping less half balanced",
        0.1,
    ),
    "both": _gain(
        "Both kinds together help more than rows that skip alone.",
        "last-number accuracy where order 2 fits, both less half skipping",
        0.05,
    ),
    "in-place": _gain(
        "It matters that the smaller LCG is in the upper digits: in the lowest ones it helps less.",
        "last-number accuracy where order 2 fits, half skipping less half of smaller moduli",
        0.1,
    ),
    "steps": Claim(
        statement="With both kinds, 90 % of the last numbers take less than half the steps.",
        quantity="steps to 90 % where order 2 fits, full period alone over both",
        wanted=at_least(2, "ratio"),
    ),
    "plateaus": Claim(
        statement="With both kinds, the longest plateau is less than half as long.",
        quantity=f"most steps in which the share of right tokens gains less than {PROGRESS:g}, before 90 %, where "
        "order 2 fits, full period alone over both",
        wanted=at_least(2, "ratio"),
    ),
    "beyond": _gain(
        "Where the context is too short for order 2, both kinds together decide whether a model is right.",
        "last-number accuracy where order 2 does not fit, both less full period alone",
        0.3,
    ),
    "beyond-balanced": _gain(
        "Where the context is too short for order 2, balanced rows alone do not suffice.",
        "last-number accuracy where order 2 does not fit, both less half balanced",
        0.3,
    ),
    "beyond-alone": _gain(
        "Where the context is too short for order 2, rows that skip serve as well without balanced rows as with them.",
        "last-number accuracy where order 2 does not fit, half skipping less both",
        -0.05,
    ),
    "rotation": LateClaim(
        statement="Where attention turns with the number, a model is right more often after the same steps.",
        quantity="last-number accuracy where order 2 does not fit, both, with rotation by number less without",
        wanted=at_least(0.1, "difference of shares"),
    ),
    "small": _gain(
        "Near the end, rows should skip little.",
        "last-number accuracy where order 2 does not fit, small skips while the rate falls less all skips",
        0.01,
    ),
    "none": _gain(
        "Near the end, no row should skip.",
        "last-number accuracy where order 2 does not fit, no skips while the rate falls less all skips",
        0.01,
    ),
    "context": _gain(
        "At equal compute, a context serves as well as one that is twice as long.",
        "last-number accuracy where order 2 does not fit, both, less that on twice the context",
        -0.05,
    ),
}


def runs(scale: Scale, seeds: int) -> list[RunSpec]:
    """Every kind of rows with every seed, and the part ``end`` with the first few."""
    kinds = [run for seed in range(seeds) for part in (_rows, _beyond) for run in part(scale, seed)]
    return kinds + [run for seed in range(min(seeds, FEW)) for run in _ends(scale, seed)]


def _rows(scale: Scale, seed: int) -> list[RunSpec]:
    size = SIZES[scale].rows
    smaller = [2**exponent for exponent in range(max(3, size.exponent - 8), size.exponent)]
    curriculum = tuple(Phase(modulus=modulus, share=0.5 / len(smaller)) for modulus in smaller)
    arms: dict[str, Settings] = {**KINDS, SMALLER: {"data": {"curriculum": curriculum}}}
    return [sized_run(scale, size, seed, **changes).labelled(part=ROWS, arm=arm) for arm, changes in arms.items()]


def _beyond(scale: Scale, seed: int) -> list[RunSpec]:
    """Four kinds of rows; both together also without rotation by number, and on more numbers."""
    size = SIZES[scale].beyond
    runs = {
        **{kind: sized_run(scale, size, seed, **changes) for kind, changes in KINDS.items()},
        STILL: sized_run(scale, size, seed, **SKIPPING_ROWS, model={"number_rotation": False}),
        LONG: sized_run(scale, SIZES[scale].long, seed, **SKIPPING_ROWS),
    }
    return [run.labelled(part=BEYOND, arm=arm) for arm, run in runs.items()]


def _ends(scale: Scale, seed: int) -> list[RunSpec]:
    """Runs whose rate falls, with different rows, from the weights of one run at the full rate."""
    sizes = SIZES[scale]
    size = sizes.beyond
    begun = sized_run(scale, replace(size, steps=sizes.begun), seed, **SKIPPING_ROWS, schedule="constant")
    start = StartFrom(recipe=begun.recipe, config=begun.config)
    falling: Settings = {"steps": sizes.fall, "schedule": "cosine", "warmup_steps": 1, "start": start}
    arms: dict[str, Settings] = {
        ANY_SKIP: SKIPPING_ROWS["data"],
        SMALL_SKIPS: {**SKIPPING_ROWS["data"], "largest_skip": 2 ** (size.exponent // 4)},
        NO_SKIPS: {**SKIPPING_ROWS["data"], "skipping_share": 0.0},
    }
    return [
        sized_run(scale, size, seed, **falling, data=rows).labelled(part=END, arm=arm) for arm, rows in arms.items()
    ]


def measure(runs: list[Run], _scale: Scale) -> Tables:
    return tables_by_run(runs, _measured)


def _measured(run: Run) -> dict[str, Rows]:
    earlier = sum(each.config.steps for each in run.ancestors())
    lines = zip(training_curve(run), run.folder.read_metrics(), strict=True)
    curve = [{**row, "step": earlier + row["step"], "tokens": line["token_accuracy"]} for row, line in lines]
    return {"curves": curve, "runs": [{**cost_to(curve, TARGET_ACCURACY), "plateau": longest_plateau(curve)}]}


def longest_plateau(curve: Rows) -> int:
    """The most steps in which the share of right tokens (``tokens``) gains less than PROGRESS, before ``last`` first
    reaches the target; a plateau that does not end counts up to the last evaluation."""
    longest = 0
    for i, row in enumerate(curve):
        if row["last"] >= TARGET_ACCURACY:
            break
        left = (each for each in curve[i:] if each["tokens"] >= row["tokens"] + PROGRESS)
        longest = max(longest, next(left, curve[-1])["step"] - row["step"])
    return longest


def evidence(tables: Tables) -> Evidence:
    rows, beyond, end = (tables["runs"].filter(part=part) for part in (ROWS, BEYOND, END))
    return {
        "skipping": _less(rows, SKIPPING, FULL),
        "balanced": _less(rows, SKIPPING, BALANCED),
        "both": _less(rows, BOTH, SKIPPING),
        "in-place": _less(rows, SKIPPING, SMALLER),
        "steps": ratio(rows, FULL, BOTH, "steps", by="arm", target="90 %"),
        "plateaus": ratio(rows, FULL, BOTH, "plateau", by="arm", target="90 %"),
        "beyond": _less(beyond, BOTH, FULL),
        "beyond-balanced": _less(beyond, BOTH, BALANCED),
        "beyond-alone": _less(beyond, SKIPPING, BOTH),
        "rotation": _less(beyond, BOTH, STILL),
        "small": _less(end, SMALL_SKIPS, ANY_SKIP),
        "none": _less(end, NO_SKIPS, ANY_SKIP),
        "context": _less(beyond, BOTH, LONG),
    }


def _less(runs: pl.DataFrame, arm: str, other: str) -> list[float]:
    """An arm's last-number accuracy less another's, for the seeds that both have."""
    pairs = runs.filter(arm=arm).join(runs.filter(arm=other), on="seed", suffix="_other").sort("seed")
    return (pairs["final"] - pairs["final_other"]).to_list()


TITLES = {
    ROWS: "rows of training, where order 2 fits",
    BEYOND: "rows of training, where order 2 does not fit",
    END: "rows while the rate falls, where order 2 does not fit",
}


def draw(tables: Tables) -> Pictures:
    """Accuracy by compute: one panel for each part that was run, one line per seed."""
    curves = tables["curves"].with_columns(pl.col("flops") / 1e12)
    panels = [
        LinePanel(
            TITLES[part],
            "training compute (TFLOP)",
            "last number right",
            group_lines(_by_arm(of_part), "flops", "last"),
        )
        for (part,), of_part in curves.group_by("part", maintain_order=True)
    ]
    yield Picture(panels, columns=1)


def _by_arm(curves: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """The curves of each arm; kinds of rows come first, so that each has one colour in every panel."""
    return {**dict.fromkeys(KINDS, curves.clear()), **named(curves, "arm")}


EXPERIMENT = Experiment(ENTRY, CLAIMS, runs, measure, evidence, draw, task=FixedModulus, compares=True)
