"""The index of adaptivity is 0 for any fixed look-back, and the attention itself for one that is a multiple of r."""

import numpy as np
import pytest

from unrandom.interpretation import adaptivity
from unrandom.interpretation.adaptivity import attention_late, by_class

TOKENS, RS = 40, (5, 7, 8)


def pattern(lookback, weight=0.8, batch=4):
    """One head with ``weight`` at a look-back and the rest spread over all keys."""
    found = np.tril(np.ones((TOKENS, TOKENS)))
    found *= (1 - weight) / found.sum(axis=-1, keepdims=True)
    queries = np.arange(lookback - 1, TOKENS)
    found[queries, queries + 1 - lookback] += weight
    return np.broadcast_to(found, (batch, 1, TOKENS, TOKENS))


def joined(*heads):
    return [np.concatenate(heads, axis=1)]


def test_attention_is_counted_by_residue_class_of_the_look_back():
    assert by_class(attention_late(pattern(12, weight=1.0)), 5)[0] == pytest.approx([0, 0, 1, 0, 0])
    assert by_class(attention_late(pattern(12)), 5).sum() == pytest.approx(1)


def test_a_fixed_look_back_has_index_zero_and_an_adaptive_one_its_attention():
    fixed, adaptive = {r: pattern(12) for r in RS}, {r: pattern(2 * r) for r in RS}
    found = adaptivity({r: joined(fixed[r], adaptive[r]) for r in RS})
    assert (found.layer, found.head) == (0, 1)
    assert found.heads[0] == pytest.approx([0, found.index], abs=0.02)
    assert 0.6 < found.index < 0.85
    assert {r: place[0, 1] for r, place in found.places.items()} == dict.fromkeys(RS, 0)
    assert found.by_lookback.keys() == set(RS)


def test_places_may_be_at_another_class_than_zero_modulo_r():
    found = adaptivity({r: joined(pattern(2 * r + 3)) for r in RS})
    assert {r: place[0, 0] for r, place in found.places.items()} == dict.fromkeys(RS, 3)
    assert found.index > 0.6


def test_head_and_classes_are_chosen_on_other_sequences_than_those_they_are_judged_on():
    """Attention that is random from sequence to sequence: the best head of many has no index beyond noise."""
    rng = np.random.default_rng(0)

    def noise():
        found = np.tril(rng.exponential(size=(16, 8, TOKENS, TOKENS)) ** 4)
        return [found / found.sum(axis=-1, keepdims=True)]

    assert abs(adaptivity({r: noise() for r in RS}).index) < 0.03


def test_one_look_back_alone_cannot_adapt():
    with pytest.raises(ValueError, match="two look-backs or more"):
        adaptivity({5: joined(pattern(5))})
