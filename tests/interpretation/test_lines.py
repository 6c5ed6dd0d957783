"""Attention is counted by look-back, and one look-back can be cut."""

import numpy as np
import pytest
import torch

from unrandom.interpretation import attention_by_lookback, without_lookbacks


def looking_back(distance, digits, numbers):
    """A pattern [1, 1, queries, keys]; queries put all weight on the number ``distance`` back, or on themselves."""
    tokens = numbers * digits - 1
    pattern = np.zeros((1, 1, tokens, tokens), dtype=np.float32)
    for query in range(tokens):
        n = (query + 1) // digits
        pattern[0, 0, query, (n - distance) * digits if n >= distance else query] = 1
    return pattern


@pytest.mark.parametrize("digits", [1, 2, 3])
def test_a_look_back_is_counted_as_what_it_is(digits):
    found = attention_by_lookback(looking_back(3, digits, numbers=9), digits)
    assert found.shape == (1, 8, 9)
    assert (found[0, 2:, 3] == 1).all()
    assert np.allclose(found.sum(axis=-1), 1)


def test_the_tokens_of_a_number_count_together():
    pattern = np.zeros((2, 1, 5, 5), dtype=np.float32)
    pattern[0, 0, 3, :4] = (0.1, 0.2, 0.3, 0.4)
    pattern[1, 0, 3, :4] = (0.1, 0.2, 0.3, 0.4)
    pattern[:, 0, 4, 4] = 1
    found = attention_by_lookback(pattern, digits=2)
    assert found.shape == (1, 2, 3)
    assert np.allclose(found[0, 1], [0.5, 0.35, 0.15])  # number 2 from the queries 3 and 4


@pytest.mark.parametrize("digits", [1, 2])
def test_a_look_back_that_is_cut_has_no_weight_and_the_others_share_it(digits):
    tokens = 6 * digits - 1
    pattern = torch.rand(2, 3, tokens, tokens).tril()
    pattern /= pattern.sum(-1, keepdim=True)
    cut = without_lookbacks({4: 2}, digits)(pattern)
    queries = slice(4 * digits - 1, 5 * digits - 1)
    assert (cut[..., queries, 2 * digits : 3 * digits] == 0).all()
    assert torch.allclose(cut.sum(-1), torch.ones(tokens))
    others = [query for query in range(tokens) if not queries.start <= query < queries.stop]
    assert torch.allclose(cut[..., others, :], pattern[..., others, :])
    for numbers in ({3: 0}, {3: 4}):
        with pytest.raises(ValueError, match="can look back from 1 to n numbers"):
            without_lookbacks(numbers, digits)
