"""A batch is a function of (seed, step, rank): not of what was asked before, nor of how many ranks there are."""

import numpy as np
import pytest

from unrandom.tasks import FixedBatches, StreamingBatches, make_batches


@pytest.fixture(params=["fm", "um"])
def data(request, fm_data, um_data):
    return {"fm": fm_data, "um": um_data}[request.param]


@pytest.mark.parametrize("mode", ["fixed", "streaming"])
def test_asking_in_another_order_changes_nothing(data, mode):
    split = data.replace(mode=mode, n_sequences=50).split(0)
    there, back = make_batches(split, 16), make_batches(split, 16)
    forward = [there.tokens(step) for step in range(7)]
    backward = [back.tokens(step) for step in reversed(range(7))]
    for left, right in zip(forward, reversed(backward), strict=True):
        assert (left == right).all()


@pytest.mark.parametrize("mode", ["fixed", "streaming"])
@pytest.mark.parametrize("ranks", [2, 4])
def test_the_ranks_together_see_the_batch_of_one_rank(data, mode, ranks):
    batches = make_batches(data.replace(mode=mode, n_sequences=50).split(0), 16)
    together = np.empty_like(batches.tokens(3))
    for rank in range(ranks):
        together[rank::ranks] = batches.tokens(3, rank, ranks)
    assert (together == batches.tokens(3)).all()


def test_another_seed_gives_other_batches(data):
    first, second = (make_batches(data.split(seed), 16).tokens(0) for seed in (0, 1))
    assert (first != second).any()


def test_a_fixed_set_is_seen_once_an_epoch_and_in_another_order_the_next(fm_data):
    batches = FixedBatches(fm_data.replace(mode="fixed", n_sequences=40).split(0), 16)
    rows = np.concatenate([batches.rows(step) for step in range(5)])  # two epochs; the third batch straddles both
    assert sorted(rows[:40]) == sorted(rows[40:]) == list(range(40))
    assert (rows[:40] != rows[40:]).any()


def test_fixed_sets_are_held_in_the_narrowest_integers(fm_data):
    fixed = fm_data.replace(mode="fixed", n_sequences=40)
    assert FixedBatches(fixed.split(0), 8).set_tokens.dtype == np.uint8
    wide = fixed.replace(modulus=4096)
    assert FixedBatches(wide.split(0), 8).set_tokens.dtype == np.uint16


def test_tokens_are_the_sequences(fm_data):
    split = fm_data.split(0)
    tokens = StreamingBatches(split, 16).tokens(0).astype(np.int64)
    x0, x1, x2, x3 = tokens[:, :4].T
    # three numbers decide a sequence: (x2 - x1)^2 = (x1 - x0)(x3 - x2) modulo m, whatever a and c are
    assert ((x2 - x1) ** 2 % 64 == (x1 - x0) * (x3 - x2) % 64).all()
    assert tokens.shape == (16, fm_data.context + 1)
