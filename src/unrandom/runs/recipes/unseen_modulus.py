"""Recipes of unseen moduli: small ones for laptops, and the paper's, after its text and public code."""

from unrandom.models import ModelConfig
from unrandom.tasks import Phase, UnseenModulus
from unrandom.training import OptimizerConfig, RunConfig, StartFrom


def um_80() -> RunConfig:
    """unseen moduli 48, 72, 80: small enough for grids of runs; two minutes on a laptop."""
    return um_144().replace(
        data={"test_moduli": (48, 72, 80), "validation_moduli": (56, 90), "context": 32, "max_modulus": 160},
        model={"d_model": 64},
        steps=2000,
        warmup_steps=100,
        test_sequences=512,
        checkpoint_every=1000,
    )


def um_128() -> RunConfig:
    """unseen moduli 108, 125, 127, 128, half of each batch full-period; an hour on one core."""
    return RunConfig(
        data=UnseenModulus(
            test_moduli=(108, 125, 127, 128),
            context=64,
            mode="streaming",
            n_sequences=None,
            full_period_share=0.5,
            n_test_a=8,
            n_test_c=8,
            hold_out="pairs",
            test_multipliers="primitive-root",
        ),
        model=ModelConfig(depth=4, n_heads=4, d_model=128, activation="relu"),
        optimizer=OptimizerConfig(name="muon", lr=3e-3, weight_decay=0.1, muon_lr=0.05),
        steps=4000,
        warmup_steps=200,
        schedule="cosine",
        evaluate_every=100,
        checkpoint_every=100,
    )


def um_128_arbitrary() -> RunConfig:
    """um-128 with the paper's mix: arbitrary (a, c) alone."""
    return um_128().replace(data={"full_period_share": 0})


def um_108() -> RunConfig:
    """unseen moduli 96, 98, 100, 108, which no look-back of one distance predicts; a quarter of an hour on one core."""
    return um_128().replace(
        data={
            "test_moduli": (96, 98, 100, 108),
            "context": 23,
            "min_modulus": 24,
            "max_modulus": 256,
            "full_period_share": 0.6,
            "balanced_share": 0.6,
            "coprime_share": 0.5,
            "test_multipliers": "full-period",
        },
        model={"n_heads": 8},
        steps=5000,
        checkpoint_every=250,
    )


def um_108_wide() -> RunConfig:
    """um-108 trained on, with more moduli and fewer balanced rows; a quarter of an hour on one core after it."""
    start = um_108()
    return start.replace(
        data={"max_modulus": 400, "balanced_share": 0.2},
        warmup_steps=100,
        start=StartFrom(recipe="um-108", config=start),
    )


def um_144() -> RunConfig:
    """unseen moduli 96, 108, 144, whose look-backs all occur in training; twenty minutes on one core."""
    return um_128().replace(
        data={
            "test_moduli": (96, 108, 144),
            "max_modulus": 512,
            "counting_share": 0.3,
            "coprime_share": 0.5,
            "test_multipliers": "full-period",
        },
        optimizer={"lr": 2e-3, "muon_lr": 0.03},
        batch_size=64,
    )


def um_2048() -> RunConfig:
    """the paper's unseen moduli 1800, 2048, 2352; one GPU."""
    return RunConfig(
        data=UnseenModulus(
            test_moduli=(1800, 2048, 2352),
            context=256,
            max_modulus=2457,
            hold_out="pairs",
            mode="fixed",
            n_sequences=None,
            n_m=128,
            n_a=128,
            n_c=128,
        ),
        model=ModelConfig(depth=4, n_heads=6, d_model=768, activation="relu"),
        optimizer=OptimizerConfig(name="adamw", lr=3e-4, weight_decay=1.0),
        schedule="cosine",
    )


def um_2048_fast() -> RunConfig:
    """the paper's unseen moduli, a third of its width, new sequences at each step and Muon; 5 hours of one core."""
    return um_108().replace(
        data={
            "test_moduli": (1800, 2048, 2352),
            "context": 256,
            "min_modulus": 257,
            "max_modulus": 2457,
            "n_test_a": 64,
            "n_test_c": 64,
            "curriculum": (Phase(modulus=400, share=0.6, decay="linear", steps=1500),),
        },
        model={"d_model": 256},
        optimizer={"lr": 2e-3, "muon_lr": 0.03},
        batch_size=128,
        steps=4000,
        evaluate_every=250,
        checkpoint_every=500,
        test_sequences=768,
    )


def um_base256() -> RunConfig:
    """unseen moduli up to 2^16 in base-256 digits; one GPU for a day."""
    return RunConfig(
        data=UnseenModulus(
            test_moduli=(2048, 4096, 8192, 16384, 32768, 2187, 6561, 19683, 3125, 15625, 2401, 16807),
            context=511,
            min_modulus=1025,
            max_modulus=65535,
            hold_out="pairs",
            mode="fixed",
            n_sequences=None,
            n_m=32_768,
            n_a=128,
            n_c=1,
            full_period_share=1.0,
            base=256,
            n_test_a=512,
            n_test_c=64,
        ),
        model=ModelConfig(depth=6, n_heads=8, d_model=1024, activation="gelu", positions="abacus"),
        optimizer=OptimizerConfig(name="adamw", lr=1e-4, weight_decay=1.0),
        batch_size=128,
        steps=400_000,
        warmup_steps=5000,
        schedule="cosine",
        test_sequences=512,
    )


def um_base16() -> RunConfig:
    """unseen powers of 2 and 3 up to 243 in base-16 digits, all larger than the context."""
    return um_base256().replace(
        data={
            "test_moduli": (32, 64, 128, 27, 81, 243),
            "min_modulus": 26,
            "max_modulus": 256,
            "context": 26,
            "mode": "streaming",
            "n_m": None,
            "n_a": None,
            "n_c": None,
            "full_period_share": 0.5,
            "base": 16,
            "n_test_a": 8,
            "n_test_c": 8,
        },
        model={"depth": 4, "n_heads": 8, "d_model": 128},
        optimizer={"name": "muon", "lr": 3e-3, "weight_decay": 0.1, "muon_lr": 0.05},
        steps=2500,
        warmup_steps=100,
        evaluate_every=100,
        checkpoint_every=200,
    )
