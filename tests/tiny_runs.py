"""Fixtures of every folder: tiny data, tiny runs, one thread each, as tests run side by side."""

from collections.abc import Callable

import jaxtyping
import pytest
import torch

from tiny_settings import settings
from unrandom.models import ModelConfig
from unrandom.runs.run import Run
from unrandom.runs.running.execution import create_run, execute
from unrandom.runs.spec import RunSpec
from unrandom.tasks import FixedModulus, UnseenModulus
from unrandom.training import OptimizerConfig, RunConfig

torch.set_num_threads(1)

FM_DATA = FixedModulus(modulus=64, context=12, mode="streaming", n_sequences=None, n_test_a=4, n_test_c=8)
UM_DATA = UnseenModulus(test_moduli=(32, 27), context=12, mode="streaming", n_sequences=None, n_test_a=3, n_test_c=3)
TINY = RunConfig(
    data=FM_DATA,
    model=ModelConfig(depth=1, n_heads=2, d_model=16, activation="relu"),
    optimizer=OptimizerConfig(name="muon", lr=3e-3, weight_decay=0.1),
    batch_size=16,
    steps=12,
    warmup_steps=2,
    schedule="cosine",
    precision="fp32",
    evaluate_every=4,
    checkpoint_every=3,
    test_sequences=32,
)


@pytest.fixture(autouse=True)
def one_thread() -> None:
    """A job sets the threads of its process (`bench sweep` runs some here); their number changes the order of sums."""
    torch.set_num_threads(1)


@pytest.fixture
def unchecked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Types of calls are not checked, as for a user, in the full tier, too: what the package itself says is tested."""
    monkeypatch.setattr(jaxtyping.config, "jaxtyping_disable", True)


@pytest.fixture
def tiny() -> RunConfig:
    """A run of a second."""
    return TINY


@pytest.fixture
def tiny_settings() -> Callable[..., list[str]]:
    return settings


@pytest.fixture
def fm_data() -> FixedModulus:
    return FM_DATA


@pytest.fixture
def um_data() -> UnseenModulus:
    return UM_DATA


@pytest.fixture(scope="session")
def finished_run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A tiny run, trained to its end. Read it; do not change it."""
    run = create_run(RunSpec("tiny", TINY), tmp_path_factory.mktemp("runs"), ["unrandom", "train", "tiny"])
    execute(run)
    return run
