"""Recipes of other generators, which take minutes on a laptop, or seconds in a version for smoke tests."""

from unrandom.runs.recipes.fixed_modulus import fm_256
from unrandom.tasks.quadratic import Quadratic
from unrandom.tasks.truncated_lcg import TruncatedLCG
from unrandom.training import RunConfig


def truncated_lcg() -> RunConfig:
    """the upper four bits of an LCG modulo 2^8 of known multiplier; five to six minutes on one core."""
    return fm_256().replace(
        data=TruncatedLCG(modulus=2**8, low=4, bits=4, multiplier=141, context=64, mode="streaming", n_sequences=None),
        model={"depth": 2, "n_heads": 2},
        steps=1200,
    )


def quadratic() -> RunConfig:
    """quadratic steps modulo 64 of unseen coefficients; four to five minutes on one core."""
    return fm_256().replace(
        data=Quadratic(modulus=64, context=48, mode="streaming", n_sequences=None, n_test_a=8, n_test_c=8),
        model={"depth": 2, "n_heads": 2},
        steps=1200,
    )


def truncated_lcg_unseen() -> RunConfig:
    """the upper four bits of an LCG modulo 2^8 of unseen multiplier and increment; four minutes on one core."""
    data = TruncatedLCG(modulus=2**8, low=4, bits=4, context=64, mode="streaming", n_sequences=None, n_test_a=8)
    return fm_256().replace(data=data, model={"depth": 2, "n_heads": 2, "positions": "rotary"})


def smoke(config: RunConfig) -> RunConfig:
    """A smoke test of the same task: a tiny model and a few steps."""
    return config.replace(
        data={"context": 12},
        model={"d_model": 16, "depth": 1, "n_heads": 1},
        batch_size=32,
        steps=12,
        warmup_steps=2,
        evaluate_every=6,
        checkpoint_every=12,
        test_sequences=32,
        precision="fp32",
    )


def truncated_lcg_smoke() -> RunConfig:
    """a smoke test of truncated-lcg in seconds; learns nothing."""
    return smoke(truncated_lcg())


def quadratic_smoke() -> RunConfig:
    """a smoke test of quadratic in seconds; learns nothing."""
    return smoke(quadratic())


def truncated_lcg_unseen_smoke() -> RunConfig:
    """a smoke test of truncated-lcg-unseen in seconds; learns nothing."""
    return smoke(truncated_lcg_unseen())
