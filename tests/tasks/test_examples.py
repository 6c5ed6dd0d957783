"""Sequences in chunks are sequences; slices have names."""

import numpy as np
import pytest

from unrandom.core.seeds import stream
from unrandom.generators.residues import digits_of, to_digits
from unrandom.tasks import (
    Examples,
    FixedModulus,
    Grouping,
    LCGParameters,
    Quadratic,
    Task,
    TruncatedLCG,
    UnseenModulus,
    sequence_tokens,
)
from unrandom.tokenization import Tokenizer


def test_tokens_made_in_chunks_are_the_tokens_of_the_numbers():
    rng = stream(0, "test")
    a, c, x0 = (rng.integers(0, 1000, size=2500, dtype=np.uint64) for _ in range(3))
    parameters, tokenizer = LCGParameters(1000, a, c, x0), Tokenizer(10, 3)
    tokens = sequence_tokens(parameters, 7, tokenizer)
    assert (tokenizer.decode(tokens) == Examples.of(parameters, 7).numbers).all()


@pytest.mark.parametrize(
    ("period", "group"), [(1, "1"), (2, "2"), (3, "3-4"), (4, "3-4"), (5, "5-8"), (64, "33-64"), (65, "65-128")]
)
def test_period_groups_double(period, group):
    grouping = Grouping.by_doubling("period", "", np.array([period], dtype=np.uint64))
    assert grouping.names == (group,)


def test_groups_come_in_the_order_of_their_values():
    grouping = Grouping.by_value("v", "", np.array([2.0, np.inf, 0.0, 2.0]))
    assert grouping.names == ("0", "2", "∞")
    assert [(name, rows.tolist()) for name, rows in grouping.rows()] == [
        ("0", [False, False, True, False]),
        ("2", [True, False, False, True]),
        ("∞", [False, True, False, False]),
    ]


@pytest.mark.parametrize(
    ("task", "known"),
    [
        (FixedModulus(modulus=144, n_test_a=8, n_test_c=8), True),
        (UnseenModulus(max_modulus=256, min_modulus=100, test_moduli=(144,), n_test_a=8, n_test_c=8), True),
        (FixedModulus(modulus=31, n_test_a=4, n_test_c=4, test_multipliers="primitive-root"), False),  # by primitive roots: no digit of 31 has its period
        (Quadratic(modulus=144, n_test_a=2, n_test_c=8), True),
        (TruncatedLCG(modulus=256, low=0, bits=4), True),
        (TruncatedLCG(modulus=256, low=3, bits=4), True),
        (TruncatedLCG(modulus=144, low=1, bits=5, n_test_a=4), None),  # known for bits 1 to 3 alone
    ],
    ids=str,
)
def test_a_digit_repeats_after_its_period_and_no_earlier(task: Task, known: bool | None):
    tested = task.split(0).test_of_largest(64, name="test").parameters
    numbers, digits = tested.numbers(400), digits_of(tested.basis)
    found = to_digits(numbers, tested.basis)
    periods = [tested.digit_period(digit.prime, digit.power) for digit in digits]
    assert known is None or all((period is not None) == known for period in periods)
    assert known is not None or periods == [4, 8, 16, None, None]
    for i, (digit, period) in enumerate(zip(digits, periods, strict=True)):
        if period is not None:
            assert (found[:, period:, i] == found[:, :-period, i]).all()
            assert (found[:, period // digit.prime :, i] != found[:, : -(period // digit.prime), i]).any(axis=1).all()
