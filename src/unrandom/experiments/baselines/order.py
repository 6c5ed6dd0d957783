"""Which order of look-back does a fixed-modulus model use? Bits known, attention, and guesses with one line cut off.

The theory is in docs/order.md: j numbers r = 2^k steps apart leave k + (j − 1)(k + v) bits certain with weights that
are the same for every a and c, v = v_2(a − 1). Let N be the numbers that order 2 needs for all bits of m = 2^w, and
s = N / 4. When N to 3 N / 2 − 1 numbers are seen, order 2 looks back at 2 s and 4 s, and order 3 at s, 2 s and 3 s.

A look-back is cut off for the guess of number n alone, in all layers and heads, and the other weights are scaled up.
What other positions have gathered of that number can still be read.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from unrandom.core.arithmetic import is_power_of_two, largest_power
from unrandom.core.errors import UserError
from unrandom.core.seeds import stream
from unrandom.evaluation import Evaluation, bits_known, context_needed, evaluate
from unrandom.experiments.baselines.order_panels import EVERY, VALUATIONS, draw
from unrandom.experiments.claims import Claim, Evidence
from unrandom.experiments.experiment import Experiment, Rows
from unrandom.experiments.scale import Scale
from unrandom.experiments.scaling.laws import over_lookback
from unrandom.experiments.scaling.measurement import ALMOST
from unrandom.experiments.scaling.presets import SIZES, labels, planned
from unrandom.experiments.summaries import about, each_run, learned, moduli_of_every_seed
from unrandom.interpretation import attention_by_lookback, without_lookbacks
from unrandom.models import intervene
from unrandom.models.predictor import TransformerPredictor
from unrandom.predictors import LookbackPredictor
from unrandom.runs.measurement import attention_patterns, pattern_taps
from unrandom.runs.run import Run
from unrandom.runs.spec import RunSpec
from unrandom.runs.tables import Tables, table
from unrandom.tasks import Examples, FixedModulus, lcg_task

# Moduli above 2^exponent are drawn and not judged: seed 0 alone has learned 2^14 (fm-scaling); 2^16 has no other seed.
SEVERAL_SEEDS: dict[Scale, int] = {"laptop": 12}
SEQUENCES: dict[Scale, int] = {"smoke": 64, "laptop": 1024, "gpu": 2048, "paper": 2048}
CUT_SEQUENCES: dict[Scale, int] = {"smoke": 16, "laptop": 128, "gpu": 128, "paper": 128}
ATTENDING_SEQUENCES = 16
LARGEST_PATTERN = 2**28  # Sequences times the square of the context: a longer context is measured on fewer sequences.
MULTIPLES = (1, 2, 3, 4)  # Attention is measured, and then cut off, at these multiples of s.
OF_ORDER_2, OF_HIGHER = (2, 4), (1, 3)

CLAIMS = (
    Claim(
        key="no-fewer",
        statement="Two-layer models need no fewer numbers than looking back at two of them.",
        quantity="numbers for 99 % over those of order 2, the least over the moduli that every seed has",
        unit="ratio",
        threshold=0.9,
        origin="beyond",
        written="after",
    ),
    Claim(
        key="stairs",
        statement="Before, they know the bits that order 2 leaves certain, and no others.",
        quantity="distance of the bits known from those of order 2, where it leaves some open, mean over moduli",
        unit="bits",
        threshold=0.5,
        at_least=False,
        origin="beyond",
        written="after",
    ),
    Claim(
        key="two-lines",
        statement="What the first layer looks back at is the two numbers of order 2.",
        quantity="share of the attention to earlier numbers at look-backs 2 s and 4 s, mean over heads and moduli",
        unit="share",
        threshold=0.5,
        origin="beyond",
        written="after",
    ),
    Claim(
        key="either-needed",
        statement="Without one of these two numbers, whichever it is, the guess is lost.",
        quantity="accuracy with that look-back cut off over that with none, the larger of 2 s, 4 s; mean over moduli",
        unit="ratio",
        threshold=0.25,
        at_least=False,
        origin="beyond",
        written="after",
    ),
    Claim(
        key="others-spared",
        statement="Without the numbers that only higher orders look back at, it stays.",
        quantity="accuracy with that look-back cut off over that with none, the smaller of s, 3 s; mean over moduli",
        unit="ratio",
        threshold=0.9,
        origin="beyond",
        written="after",
    ),
    Claim(
        key="valuation",
        statement="The more often 2 divides a − 1, the more bits are known: two more for v = 4, as order 2 has it.",
        quantity="bits known with v ≥ 4 less those with v = 2, where order 2 leaves two bits or more open",
        unit="bits",
        threshold=1.5,
        origin="beyond",
        written="after",
    ),
)


def runs(scale: Scale, seeds: int) -> list[RunSpec]:
    """The models of fm-scaling; of the moduli that are slow to train, one seed."""
    several = SEVERAL_SEEDS.get(scale)
    return [
        planned(scale, size, seed)
        for size in SIZES[scale]
        for seed in range(seeds if several is None or size.exponent <= several else min(seeds, 1))
    ]


def measure(runs: list[Run], scale: Scale) -> Tables:
    rows: dict[str, Rows] = {"bits": [], "needed": [], "attention": [], "cut": []}
    for run in runs:
        _check(run)
        for name, own in _measured(run, scale).items():
            rows[name] += [{**about(run), **labels(run.config), **row} for row in own]
    return {name: table(each) for name, each in rows.items()}


def _measured(run: Run, scale: Scale) -> dict[str, Iterable[dict[str, Any]]]:
    """The tables of one run, without the columns that say which run it is."""
    predictor = run.predictor()
    times_fewer = max(1, predictor.model.config.context**2 * SEQUENCES[scale] // LARGEST_PATTERN)
    tested = evaluate(predictor, _drawn(run, SEQUENCES[scale] // times_fewer, "order"))
    needed = context_needed(tested, ALMOST)
    found = {"needed": needed.needed, "low": needed.low, "high": needed.high, "longest": tested.correct.shape[1]}
    attending = _drawn(run, ATTENDING_SEQUENCES, "attention")
    cut = _drawn(run, CUT_SEQUENCES[scale] // times_fewer, "cut")
    return {
        "bits": _bit_rows(tested),
        "needed": [found],
        "attention": _attention_rows(predictor, attending),
        "cut": _cut_rows(predictor, cut, run.config.seed),
    }


def _check(run: Run) -> None:
    """What the lines and the bits of this experiment are counted in."""
    (modulus,) = lcg_task(run.config.data).moduli
    if not is_power_of_two(modulus) or modulus < 16 or run.config.data.context < 8:
        raise UserError(
            f"{run.id} has m = {modulus} and {run.config.data.context} numbers; "
            "fm-order reads models of powers of two from 16 on, with 8 numbers or more"
        )


def _drawn(run: Run, sequences: int, name: str) -> Examples:
    (modulus,) = lcg_task(run.config.data).moduli
    return run.split().test(modulus, sequences, name=name)


def _bit_rows(tested: Evaluation) -> Iterator[dict[str, Any]]:
    """Bits known and accuracy by position, over all sequences and by v = v_2(a − 1)."""
    valuations = tested.parameters.labels["v_2(a - 1)"]
    groups = {EVERY: valuations >= 0, **{name: np.minimum(valuations, 4) == v for name, v in VALUATIONS.items()}}
    for group, rows in groups.items():
        if rows.any():
            own = tested.only(rows)
            for t, (bits, right) in enumerate(zip(bits_known(own), own.by_position.value, strict=True)):
                yield {"group": group, "seen": t + 1, "bits": float(bits), "accuracy": float(right)}


@dataclass(frozen=True)
class Window:
    """The guesses whose lines are told apart, by how many numbers were seen, and the distance of the lines."""

    seen: range
    s: int

    @classmethod
    def of(cls, modulus: int, longest: int) -> "Window":
        """From the numbers that order 2 needs (at most the largest power of two there is room for), half as many."""
        enough = min(LookbackPredictor(modulus).numbers_needed(), largest_power(longest, 2))
        return cls(range(enough, min(3 * enough // 2, longest + 1)), enough // 4)


def _attention_rows(predictor: TransformerPredictor, sequences: Examples) -> Iterator[dict[str, Any]]:
    """For each head, the share of its attention to earlier numbers at each multiple of s, and what chance gives."""
    window = Window.of(sequences.parameters.modulus(0), sequences.numbers.shape[1] - 1)
    patterns = attention_patterns(predictor, sequences, predictor.model.config.context)
    for layer, pattern in enumerate(patterns):
        for head, weights in enumerate(attention_by_lookback(pattern, predictor.tokenizer.width)):
            earlier = np.array([weights[n - 1, 1:].sum() for n in window.seen])
            for multiple in MULTIPLES:
                at_line = np.array([weights[n - 1, multiple * window.s] for n in window.seen])
                share = float((at_line / np.maximum(earlier, 1e-9)).mean())
                chance = float(np.mean([1 / n for n in window.seen]))
                yield {"layer": layer, "head": head, "multiple": multiple, "share": share, "chance": chance}


def _cut_rows(predictor: TransformerPredictor, sequences: Examples, seed: int) -> Iterator[dict[str, Any]]:
    """Guesses with nothing cut off, with each line, and with a look-back that is none, in all layers and heads."""
    window = Window.of(sequences.parameters.modulus(0), sequences.numbers.shape[1] - 1)
    cuts = {"nothing": {}, **{str(i): dict.fromkeys(window.seen, i * window.s) for i in MULTIPLES}}
    rng = stream(seed, "cut off")
    if window.s > 1:
        cuts["another"] = {n: int(rng.choice([r for r in range(2, n) if r % window.s])) for n in window.seen}
    for cut, lookbacks in cuts.items():
        edit = without_lookbacks(lookbacks, predictor.tokenizer.width)
        with intervene(predictor.model, dict.fromkeys(pattern_taps(predictor.model), edit)):
            tested = evaluate(predictor, sequences)
        of_window = slice(window.seen.start - 1, window.seen.stop - 1)
        right, known = tested.by_position.value[of_window], bits_known(tested)[of_window]
        yield {"cut": cut, "accuracy": float(right.mean()), "bits": float(known.mean())}


def evidence(tables: Tables) -> Evidence:
    shared = moduli_of_every_seed(tables["needed"])["modulus"].unique().to_list()
    tables = {name: frame.filter(pl.col("modulus").is_in(shared)) for name, frame in tables.items()}
    bits = with_open_bits(tables["bits"])
    lines = tables["attention"].filter(pl.col("multiple").is_in(OF_ORDER_2), layer=0)
    both = pl.col("share").sum() / pl.col("head").n_unique()
    return Evidence(
        {
            "no-fewer": over_lookback(tables["needed"], pl.Expr.min),
            "stairs": each_run(
                bits.filter(pl.col("open") > 0, group=EVERY), (pl.col("bits") - pl.col("certain")).abs().mean()
            ),
            "two-lines": each_run(lines, both),
            "either-needed": _cuts(tables["cut"], OF_ORDER_2, pl.Expr.max),
            "others-spared": _cuts(tables["cut"], OF_HIGHER, pl.Expr.min),
            "valuation": _by_valuation(bits),
        },
        {"learned": learned(tables)},
    )


def with_open_bits(bits: pl.DataFrame) -> pl.DataFrame:
    """The rows with how many bits order 2 leaves certain, and how many open, after as many numbers."""
    places = bits.select("modulus", "seen").unique()
    by_hand = {m: LookbackPredictor(m) for m in places["modulus"].unique()}
    known = {(m, seen): by_hand[m].digits_known(seen - 1) for m, seen in places.iter_rows()}
    order_2 = table(
        {"modulus": m, "seen": seen, "certain": int(each.sum()), "open": int((~each).sum())}
        for (m, seen), each in known.items()
    )
    return bits.join(order_2, on=["modulus", "seen"], how="left", maintain_order="left")


def _cuts(cut: pl.DataFrame, multiples: Sequence[int], choose: Callable[[pl.Expr], pl.Expr]) -> list[float]:
    """By seed, the accuracy that is left with one of these look-backs cut off, the larger or the smaller."""
    accuracy, name = pl.col("accuracy"), pl.col("cut")
    left = choose(accuracy.filter(name.is_in([str(multiple) for multiple in multiples])))
    uncut = accuracy.filter(name == "nothing").first()
    return each_run(cut, pl.when(uncut > 0).then(left / uncut))


def _by_valuation(bits: pl.DataFrame) -> list[float]:
    """By seed, over the positions where order 2 leaves two bits or more open at v = 2: v = 4 could show them."""
    least, *_, most = VALUATIONS
    known_least, known_most = (pl.col("bits").filter(group=group).mean() for group in (least, most))
    return each_run(bits.filter(pl.col("seen") > 1, pl.col("open") >= 2), known_most - known_least)


EXPERIMENT = Experiment(
    name="fm-order",
    task=FixedModulus,
    claims=CLAIMS,
    runs=runs,
    measure=measure,
    draw=draw,
    evidence=evidence,
)
