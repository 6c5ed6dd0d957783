"""The verdicts of the experiments on the order of look-back are right for tables whose answer is known."""

from dataclasses import replace

import numpy as np
import pytest

from frames import frames
from unrandom.core.errors import UserError
from unrandom.experiments.baselines import order, order_pressure
from unrandom.experiments.claims import Bound
from unrandom.experiments.registry import EXPERIMENTS
from unrandom.experiments.scaling import hard_multipliers
from unrandom.predictors import LookbackPredictor
from unrandom.runs.spec import RunSpec
from verdicts import verdicts_of

SEEDS = (0, 1, 2)


def models_of_order(used, moduli=(2**8, 2**10, 2**12), seeds=SEEDS):
    """Tables of models that know the bits of order ``used``, and attend to the lines of order 2, for every v."""
    tables = {"bits": [], "needed": [], "attention": [], "cut": [], "trained": []}
    for m in moduli:
        lookback = LookbackPredictor(m, order=used)
        for seed in seeds:
            key_columns = {"run": f"{m}-{seed}", "modulus": m, "seed": seed}
            tables["needed"].append({**key_columns, "needed": lookback.numbers_needed(), "longest": 95})
            tables["trained"].append({**key_columns, "accuracy": 1.0})
            for seen in range(1, 96):
                bits = float(lookback.digits_known(seen - 1).sum())
                tables["bits"] += [
                    {**key_columns, "group": g, "seen": seen, "bits": bits} for g in ("all", "v = 2", "v ≥ 4")
                ]
            for head, multiple in ((0, 2), (1, 4)):
                for other in order.MULTIPLES:
                    share = 0.8 if other == multiple else 0.02
                    tables["attention"].append(
                        {**key_columns, "layer": 0, "head": head, "multiple": other, "share": share}
                    )
            left = {"nothing": 1.0, "1": 0.99, "2": 0.02, "3": 1.0, "4": 0.1, "another": 1.0}
            tables["cut"] += [{**key_columns, "cut": cut, "accuracy": accuracy} for cut, accuracy in left.items()]
    return tables


def test_models_of_order_two_reproduce_the_claims():
    verdicts = verdicts_of("fm-order", models_of_order(2))
    assert verdicts.pop("valuation") == "not reproduced"  # the same bits for every v
    assert verdicts.pop("fewer") == verdicts.pop("order") == "not judged"  # there is no larger modulus
    assert set(verdicts.values()) == {"reproduced"}


@pytest.mark.parametrize(("used", "fewer", "found"), [(2, "not reproduced", [2, 2, 2]), (4, "reproduced", [4, 4, 4])])
def test_the_order_of_larger_moduli_is_told_from_the_numbers_that_they_need(used, fewer, found):
    small, large = models_of_order(2), models_of_order(used, moduli=(2**14, 2**16))
    tables = {name: small[name] + large[name] for name in small}
    verdicts = verdicts_of("fm-order", tables)
    assert (verdicts["fewer"], verdicts["no-fewer"]) == (fewer, "reproduced")
    assert EXPERIMENTS["fm-order"].evidence(frames(tables))["order"] == found


def test_models_of_order_three_need_fewer_numbers():
    verdicts = verdicts_of("fm-order", models_of_order(3))
    assert verdicts["no-fewer"] == "not reproduced"
    assert verdicts["stairs"] == "not reproduced"


def test_one_more_bit_than_order_two_is_detected():
    tables = models_of_order(2)
    for row in tables["bits"]:
        row["bits"] = min(row["bits"] + 1, np.log2(row["modulus"]))
    assert verdicts_of("fm-order", tables)["stairs"] == "not reproduced"


def test_the_context_needed_of_a_censored_run_gives_a_bound():
    tables = models_of_order(2)
    tables["needed"][0]["needed"] = None
    found = EXPERIMENTS["fm-order"].evidence(frames(tables))["no-fewer"]
    assert isinstance(found, Bound)
    assert found.at_least


def test_fm_order_refuses_moduli_other_than_powers_of_two(finished_run):
    other = finished_run.config.override(["data.modulus=60"])
    with pytest.raises(UserError, match="fm-order reads models of powers of two from 16 on"):
        order.measure([replace(finished_run, spec=RunSpec("other", other))], "smoke")


def test_a_modulus_with_one_seed_is_not_judged():
    tables, odd = models_of_order(2), models_of_order(4, moduli=(2**14,), seeds=(0,))
    both = {name: tables[name] + odd[name] for name in tables}
    assert verdicts_of("fm-order", both) == verdicts_of("fm-order", tables)


def test_the_paper_s_model_of_2_32_has_order_five_by_its_context():
    assert [order.least_order(2**32, seen) for seen in (95, 96, 159, 160, 192, 512)] == [7, 6, 6, 5, 5, 4]


def test_more_bits_where_p_divides_a_minus_one_more_often():
    tables = models_of_order(2)
    for row in tables["bits"]:
        if row["group"] == "v ≥ 4":
            row["bits"] = min(row["bits"] + 2, np.log2(row["modulus"]))
    assert verdicts_of("fm-order", tables)["valuation"] == "reproduced"


def variant_tables(bits, ratio):
    """Tables of the laptop's grid points: extra bits where contexts end early, ratio of context needed elsewhere."""
    rows = []
    for variant in order_pressure.variants("laptop"):
        m, longest = variant.size.modulus, variant.size.context
        known = {"of_order_2": int(LookbackPredictor(m).digits_known(longest - 1).sum())}
        for seed in SEEDS:
            key_columns = {"run": f"{variant.name}-{m}-{seed}", "modulus": m, "seed": seed, "cell": variant.name}
            needed = None if variant.ends_early else int(ratio * LookbackPredictor(m).numbers_needed())
            early = {"ends_early": variant.ends_early, "bits": known["of_order_2"] + bits.get(variant.name, 0)}
            parent = 1.0 if variant.size.start is not None else None
            more = {"longest": longest, "last": 1.0, "needed": needed, "parent": parent}
            rows.append({**key_columns, **known, **early, **more})
    return {"cells": rows}


def test_the_first_grid_point_is_the_plain_one():
    assert order_pressure.runs("laptop", 1)[0].labels["cell"] == order_pressure.PLAIN


def test_contexts_that_end_early_are_too_short_for_order_two_but_not_for_order_three():
    for scale in ("laptop", "overnight", "paper"):
        for variant in order_pressure.variants(scale):
            if variant.ends_early:
                needed = {j: LookbackPredictor(variant.size.modulus, order=j).numbers_needed() for j in (2, 3)}
                assert needed[3] <= variant.size.context < needed[2]
                start = variant.size.start
                if start is not None:
                    assert LookbackPredictor(start.modulus).numbers_needed() <= start.context


def test_bits_beyond_order_two_are_counted():
    verdicts = verdicts_of("fm-order-pressure", variant_tables({order_pressure.SCRATCH: 2, order_pressure.DEEP: 0}, 1))
    assert verdicts == {
        "shape": "reproduced",
        "from-scratch": "reproduced",
        "four-layers": "not reproduced",
        "from-order-2": "not reproduced",
    }
    assert verdicts_of("fm-order-pressure", variant_tables({}, 0.75))["shape"] == "not reproduced"


def test_short_contexts_are_not_judged_if_the_plain_model_did_not_learn():
    tables = variant_tables({}, 1)
    for row in tables["cells"]:
        row |= {"last": 0.5, "parent": None if row["parent"] is None else 0.5}
    verdicts = verdicts_of("fm-order-pressure", tables)
    assert set(verdicts.values()) == {"not judged"}


@pytest.mark.parametrize(
    ("accuracy", "wanted"),
    [
        (lambda bits, merit: 0.1 * bits, {"divisible": "reproduced", "merit": "not reproduced"}),
        (lambda bits, merit: -0.5 * merit, {"divisible": "not reproduced", "merit": "reproduced"}),
    ],
)
def test_the_effects_of_divisibility_and_merit_are_separated(accuracy, wanted):
    """Merit falls with the bits of gcd(m, a − 1), as it does for real multipliers; one of them decides."""
    rng = np.random.default_rng(0)
    rows = []
    for regime, moduli in ((hard_multipliers.FIXED, (256, 1024)), (hard_multipliers.UNSEEN, (96, 108))):
        for m in moduli:
            for seed in SEEDS:
                for _ in range(400):
                    bits = float(rng.geometric(0.5))
                    merit = float(0.6 - 0.05 * bits + 0.1 * rng.normal())
                    value = accuracy(bits, merit) + 0.001 * rng.normal()
                    key_columns = {"run": f"{m}-{seed}", "modulus": m, "seed": seed, "regime": regime, "last": 1.0}
                    rows.append({**key_columns, "bits": bits, "merit": merit, "accuracy": value})
    verdicts = verdicts_of("hard-multipliers", {"multipliers": rows})
    assert verdicts == {f"{part}-{key}": verdict for part in ("fixed", "unseen") for key, verdict in wanted.items()}
