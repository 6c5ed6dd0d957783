"""Tests which rows of training end the plateaus of a fixed modulus, and what positions that start as waves add.

Beyond the paper. High digits get no signal until all digits below them are right. In a row that *skips*, x = q y + K,
the low digits stand still, and the upper ones are those of a smaller LCG (`unrandom.tasks.skipping`). The part
``rows`` learns 2^14 from different rows, at equal steps: full period alone; half of them balanced over the look-back;
half of them skipping; both; and half of them the same smaller LCGs in the lowest digits (a curriculum of smaller
moduli). The part ``positions`` has the first and the fourth of these again, with position vectors that start as waves
(`PositionTable.fill_with_waves`). At 2^16, the part ``end`` has one beginning, at the full rate, and different rows
while the rate falls; and the part ``context`` has half the context and twice the batch, or the reverse, at equal
compute.

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
    about="which rows, and which first positions, end the plateaus of 2^14 and 2^16",
    minutes=551,
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
SHORT, LONG = "half the context", "the whole context"
FULL_WAVES, BOTH_WAVES = f"{FULL}, waves", f"{BOTH}, waves"
FEW = 3  # seeds of the parts other than ``rows``, at most
SKIPPING_ROWS: Settings = {"data": {"skipping_share": 0.5, "balanced_share": 0.5}}
# The rate stays high for two thirds of the steps, as a plateau can last that long.
STEADY: Settings = {"model": {"n_heads": 2}, "schedule": "trapezoid"}
# The paper's recipe repeats its data and has AdamW.
FRESH: Settings = {
    "data": {"mode": "streaming", "n_a": None, "n_c": None},
    "optimizer": {"name": "muon"},
    "micro_batches": 8,
}


@dataclass(frozen=True)
class Sizes:
    """The modulus of the part ``rows``, and that of the other two, in half the context and in all of it."""

    rows: Size
    short: Size
    long: Size
    begun: int  # steps at the full rate, and
    fall: int  # steps in which it falls, of the part ``end``


SIZES: dict[Scale, Sizes] = by_scale(
    smoke=Sizes(
        rows=Size(exponent=6, context=10, steps=8),
        short=Size(exponent=8, context=6, steps=8, batch_size=32),
        long=Size(exponent=8, context=12, steps=8, batch_size=16),
        begun=4,
        fall=4,
    ),
    laptop=Sizes(
        rows=Size(exponent=14, context=255, steps=1_200, batch_size=16, changes=STEADY),
        short=Size(exponent=16, context=127, steps=2_000, batch_size=32, changes=STEADY),
        long=Size(exponent=16, context=255, steps=1_600, batch_size=16, changes=STEADY),
        begun=1_000,
        fall=500,
    ),
    paper=Sizes(
        rows=Size(exponent=24, context=511, steps=200_000, batch_size=512, changes=FRESH),
        short=Size(exponent=32, context=255, steps=200_000, batch_size=1024, changes=FRESH),
        long=Size(exponent=32, context=511, steps=200_000, batch_size=512, changes=FRESH),
        begun=100_000,
        fall=50_000,
    ),
)


def _gain(statement: str, quantity: str, least: float) -> Claim:
    return Claim(statement=statement, quantity=quantity, wanted=at_least(least, "difference of shares"))


CLAIMS = {
    "skipping": _gain(
        "Where half of the rows skip, a model is right far more often than with rows of full period alone.",
        "last-number accuracy at 2^14, half skipping less full period alone",
        0.3,
    ),
    "balanced": _gain(
        "Rows that skip help more than balanced ones.",
        "last-number accuracy at 2^14, half skipping less half balanced",
        0.1,
    ),
    "both": _gain(
        "Both kinds together help more than rows that skip alone.",
        "last-number accuracy at 2^14, both less half skipping",
        0.05,
    ),
    "in-place": _gain(
        "It matters that the smaller LCG is in the upper digits: in the lowest ones it helps less.",
        "last-number accuracy at 2^14, half skipping less half of smaller moduli",
        0.1,
    ),
    "steps": Claim(
        statement="With both kinds, 90 % of the last numbers take less than half the steps.",
        quantity="steps to 90 % at 2^14, full period alone over both",
        wanted=at_least(2, "ratio"),
    ),
    "plateaus": Claim(
        statement="With both kinds, the longest plateau is less than half as long.",
        quantity=f"most steps in which the share of right tokens gains less than {PROGRESS:g}, before 90 %, at 2^14, "
        "full period alone over both",
        wanted=at_least(2, "ratio"),
    ),
    "learned": Claim(
        statement="With both kinds 2^16 is learned on 127 numbers.",
        quantity="last-number accuracy at 2^16, half the context",
        wanted=at_least(0.9, "share"),
    ),
    "small": _gain(
        "Near the end, rows should skip little.",
        "last-number accuracy at 2^16, small skips while the rate falls less all skips",
        0.01,
    ),
    "none": _gain(
        "Near the end, no row should skip.",
        "last-number accuracy at 2^16, no skips while the rate falls less all skips",
        0.01,
    ),
    "context": _gain(
        "At equal compute, 127 numbers of context serve as well as 255.",
        "last-number accuracy at 2^16, half the context less the whole",
        -0.05,
    ),
    "waves": LateClaim(
        statement="Where position vectors start as waves, 90 % of the last numbers take fewer steps yet.",
        quantity="steps to 90 % at 2^14, both kinds of rows, positions at random over waves",
        wanted=at_least(1.3, "ratio"),
    ),
    "waves-alone": _gain(
        "Waves do not make up for the rows.",
        "last-number accuracy at 2^14, with waves, both kinds of rows less full period alone",
        0.3,
    ),
}


def runs(scale: Scale, seeds: int) -> list[RunSpec]:
    """Every kind of rows with every seed, and the other parts with the first seeds."""
    kinds = [each for seed in range(seeds) for each in _rows(scale, seed)]
    others = (_positions, _ends, _contexts)
    return kinds + [each for seed in range(min(seeds, FEW)) for part in others for each in part(scale, seed)]


def _rows(scale: Scale, seed: int) -> list[RunSpec]:
    size = SIZES[scale].rows
    smaller = [2**exponent for exponent in range(max(3, size.exponent - 8), size.exponent)]
    curriculum = tuple(Phase(modulus=modulus, share=0.5 / len(smaller)) for modulus in smaller)
    arms: dict[str, Settings] = {
        FULL: {},
        BALANCED: {"data": {"balanced_share": 0.5}},
        SKIPPING: {"data": {"skipping_share": 0.5}},
        BOTH: SKIPPING_ROWS,
        SMALLER: {"data": {"curriculum": curriculum}},
    }
    return [sized_run(scale, size, seed, **changes).labelled(part="rows", arm=arm) for arm, changes in arms.items()]


def _positions(scale: Scale, seed: int) -> list[RunSpec]:
    arms: dict[str, Settings] = {FULL_WAVES: {}, BOTH_WAVES: SKIPPING_ROWS}
    return [
        sized_run(scale, SIZES[scale].rows, seed, **rows, wave_positions=True).labelled(part="positions", arm=arm)
        for arm, rows in arms.items()
    ]


def _ends(scale: Scale, seed: int) -> list[RunSpec]:
    """Runs whose rate falls, with different rows, from the weights of one run at the full rate."""
    sizes = SIZES[scale]
    size = sizes.short
    begun = sized_run(scale, replace(size, steps=sizes.begun), seed, **SKIPPING_ROWS, schedule="constant")
    start = StartFrom(recipe=begun.recipe, config=begun.config)
    falling: Settings = {"steps": sizes.fall, "schedule": "cosine", "warmup_steps": 1, "start": start}
    arms: dict[str, Settings] = {
        ANY_SKIP: SKIPPING_ROWS["data"],
        SMALL_SKIPS: {**SKIPPING_ROWS["data"], "largest_skip": 2 ** (size.exponent // 4)},
        NO_SKIPS: {**SKIPPING_ROWS["data"], "skipping_share": 0.0},
    }
    return [
        sized_run(scale, size, seed, **falling, data=rows).labelled(part="end", arm=arm) for arm, rows in arms.items()
    ]


def _contexts(scale: Scale, seed: int) -> list[RunSpec]:
    arms = {SHORT: SIZES[scale].short, LONG: SIZES[scale].long}
    return [
        sized_run(scale, size, seed, **SKIPPING_ROWS).labelled(part="context", arm=arm) for arm, size in arms.items()
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
    runs = tables["runs"]
    return {
        "skipping": _less(runs, SKIPPING, FULL),
        "balanced": _less(runs, SKIPPING, BALANCED),
        "both": _less(runs, BOTH, SKIPPING),
        "in-place": _less(runs, SKIPPING, SMALLER),
        "steps": ratio(runs, FULL, BOTH, "steps", by="arm", target="90 %"),
        "plateaus": ratio(runs, FULL, BOTH, "plateau", by="arm", target="90 %"),
        "learned": _final(runs, SHORT),
        "small": _less(runs, SMALL_SKIPS, ANY_SKIP),
        "none": _less(runs, NO_SKIPS, ANY_SKIP),
        "context": _less(runs, SHORT, LONG),
        "waves": ratio(runs, BOTH, BOTH_WAVES, "steps", by="arm", target="90 %"),
        "waves-alone": _less(runs, BOTH_WAVES, FULL_WAVES),
    }


def _final(runs: pl.DataFrame, arm: str) -> list[float]:
    """The last-number accuracy of an arm at the end, by seed."""
    return runs.filter(arm=arm).sort("seed")["final"].to_list()


def _less(runs: pl.DataFrame, arm: str, other: str) -> list[float]:
    """An arm's last-number accuracy less another's, for the seeds that both have."""
    pairs = runs.filter(arm=arm).join(runs.filter(arm=other), on="seed", suffix="_other").sort("seed")
    return (pairs["final"] - pairs["final_other"]).to_list()


TITLES = {
    "rows": "rows of training, 2^14",
    "positions": "positions that start as waves, 2^14",
    "end": "rows while the rate falls, 2^16",
    "context": "context, 2^16",
}


def draw(tables: Tables) -> Pictures:
    """Accuracy by compute: one panel for each part, one line per seed."""
    curves = tables["curves"].with_columns(pl.col("flops") / 1e12)
    panels = [
        LinePanel(
            title,
            "training compute (TFLOP)",
            "last number right",
            group_lines(named(curves.filter(part=part), "arm"), "flops", "last"),
        )
        for part, title in TITLES.items()
    ]
    yield Picture(panels, columns=1)


EXPERIMENT = Experiment(ENTRY, CLAIMS, runs, measure, evidence, draw, task=FixedModulus, compares=True)
