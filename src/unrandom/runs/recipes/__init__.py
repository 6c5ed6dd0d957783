"""Which runs have a name? Each recipe is a function that returns a complete configuration.

The paper's recipes follow its text; where the text is silent they follow its public code (cosine decay, gradient
clipping at 1). Every field can be changed with ``--set``.
"""

from collections.abc import Callable
from dataclasses import dataclass

from unrandom.core.errors import named
from unrandom.models import ModelConfig
from unrandom.tasks import FixedModulus, Quadratic, Task, TruncatedLCG, UnseenModulus, is_import_path, load_task
from unrandom.training import OptimizerConfig, RunConfig


@dataclass(frozen=True)
class Recipe:
    """A name, a line about it, and the configuration."""

    name: str
    about: str
    build: Callable[[], RunConfig]

    @property
    def cost(self) -> str:
        """Training compute, from the closed form."""
        config = self.build()
        return f"{config.steps:,} steps, {config.flops:.1e} FLOPs"


def fm_256() -> RunConfig:
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


def fm_2048() -> RunConfig:
    return _paper_fm(2048)


def fm_7776() -> RunConfig:
    return _paper_fm(7776)


def _paper_fm(modulus: int) -> RunConfig:
    return RunConfig(
        data=FixedModulus(modulus=modulus, context=256, mode="fixed", n_sequences=100_000),
        model=ModelConfig(depth=1, n_heads=1, d_model=768, activation="relu"),
        optimizer=OptimizerConfig(name="adamw", lr=3e-4, weight_decay=1.0),
        schedule="cosine",
    )


def um_80() -> RunConfig:
    return RunConfig(
        data=UnseenModulus(
            test_moduli=(48, 72, 80),
            validation_moduli=(56, 90),
            context=32,
            max_modulus=160,
            hold_out="pairs",
            mode="streaming",
            n_sequences=None,
            full_period_share=0.5,
            counting_share=0.3,
            coprime_share=0.5,
            n_test_a=8,
            n_test_c=8,
        ),
        model=ModelConfig(depth=4, n_heads=4, d_model=64, activation="relu"),
        optimizer=OptimizerConfig(name="muon", lr=2e-3, weight_decay=0.1, muon_lr=0.03),
        batch_size=64,
        steps=2000,
        warmup_steps=100,
        schedule="cosine",
        evaluate_every=100,
        test_sequences=512,
        checkpoint_every=1000,
    )


def um_128() -> RunConfig:
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
    return um_128().override(["data.full_period_share=0"])


def um_144() -> RunConfig:
    return um_128().override(
        [
            "data.test_moduli=[96,108,144]",
            "data.max_modulus=512",
            "data.counting_share=0.3",
            "data.coprime_share=0.5",
            "data.test_multipliers=full-period",
            "optimizer.lr=2e-3",
            "optimizer.muon_lr=0.03",
            "batch_size=64",
        ]
    )


def um_512() -> RunConfig:
    return RunConfig(
        data=UnseenModulus(
            test_moduli=(486, 500, 512),
            validation_moduli=(432, 576),
            context=128,
            max_modulus=614,
            hold_out="pairs",
            mode="streaming",
            n_sequences=None,
            full_period_share=0.5,
            n_test_a=16,
            n_test_c=16,
        ),
        model=ModelConfig(depth=4, n_heads=4, d_model=256, activation="relu"),
        optimizer=OptimizerConfig(name="muon", lr=1e-3, weight_decay=0.1),
        steps=5000,
        warmup_steps=250,
        schedule="cosine",
        evaluate_every=250,
        test_sequences=512,
        checkpoint_every=1000,
    )


def um_2048() -> RunConfig:
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
    return um_2048().replace(
        data={"mode": "streaming", "n_m": None, "n_a": None, "n_c": None, "full_period_share": 0.5},
        optimizer=OptimizerConfig(name="muon", lr=1e-3, weight_decay=0.1),
        steps=20_000,
        warmup_steps=500,
    )


def fm_base256() -> RunConfig:
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


def um_base256() -> RunConfig:
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
    return um_base256().override(
        [
            "data.test_moduli=[32,64,128,27,81,243]",
            "data.min_modulus=26",
            "data.max_modulus=256",
            "data.context=26",
            "data.mode=streaming",
            "data.n_m=none",
            "data.n_a=none",
            "data.n_c=none",
            "data.full_period_share=0.5",
            "data.base=16",
            "data.n_test_a=8",
            "data.n_test_c=8",
            "model.depth=4",
            "model.n_heads=8",
            "model.d_model=128",
            "optimizer.name=muon",
            "optimizer.lr=3e-3",
            "optimizer.weight_decay=0.1",
            "optimizer.muon_lr=0.05",
            "steps=2500",
            "warmup_steps=100",
            "evaluate_every=100",
            "checkpoint_every=200",
        ]
    )


def um_base16_wide() -> RunConfig:
    return um_base16().override(
        [
            "data.test_moduli=[256,512,1024,2048,243,729,2187]",
            "data.min_modulus=160",
            "data.max_modulus=2624",
            "data.context=159",
            "data.n_test_a=16",
            "data.n_test_c=16",
            "model.depth=6",
            "model.n_heads=8",
            "model.d_model=512",
            "steps=20000",
            "warmup_steps=500",
            "evaluate_every=500",
            "checkpoint_every=1000",
        ]
    )


def truncated_lcg() -> RunConfig:
    """The upper bits of a generator of known multiplier, as in a program's library; increment and state are unknown."""
    return fm_256().replace(
        data=TruncatedLCG(modulus=2**8, low=4, bits=4, multiplier=141, context=64, mode="streaming", n_sequences=None),
        model={"depth": 2, "n_heads": 2},
        steps=1200,
    )


def quadratic() -> RunConfig:
    return fm_256().replace(
        data=Quadratic(modulus=64, context=48, mode="streaming", n_sequences=None, n_test_a=8, n_test_c=8),
        model={"depth": 2, "n_heads": 2},
        steps=1200,
    )


def _seconds_only(config: RunConfig) -> RunConfig:
    """The same for a test that all works: a tiny model, a few steps."""
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
    return _seconds_only(truncated_lcg())


def quadratic_smoke() -> RunConfig:
    return _seconds_only(quadratic())


RECIPES = {
    recipe.name: recipe
    for recipe in (
        Recipe("fm-256", "the demo: one layer, one head, modulus 256; about a minute on two CPU cores", fm_256),
        Recipe("fm-2048", "the paper's fixed modulus 2^11; one GPU", fm_2048),
        Recipe("fm-7776", "the paper's composite fixed modulus 2^5 3^5; one GPU", fm_7776),
        Recipe("um-80", "unseen moduli 48, 72, 80: small enough for grids of runs; two minutes on a laptop", um_80),
        Recipe(
            "um-128",
            "unseen moduli 108, 125, 127, 128, half of each batch full-period; an hour on one core",
            um_128,
        ),
        Recipe("um-128-arbitrary", "the same with the paper's mix: arbitrary (a, c) alone", um_128_arbitrary),
        Recipe(
            "um-144",
            "unseen moduli 96, 108, 144, whose look-backs training has; twenty minutes on one core",
            um_144,
        ),
        Recipe("um-512", "unseen moduli 486, 500, 512: for grids of runs on a GPU", um_512),
        Recipe("um-2048", "the paper's unseen moduli 1800, 2048, 2352; one GPU", um_2048),
        Recipe(
            "um-2048-fast", "the same with fresh sequences, half of them full-period, and Muon; one GPU", um_2048_fast
        ),
        Recipe(
            "fm-base256",
            "base-256 digits, abacus positions, 2^16 (to 2^32 by --set data.modulus=2^32)",
            fm_base256,
        ),
        Recipe("um-base16", "unseen powers of 2 and 3 up to 243 in base-16 digits, none within the context", um_base16),
        Recipe("um-base16-wide", "the same up to 2187, wider and deeper; one GPU", um_base16_wide),
        Recipe(
            "truncated-lcg",
            "the upper four bits of an LCG modulo 2^8 of known multiplier; four minutes on one core",
            truncated_lcg,
        ),
        Recipe("truncated-lcg-smoke", "the same in seconds: not to learn anything", truncated_lcg_smoke),
        Recipe("quadratic", "quadratic steps modulo 64 of unseen coefficients; five minutes", quadratic),
        Recipe("quadratic-smoke", "the same in seconds: not to learn anything", quadratic_smoke),
        Recipe("um-base256", "unseen moduli up to 2^16 in base-256 digits; one GPU for a day", um_base256),
    )
}


def recipe(name: str) -> Recipe:
    """The recipe called ``name``, or that of the task which an import path such as ``my_task.py:MyTask`` names.

    A UserError names the near misses when there is none, and says what is wrong with a task that cannot be used.
    """
    return _own_recipe(load_task(name)) if is_import_path(name) else named("recipe", name, RECIPES)


def _own_recipe(task: type[Task]) -> Recipe:
    """A user's task at its defaults, with the model and the steps of the demo."""

    def build() -> RunConfig:
        return fm_256().replace(data=task.parse({}))

    return Recipe(task.name, "a task of the user's own", build)
