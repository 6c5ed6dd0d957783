"""Sequences in chunks are sequences; slices have names."""

import numpy as np
import pytest

from unrandom.core.seeds import stream
from unrandom.generators.residues import digits_of, to_digits
from unrandom.tasks import Examples, FixedModulus, Grouping, LCGParameters, Task, UnseenModulus, sequence_tokens
from unrandom.tasks.quadratic import Quadratic
from unrandom.tasks.truncated_lcg import TruncatedLCG
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


OF_144 = [2, 4, 8, 16, 3, 9]


@pytest.mark.parametrize(
    ("task", "periods"),
    [
        (FixedModulus(modulus=144, n_test_a=8, n_test_c=8), OF_144),
        (UnseenModulus(max_modulus=256, min_modulus=100, test_moduli=(144,), n_test_a=8, n_test_c=8), OF_144),
        (FixedModulus(modulus=31, n_test_a=4, n_test_c=4, test_multipliers="primitive-root"), [None]),  # period 30
        (Quadratic(modulus=144, n_test_a=2, n_test_c=8), OF_144),
        (TruncatedLCG(modulus=256, low=0, bits=4), [2, 4, 8, 16]),
        (TruncatedLCG(modulus=256, low=3, bits=4), [16, 32, 64, 128]),
        (TruncatedLCG(modulus=144, low=1, bits=5, n_test_a=4), [4, 8, 16, None, None]),
    ],
)
def test_a_digit_repeats_after_its_period_and_no_earlier(task: Task, periods: list[int | None]):
    tested = task.split(0).test_of_largest(64, name="test").parameters
    digits, values = digits_of(tested.basis), to_digits(tested.numbers(400), tested.basis)
    assert [tested.digit_period(digit.prime, digit.power) for digit in digits] == periods
    for i, (digit, period) in enumerate(zip(digits, periods, strict=True)):
        if period is not None:
            earlier = period // digit.prime
            assert (values[:, period:, i] == values[:, :-period, i]).all()
            assert (values[:, earlier:, i] != values[:, :-earlier, i]).any(axis=1).all()
