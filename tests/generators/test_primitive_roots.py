"""With a primitive root as multiplier, every seed but one has period m − 1."""

import numpy as np
import pytest

from unrandom.core.errors import UserError
from unrandom.core.seeds import stream
from unrandom.generators.period import period
from unrandom.generators.primitive_roots import primitive_root_mask, sample_primitive_roots
from unrandom.tasks import FixedModulus


@pytest.mark.parametrize("m", [3, 5, 7, 31, 61])
def test_the_mask_is_what_brute_force_finds(m):
    a = np.arange(1, m, dtype=np.uint64)
    expected = [sorted(period(m, int(value), 1, x0) for x0 in range(m)) == [1] + [m - 1] * (m - 1) for value in a]
    assert primitive_root_mask(a, m).tolist() == expected


def test_samples_are_distinct_roots_and_too_many_are_refused():
    roots = sample_primitive_roots(stream(0, "roots"), 251, 100)
    assert len(set(roots.tolist())) == 100 == int(primitive_root_mask(np.arange(1, 251, dtype=np.uint64), 251).sum())
    with pytest.raises(UserError, match="251 has 100 primitive roots; 101 were requested"):
        sample_primitive_roots(stream(0, "roots"), 251, 101)
    with pytest.raises(UserError, match="prime modulus"):
        sample_primitive_roots(stream(0, "roots"), 256, 2)


def test_a_prime_modulus_is_tested_on_sequences_of_equal_period():
    config = FixedModulus(modulus=61, context=8, n_test_a=6, n_test_c=6, test_multipliers="primitive-root")
    split = config.split(0)
    assert set(split.test(61, 500).parameters.periods().tolist()) == {60}
    drawn = split.draws.draw(stream(0, "draws"), 2000)
    assert not np.isin(drawn.a, split.withheld.a).any()
    assert not np.isin(drawn.c, split.withheld.c).any()
