"""The multipliers that a look-back of one distance predicts are counted right."""

import numpy as np
import pytest

from unrandom.generators.full_period import full_period_multipliers, lookback, lookback_counts
from unrandom.generators.stride import best_stride, share_predicted


@pytest.mark.parametrize("m", [50, 54, 64, 98, 144])
def test_the_share_of_multipliers_is_counted_right(m):
    looks = [lookback(m, a) for a in full_period_multipliers(m)[1:]]
    assert sum(lookback_counts(m).values()) == len(looks) + 1
    for stride in range(1, 20):
        assert share_predicted((m,), stride) == pytest.approx(np.mean([stride**2 % r == 0 for r in looks]))


def test_the_best_stride_of_a_task_fits_most_multipliers_of_its_moduli():
    assert best_stride((96, 108, 144), 64) == 12
    assert share_predicted((96, 108, 144), 12) == 1
    assert share_predicted((101,), 12) == 0  # a prime has no multiplier but 1
    assert best_stride((101,), 1) == 1
    for moduli in ((50, 54, 64, 98), (48, 72, 80)):
        shares = [share_predicted(moduli, stride) for stride in range(1, 25)]
        assert shares[best_stride(moduli, 48) - 1] == max(shares)
