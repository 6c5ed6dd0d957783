"""Which settings make a run of the demo's recipe tiny? A small modulus, a narrow model, a few steps."""

TINY = {
    "data.modulus": 64,
    "data.context": 12,
    "data.n_test_a": 4,
    "data.n_test_c": 8,
    "model.d_model": 16,
    "batch_size": 16,
    "steps": 6,
    "warmup_steps": 2,
    "evaluate_every": 3,
    "checkpoint_every": 3,
    "precision": "fp32",
    "test_sequences": 32,
}


def assigned(**changes: object) -> list[str]:
    """The settings as ``KEY=VALUE``."""
    return [f"{key}={value}" for key, value in {**TINY, **changes}.items()]


def settings(**changes: object) -> list[str]:
    """``--set`` arguments that make a run of ``fm-256`` tiny."""
    return [word for setting in assigned(**changes) for word in ("--set", setting)]
