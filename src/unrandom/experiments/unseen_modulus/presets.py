"""Which runs do the unseen-modulus experiments share? One large run to look into, and a small one to vary.

The *main* run is analysed head by head, and so its unseen moduli must have been learned. The *hard* one tests a prime,
too, and moduli some of whose look-backs no training modulus has. The *small* one asks the main run's question of
smaller moduli, so that a grid of it fits into minutes. All draw half of every batch from full-period parameters, where
the paper draws none. At paper scale they are the run that the paper looks into (four layers, six heads, n_m = n_a = n_c
= 128, AdamW), also for grids where the paper varies another run.
"""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

from unrandom.experiments.scale import Scale
from unrandom.runs.recipes import recipe
from unrandom.runs.spec import RunSpec
from unrandom.training import RunConfig

Settings = Mapping[str, Any]


def _moduli(test: Sequence[int], validation: Sequence[int], context: int, largest: int) -> dict[str, Any]:
    return {
        "data.test_moduli": tuple(test),
        "data.validation_moduli": tuple(validation),
        "data.context": context,
        "data.max_modulus": largest,
    }


SMALL_RECIPE: dict[Scale, str] = {"smoke": "um-80", "laptop": "um-80", "gpu": "um-512", "paper": "um-2048"}
MAIN_RECIPE: dict[Scale, str] = {"smoke": "um-80", "laptop": "um-144", "gpu": "um-2048-fast", "paper": "um-2048"}
HARD_RECIPE: dict[Scale, str] = {**MAIN_RECIPE, "laptop": "um-128"}

# what is tuned: the rate of the matrices inside the blocks (Muon), or AdamW's where that is all there is
RATE: dict[Scale, str] = {
    "smoke": "optimizer.muon_lr",
    "laptop": "optimizer.muon_lr",
    "gpu": "optimizer.muon_lr",
    "paper": "optimizer.lr",
}
RATES: dict[Scale, tuple[float, ...]] = {  # for each cell of another grid
    "smoke": (0.05,),
    "laptop": (0.03, 0.06),
    "gpu": (0.01, 0.02, 0.05),
    "paper": (3e-5, 1e-4, 3e-4, 1e-3),
}
WEIGHT_DECAYS: dict[Scale, tuple[float, ...]] = {
    "smoke": (0.1, 0.3),
    "laptop": (0.1, 0.3),
    "gpu": (0.1, 0.3),
    "paper": (0.01, 0.1, 1.0, 3.0),
}
RATES_WIDE: dict[Scale, tuple[float, ...]] = {  # for a grid of their own
    "smoke": (0.02, 0.05),
    "laptop": (0.01, 0.03, 0.1),
    "gpu": (0.003, 0.01, 0.03, 0.1),
    "paper": (3e-5, 1e-4, 3e-4, 1e-3),
}
WEIGHT_DECAYS_WIDE: dict[Scale, tuple[float, ...]] = {
    "smoke": (0.1, 0.3),
    "laptop": (0.1, 1.0),
    "gpu": (0.01, 0.1, 0.3, 1.0),
    "paper": (0.01, 0.1, 1.0, 3.0),
}
# n_m = m / 4 and n_a = n_c = sqrt(400,000 / n_m), the paper's rule
PAPERS_1024 = {**_moduli((1024,), (1000,), 256, 1228), "data.n_m": 256, "data.n_a": 40, "data.n_c": 40}
PAPERS_4096 = {**_moduli((4096,), (4000,), 256, 4915), "data.n_m": 1024, "data.n_a": 20, "data.n_c": 20}
SIZES: dict[Scale, tuple[dict[str, Any], ...]] = {  # moduli of growing size; {} are the small run's own
    "smoke": (_moduli((16, 18), (25,), 8, 32), {}),
    "laptop": (_moduli((24, 36, 40), (45, 50), 16, 80), {}),
    "gpu": (_moduli((125, 128), (108, 144), 64, 154), _moduli((250, 256), (216, 288), 96, 307), {}),
    "paper": (PAPERS_1024, PAPERS_4096),
}

# With these settings no row is drawn for its full period.
ARBITRARY: Settings = {"data.full_period_share": 0.0, "data.counting_share": None}

SMOKE = (
    "data.test_moduli=[18,25,32]",
    "data.validation_moduli=[27]",
    "data.context=12",
    "data.max_modulus=48",
    "data.n_test_a=3",
    "data.n_test_c=3",
    "model.d_model=16",
    "model.depth=2",
    "model.n_heads=2",
    "batch_size=32",
    "steps=12",
    "warmup_steps=2",
    "evaluate_every=4",
    "checkpoint_every=12",
    "test_sequences=48",
    "precision=fp32",
)


def main_runs(scale: Scale, seeds: int) -> list[RunSpec]:
    """The run that is looked into, for each seed."""
    return _planned(MAIN_RECIPE[scale], scale, [{}], seeds)


def hard_runs(scale: Scale, seeds: int, variants: Sequence[Settings] = ({},)) -> list[RunSpec]:
    """The run with a prime and with look-backs that training lacks, with each set of changes, for each seed."""
    return _planned(HARD_RECIPE[scale], scale, variants, seeds)


def small_runs(scale: Scale, seeds: int, variants: Sequence[Settings]) -> list[RunSpec]:
    """The small run, likewise; changes win over the scale's own settings."""
    return _planned(SMALL_RECIPE[scale], scale, variants, seeds)


def _planned(name: str, scale: Scale, variants: Sequence[Settings], seeds: int) -> list[RunSpec]:
    """A run for each set of changes and each seed; sets that come to the same have one."""
    config = base(name, scale)
    changed = [config.override([f"{key}={_text(value)}" for key, value in variant.items()]) for variant in variants]
    runs = [RunSpec(name, each.override([f"seed={seed}"])) for each in changed for seed in range(seeds)]
    return list({run.id: run for run in runs}.values())


def grid(**axes: Sequence[Any]) -> list[dict[str, Any]]:
    """Every combination; ``model__depth`` stands for the key ``model.depth``."""
    keys = [key.replace("__", ".") for key in axes]
    return [dict(zip(keys, values, strict=True)) for values in product(*axes.values())]


def base(name: str, scale: Scale) -> RunConfig:
    """A recipe at the size of the scale."""
    config = recipe(name).build()
    return config.override(SMOKE) if scale == "smoke" else config


def _text(value: Any) -> str:
    return str(list(value)) if isinstance(value, tuple) else "none" if value is None else str(value)
