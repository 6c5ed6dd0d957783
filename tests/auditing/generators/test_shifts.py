"""Shifts and rotations of words are inverted, for integers and for arrays."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unrandom.auditing.generators.shifts import Shift, rotate, undo_xor_shift, undo_xor_shifts, xor_shifts


@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize("left", [True, False])
@given(data=st.data())
def test_a_shift_is_inverted(bits, left, data):
    x, by = data.draw(st.integers(0, 2**bits - 1)), data.draw(st.integers(1, bits - 1))
    shift = Shift(left, by)
    moved = (x << by) % 2**bits if left else x >> by
    assert xor_shifts(x, [shift], bits) == x ^ moved
    assert undo_xor_shift(x ^ moved, shift, bits) == x
    assert str(shift) == f"{'<<' if left else '>>'}{by}"
    turned = rotate(x, by, bits)
    assert f"{turned:0{bits}b}" == f"{x:0{bits}b}"[by:] + f"{x:0{bits}b}"[:by]


def test_arrays_are_shifted_elementwise_and_not_modified():
    x = np.random.default_rng(0).integers(0, 2**64, 20, dtype=np.uint64)
    shifts, kept = (Shift(True, 13), Shift(False, 7), Shift(True, 17)), x.tolist()
    shifted = xor_shifts(x, shifts, 64)
    assert shifted.tolist() == [xor_shifts(word, shifts, 64) for word in kept]
    assert rotate(x, 5, 64).tolist() == [rotate(word, 5, 64) for word in kept]
    assert undo_xor_shifts(shifted, shifts, 64).tolist() == x.tolist() == kept
