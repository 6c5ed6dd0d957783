"""Sequences in chunks are sequences; slices have names."""

import numpy as np
import pytest

from unrandom.core.seeds import stream
from unrandom.tasks import Examples, Grouping, LCGParameters, sequence_tokens
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
