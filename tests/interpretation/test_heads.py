"""The residue that a head encodes is found, and not confused with its multiples or the size of the number."""

import json
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pytest
import torch
from counting import M, counting_model

from rounding import OPERATION, assert_agree
from unrandom.core.errors import UserError
from unrandom.interpretation import (
    ResidueScores,
    head_outputs,
    head_plane,
    order_along_component,
    principal_components,
    residue_scores,
)
from unrandom.interpretation.head_residues import _between_class_squares
from unrandom.interpretation.heads import head_values
from unrandom.interpretation.ranks import rank_correlation
from unrandom.models import Transformer, TransformerConfig, record

WIDTH = 24


@pytest.fixture(scope="module")
def model():
    config = TransformerConfig(depth=2, n_heads=4, d_model=32, vocab_size=64, context=12)
    return Transformer(config, seed=3).eval()


@pytest.fixture(scope="module")
def numbers():
    return np.random.default_rng(0).integers(64, size=(50, 13), dtype=np.uint64)


def planted(q: int, n: int = 1200, noise: float = 0.02) -> tuple[np.ndarray, np.ndarray]:
    """Numbers below 2000, and outputs that are a point for each residue modulo q, and noise."""
    rng = np.random.default_rng(q)
    x = rng.integers(2000, size=n)
    return rng.normal(size=(q, WIDTH))[x % q] + noise * rng.normal(size=(n, WIDTH)), x


def scores_of(outputs: list[np.ndarray], x: np.ndarray) -> ResidueScores:
    """The scores of a model whose heads have these outputs."""
    config = TransformerConfig(n_heads=len(outputs), d_model=WIDTH * len(outputs), vocab_size=2000, context=1)
    model = Transformer(config, seed=0)

    def gathered(z: torch.Tensor) -> torch.Tensor:
        return torch.from_numpy(np.stack(outputs, axis=1)[:, None]).to(z)

    model.blocks[0].attn.hook_z.register_forward_hook(lambda _module, _inputs, z: gathered(z))
    return residue_scores(model, x[:, None].astype(np.uint64), 0)


def test_outputs_add_up_to_what_attention_writes(model, numbers):
    with torch.no_grad(), record(model, ["blocks.1.hook_attn_out"]) as seen:
        model(torch.from_numpy(numbers[:, :12].astype(np.int64)))
    written = seen["blocks.1.hook_attn_out"].numpy()
    outputs = [head_outputs(model, numbers, 1, head) for head in range(4)]
    assert_agree(sum(outputs), written, OPERATION)
    assert_agree(head_outputs(model, numbers, 1, 2, position=5)[:, 0], outputs[2][:, 5], OPERATION)


def test_values_do_not_depend_on_how_the_batch_is_cut(model, numbers, monkeypatch):
    whole = head_values(model, numbers, 0)
    monkeypatch.setattr("unrandom.interpretation.heads.VALUES_AT_ONCE", 1)
    assert_agree(head_values(model, numbers, 0), whole, OPERATION)


class ResidueShare(NamedTuple):
    """The share that x mod q explains, that of shuffled numbers, and the excess of the first: 1 if it explains all."""

    share: float
    shuffled: float

    @property
    def excess(self) -> float:
        return (self.share - self.shuffled) / (1 - self.shuffled)


def residue_share(outputs, numbers, q, rng, shuffles=100):
    """The share of the variance of outputs that x mod q explains, and the mean share over shuffled numbers."""
    centred = outputs.astype(np.float64) - outputs.mean(axis=0, dtype=np.float64)
    distinct, distinct_index = np.unique(numbers, return_inverse=True)
    squares = _between_class_squares(centred, distinct.astype(np.int64) % q, distinct_index, rng, shuffles)
    return ResidueShare(*(float(part.sum()) / (float((centred**2).sum()) or 1.0) for part in squares))


def test_a_planted_residue_explains_all_and_its_parts_less():
    outputs, x = planted(6)
    share = {q: residue_share(outputs, x, q, np.random.default_rng(0)) for q in (2, 3, 5, 6, 12)}
    assert share[6].share > 0.99
    assert share[6].excess == pytest.approx(share[12].excess, abs=1e-3)
    assert 0.05 < share[2].excess < share[6].excess - 0.1
    assert abs(share[5].excess) < 0.01


@pytest.mark.parametrize("q", [2, 7, 31])
def test_shuffled_numbers_explain_what_theory_says(q):
    x = np.arange(400)
    outputs = np.random.default_rng(1).standard_normal((400, 8))
    shuffled = residue_share(outputs, x, q, np.random.default_rng(0), shuffles=1000).shuffled
    assert shuffled == pytest.approx((q - 1) / 399, rel=0.05)


def test_outputs_that_never_change_are_explained_by_nothing():
    found = residue_share(np.ones((30, 4)), np.arange(30), 3, np.random.default_rng(0))
    assert (found.share, found.shuffled, found.excess) == (0, 0, 0)


def test_the_own_modulus_is_the_planted_one_and_not_a_multiple():
    planted_moduli = [2, 3, 4, 14, 15]
    x = planted(2)[1]
    points = np.random.default_rng(1).normal(size=(15, WIDTH))
    noise = np.random.default_rng(2).normal(size=(len(x), WIDTH))
    found = scores_of([points[x % q] + 0.1 * noise for q in planted_moduli] + [noise], x)
    assert found.own_modulus.tolist() == [*planted_moduli, 0]
    assert found.own_prime[[0, 1, 2, 5]].tolist() == [2, 3, 2, 0]
    assert found.size_excess.max() < 0.05
    for q in planted_moduli:
        assert found.excess_of(q)[planted_moduli.index(q)] > 0.9


def test_the_prime_that_counts_most_is_the_own_prime():
    x = planted(2)[1]
    angle = 2 * np.pi * x / 14  # a circle has the same mean for 2 classes, and for 7
    circle, weighted = np.zeros((2, len(x), WIDTH))
    circle[:, 0], circle[:, 1] = np.cos(angle), np.sin(angle)
    weighted[np.arange(len(x)), x % 3], weighted[:, 4] = 2, x % 2
    found = scores_of([circle, weighted], x)
    assert found.own_modulus.tolist() == [14, 6]
    assert found.own_prime.tolist() == [7, 3]
    assert found.plane_share[0, found.moduli == 14] == pytest.approx(1)
    assert found.plane_explained[0] == pytest.approx(1)


def test_a_head_that_orders_by_size_is_seen_as_that():
    x = planted(2)[1]
    outputs = np.outer(x / 2000, np.ones(WIDTH)) + 0.01 * np.random.default_rng(0).normal(size=(len(x), WIDTH))
    found = scores_of([outputs], x)
    assert found.size_excess[0] > 0.9
    assert found.own_modulus.tolist() == found.own_prime.tolist() == [0]


def test_scores_are_the_shares_of_the_outputs(model, numbers):
    found = residue_scores(model, numbers, 7, layer=1, moduli=range(2, 5), shuffles=2)
    x = numbers[:, 7].astype(np.int64)
    for head in range(4):
        outputs = head_outputs(model, numbers, 1, head, position=7)[:, 0]
        points = head_plane(model, numbers, 1, head, position=7).values
        for i, q in enumerate((2, 3, 4)):
            rng = np.random.default_rng(0)
            assert found.share[head, i] == pytest.approx(residue_share(outputs, x, q, rng).share, abs=1e-4)
            assert found.plane_share[head, i] == pytest.approx(residue_share(points, x, q, rng).share, abs=1e-4)
        explained = principal_components(outputs, 2).explained.sum()
        assert found.plane_explained[head] == pytest.approx(explained, abs=1e-4)


def test_the_heads_of_the_counting_model_pass_on_their_primes():
    numbers = np.random.default_rng(0).integers(M, size=(300, 8), dtype=np.uint64)
    for position in (0, 5):
        found = residue_scores(counting_model(), numbers, position, moduli=range(2, 7))
        assert found.own_modulus.tolist() == found.own_prime.tolist() == [3, 2, 0]


def test_scores_are_json_and_repeat(model, numbers):
    found = residue_scores(model, numbers, 3)
    tree = found.to_json()
    assert json.loads(json.dumps(tree, allow_nan=False)) == tree
    assert tree == residue_scores(model, numbers, 3).to_json()
    assert replace(found, share=found.shuffled).own_modulus.tolist() == [0, 0, 0, 0]


def test_rank_correlation_is_spearmans():
    x = np.array([[1.0, 2, 3, 4], [1, 1, 2, 3], [5, 5, 5, 5]])
    y = np.array([[1.0, 10, 100, 1000], [7, 7, 0, -7], [1, 2, 3, 4]])
    np.testing.assert_allclose(rank_correlation(x, y), [1, -1, 0], atol=1e-12)


def test_an_ordered_component_is_seen_whichever_way_it_runs():
    values = np.stack([-(np.arange(50.0) ** 3), (-1.0) ** np.arange(50)], axis=1)
    assert order_along_component(values, 0) == pytest.approx(1)
    assert order_along_component(values, 1) < 0.1


def test_what_cannot_be_read_is_named(model, numbers):
    with pytest.raises(UserError, match="head 4"):
        head_outputs(model, numbers, 0, 4)
    with pytest.raises(UserError, match="no such tap"):
        head_values(model, numbers, 2)
    with pytest.raises(UserError, match="position 12"):
        residue_scores(model, numbers, 12)
    with pytest.raises(UserError, match="64 does not fit"):
        head_values(model, numbers + np.uint64(64 - numbers.max()), 0)
    with pytest.raises(ValueError, match="q >= 2"):
        residue_scores(model, numbers, 3, moduli=range(1, 4))
    with pytest.raises(ValueError, match="shuffles=0"):
        residue_scores(model, numbers, 7, shuffles=0)


@pytest.mark.parametrize("m", [54, 128])
def test_a_random_embedding_of_few_numbers_scores_nothing(m):
    rng = np.random.default_rng(m)
    embedding = rng.standard_normal((m, 24))
    numbers = rng.integers(0, m, 1024)
    excess = [residue_share(embedding[numbers], numbers, q, rng, shuffles=40).excess for q in (2, 8, 32)]
    assert max(excess) < 0.1  # shuffled row by row, few numbers would give .25 and more
