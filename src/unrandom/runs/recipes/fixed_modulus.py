"""Recipes of a fixed modulus: the demo, a class, and the paper's, by one token per number or base-b digits."""

from unrandom.generators.spectrally_good import SPECTRALLY_GOOD
from unrandom.models import ModelConfig
from unrandom.tasks import FixedModulus, Phase
from unrandom.training import OptimizerConfig, RunConfig


def fm_256() -> RunConfig:
    """one layer, one head, modulus 256; about a minute on two CPU cores."""
    return RunConfig(
        data=FixedModulus(modulus=256, context=64, mode="streaming", n_sequences=None, n_test_a=16, n_test_c=16),
        model=ModelConfig(depth=1, n_heads=1, d_model=128, activation="relu"),
        optimizer=OptimizerConfig(name="muon", lr=3e-3, weight_decay=0.1, muon_lr=0.05),
        batch_size=128,
        steps=800,
        warmup_steps=50,
        schedule="cosine",
        evaluate_every=50,
        checkpoint_every=200,
    )


def fm_256_demo() -> RunConfig:
    """the demo: fm-256 at half the width, in some twenty seconds, by the rows and rates of a record."""
    return fm_256().replace(
        data={"full_period_share": 0.15, "balanced_share": 1.0},
        model={"d_model": 64},
        optimizer={"lr": 0.01, "muon_lr": 0.1},
        steps=600,
        warmup_steps=10,
    )


def classroom() -> RunConfig:
    """for a class: modulus 16, which fits on a blackboard; a = 5 and c = 1, 11 are unseen; ten seconds of one core."""
    # modulus 100, whose numbers have two digits, needs --set data.context=48, too; its a = 61 and c = 27, 69 are unseen
    return fm_256().replace(
        data={"modulus": 16, "context": 12, "n_test_a": 1, "n_test_c": 2},
        steps=400,
        data_seed=5,  # it holds out a multiplier of the longest look-back, at both moduli, and not 1, which only counts
    )


def fm_2048_fast() -> RunConfig:
    """the paper's fixed modulus 2^11, new sequences at each step and Muon; forty minutes of one core."""
    return fm_256().replace(
        data={
            "modulus": 2048,
            "context": 256,
            "full_period_share": 0.15,
            "balanced_share": 1.0,
            "n_test_a": 64,
            "n_test_c": 64,
        },
        model={"d_model": 256},
        batch_size=256,
        warmup_steps=100,
        checkpoint_every=100,
        test_sequences=512,
    )


def fm_2048() -> RunConfig:
    """the paper's fixed modulus 2^11; one GPU."""
    return _paper_fm(2048)


def fm_7776() -> RunConfig:
    """the paper's composite fixed modulus 2^5 3^5; one GPU."""
    return _paper_fm(7776)


def _paper_fm(modulus: int) -> RunConfig:
    return RunConfig(
        data=FixedModulus(modulus=modulus, context=256, mode="fixed", n_sequences=100_000),
        model=ModelConfig(depth=1, n_heads=1, d_model=768, activation="relu"),
        optimizer=OptimizerConfig(name="adamw", lr=3e-4, weight_decay=1.0),
        schedule="cosine",
    )


def fm_2p14() -> RunConfig:
    """2^14 in four base-16 digits, by rows that skip; half an hour of one core with AVX-512."""
    return _skipping(14, context=95, steps=800)


def fm_2p16() -> RunConfig:
    """2^16 in four base-16 digits, by rows that skip; a quarter of an hour of one core with AMX."""
    return _skipping(16, context=127, steps=800)


def fm_2p18() -> RunConfig:
    """2^18 in five base-16 digits, by rows that skip; not run; some two hours of one core with AVX2."""
    return _skipping(18, context=127, steps=750)


def fm_2p20() -> RunConfig:
    """2^20 in five base-16 digits, by rows that skip; two hours of one core with AVX2."""
    return _skipping(20, context=127, steps=750)


def fm_2p22() -> RunConfig:
    """2^22 in six base-16 digits, by rows that skip; not run; some hour of one core with AMX."""
    return _skipping(22)


def fm_2p24() -> RunConfig:
    """2^24 in six base-16 digits, by rows that skip; an hour of one core with AMX."""
    return _skipping(24)


def fm_2p32() -> RunConfig:
    """the paper's 2^32 in eight base-16 digits, by rows that skip; not run; some two hours of one core with AMX."""
    return _skipping(32)


def _skipping(exponent: int, *, context: int = 255, steps: int = 2000) -> RunConfig:
    """Half of the rows skip at first, and none at the end; half of these and of the others are balanced.

    A step has some 4,096 numbers, whatever the context.
    Order 2 does not fit into these contexts: it is learned first, and where it fits most models stay there for long.
    """
    skipping = Phase(modulus=2**exponent, skipping=True, share=0.5)
    fading = 2 * steps // 5
    return RunConfig(
        data=FixedModulus(
            modulus=2**exponent,
            context=context,
            mode="streaming",
            n_sequences=None,
            full_period_share=1.0,
            balanced_share=0.5,
            base=16,
            n_test_a=64,
            n_test_c=64,
            extra_test_multipliers=SPECTRALLY_GOOD[2**exponent],
            curriculum=(
                skipping.replace(steps=fading),
                skipping.replace(begin=fading, steps=fading, decay="linear"),
            ),
        ),
        model=ModelConfig(depth=3, n_heads=2, d_model=256, positions="abacus", number_rotation=True),
        optimizer=OptimizerConfig(name="muon", lr=1e-3, weight_decay=0.1, muon_lr=0.03),
        batch_size=4096 // (context + 1),
        steps=steps,
        warmup_steps=100,
        schedule="trapezoid",
        wave_positions=True,
        evaluate_every=steps // 10,
        checkpoint_every=100,
        test_sequences=256,
    )


def fm_base256() -> RunConfig:
    """base-256 digits, abacus embeddings, 2^16 (to 2^32 by --set data.modulus=2^32)."""
    return RunConfig(
        data=FixedModulus(
            modulus=2**16,
            context=511,
            mode="fixed",
            n_sequences=None,
            n_a=1024,
            n_c=1024,
            full_period_share=1.0,
            base=256,
            n_test_a=512,
            n_test_c=64,
        ),
        model=ModelConfig(depth=2, n_heads=8, d_model=1024, activation="gelu", positions="abacus"),
        optimizer=OptimizerConfig(name="adamw", lr=1e-4, weight_decay=1.0),
        batch_size=512,
        steps=200_000,
        warmup_steps=5000,
        schedule="cosine",
        test_sequences=512,
    )
