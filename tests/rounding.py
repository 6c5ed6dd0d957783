"""Two computations of the same values agree if they differ by rounding errors alone, on every processor."""

import numpy as np
import torch

from unrandom.models.numerics import TOLERANCE, difference

OPERATION = 1e-5
"""Allowed after one operation in fp32, as a share of the largest value; after a whole model, it is TOLERANCE."""


def assert_agree(found, expected, tolerance: float = TOLERANCE) -> None:
    """Assert that the largest difference of two tensors or arrays is at most this share of the largest magnitude."""
    share = difference(*(x if torch.is_tensor(x) else torch.tensor(np.asarray(x)) for x in (found, expected)))
    assert share <= tolerance, f"the values differ by {share:.1e} of the largest one; {tolerance:.0e} is allowed"
