"""SplitMix64 agrees with its authors' definition."""

import numpy as np
import pytest

from orbits import orbits
from plainly import splitmix64, take
from unrandom.auditing.generators.splitmix import GOLDEN, SplitMix64, mixed, unmixed


@pytest.mark.parametrize("distance", [GOLDEN, 1, 0xD1342543DE82EF95])
def test_counters(distance):
    generator = SplitMix64(distance)
    seeds = np.random.default_rng(1).integers(0, 2**64, 10, dtype=np.uint64)
    made = orbits(generator, generator.step(seeds), 20)
    assert made.tolist() == [take(splitmix64(seed, distance), 20) for seed in seeds.tolist()]
    assert generator.back(generator.step(seeds)).tolist() == seeds.tolist()
    assert [generator.back(generator.step(seed)) for seed in seeds.tolist()] == seeds.tolist()
    assert unmixed(mixed(seeds)).tolist() == seeds.tolist()
    assert [unmixed(mixed(seed)) for seed in seeds.tolist()] == seeds.tolist()


def test_the_first_number_of_seed_0():
    generator = SplitMix64()
    assert generator.output(generator.step(0)) == 0xE220A8397B1DCDAF
