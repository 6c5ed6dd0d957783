"""Which recipes have other generators? Each takes minutes on a laptop, or seconds in a version for smoke tests."""

from unrandom.runs.recipes.fixed_modulus import fm_256
from unrandom.tasks import LFSR, MultiplyWithCarry, Quadratic, Task, TruncatedLCG, Xorshift
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


def xorshift() -> RunConfig:
    """xorshift generators of 9 bits of unseen shifts, learned in part; two minutes on one core."""
    return _mixing_neighbours(Xorshift(size=9, bits=9, context=32, mode="streaming", n_sequences=None), steps=800)


def lfsr() -> RunConfig:
    """four bits at a time of a shift register of 8 bits of unseen taps, learned in part; three minutes on one core."""
    data = LFSR(size=8, bits=4, context=96, mode="streaming", n_sequences=None)
    return _mixing_neighbours(data, steps=250).replace(evaluate_every=25)


def multiply_with_carry() -> RunConfig:
    """multiply-with-carry modulo 2^6 of unseen multipliers, learned in part; three minutes on one core."""
    data = MultiplyWithCarry(bits=6, context=256, mode="streaming", n_sequences=None)
    config = _mixing_neighbours(data, steps=150)
    return config.replace(model={"d_model": 64}, batch_size=64, evaluate_every=25)


def _mixing_neighbours(task: Task, *, steps: int) -> RunConfig:
    """The demo's settings for another task, with two layers whose four heads see pairs of neighbouring numbers."""
    model = {"depth": 2, "n_heads": 4, "positions": "rotary", "kv_shift": True}
    return fm_256().replace(data=task, model=model, steps=steps)


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


def xorshift_smoke() -> RunConfig:
    """a smoke test of xorshift in seconds; learns nothing."""
    return smoke(xorshift())


def lfsr_smoke() -> RunConfig:
    """a smoke test of lfsr in seconds; learns nothing."""
    return smoke(lfsr())


def multiply_with_carry_smoke() -> RunConfig:
    """a smoke test of multiply-with-carry in seconds; learns nothing."""
    return smoke(multiply_with_carry())
