"""The experiment on order by depth: its identities hold, and verdicts follow from tables of known answer."""

import numpy as np
import pytest

from unrandom.core.errors import UserError
from unrandom.experiments.baselines import order_depth as depth
from unrandom.experiments.baselines import order_depth_panels as panels
from unrandom.experiments.baselines.order_depth_circuit import Places
from unrandom.predictors import LookbackPredictor
from unrandom.predictors.modular import multiply
from unrandom.tasks import FixedModulus
from verdicts import verdicts_of

SEEDS = (0, 1, 2)


def sequences(m, numbers, count=200):
    """Numbers of full period, as int64, and v_2(a − 1) of each sequence."""
    split = FixedModulus(modulus=m, context=numbers - 1, n_test_a=8, n_test_c=8).split(0)
    examples = split.test(m, count)
    return examples.numbers, examples.parameters.labels["v_2(a - 1)"]


@pytest.mark.parametrize("exponent", [10, 12, 14])
def test_errors_and_differences_are_the_same_all_along_a_sequence(exponent):
    m = 2**exponent
    enough = LookbackPredictor(m).numbers_needed()
    places, (x, _) = Places(enough // 16), sequences(m, enough)
    signed = x.astype(np.int64)

    def error(n, s):
        return signed[:, n] - 2 * signed[:, n - s] + signed[:, n - 2 * s]

    for n in places.seen:
        assert ((error(n, enough // 4) - places.errors(x, m)) % m == 0).all()
        for q in range(enough // 4, enough // 2):
            assert ((4 * error(q, enough // 8) - places.errors(x, m)) % m == 0).all()


@pytest.mark.parametrize("exponent", [12, 14, 16])
def test_differences_are_equal_at_the_first_and_the_last_look_back(exponent):
    """With that of the middle block the highest bit is wrong if v = 2, and only then."""
    m = 2**exponent
    enough = LookbackPredictor(m).numbers_needed()
    x, v = sequences(m, enough)
    signed = x.astype(np.int64)
    first, middle, last = Places(enough // 16).blocks.items()
    for block, lookback in (first, middle, last):
        for n in block:
            q = n - lookback
            change = signed[:, n] - signed[:, n - enough // 2]
            wrong = (change - 4 * (signed[:, q - enough // 8] - signed[:, q - enough // 4])) % m
            exact = (block, lookback) != middle
            assert (wrong == (0 if exact else np.where(v == 2, m // 2, 0))).all()


def test_a_multiple_of_a_sequence_has_the_same_errors_and_other_differences():
    m = 2**14
    places, (x, _) = Places(8), sequences(m, 128)
    multiple = multiply(x, places.factors(12, len(x))[:, None], m)
    assert (places.errors(x, m) == places.errors(multiple, m)).all()
    moved = (places.differences(multiple, m) - places.differences(x, m)) % np.uint64(m)
    assert (moved % 2**12 == 0).all()
    assert (moved != 0).all()
    # It is a sequence of full period, with the same multiplier.
    a, c = (multiple[:, 2] - multiple[:, 1], multiple[:, 1] - multiple[:, 0])
    assert (c % 2 == 1).all()
    assert (
        multiply(c, (x[:, 2] - x[:, 1]) % np.uint64(m), m) == multiply(a, (x[:, 1] - x[:, 0]) % np.uint64(m), m)
    ).all()


def test_controls_look_back_elsewhere_and_every_look_back_exists():
    places = Places(8)
    for name, cut in places.cuts().items():
        for lookbacks in cut.lookbacks:
            for n, r in lookbacks.items():
                assert 1 <= r <= n
                assert (r in places.kin(n)) == (name in (panels.LOOKED_AT, panels.KIN))


def test_the_blocks_are_all_numbers_between_half_and_all_of_those_of_order_two():
    places = Places(8)
    assert [n for block in places.blocks for n in block] == list(range(64, 128))
    assert {(block[0], block[-1]): r for block, r in places.blocks.items()} == {
        (64, 71): 8,
        (72, 103): 40,
        (104, 127): 72,
    }


def test_runs_that_are_followed_are_beginnings_of_the_published_one():
    published, *others = depth.runs("laptop", 3)
    followed = [run for run in others if run.labels["kind"] == panels.FOLLOWED]
    own = ("steps", "schedule_steps", "keep_every", "checkpoint_every", "evaluate_every", "seed")
    for run in followed:
        config = run.config.to_json() | {name: published.config.to_json()[name] for name in own}
        assert config == published.config.to_json()
        assert run.config.schedule_steps == published.config.steps


def test_contexts_of_three_layers_are_too_short_for_order_two_but_not_by_depth():
    for size in depth.SIZES["laptop"].three_layers:
        needed = LookbackPredictor(size.modulus).numbers_needed()
        assert needed // 2 <= size.context < needed


@pytest.mark.parametrize(("m", "context"), [(2**8, 255), (2**14, 127), (60, 255)])
def test_a_modulus_without_these_places_is_refused(m, context):
    assert Places.of(2**14, 128) == Places(8)
    with pytest.raises(UserError, match="must be a multiple of 32 and fit into the context"):
        Places.of(m, context)


def estimate(value, **columns):
    return {**columns, "value": value, "low": value - 0.01, "high": value + 0.01, "units": 40, "interval": "bootstrap"}


def tables(*, differences, plateau=0.05, more_bits=0.0):
    """Tables of a model that reads differences, or errors; the other seeds and models as the arguments say."""
    cut, patch = [], []
    published = {"run": "published", "seed": 0, "kind": panels.PUBLISHED, "modulus": 2**14}
    for block in (panels.EXACT, panels.POOLED):
        for name in Places(8).cuts():
            lost = name in (panels.LOOKED_AT, panels.KIN, panels.FIRST_HALF)
            lost = lost or (name == panels.FIRST_QUARTER and not differences)
            shares = {"right": 0.25 if lost else 0.99, "low": 1.0, "high": 0.25 if lost else 0.99}
            shares["same"] = shares["right"]
            cut += [published | {"cut": name, "block": block, "what": w} | estimate(s) for w, s in shares.items()]
        for where in (panels.PATCHED, panels.OTHER_HEAD, panels.BESIDE):
            read = where == panels.PATCHED
            for other in (panels.ANOTHER, panels.MULTIPLE):
                shares = {
                    "error": float(read and not differences),
                    "difference": float(read and differences),
                    "changed": float(read and (differences or other == panels.ANOTHER)),
                }
                patched = published | {"patch": where, "other": other, "block": block}
                patch += [patched | {"what": w} | estimate(s) for w, s in shares.items()]
    steps = [
        {"run": f"followed-{seed}", "seed": seed, "step": step, "more": more, "chance": 0.25, "attention": attention}
        for seed in SEEDS
        for step, more, attention in ((100, 0.1, 0.0), (200, 0.26, plateau), (300, 0.9 if seed == 0 else 0.26, plateau))
    ]
    steps.append(steps[0] | {"step": 400, "more": 1.0, "attention": 0.9})  # after the plateau
    ends = []
    for m in (2**10, 2**12):
        longest = LookbackPredictor(m).numbers_needed() - 1
        certain = int(LookbackPredictor(m).digits_known(longest - 1).sum())
        for seed in SEEDS:
            run = {"run": f"three-{m}-{seed}", "seed": seed, "kind": panels.THREE, "modulus": m, "longest": longest}
            ends.append(run | {"of_order_2": certain, "bits": certain + more_bits})
    return {"cut": cut, "patch": patch, "steps": steps, "ends": ends, "trained": []}


def test_a_model_that_reads_differences():
    assert verdicts_of("fm-order-depth", tables(differences=True)) == {
        "cut": "reproduced",
        "low-bits": "reproduced",
        "controls": "reproduced",
        "no-extrapolation": "reproduced",
        "patch-error": "not reproduced",
        "patch-difference": "reproduced",
        "patch-control": "reproduced",
        "plateau": "reproduced",
        "three-layers": "not reproduced",
    }


def test_a_model_that_reads_errors():
    verdicts = verdicts_of("fm-order-depth", tables(differences=False))
    assert verdicts["patch-error"] == "reproduced"
    assert verdicts["patch-difference"] == "not reproduced"
    assert verdicts["no-extrapolation"] == "not reproduced"


def test_a_head_on_the_plateau_and_three_layers_that_know_more():
    verdicts = verdicts_of("fm-order-depth", tables(differences=True, plateau=0.8, more_bits=2.0))
    assert verdicts["plateau"] == "not reproduced"
    assert verdicts["three-layers"] == "reproduced"
