"""Cuts and patches a model of two layers that looks back at three numbers, and so needs fewer of them.

``fm-2p14`` is right after 64 numbers, where order 2 leaves two bits open. Let N be the numbers that order 2 needs. The
second layer looks back by N/16 (after N/2 to 9N/16 − 1 numbers), 5N/16 (to 13N/16 − 1) or 9N/16 (to N − 1), to number
q. Two identities modulo m (docs/order.md) say what it may read there. With D_s(n) = x[n] − 2 x[n − s] + x[n − 2s],

- *error*: D_{N/4}(n) ≡ 4 D_{N/8}(q) for every q, so it may copy how wrong the first layer's extrapolation is at q;
- *difference*: x[n] − x[n − N/2] ≡ 4 (x[q − N/8] − x[q − N/4]) for q = n − N/16 and n − 9N/16.

These look-backs and controls are *cut*, and the value vectors that they reach are *patched*, with another sequence, or
with a multiple u x of the same one, u = 1 + w 2^i. The first tests the error. In the second four
times the error is the same and four times the difference is not, so that the guess moves by 4 (u − 1) times the
difference, or not at all. Three seeds are *followed* through the plateau of 12 bits by checkpoints that are kept, and
smaller models of three layers are tried.

The tables are ``cut``, ``patch``, ``steps`` (by checkpoint), ``bits`` (by position) and ``ends`` (by run). The claims
about the published model are about this model alone: their intervals are over multipliers and increments.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from unrandom.evaluation import Evaluation, bits_known, evaluate
from unrandom.evaluation.intervals import Estimate
from unrandom.experiments.baselines import order_depth_panels as names
from unrandom.experiments.baselines.order_depth_circuit import Places, cut_rows, looking, patch_rows
from unrandom.experiments.claims import Claim, Evidence, Finding, LateClaim, Precondition, Unknown, at_least, at_most
from unrandom.experiments.experiment import Entry, Experiment, Rows, Run, RunSpec, Scale, by_scale
from unrandom.experiments.scaling.measurement import modulus_of, test_examples
from unrandom.experiments.scaling.presets import Size, size_of, sized_run
from unrandom.experiments.summaries import rows_of, seed_means, tables_by_run
from unrandom.models.predictor import TransformerPredictor
from unrandom.predictors import LookbackPredictor
from unrandom.runs.tables import Tables
from unrandom.tasks import Examples, FixedModulus
from unrandom.training.checkpoint import kept_checkpoints

ENTRY = Entry(
    name="fm-order-depth",
    place=7,
    about="whether a second layer adds an order of look-back, by a cut, a patch and through training",
    minutes=99,
)

SEQUENCES = by_scale(smoke=32, laptop=768)
CUT_SEQUENCES = by_scale(smoke=16, laptop=96)
ON_PLATEAU = 2  # times the accuracy by the bits that order 2 gives; a run with more has left the plateau
STEP_SEQUENCES = by_scale(smoke=16, laptop=32)


@dataclass(frozen=True)
class Sizes:
    """How the models are trained: the published one (seed 0 alone), and the others with every seed."""

    published: Size
    followed: tuple[Size, ...]  # seed by seed; further seeds are trained as the last
    three_layers: tuple[Size, ...]  # their contexts are too short for order 2 and long enough for order 3


def _followed(size: Size, steps: int, every: int) -> Size:
    """The beginning of a run: its checkpoints are kept, and the learning rate falls as in the whole run."""
    kept = {"schedule_steps": size.steps, "checkpoint_every": every, "keep_every": every}
    return replace(size, steps=steps, changes={**size.changes, **kept})


PUBLISHED_LAPTOP = size_of("laptop", 14)
LONGER_APART = {"evaluate_every": 500}  # an evaluation takes as long as many steps of small batches
SMOKE = Size(exponent=10, context=40, steps=8)
SIZES: dict[Scale, Sizes] = by_scale(
    smoke=Sizes(
        published=SMOKE,
        followed=(_followed(SMOKE, steps=8, every=4), _followed(SMOKE, steps=4, every=4)),
        three_layers=(Size(exponent=8, context=12, steps=8, changes={"model": {"depth": 3}}),),
    ),
    laptop=Sizes(
        published=PUBLISHED_LAPTOP,
        # In fm-scaling, seed 0 leaves the plateau and needs fewer numbers from step 1,500 on; seeds 1 and 2 stay on it.
        followed=tuple(
            replace(each, changes={**each.changes, **LONGER_APART})
            for each in (_followed(PUBLISHED_LAPTOP, steps=steps, every=100) for steps in (1_500, 500))
        ),
        three_layers=(
            Size(exponent=10, context=24, steps=1_000, changes={"model": {"depth": 3}}),
            Size(exponent=12, context=48, steps=700, changes={"model": {"depth": 3}}),
        ),
    ),
)

OF_PUBLISHED = Precondition("accuracy of the published model after N/2 to N − 1 numbers", 0.9)

CLAIMS = {
    "cut": LateClaim(
        statement="Without the second layer's look-back, the published model is wrong more often than right.",
        quantity="share right with it cut, after N/2 to N − 1 numbers (multipliers and increments as units)",
        wanted=at_most(0.5, "share"),
    ),
    "low-bits": LateClaim(
        statement="Without that look-back, the bits that order 2 makes certain are kept.",
        quantity="share with all of these bits right, with it cut (multipliers and increments as units)",
        wanted=at_least(0.95, "share"),
    ),
    "controls": LateClaim(
        statement="Without any of the other look-backs that were tried in the same layer, the guesses stay the same.",
        quantity="share of guesses that a control cut leaves, the least (multipliers and increments as units)",
        wanted=at_least(0.95, "share"),
    ),
    "no-extrapolation": LateClaim(
        statement="Without the first layer's look-back by N/4, the bits that order 2 leaves open stay right: they do "
        "not rest on an extrapolation over N/4.",
        quantity="share with these bits right, with it cut, where the identity of differences holds (multipliers and "
        "increments as units)",
        wanted=at_least(0.95, "share"),
    ),
    "patch-error": Claim(
        statement="If the second layer reads another sequence, the guess moves by 4 times what the errors differ by.",
        quantity="share of patched guesses that do, where that is not 0 (multipliers and increments as units)",
        wanted=at_least(0.9, "share"),
    ),
    "patch-difference": LateClaim(
        statement="If the second layer reads a multiple of the sequence, the guess moves by 4 times what differences "
        "over N/8 numbers differ by.",
        quantity="share of patched guesses that do, where the identity holds (multipliers and increments as units)",
        wanted=at_least(0.9, "share"),
    ),
    "patch-control": Claim(
        statement="The same patch does nothing in the other head, or on numbers beside those looked at.",
        quantity="share of guesses that change, the larger of the two controls (multipliers and increments as units)",
        wanted=at_most(0.05, "share"),
    ),
    "plateau": LateClaim(
        statement="On the plateau, no head of the second layer has these look-backs.",
        quantity="attention to numbers N/16 modulo N/8 back for the highest digit, the head with most, at the last "
        "checkpoint with less than twice the accuracy that the bits of order 2 after N/2 numbers give",
        wanted=at_most(0.3, "share"),
        precondition=None,
    ),
    "three-layers": Claim(
        statement="Where order 2 cannot succeed, a model of three layers knows more bits than order 2 makes certain.",
        quantity="bits known of the last number less those that order 2 makes certain, mean over moduli",
        wanted=at_least(1.5, "bits"),
        precondition=None,
    ),
}


def runs(scale: Scale, seeds: int) -> list[RunSpec]:
    """The published model, of one seed; the runs that are followed, and the ones of three layers, with every seed."""
    sizes = SIZES[scale]
    return [
        *(sized_run(scale, sizes.published, seed).labelled(kind=names.PUBLISHED) for seed in range(min(seeds, 1))),
        *(
            sized_run(scale, sizes.followed[min(seed, len(sizes.followed) - 1)], seed).labelled(kind=names.FOLLOWED)
            for seed in range(seeds)
        ),
        *(
            sized_run(scale, size, seed).labelled(kind=names.THREE)
            for size in sizes.three_layers
            for seed in range(seeds)
        ),
    ]


def measure(runs: list[Run], scale: Scale) -> Tables:
    return tables_by_run(runs, lambda run: _measured(run, scale))


def _measured(run: Run, scale: Scale) -> dict[str, Iterable[dict[str, Any]]]:
    """The tables of one run, without the columns that identify the run."""
    if run.labels["kind"] == names.FOLLOWED:
        return {"steps": _step_rows(run, test_examples(run, STEP_SEQUENCES[scale], "followed"))}
    predictor = run.predictor()
    tested = evaluate(predictor, test_examples(run, SEQUENCES[scale], "order"))
    found: dict[str, Iterable[dict[str, Any]]] = {"bits": _bit_rows(tested), "ends": [_end_row(run, tested)]}
    if run.labels["kind"] == names.PUBLISHED:
        places, sequences = _places(run), test_examples(run, CUT_SEQUENCES[scale], "cut")
        # A guess does not depend on later numbers.
        sequences = replace(sequences, numbers=sequences.numbers[:, : places.enough])
        found |= {"cut": cut_rows(predictor, sequences, places), "patch": patch_rows(predictor, sequences, places)}
    return found


def _places(run: Run) -> Places:
    return Places.of(modulus_of(run), run.config.data.context)


def _bit_rows(tested: Evaluation) -> Rows:
    """By position: bits known, and how many guesses are wrong."""
    wrong = (~tested.correct).sum(axis=0)
    return rows_of(
        {"sequences": len(tested.correct)}, seen=range(1, len(wrong) + 1), bits=bits_known(tested), wrong=wrong
    )


def _end_row(run: Run, tested: Evaluation) -> dict[str, Any]:
    """Bits known of the last number, and how many of them order 2 makes certain."""
    longest = tested.correct.shape[1]
    return {
        "last": float(tested.last_number_accuracy.value),
        "bits": float(bits_known(tested)[-1]),
        "longest": longest,
        "of_order_2": int(LookbackPredictor(modulus_of(run)).digits_known(longest - 1).sum()),
    }


def _step_rows(run: Run, sequences: Examples) -> Iterator[dict[str, Any]]:
    """Accuracy after N/2 to N − 1 numbers and after more, and attention, at each checkpoint that was kept.

    ``chance`` is the accuracy with only the bits that order 2 makes certain after N/2 numbers.
    """
    places, every = _places(run), run.config.keep_every
    assert every is not None, "followed runs keep checkpoints"
    certain = LookbackPredictor(modulus_of(run)).digits_known(places.enough // 2 - 1)
    for checkpoint in kept_checkpoints(run.folder, every):
        predictor = TransformerPredictor(checkpoint.load_model(), run.config.data.tokenizer)
        right = evaluate(predictor, sequences).by_position.value
        yield {
            "step": checkpoint.step,
            "half": float(right[places.seen.start - 1 : places.seen.stop - 1].mean()),
            "more": float(right[places.seen.stop - 1 :].mean()),
            "chance": 0.5 ** int((~certain).sum()),
            "attention": float(looking(predictor, sequences, places).max()),
        }


def evidence(tables: Tables) -> Evidence:
    ends = tables["ends"]
    (pooled, exact), (patch, exactly_patched) = (
        tuple(tables[name].filter(block=block) for block in (names.POOLED, names.EXACT)) for name in ("cut", "patch")
    )
    plateau = tables["steps"].filter(pl.col("more") < ON_PLATEAU * pl.col("chance"))
    last = plateau.filter(pl.col("step") == pl.col("step").max().over("run"))
    return {
        "cut": _estimate(pooled.filter(cut=names.LOOKED_AT, what="right")),
        "low-bits": _estimate(pooled.filter(cut=names.LOOKED_AT, what="low")),
        "controls": _estimate(pooled.filter(pl.col("cut").is_in(names.CONTROLS), what="same"), least=True),
        "no-extrapolation": _estimate(exact.filter(cut=names.FIRST_QUARTER, what="high")),
        "patch-error": _estimate(patch.filter(patch=names.PATCHED, other=names.ANOTHER, what="error")),
        "patch-difference": _estimate(
            exactly_patched.filter(patch=names.PATCHED, other=names.MULTIPLE, what="difference")
        ),
        "patch-control": _estimate(patch.filter(pl.col("patch") != names.PATCHED, what="changed")),
        "plateau": seed_means(last, "attention"),
        "three-layers": seed_means(
            ends.filter(kind=names.THREE).with_columns(value=pl.col("bits") - pl.col("of_order_2"))
        ),
        OF_PUBLISHED: pooled.filter(cut=names.NOTHING, what="right")["value"].item(),
    }


def _estimate(rows: pl.DataFrame, *, least: bool = False) -> Finding:
    """The measured share of the row with the largest value, or the least, with its interval."""
    if rows["value"].is_null().all():
        return Unknown("no sequence has another error than the one it was patched from")
    row = rows.sort("value", descending=not least, nulls_last=True).row(0, named=True)
    return Estimate(row["value"], row["low"], row["high"], row["units"], row["interval"])


EXPERIMENT = Experiment(
    ENTRY, CLAIMS, runs, measure, evidence, names.draw, task=FixedModulus, compares=True, presupposes=OF_PUBLISHED
)
