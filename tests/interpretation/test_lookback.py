"""An ablation keeps exactly the named attention weights, and shows what information they carry."""

import json

import numpy as np
import pytest
import torch
from copying import CONTEXT, M, copying_model
from torch.testing import assert_close

from unrandom.core.errors import UserError
from unrandom.core.seeds import stream
from unrandom.evaluation import evaluate
from unrandom.interpretation import lookback_ablation, lookback_shares
from unrandom.interpretation.lookback import (
    keep_heaviest,
    keep_lookbacks,
    keep_random,
    low_and_high_digits,
    on_head,
)
from unrandom.models import Transformer, TransformerConfig, intervene, record
from unrandom.models.predictor import TransformerPredictor
from unrandom.predictors import Predictions
from unrandom.tasks import Examples, LCGParameters
from unrandom.tokenization import Tokenizer

TAP = "blocks.0.attn.hook_pattern"
KEPT = ["all"] + 2 * ["t-p^k", "t-p^k, t-p^(k-1)", "random 1", "random 2"] + ["heaviest 1", "heaviest 2"]


@pytest.fixture
def pattern():
    scores = torch.randn(3, 2, 12, 12, generator=torch.Generator().manual_seed(0))
    return scores.masked_fill(torch.ones(12, 12).triu(1).bool(), -torch.inf).softmax(-1)


@pytest.fixture(scope="module")
def copying():
    return TransformerPredictor(copying_model(), Tokenizer(M))


@pytest.fixture(scope="module")
def sequences():
    """Full period: a = 1 or 5, c odd, every seed."""
    a, c, x0 = (axis.ravel() for axis in np.meshgrid([1, 5], [1, 3, 5, 7], np.arange(M), indexing="ij"))
    return Examples.of(LCGParameters(M, *(v.astype(np.uint64) for v in (a, c, x0))), CONTEXT + 1)


def positions_kept(edited: torch.Tensor) -> list[list[int]]:
    return [row.nonzero().flatten().tolist() for row in edited]


def test_exactly_the_named_positions_are_kept(pattern):
    edited = keep_lookbacks(3, 2, renormalise=False)(pattern)
    expected = [[0], [1], [0, 2], [1, 3], [2, 4], [3, 5], [4, 6], [5, 7], [0, 6], [1, 7], [2, 8], [3, 9]]
    assert all(positions_kept(head) == expected for row in edited for head in row)
    kept = edited > 0
    assert torch.equal(edited[kept], pattern[kept])  # unchanged


def test_one_look_back_is_the_largest_power(pattern):
    edited = keep_lookbacks(2, 1, renormalise=False)(pattern)
    t = range(1, 13)
    powers = [1, 2, 2, 4, 4, 4, 4, 8, 8, 8, 8, 8]
    assert positions_kept(edited[0, 0]) == [[now - power] for now, power in zip(t, powers, strict=True)]


@pytest.mark.parametrize("count", [1, 2])
def test_renormalised_rows_sum_to_one_in_the_same_proportions(pattern, count):
    for edits in (
        [keep_lookbacks(2, count, renormalise=renormalise) for renormalise in (False, True)],
        [keep_random(stream(0, "test"), count, renormalise=renormalise) for renormalise in (False, True)],
    ):
        kept, scaled = (edit(pattern) for edit in edits)
        assert_close(scaled.sum(-1), torch.ones(3, 2, 12))
        assert_close(scaled * kept.sum(-1, keepdim=True), kept)


def test_a_row_that_kept_no_weight_stays_without():
    pattern = torch.eye(4)[None, None]
    assert keep_lookbacks(2, 1, renormalise=True)(pattern).sum(-1).tolist() == [[[1, 0, 0, 0]]]


def test_random_keys_are_as_many_earlier_and_uniform(pattern):
    many = pattern[:1].expand(3000, -1, -1, -1)
    kept = keep_random(stream(0, "test"), 2, renormalise=False)(many) > 0
    assert kept.sum(-1).flatten(0, 1).unique(dim=0).tolist() == [[1] + [2] * 11]
    assert not kept.triu(1).any()
    for query in (1, 4, 11):
        shares = kept[:, :, query, : query + 1].float().mean((0, 1))
        assert_close(shares, torch.full((query + 1,), 2 / (query + 1)), atol=0.03, rtol=0)


def test_random_keys_repeat_with_their_stream_however_the_batch_is_cut(pattern):
    whole = keep_random(stream(0, "test"), 2, renormalise=False)(pattern)
    edit = keep_random(stream(0, "test"), 2, renormalise=False)
    assert torch.equal(torch.cat([edit(part) for part in pattern.split(1)]), whole)


def test_an_edit_of_one_head_leaves_the_others(pattern):
    edited = on_head(1, keep_lookbacks(2, 1, renormalise=False))(pattern)
    assert torch.equal(edited[:, 0], pattern[:, 0])
    assert torch.equal(edited[:, 1], keep_lookbacks(2, 1, renormalise=False)(pattern)[:, 1])


def test_the_copying_model_copies_the_low_digits_and_no_others(copying, sequences):
    for entry in lookback_ablation(copying, sequences, p=2):
        found = entry.digit_shares()
        if entry.keep.startswith("random"):
            assert found.low.pooled.value < 0.8
        else:
            assert found.low.pooled.value == 1
            assert set(found.low.by_sequence.value) == {1}
        assert found.high.pooled.value < 0.6
    # at t = 2, 3 digit 0 is low; at 4 … 7 digits 0, 1; at 8 … 12 all three
    assert found.low.pooled.total == len(sequences) * (2 * 1 + 4 * 2 + 5 * 3)
    assert found.high.pooled.total == len(sequences) * (2 * 2 + 4 * 1)


def test_digit_k_is_wrong_wherever_t_minus_2_to_the_k_is_copied(copying, sequences):
    entry = lookback_ablation(copying, sequences, p=2)[1]
    assert entry.keep == "t-p^k"
    digits = {name: tally.value.tolist() for name, tally in entry.by_digit().items()}
    assert digits["2^1"][1:3] == [0, 0]
    assert digits["2^2"][3:7] == [0, 0, 0, 0]
    assert entry.by_position.value.tolist()[7:] == [1] * 5


def test_the_pattern_shows_which_head_looks_back_and_the_ablation_which_is_needed(copying, sequences):
    tokens = torch.from_numpy(sequences.numbers[:, :CONTEXT].astype(np.int64))
    with torch.no_grad(), record(copying.model, [TAP]) as seen:
        copying.model(tokens)
    first, second = (lookback_shares(seen[TAP][:, head].numpy(), M).primes[0] for head in range(2))
    assert first.strongest.pooled.value == 1
    assert second.strongest.pooled.value < 0.5
    whole, *needed = (entry.by_position.value for entry in lookback_ablation(copying, sequences, p=2, head=0))
    assert all(random[8:].max() < 0.7 for random in needed[2:4])
    for entry in lookback_ablation(copying, sequences, p=2, head=1):
        np.testing.assert_array_equal(entry.by_position.value, whole)


def test_the_heaviest_keys_of_each_query_are_kept_and_scaled(pattern):
    one, two = keep_heaviest(1)(pattern), keep_heaviest(2)(pattern)
    assert torch.equal(one, torch.nn.functional.one_hot(pattern.argmax(-1), 12).float())
    assert torch.allclose(two.sum(-1), torch.ones(two.shape[:-1]))
    best = pattern.topk(2)
    assert torch.allclose(two.topk(2).values, best.values / best.values.sum(-1, keepdim=True))
    with pytest.raises(ValueError, match="at least one key"):
        keep_heaviest(0)


def test_keeping_all_is_the_evaluation_without_edits(finished_run):
    predictor, split = finished_run.predictor(), finished_run.split()
    sequences = split.test(64, 40)
    entries = lookback_ablation(predictor, sequences, p=2)
    assert [entry.keep for entry in entries] == KEPT
    assert [entry.renormalised for entry in entries] == [None, *4 * [False], *6 * [True]]
    plain = evaluate(predictor, sequences)
    assert np.array_equal(entries[0].evaluation.guesses, plain.guesses)
    assert any(not np.array_equal(entry.evaluation.guesses, plain.guesses) for entry in entries[1:])
    with intervene(predictor.model, {TAP: keep_lookbacks(2, 1, renormalise=False)}):
        assert np.array_equal(evaluate(predictor, sequences).guesses, entries[1].evaluation.guesses)
    again = lookback_ablation(predictor, sequences, p=2)
    assert all(np.array_equal(a.evaluation.guesses, b.evaluation.guesses) for a, b in zip(again, entries, strict=True))


def test_low_and_high_digits_of_a_composite_modulus_are_those_of_the_prime():
    class AlwaysZero:
        name, assumes = "zero", "nothing"

        def predict(self, numbers):
            zeros = np.zeros_like(numbers[:, 1:])
            return Predictions(zeros, np.zeros(zeros.shape, dtype=bool))

    one = np.ones(1, dtype=np.uint64)
    counting = Examples.of(LCGParameters(18, one, one, one - one), 13)  # 0, 1, 2, … 12
    found = low_and_high_digits(evaluate(AlwaysZero(), counting), 3)
    # digit 0 is low from t = 3 on, digit 1 from t = 9 on; the truth is t, and the prediction 0 has both digits 0
    low = [t % 3 == 0 for t in range(3, 13)] + [t // 3 % 3 == 0 for t in range(9, 13)]
    high = [t // 3 % 3 == 0 for t in range(3, 9)]
    assert (found.low.pooled.correct, found.low.pooled.total) == (sum(low), len(low))
    assert (found.high.pooled.correct, found.high.pooled.total) == (sum(high), len(high))


def test_the_entries_are_json(copying, sequences):
    tree = [entry.to_json() for entry in lookback_ablation(copying, sequences, p=2)]
    assert json.loads(json.dumps(tree, allow_nan=False)) == tree
    assert len(tree[0]["low"]["per_sequence"]) == len(sequences)


def test_what_cannot_be_ablated_is_named(copying, sequences):
    with pytest.raises(UserError, match="p=3"):
        lookback_ablation(copying, sequences, p=3)
    with pytest.raises(UserError, match="head 2"):
        lookback_ablation(copying, sequences, p=2, head=2)
    with pytest.raises(UserError, match="no such tap"):
        lookback_ablation(copying, sequences, p=2, layer=1)
    with pytest.raises(UserError, match="bf16"):
        lookback_ablation(TransformerPredictor(copying.model, Tokenizer(M), precision="bf16"), sequences, p=2)
    digits = TransformerConfig(d_model=8, vocab_size=2, context=3 * CONTEXT, digits=3)
    with pytest.raises(UserError, match="3 tokens"):
        lookback_ablation(TransformerPredictor(Transformer(digits), Tokenizer(2, 3)), sequences, p=2)
    fused = TransformerPredictor(copying_model().use_attention("fused"), Tokenizer(M))
    with pytest.raises(RuntimeError, match="never ran"):
        lookback_ablation(fused, sequences, p=2)
    with pytest.raises(ValueError, match="count=0"):
        keep_lookbacks(2, 0, renormalise=True)
    with pytest.raises(ValueError, match="count=0"):
        keep_random(stream(0, "test"), 0, renormalise=True)
