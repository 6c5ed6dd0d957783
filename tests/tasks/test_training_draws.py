"""Draws are uniform over what they may be, in the stated mix, within the stated periods."""

import numpy as np
import pytest
from scipy.stats import chisquare

from unrandom.core.errors import UserError
from unrandom.core.seeds import stream
from unrandom.generators.full_period import full_period_multipliers
from unrandom.tasks import FixedModulus, UnseenModulus, make_batches


def draw(config, rows=4000, seed=0):
    return config.split(seed).draws.draw(stream(seed, "draws"), rows)


@pytest.mark.parametrize("share", [0.0, 0.25, 0.5, 1.0])
def test_the_stated_share_of_a_batch_has_full_period_by_construction(share):
    rows = draw(FixedModulus(modulus=360, context=8, n_test_a=3, n_test_c=8, full_period_share=share), 400)
    full = rows.has_full_period()
    assert full[: round(400 * share)].all()
    assert share == 1.0 or full[round(400 * share) :].mean() < 0.1


def test_arbitrary_parameters_are_uniform_over_all_that_is_not_held_out():
    config = FixedModulus(modulus=30, context=8, n_test_a=1, n_test_c=2)
    split = config.split(0)
    rows = draw(config, 29_000)
    values, counts = np.unique(rows.a, return_counts=True)
    assert set(values) == set(range(1, 30)) - set(split.withheld.a.tolist())
    assert chisquare(counts).pvalue > 1e-3
    values, counts = np.unique(rows.c, return_counts=True)
    assert set(values) == set(range(30)) - set(split.withheld.c.tolist())
    assert chisquare(counts).pvalue > 1e-3
    assert chisquare(np.bincount(rows.x0.astype(int), minlength=30)).pvalue > 1e-3


def test_low_and_high_bits_of_train_and_test_multipliers_are_alike():
    config = FixedModulus(modulus=2**32, base=256, context=8, n_test_a=512, full_period_share=1.0, n_a=1024, n_c=64)
    split = config.split(0)
    train, test = draw(config).a, split.held_out[0].multipliers
    for bit in range(2, 32):  # bits 0 and 1 of a full-period multiplier are 1 and 0
        ones = [((values >> np.uint64(bit)) & np.uint64(1)).mean() for values in (train, test)]
        assert abs(ones[0] - ones[1]) < 0.12, f"bit {bit}"


@pytest.mark.parametrize(("low", "high"), [(1, 8), (9, None), (5, 20)])
@pytest.mark.parametrize("regime", ["fm", "um"])
def test_the_period_filter_keeps_what_is_asked_for(regime, low, high, fm_data, um_data):
    config = {"fm": fm_data, "um": um_data}[regime].replace(min_period=low, max_period=high)
    periods = draw(config, 500).periods()
    assert periods.min() >= low
    assert high is None or periods.max() <= high


def test_a_period_that_no_sequence_has_is_said_in_one_line(fm_data):
    with pytest.raises(UserError, match="found no training parameters"):
        draw(fm_data.replace(min_period=1000), 5)


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_moduli_are_drawn_evenly_however_many_of_their_parameters_are_held_out(share):
    config = UnseenModulus(test_moduli=(50, 64), context=16, n_test_a=6, n_test_c=6, full_period_share=share)
    _, counts = np.unique(draw(config, 20_000).m, return_counts=True)
    assert chisquare(counts).pvalue > 1e-3


def test_an_overlap_of_training_and_test_would_be_noticed():
    split = FixedModulus(modulus=64, context=8, n_test_a=4, n_test_c=4).split(0)
    with pytest.raises(RuntimeError, match="overlap"):
        split.check(split.test(64, 10).parameters)


def test_pools_hold_n_a_multipliers_and_n_c_increments():
    config = FixedModulus(modulus=512, context=8, n_test_a=16, n_test_c=16, n_a=10, n_c=7)
    rows = draw(config)
    assert len(np.unique(rows.a)) == 10
    assert len(np.unique(rows.c)) == 7


def test_the_product_takes_every_triple_once():
    config = UnseenModulus(test_moduli=(50, 64), context=16, n_m=5, n_a=6, n_c=4, n_sequences=None)
    rows = config.split(0).draws.product(stream(0, "product"))
    assert len(rows) == 5 * 6 * 4
    assert len(np.unique(np.stack([rows.m, rows.a, rows.c]), axis=1).T) == len(rows)


def test_scaling_pools_are_topped_up_where_full_period_multipliers_are_few():
    config = UnseenModulus(
        test_moduli=(64,), context=16, n_a=8, n_c=1, n_sequences=None, full_period_share=1.0, n_test_a=4, n_test_c=4
    )
    rows = config.split(0).draws.product(stream(0, "product"))
    assert {m: int((rows.m == m).sum()) for m in np.unique(rows.m)} == dict.fromkeys(np.unique(rows.m), 8)
    assert np.gcd(rows.c, rows.m).max() == 1


@pytest.mark.parametrize("hold_out", ["pairs", "values"])
def test_the_share_that_only_counts(um_data, hold_out):
    data = um_data.replace(full_period_share=0.5, counting_share=0.25, max_modulus=100, hold_out=hold_out)
    split = data.split(0)
    drawn = split.draws.draw(stream(0, "test"), 400)
    full = drawn[:200]
    assert full.has_full_period().all()
    assert (full.a != 1)[:150].all()
    assert (full.a == 1)[150:].all()
    # only moduli with other multipliers than 1 are drawn for them, and each as often as another
    others = {
        m for m in split.train_moduli if any(_may_train(split, m, a) for a in full_period_multipliers(m) if a > 1)
    }
    assert set(full.m[:150].tolist()) <= others
    many = split.draws.draw(stream(1, "test"), 40_000)
    counts = np.unique(many.m[:15_000], return_counts=True)[1]
    assert len(counts) == len(others)
    assert counts.min() > 0.7 * 15_000 / len(counts)
    split.check(many)


def _may_train(split, m: int, a: int) -> bool:
    """Whether some (a, c) of full period is left to train on."""
    c = np.array([c for c in range(m) if np.gcd(c, m) == 1], dtype=np.uint64)
    return not split.withheld.rows(np.full(len(c), a, dtype=np.uint64), c).all()


def test_a_modulus_that_only_counts_has_nothing_beyond(fm_data):
    data = fm_data.replace(modulus=67, full_period_share=0.5, counting_share=0.5, test_multipliers="primitive-root")
    with pytest.raises(UserError, match="no multiplier and increment for beyond counting rows is left to train on"):
        data.split(0).draw_training(stream(0, "draws"), 1)


@pytest.mark.parametrize("regime", ["fm", "um"])
def test_the_share_whose_multipliers_are_prime_to_the_modulus(regime, fm_data, um_data):
    data = {"fm": fm_data, "um": um_data}[regime]
    data = data.replace(full_period_share=0.25, coprime_share=0.5)
    drawn = draw(data, 800)
    common = np.gcd(drawn.a, np.broadcast_to(np.uint64(drawn.m) if isinstance(drawn.m, int) else drawn.m, 800))
    assert drawn.has_full_period()[:200].all()
    assert (common[200:500] == 1).all()
    assert (common[500:] > 1).any()
    assert len(np.unique(drawn.a[200:500])) > 10  # and not of full period alone


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"counting_share": 0.5}, "give full_period_share, too"),
        ({"balanced_share": 0.5}, "give full_period_share, too"),
        ({"balanced_share": 0.5, "full_period_share": 0.5, "n_a": 4}, "balanced_share needs n_a=none"),
    ],
)
def test_shares_that_pools_cannot_have_are_refused(um_data, changes, said):
    with pytest.raises(ValueError, match=said):
        um_data.replace(**changes)


def lookback(parameters):
    """After how many steps the differences of each sequence repeat, by trying."""
    a, m = parameters.a.astype(np.int64), np.broadcast_to(parameters.m, len(parameters)).astype(np.int64)
    found, power = np.zeros_like(a), np.ones_like(a)
    for step in range(1, m.max() + 1):
        power = power * a % m
        found[(found == 0) & (power == 1 % m)] = step
    return found


def test_balanced_rows_have_each_look_back_as_often():
    data = FixedModulus(
        modulus=2**10, base=16, context=8, mode="streaming", full_period_share=1.0, balanced_share=0.5, n_test_a=8
    )
    drawn = draw(data, 10_000)
    assert drawn.has_full_period().all()
    uniform, balanced = np.split(lookback(drawn), 2)
    assert (uniform == 256).mean() == pytest.approx(0.5, abs=0.03)
    values, counts = np.unique(balanced, return_counts=True)
    assert values.tolist() == [2**k for k in range(1, 9)]  # and never 1, which only counts
    assert chisquare(counts).pvalue > 1e-3
    hardest = np.unique(drawn.a[5000:][balanced == 256])
    assert len(hardest) > 80  # of the 128 that are 5 modulo 8, but for those that are held out


def test_balanced_rows_of_many_moduli_draw_each_look_back_as_often(um_data):
    changes = {"full_period_share": 1.0, "balanced_share": 1.0, "max_modulus": 300}
    drawn = draw(um_data.replace(**changes), 10_000)
    assert drawn.has_full_period().all()
    values, counts = np.unique(lookback(drawn), return_counts=True)
    assert {2, 3, 25, 32} < set(values.tolist())
    assert 1 not in values
    assert chisquare(counts).pvalue > 1e-3
    assert len(np.unique(drawn.m)) > 20


def test_a_modulus_without_a_multiplier_prime_to_it_is_left_out():
    """Modulus 6 has 1 and 5, and both are held out."""
    sizes = {"min_modulus": 6, "max_modulus": 20, "context": 12, "n_test_a": 4, "n_test_c": 2, "coprime_share": 1.0}
    data = UnseenModulus(test_moduli=(8, 7), mode="streaming", n_sequences=None, **sizes)
    split = data.split(0)
    assert {1, 5} <= set(split.withheld.a.tolist())
    drawn = split.draws.draw(stream(0, "test"), 600)
    assert set(drawn.m.tolist()) == set(split.train_moduli) - {6}
    assert (np.gcd(drawn.a, drawn.m) == 1).all()


def test_a_share_that_comes_to_no_row_is_refused(um_data):
    data = um_data.replace(full_period_share=0.5, counting_share=0.01)
    split = data.split(0)
    with pytest.raises(UserError, match=r"0\.005 of 16 rows should be counting ones, which is less than one row"):
        make_batches(split, 16)
    assert (make_batches(split, 400).probe(400).a == 1).sum() >= 2


@pytest.mark.parametrize("hold_out", ["pairs", "values"])
def test_pools_hold_multipliers_of_each_kind(um_data, hold_out):
    shares = {"full_period_share": 0.5, "counting_share": 0.25, "coprime_share": 0.5}
    data = um_data.replace(**{**shares, "n_a": 3, "n_c": 4, "max_modulus": 100, "hold_out": hold_out})
    split = data.split(0)
    drawn = split.draws.draw(stream(0, "test"), 20_000)
    split.check(drawn)
    beyond, counting, coprime, arbitrary = drawn[:7500], drawn[7500:10_000], drawn[10_000:15_000], drawn[15_000:]
    assert beyond.has_full_period().all()
    assert (beyond.a != 1).all()
    assert (counting.a == 1).all()
    assert (np.gcd(coprime.a, coprime.m) == 1).all()
    assert (np.gcd(arbitrary.a, arbitrary.m) != 1).any()
    for part in (beyond, coprime, arbitrary):
        pools = {m: set(part.a[part.m == m].tolist()) for m in np.unique(part.m).tolist()}
        assert max(map(len, pools.values())) == 3
    again = split.draws.draw(stream(1, "test"), 20_000)
    assert set(zip(again.m[:7500].tolist(), again.a[:7500].tolist(), strict=True)) == set(
        zip(beyond.m.tolist(), beyond.a.tolist(), strict=True)
    )
