"""Encoding and decoding are exact inverses, least significant digit first."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unrandom.core.arithmetic import digits_needed
from unrandom.core.errors import UserError
from unrandom.tokenization import Tokenizer


def test_the_example_of_the_paper():
    assert Tokenizer(256, 4).encode(np.array([3_214_748_365], dtype=np.uint64)).tolist() == [205, 42, 157, 191]


@given(base=st.integers(2, 70_000), numbers=st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=5))
def test_decoding_inverts_encoding(base, numbers):
    x = np.array([numbers], dtype=np.uint64)
    tokenizer = Tokenizer(base, digits_needed(max(numbers), base))
    tokens = tokenizer.encode(x)
    assert tokens.shape == (1, len(numbers) * tokenizer.width)
    assert tokens.max() < base
    assert (tokenizer.decode(tokens) == x).all()


@given(numbers=st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=5), width=st.integers(1, 8))
def test_the_bytes_of_a_number_are_its_digits_in_base_256(numbers, width):
    x = np.array(numbers, dtype=np.uint64) & np.uint64(256**width - 1)
    long_way = [int(value) // 256**digit % 256 for value in x for digit in range(width)]
    assert Tokenizer(256, width).encode(x).tolist() == long_way


def test_a_single_token_is_the_number_in_the_narrowest_type():
    x = np.arange(256, dtype=np.uint64)
    assert Tokenizer(256).encode(x).dtype == np.uint8
    assert Tokenizer(257).encode(x).dtype == np.uint16
    assert (Tokenizer(256).encode(x) == x).all()


def test_the_error_names_a_number_that_is_too_large():
    with pytest.raises(UserError, match="the number 256 does not fit; numbers below 256"):
        Tokenizer(16, 2).encode(np.array([256], dtype=np.uint64))


@pytest.mark.parametrize(("base", "width"), [(1, 1), (0, 1), (2**31 + 1, 1), (10, 0), (10, 65)])
def test_bases_and_widths_have_a_range(base, width):
    with pytest.raises(UserError):
        Tokenizer(base, width)
