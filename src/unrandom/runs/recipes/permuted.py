"""Recipes of permuted generators and of a cipher of few rounds: models of two layers that a laptop trains."""

from unrandom.runs.recipes.fixed_modulus import fm_256
from unrandom.runs.recipes.other_tasks import smoke
from unrandom.tasks.permuted_lcg import PermutedLCG
from unrandom.tasks.reduced_speck import ReducedSpeck
from unrandom.training import RunConfig


def pcg_8() -> RunConfig:
    """a permuted LCG (XSL-RR), 8 bits of state, 4 shown, unseen a and c; two to three minutes of one core."""
    return fm_256().replace(
        data=PermutedLCG(state_bits=8, context=64, mode="streaming", n_sequences=None, n_test_a=8, n_test_c=8),
        model={"depth": 2, "n_heads": 2, "positions": "rotary"},
        batch_size=64,
        steps=1500,
        evaluate_every=50,
        checkpoint_every=500,
        test_sequences=512,
    )


def pcg_10() -> RunConfig:
    """the same with 10 bits of state, 5 shown; five to ten minutes of one core."""
    return pcg_8().replace(
        data={"state_bits": 10, "context": 128, "n_test_a": 16, "n_test_c": 16},
        steps=3000,
        evaluate_every=100,
        checkpoint_every=1000,
    )


def pcg_joint() -> RunConfig:
    """six permutations of an LCG in one model, 8 bits of state, 4 shown; ten to fifteen minutes of one core."""
    return pcg_8().replace(
        data={"variants": PermutedLCG.partial},
        model={"depth": 3},
        steps=6000,
        evaluate_every=200,
        checkpoint_every=2000,
    )


def pcg_smoke() -> RunConfig:
    """a smoke test of pcg-8 in seconds; learns nothing."""
    return smoke(pcg_8())


def reduced_speck() -> RunConfig:
    """a counter under two rounds of the cipher Speck32/64, unseen keys; two to three minutes of one core."""
    data = ReducedSpeck(rounds=2, bits=4, context=64, mode="streaming", n_sequences=None)
    return pcg_8().replace(data=data)
