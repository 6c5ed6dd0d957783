"""Streams are functions of their names, the same on every machine and in every version."""

import numpy as np

from unrandom.core.seeds import stream, torch_seed

GOLDEN = [75519036, 3691796241, 1913174431, 1437434508]
GOLDEN_TORCH = 3_953_688_860_265_627_247


def test_a_stream_is_what_it_has_always_been():
    assert stream(0, "batches", 7).integers(0, 2**32, size=4).tolist() == GOLDEN
    assert torch_seed(0, "init") == GOLDEN_TORCH


def test_streams_of_different_names_or_seeds_are_unrelated():
    draws = [stream(seed, *name).random(1000) for seed in (0, 1) for name in (("a",), ("a", 1), ("b",))]
    correlations = np.corrcoef(draws) - np.eye(len(draws))
    assert np.abs(correlations).max() < 0.15


def test_torch_seeds_fit_a_signed_word():
    assert all(0 <= torch_seed(seed, "x") < 2**63 for seed in range(100))
