"""Finds the order of look-back that a fixed-modulus model uses, by bits known, attention, and cuts of look-backs.

The theory is in docs/order.md: with j numbers r = 2^k steps apart, k + (j − 1)(k + v) bits of an extrapolation are
certain, with coefficients that are the same for every a and c; v = v_2(a − 1). Let N be the context that order 2 needs
for all bits of m = 2^w, and s = N / 4. When N to 3 N / 2 − 1 numbers are seen, order 2 looks back by 2 s and 4 s, and
order 3 by s, 2 s and 3 s.

A look-back is cut for the guess of number n alone, in all layers and heads, and the other attention weights are scaled
up. What other positions have gathered from that number can still be read. The models are fm-scaling's; the
tables are ``bits``, ``needed`` (context needed), ``attention`` and ``cut``.
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
from unrandom.experiments.baselines.order_panels import ALL_MULTIPLIERS, VALUATIONS, draw
from unrandom.experiments.claims import LEARNED, Claim, Evidence, Finding, LateClaim, Unknown, at_least, at_most
from unrandom.experiments.experiment import Entry, Experiment, Run, RunSpec, Scale, by_scale
from unrandom.experiments.scaling.laws import lookback_ratio
from unrandom.experiments.scaling.measurement import CONTEXT_THRESHOLD, modulus_of, test_examples
from unrandom.experiments.scaling.presets import SIZES, labels, sized_run
from unrandom.experiments.summaries import each_run, moduli_of_every_seed, run_columns, tables_by_run, trained_accuracy
from unrandom.interpretation import attention_by_lookback, without_lookbacks
from unrandom.models import intervene
from unrandom.models.predictor import TransformerPredictor
from unrandom.predictors import LookbackPredictor
from unrandom.runs.measurement import attention_patterns, pattern_taps
from unrandom.runs.tables import Tables, table
from unrandom.tasks import Examples, FixedModulus

ENTRY = Entry(
    name="fm-order",
    place=6,
    about="how many earlier numbers a guess rests on, and which bits are certain with them",
    minutes=354,
)

SEQUENCES = by_scale(smoke=64, laptop=1024, paper=2048)
CUT_SEQUENCES = by_scale(smoke=16, laptop=128)
ATTENTION_SEQUENCES = 16
# Bound on sequences times the square of the context: a longer context is measured on fewer sequences.
MAX_PATTERN_ELEMENTS = 2**28
MULTIPLES = (1, 2, 3, 4)  # attention is measured and cut at look-backs of 1, 2, 3 and 4 s
ORDER_2_MULTIPLES, HIGHER_ORDER_MULTIPLES = (2, 4), (1, 3)

ORDER_2_TO = 2**12
"""Up to this modulus models learn from full-period rows alone; claims about order 2 are about these."""
MAX_ORDER = 12

CLAIMS = {
    "fewer": Claim(
        statement="Models of larger moduli, trained on rows that skip, need fewer numbers than order 2 does.",
        quantity="numbers for 99 % over those of order 2, the most over the moduli from 2^14 on that every seed has",
        wanted=at_most(0.75, "ratio"),
    ),
    "order": Claim(
        statement="At the largest modulus a guess rests on four earlier numbers or more.",
        quantity="the least order for which the numbers needed are enough, at the largest modulus that every seed has",
        wanted=at_least(4, "order"),
    ),
    "no-fewer": LateClaim(
        statement="Two-layer models of moduli to 2^12 need no fewer numbers than looking back at two of them.",
        quantity="numbers for 99 % over those of order 2, the least over the moduli to 2^12 that every seed has",
        wanted=at_least(0.9, "ratio"),
    ),
    "stairs": LateClaim(
        statement="Before order 2 is certain of all bits, two-layer models know the bits that it makes certain, and no "
        "others.",
        quantity="distance of the bits known from those of order 2, where it leaves some open, mean over moduli",
        wanted=at_most(0.5, "bits"),
    ),
    "two-lines": LateClaim(
        statement="What the first layer looks back at is the two numbers of order 2.",
        quantity="share of the attention to earlier numbers at look-backs 2 s and 4 s, mean over heads and moduli",
        wanted=at_least(0.5, "share"),
    ),
    "either-needed": LateClaim(
        statement="If attention to one of the two numbers of order 2 is cut, whichever it is, the guess is lost.",
        quantity="accuracy with that look-back cut off over that with none, the larger of 2 s, 4 s; mean over moduli",
        wanted=at_most(0.25, "ratio"),
    ),
    "others-spared": LateClaim(
        statement="If attention to a number that only higher orders look back at is cut, the guess stays right.",
        quantity="accuracy with that look-back cut off over that with none, the smaller of s, 3 s; mean over moduli",
        wanted=at_least(0.9, "ratio"),
    ),
    "valuation": LateClaim(
        statement="The more often 2 divides a − 1, the more bits are known: two more for v = 4, as order 2 predicts.",
        quantity="bits known with v ≥ 4 less those with v = 2, where order 2 leaves two bits or more open",
        wanted=at_least(1.5, "bits"),
    ),
}


def runs(scale: Scale, seeds: int) -> list[RunSpec]:
    """The models of fm-scaling."""
    return [sized_run(scale, size, seed) for size in SIZES[scale] for seed in range(seeds)]


def measure(runs: list[Run], scale: Scale) -> Tables:
    return tables_by_run(
        runs, lambda run: _measured(run, scale), lambda run: {**run_columns(run), **labels(run.config)}
    )


def _measured(run: Run, scale: Scale) -> dict[str, Iterable[dict[str, Any]]]:
    """The tables of one run, without the columns that identify the run."""
    _check(run)
    predictor = run.predictor()
    times_fewer = max(1, predictor.model.config.context**2 * SEQUENCES[scale] // MAX_PATTERN_ELEMENTS)
    tested = evaluate(predictor, test_examples(run, SEQUENCES[scale] // times_fewer, "order"))
    needed = context_needed(tested, CONTEXT_THRESHOLD)
    found = {"needed": needed.needed, "low": needed.low, "high": needed.high, "longest": tested.correct.shape[1]}
    attending = test_examples(run, ATTENTION_SEQUENCES, "attention")
    cut = test_examples(run, CUT_SEQUENCES[scale] // times_fewer, "cut")
    return {
        "bits": _bit_rows(tested),
        "needed": [found],
        "attention": _attention_rows(predictor, attending),
        "cut": _cut_rows(predictor, cut, run.config.seed),
    }


def _check(run: Run) -> None:
    """Raise UserError unless the modulus is a power of two from 16 on, with a context of at least 8 numbers."""
    modulus = modulus_of(run)
    if not is_power_of_two(modulus) or modulus < 16 or run.config.data.context < 8:
        raise UserError(
            f"{run.id} has m = {modulus} and {run.config.data.context} numbers; "
            "fm-order reads models of powers of two from 16 on, with 8 numbers or more"
        )


def _bit_rows(tested: Evaluation) -> Iterator[dict[str, Any]]:
    """Bits known and accuracy by position, over all sequences and by v = v_2(a − 1)."""
    valuations = tested.parameters.labels["v_2(a - 1)"]
    groups = {
        ALL_MULTIPLIERS: valuations >= 0,
        **{name: np.minimum(valuations, 4) == v for name, v in VALUATIONS.items()},
    }
    for group, rows in groups.items():
        if rows.any():
            of_group = tested.only(rows)
            for t, (bits, right) in enumerate(zip(bits_known(of_group), of_group.by_position.value, strict=True)):
                yield {"group": group, "seen": t + 1, "bits": float(bits), "accuracy": float(right)}


@dataclass(frozen=True)
class LinePositions:
    """Positions where the lines of the orders differ: the numbers seen there, and the spacing ``s`` of the lines."""

    seen: range
    s: int  # numbers

    @classmethod
    def of(cls, modulus: int, longest: int) -> "LinePositions":
        """From the context that order 2 needs, at most the largest power of two that fits; half that many positions."""
        enough = min(LookbackPredictor(modulus).numbers_needed(), largest_power(longest, 2))
        return cls(range(enough, min(3 * enough // 2, longest + 1)), enough // 4)


def _attention_rows(predictor: TransformerPredictor, sequences: Examples) -> Iterator[dict[str, Any]]:
    """The share of each head's attention to earlier numbers at each multiple of s, and that share by chance."""
    positions = LinePositions.of(sequences.parameters.modulus(0), sequences.numbers.shape[1] - 1)
    patterns = attention_patterns(predictor, sequences, predictor.model.config.context)
    for layer, pattern in enumerate(patterns):
        for head, weights in enumerate(attention_by_lookback(pattern, predictor.tokenizer.width)):
            earlier = np.array([weights[n - 1, 1:].sum() for n in positions.seen])
            for multiple in MULTIPLES:
                at_line = np.array([weights[n - 1, multiple * positions.s] for n in positions.seen])
                share = float((at_line / np.maximum(earlier, 1e-9)).mean())
                chance = float(np.mean([1 / n for n in positions.seen]))
                yield {"layer": layer, "head": head, "multiple": multiple, "share": share, "chance": chance}


def _cut_rows(predictor: TransformerPredictor, sequences: Examples, seed: int) -> Iterator[dict[str, Any]]:
    """Accuracy with nothing cut, with each line cut, and with another look-back cut (the control)."""
    positions = LinePositions.of(sequences.parameters.modulus(0), sequences.numbers.shape[1] - 1)
    cuts = {"nothing": {}, **{str(i): dict.fromkeys(positions.seen, i * positions.s) for i in MULTIPLES}}
    rng = stream(seed, "cut off")
    if positions.s > 1:
        cuts["another"] = {n: int(rng.choice([r for r in range(2, n) if r % positions.s])) for n in positions.seen}
    for cut, lookbacks in cuts.items():
        edit = without_lookbacks(lookbacks, predictor.tokenizer.width)
        with intervene(predictor.model, dict.fromkeys(pattern_taps(predictor.model), edit)):
            tested = evaluate(predictor, sequences)
        in_range = slice(positions.seen.start - 1, positions.seen.stop - 1)
        right, known = tested.by_position.value[in_range], bits_known(tested)[in_range]
        yield {"cut": cut, "accuracy": float(right.mean()), "bits": float(known.mean())}


def evidence(tables: Tables) -> Evidence:
    shared = moduli_of_every_seed(tables["needed"])
    larger = shared.filter(pl.col("modulus") > ORDER_2_TO)
    small = shared.filter(pl.col("modulus") <= ORDER_2_TO)["modulus"].unique().to_list()
    tables = {name: frame.filter(pl.col("modulus").is_in(small)) for name, frame in tables.items()}
    bits = with_open_bits(tables["bits"])
    lines = tables["attention"].filter(pl.col("multiple").is_in(ORDER_2_MULTIPLES), layer=0)
    both = pl.col("share").sum() / pl.col("head").n_unique()
    return {
        "fewer": lookback_ratio(larger, pl.Expr.max) if len(larger) else NO_LARGER,
        "order": least_orders(larger.filter(pl.col("modulus") == pl.col("modulus").max()))
        if len(larger)
        else NO_LARGER,
        "no-fewer": lookback_ratio(tables["needed"], pl.Expr.min),
        "stairs": each_run(
            bits.filter(pl.col("open") > 0, group=ALL_MULTIPLIERS),
            (pl.col("bits") - pl.col("certain")).abs().mean(),
        ),
        "two-lines": each_run(lines, both),
        "either-needed": _cuts(tables["cut"], ORDER_2_MULTIPLES, pl.Expr.max),
        "others-spared": _cuts(tables["cut"], HIGHER_ORDER_MULTIPLES, pl.Expr.min),
        "valuation": _by_valuation(bits),
        LEARNED: trained_accuracy(tables),
    }


NO_LARGER = Unknown("no larger modulus was trained with every seed")


def least_orders(needed: pl.DataFrame) -> Finding:
    """By seed, the least order of look-back for which the numbers that the model needs are enough; a model that needs
    more than its context is Unknown."""
    if needed["needed"].null_count():
        return Unknown("a seed is not right after any count of numbers")
    return [float(least_order(m, seen)) for m, seen in needed.sort("seed").select("modulus", "needed").iter_rows()]


def least_order(modulus: int, numbers: int) -> int:
    """The least order of look-back that is certain of every digit from this many numbers."""
    orders = range(1, MAX_ORDER + 1)
    return next((j for j in orders if LookbackPredictor(modulus, order=j).numbers_needed() <= numbers), MAX_ORDER)


def with_open_bits(bits: pl.DataFrame) -> pl.DataFrame:
    """Add the number of bits that order 2 makes certain after ``seen`` numbers, and the number that it leaves open."""
    places = bits.select("modulus", "seen").unique()
    lookback = {m: LookbackPredictor(m) for m in places["modulus"].unique()}
    known = {(m, seen): lookback[m].digits_known(seen - 1) for m, seen in places.iter_rows()}
    order_2 = table(
        {"modulus": m, "seen": seen, "certain": int(each.sum()), "open": int((~each).sum())}
        for (m, seen), each in known.items()
    )
    return bits.join(order_2, on=["modulus", "seen"], how="left", maintain_order="left")


def _cuts(cut: pl.DataFrame, multiples: Sequence[int], choose: Callable[[pl.Expr], pl.Expr]) -> list[float]:
    """For each seed, the share of accuracy that is left when the look-back that ``choose`` picks is cut."""
    accuracy, name = pl.col("accuracy"), pl.col("cut")
    left = choose(accuracy.filter(name.is_in([str(multiple) for multiple in multiples])))
    uncut = accuracy.filter(name == "nothing").first()
    return each_run(cut, pl.when(uncut > 0).then(left / uncut))


def _by_valuation(bits: pl.DataFrame) -> list[float]:
    """By seed, bits known with v ≥ 4 minus with v = 2, where order 2 leaves two bits or more open at v = 2."""
    least, *_, most = VALUATIONS
    known_least, known_most = (pl.col("bits").filter(group=group).mean() for group in (least, most))
    return each_run(bits.filter(pl.col("seen") > 1, pl.col("open") >= 2), known_most - known_least)


EXPERIMENT = Experiment(
    ENTRY, CLAIMS, runs, measure, evidence, draw, task=FixedModulus, digits=True, presupposes=LEARNED
)
