"""What the experiments on permuted generators conclude, from tables with known answers."""

import numpy as np
import polars as pl
import pytest

from unrandom.experiments.claims import Bound, Unknown
from unrandom.experiments.costs import cost_to, ratio
from unrandom.experiments.permuted import (
    alone,
    context,
    curriculum,
    few_parameters,
    inside,
    joint,
    rounds,
    transfer,
)
from unrandom.experiments.permuted.presets import VARIANTS, alone_runs
from unrandom.tasks.permuted_lcg import PermutedLCG

CONTROL = PermutedLCG.plain


def test_a_cost_is_that_of_the_first_check_at_the_target():
    curve = [{"step": step, "flops": 10 * step, "last": last} for step, last in ((5, 0.2), (10, 0.8), (15, 0.7))]
    assert cost_to(curve, 0.8) == {"flops": 100, "steps": 10, "censored": False, "final": 0.7}
    assert cost_to(curve, 0.9) == {"flops": 150, "steps": 15, "censored": True, "final": 0.7}


def test_a_ratio_of_costs_is_a_bound_where_one_was_censored():
    rows = [
        {"seed": seed, "kind": kind, "steps": steps, "censored": kind == "b" and seed == 1}
        for seed in range(3)
        for kind, steps in (("a", 100 * (seed + 1)), ("b", 50))
    ]
    frame = pl.DataFrame(rows)
    found = ratio(frame.filter(pl.col("seed") != 1), "a", "b", "steps", by="kind", target="80 %")
    assert found == [2.0, 6.0]
    bound = ratio(frame, "a", "b", "steps", by="kind", target="80 %")
    assert isinstance(bound, Bound)
    assert (bound.at_least, bound.limits) == (False, [2.0, 4.0, 6.0])
    assert isinstance(ratio(frame, "a", "missing", "steps", by="kind", target="80 %"), Unknown)


def positions(accuracy):
    """Rows by position: ``accuracy`` maps (seed, variant, bits) to the accuracy after 1, 2, … numbers."""
    return pl.DataFrame(
        {"run": str(key), "seed": key[0], "variant": key[1], "state_bits": key[2], "seen": t, "value": value}
        for key, values in accuracy.items()
        for t, value in enumerate(values, start=1)
    )


def test_the_worst_variant_decides():
    values = {
        (seed, name, bits): [0.1, 0.9 - 0.1 * (name != CONTROL) - 0.01 * seed - 0.05 * (bits - 8)]
        for seed in range(3)
        for name in VARIANTS
        for bits in (8, 10)
    }
    found = alone.alone_evidence({"positions": positions(values)})
    assert found["smallest"] == pytest.approx([0.8, 0.79, 0.78])
    assert found["second"] == pytest.approx([0.7, 0.69, 0.68])
    assert found["third"] == []
    assert found["as-easy"] == pytest.approx([0.1, 0.1, 0.1])


def test_the_exponent_and_the_factor_of_a_square_root():
    needed = pl.DataFrame(
        {
            "seed": seed,
            "variant": name,
            "state_bits": bits,
            "threshold": 0.9,
            "numbers": 2 * 2 ** (bits // 2) if bits < 12 or seed else None,
            "shown": 256,
        }
        for seed in range(3)
        for name in ("a", "b")
        for bits in (8, 10, 12)
    )
    whole = needed.filter(pl.col("seed") > 0)
    assert context.exponents(whole) == pytest.approx([0.5, 0.5])
    assert context.factors(whole) == pytest.approx([2.0, 2.0])
    assert isinstance(context.exponents(needed.filter(pl.col("state_bits") > 8)), Unknown)
    least = context.exponents(needed)
    assert isinstance(least, Bound)
    assert least.limits == pytest.approx([np.log2(257 / 32) / 4, 0.5, 0.5])
    bound = context.factors(needed)
    assert isinstance(bound, Bound)
    assert bound.limits == pytest.approx([257 / 64, 2.0, 2.0])


def test_a_staircase_jumps_at_powers_of_two_and_a_line_does_not():
    t = np.arange(1, 65)
    stairs = np.floor(np.log2(t)) / 6
    assert context.share_at_powers(stairs) == pytest.approx(4 / 6)  # at 4, 8, 16 and 32; 64 has nothing after it
    assert context.share_at_powers(t / 64.0) < 0.15


def test_numbers_over_the_posterior():
    needed = pl.DataFrame(
        {
            "run": f"{name} {seed}",
            "seed": seed,
            "variant": name,
            "predictor": predictor,
            "threshold": "90%",
            "numbers": numbers if seed or predictor == "bayes" else None,
            "shown": 64,
        }
        for seed in (0, 1)
        for name, factor in (("a", 1), ("b", 4))
        for predictor, numbers in ((alone.MODEL, 6 * factor), ("bayes", 6), ("copy", None))
    )
    found = alone.over_posterior({"needed": needed.filter(seed=1)}, "90%")
    assert found == pytest.approx([2.0])
    bound = alone.over_posterior({"needed": needed}, "90%")
    assert isinstance(bound, Bound)
    assert bound.limits == pytest.approx([65 / 6, 2.0])


def test_joint_models_and_tags():
    kinds = {joint.ALONE: 0.9, joint.JOINT: 0.8, joint.TAGGED: 0.85}
    rows = [
        {"run": f"{kind} {name} {seed}", "seed": seed, "kind": kind, "variant": name, "seen": seen, "value": value}
        for seed in range(3)
        for name in ("a", "b")
        for kind, accuracy in kinds.items()
        for seen in range(1, 5 - (kind == joint.TAGGED))
        for value in [accuracy - 0.1 * (name == "b") if seen > 1 else 0.5]
    ]
    found = joint.evidence({"positions": pl.DataFrame(rows)})
    assert found["learned"] == pytest.approx([0.7] * 3)
    assert found["costs-little"] == pytest.approx([0.1] * 3)
    # Over the positions that both have: 1, 2 and 3.
    assert found["tag"] == pytest.approx([(0.5 + 0.8 + 0.8) / 3 - (0.5 + 0.75 + 0.75) / 3] * 3)


def test_probes_by_block():
    rows = [
        {"seed": seed, "block": block, "seen": seen, "accuracy": 0.2 * block + 0.01 * seen}
        for seed in range(2)
        for block in range(4)
        for seen in (1, 2, 4, 8)
    ]
    found = joint.probe_evidence({"probes": pl.DataFrame(rows)})
    assert found == {
        "known": pytest.approx([0.68] * 2),
        "deep": pytest.approx([0.4] * 2),
        "soon": pytest.approx([0.64] * 2),
    }


def test_what_words_count_and_which_are_rotations():
    counts = inside.word_counts(4)
    assert [counts[name][0b0101] for name in ("zeros", "runs", "parity")] == [2, 2, 0]
    assert [counts[name][0b0111] for name in ("zeros", "runs", "parity")] == [1, 1, 1]
    assert [counts[name][0] for name in ("zeros", "runs", "parity")] == [4, 1, 0]
    assert [counts[name][0b1111] for name in ("zeros", "runs", "parity")] == [0, 0, 0]
    classes = inside.rotation_classes(4)
    assert len(set(classes)) == 6
    assert classes[0b0001] == classes[0b0100] != classes[0b0011]
    assert len(set(inside.rotation_classes(6))) == 14


def test_an_embedding_of_zero_bits():
    rows = [
        {
            "run": f"{name} {seed}",
            "seed": seed,
            "variant": name,
            "component": component,
            "explained": 0.5 / component,
            "zeros": 0.9 if component == 2 else 0.1,
            "runs": 0.2 * component,
            "parity": 0.3,
            "rotations": 0.8,
            "random": 0.3 if name == CONTROL else 0.2,
        }
        for seed in range(3)
        for name in (CONTROL, "rr")
        for component in (1, 2, 3, 4)
    ]
    found = inside.embedding_evidence({"components": pl.DataFrame(rows)})
    assert found["zeros"] == pytest.approx([0.9] * 3)
    assert found["runs"] == pytest.approx([0.8] * 3)
    assert found["rotations"] == pytest.approx([0.6] * 3)
    assert found["control"] == pytest.approx([0.5] * 3)


def test_where_a_head_looks():
    pattern = np.zeros((2, 1, 8, 8))
    for query in range(8):
        pattern[:, 0, query, max(0, query - 3)] = 1  # a look-back of four numbers
    weights = inside.weight_by_lookback(pattern)
    assert weights.shape == (1, 8)
    assert weights[0].tolist() == [0, 0, 0, 1, 0, 0, 0, 0]


def test_cuts_and_lines():
    attention = pl.DataFrame(
        {"run": name, "seed": 0, "variant": name, "layer": 0, "head": head, "weight": weight, "multiple": multiple}
        for name in (CONTROL, "rr")
        for head, share in ((0, 0.2), (1, 0.9 if name == CONTROL else 0.6))
        for weight, multiple in ((share, True), (1 - share, False))
    )
    cuts = pl.DataFrame(
        {"run": name, "seed": 0, "variant": name, "cut": cut, "accuracy": accuracy}
        for name in (CONTROL, "rr")
        for cut, accuracy in ((inside.NOTHING, 1.0), (inside.LINES, 0.1), (inside.OTHERS, 0.8))
    )
    found = inside.lookback_evidence({"attention": attention, "cuts": cuts})
    assert {key: values[0] for key, values in found.items()} == {
        "lines": pytest.approx(0.6),
        "needed": pytest.approx(0.7),
        "as-lcg": pytest.approx(0.3),
    }


def test_few_parameters_against_all():
    rows = [
        {"seed": 0, "state_bits": bits, "count": count, "all": count is None, "accuracy": accuracy}
        for bits in (8, 10)
        for count, accuracy in ((2, 0.1), (16, 0.72 if bits == 8 else 0.8), (None, 0.8))
    ]
    found = few_parameters.evidence({"few": pl.DataFrame(rows)})
    assert found == {"few-suffice": [pytest.approx(0.95)], "two-do-not": [pytest.approx(0.125)]}


def test_the_dial():
    rows = [
        {"seed": 0, "rounds": number, "accuracy": accuracy, "copying": copied, "chance": 0.0625}
        for number, accuracy, copied in ((1, 1.0, 1.0), (2, 0.95, 0.9), (3, 0.8, 0.4), (5, 0.07, 0.06), (6, 0.06, 0.06))
    ]
    found = rounds.evidence({"rounds": pl.DataFrame(rows)})
    assert {key: values[0] for key, values in found.items()} == {
        "few": 1.0,
        "beyond-copying": pytest.approx(0.4),
        "control": pytest.approx(0.0075),
    }


def test_transfer_by_pair():
    first, second, third = (*PermutedLCG.rotating[:2], CONTROL)
    steps = {second: 100, third: 400}
    rows = [
        {"seed": seed, "variant": to, "first": since, "steps": count, "flops": cost, "censored": False}
        for seed in range(3)
        for to in steps
        for since, count, cost in ((transfer.NOTHING, 400, 400), (first, steps[to], 800))
    ]
    found = transfer.evidence({"costs": pl.DataFrame(rows)})
    assert found["usually-saves"] == pytest.approx([2.0] * 3)
    assert found["saves"] == pytest.approx([2.0] * 3)  # the geometric mean of 4 and 1
    assert found["never-harms"] == pytest.approx([1.0] * 3)
    assert found["rotations"] == pytest.approx([4.0] * 3)
    assert found["pays"] == pytest.approx([0.5] * 3)


@pytest.mark.parametrize(
    ("which", "at_least"),
    [(lambda first: first == transfer.NOTHING, True), (lambda first: first != transfer.NOTHING, False)],
)
def test_transfer_where_runs_never_reached_the_target(which, at_least):
    first = PermutedLCG.rotating[0]
    rows = [
        {"seed": 0, "variant": CONTROL, "first": since, "steps": 100, "flops": 100, "censored": which(since)}
        for since in (transfer.NOTHING, first)
    ]
    found = transfer.evidence({"costs": pl.DataFrame(rows)})["saves"]
    assert isinstance(found, Bound)
    assert found.at_least is at_least
    rows = [{**row, "censored": True} for row in rows]
    assert isinstance(transfer.evidence({"costs": pl.DataFrame(rows)})["saves"], Unknown)


def test_transfer_starts_from_every_other_variant():
    planned = transfer.runs("laptop", 1)
    assert len(planned) == len(VARIANTS) ** 2
    for spec in planned:
        parents = [each.config.data.variants for each in spec.ancestors()]
        assert parents == ([] if spec.labels["first"] == transfer.NOTHING else [(spec.labels["first"],)])
        assert spec.config.data.variants == (spec.labels["variant"],)


@pytest.mark.parametrize("scale", ["laptop", "overnight"])
def test_a_curriculum_costs_what_the_plain_run_does(scale):
    planned = curriculum.runs(scale, 1)
    plain = {spec.labels["state_bits"]: spec.flops for spec in planned if spec.labels["curriculum"] == curriculum.PLAIN}
    for spec in planned:
        total = spec.flops + sum(each.flops for each in spec.ancestors())
        assert total == pytest.approx(plain[spec.labels["state_bits"]], rel=1e-3)


def test_every_variant_at_every_size_with_the_recipes_runs_among_them():
    from unrandom.runs.recipes import recipe

    planned = alone_runs("laptop", 3)
    assert len(planned) == 3 * 3 * len(VARIANTS)
    for name in ("pcg-8", "pcg-10"):
        assert recipe(name).build() in [spec.config for spec in planned]
