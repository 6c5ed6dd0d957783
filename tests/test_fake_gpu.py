"""Does the code run on a GPU? Every recipe, intervention and measurement, on fake tensors: this needs no GPU."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
import torch
from polars.testing import assert_frame_equal
from torch.nn import functional as F

import unrandom
from fake_gpu import GPU, FakeGpu, fake_gpu
from rounding import assert_agree
from tiers import nightly_but, slow_but
from unrandom.bench.device_checks import CHECKS, CheckContext
from unrandom.experiments.experiment import Experiment
from unrandom.experiments.permuted import alone
from unrandom.experiments.registry import EXPERIMENTS
from unrandom.models import Transformer, TransformerConfig, intervene, record
from unrandom.models.attention import Attention
from unrandom.models.formats.gpt2 import to_gpt2
from unrandom.models.formats.gpt_neox import to_gpt_neox
from unrandom.models.formats.plain import to_plain
from unrandom.models.numerics import choose_attention
from unrandom.models.predictor import TransformerPredictor
from unrandom.models.taps import tap_names
from unrandom.runs.measurement import measure_run
from unrandom.runs.recipes import RECIPES
from unrandom.runs.run import Run
from unrandom.runs.running.execution import create_run, execute, execute_together
from unrandom.runs.running.grid_point import measure_point
from unrandom.runs.spec import RunSpec
from unrandom.runs.tables import Tables
from unrandom.training import RunConfig, checkpoint
from unrandom.training.machine import choose_device, describe
from unrandom.training.trainee import build_model
from unrandom.training.trial import trial_stepper

NOT_CARRIED: dict[str, str] = {}
"""Experiments whose measurement cannot run on fake tensors, with the reason and the date."""

NO_MODEL = {
    "digit-periods",
    "tokenization",
    "fm-grokking",
    "um-grokking",
    "um-period-ablation",
    "pcg-few-parameters",
    "pcg-curriculum",
    "pcg-transfer",
}
"""Experiments that read no model: generators, or what training has written."""

NEED_A_GPU = {"compile", "one rank of DDP", "memory", "fraction of the matrix rate"}
"""Checks of `unrandom bench device` of what fake tensors lack: compiled code, communication, memory and speed."""

QUICK = ("fm-staircase", "fm-attention", "um-heads", "um-lookback", "um-patching", "pcg-rounds")
"""Experiments that are measured in the fast tier."""


@pytest.fixture
def gpu():
    with fake_gpu() as found:
        yield found


# What a GPU refuses is found


def test_tensors_of_two_devices_are_refused(gpu):
    scores = torch.ones(2, 3, device=GPU)
    with pytest.raises(RuntimeError, match="same device"):
        scores + torch.ones(2, 3)
    with pytest.raises(RuntimeError, match="same device"):
        torch.ones(3)[torch.tensor([0], device=GPU)]
    with pytest.raises(RuntimeError, match="same device"):
        torch._foreach_add([scores], [torch.ones(2, 3)])
    with pytest.raises(RuntimeError, match="same device"):
        torch.randn(3, device=GPU, generator=torch.Generator())
    with pytest.raises(RuntimeError, match="device"):
        scores[torch.tensor([0])] = torch.ones(1, 3)


def test_what_a_gpu_allows_has_the_values_of_a_cpu(gpu):
    rows = torch.arange(6.0).reshape(2, 3)
    moved = rows.to(GPU)
    assert (moved.device, moved[1:].device, choose_device().type) == (GPU, GPU, "cuda")
    assert (moved * torch.tensor(2.0)).tolist() == (2 * rows).tolist()  # a number may be on the CPU
    assert moved[torch.tensor([1]), 2].tolist() == [5.0]
    assert moved[moved > 3].tolist() == [4.0, 5.0]
    moved[0] = 7
    assert moved.cpu().numpy()[0].tolist() == [7, 7, 7]
    assert (moved.sum().item(), bool((moved == 7).any())) == (33.0, True)
    assert rows.copy_(moved)[0, 0] == 7


def test_values_are_copied_to_the_cpu_before_numpy_reads_them(gpu):
    for read in (torch.Tensor.numpy, np.asarray):
        with pytest.raises(TypeError, match="can't convert cuda:0 device type tensor to numpy"):
            read(torch.ones(2, device=GPU))


def test_types_that_do_not_fit_are_refused(gpu):
    halves = torch.ones(2, 2, device=GPU, dtype=torch.bfloat16)
    with pytest.raises(RuntimeError, match="same dtype"):
        halves @ torch.ones(2, 2, device=GPU)
    with torch.autocast("cuda", dtype=torch.bfloat16):
        assert (halves @ torch.ones(2, 2, device=GPU)).dtype == torch.bfloat16
    with pytest.raises(RuntimeError, match="to be Long"):
        F.cross_entropy(torch.ones(2, 2, device=GPU), torch.zeros(2, device=GPU, dtype=torch.int32))


def test_a_mask_that_is_made_on_the_cpu_is_found(gpu, tiny, monkeypatch):
    def explicit(self: Attention, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        future = torch.full((q.shape[-2], q.shape[-2]), float("-inf")).triu(1)
        return (q @ k.mT + future).softmax(-1) @ v

    monkeypatch.setattr(Attention, "_explicit", explicit)
    stepper = trial_stepper(tiny, build_model(tiny, GPU).use_attention("explicit"))
    with pytest.raises(RuntimeError, match="same device"):
        stepper.advance()


def test_faults_of_a_measurement_are_found(smoke_runs, monkeypatch):
    experiment, runs = EXPERIMENTS["um-embedding"], smoke_runs(EXPERIMENTS["um-embedding"])
    monkeypatch.setattr(torch.Tensor, "cpu", lambda tensor: tensor)
    with pytest.raises(TypeError, match="can't convert cuda:0"):
        measured_on_gpu(experiment, runs)


def test_wrong_types_of_an_edit_are_found(gpu, tokens):
    model = Transformer(CONFIG).to(GPU).eval()
    with (
        intervene(model, {"blocks.0.attn.hook_z": lambda z: z.double()}),
        pytest.raises(RuntimeError, match="same dtype"),
    ):
        model(tokens.to(GPU))


# Training


def small(config: RunConfig) -> RunConfig:
    """The recipe with narrow heads, one block, short sequences and few of them; what it computes is the same."""
    most = dict.fromkeys(("n_m", "n_a", "n_c", "n_test_a", "n_test_c"), 8) | {"context": 24}
    model = config.transformer
    return config.replace(
        start=None,  # another recipe's model
        data={name: min(size, limit) for name, limit in most.items() if (size := getattr(config.data, name, None))},
        model={"d_model": model.n_heads * min(model.d_head, 8), "depth": 1},
        batch_size=8 * config.micro_batches,
    )


def steps_on_gpu(config: RunConfig, like: RunConfig) -> list[float]:
    """The losses of two steps, on the path of attention that a GPU takes for the configuration ``like``."""
    model = build_model(config, GPU).use_attention(choose_attention(like.transformer, GPU))
    stepper = trial_stepper(config, model)
    assert {parameter.device for parameter in model.parameters()} == {GPU}
    assert stepper.precision == ("bf16" if config.precision == "auto" else config.precision)
    for _ in range(2):
        stepper.advance()
    stepper.flush_losses()
    return stepper.progress.losses


@pytest.mark.parametrize("name", slow_but(list(RECIPES)[::4], RECIPES))
def test_training_steps_of_a_recipe(name, gpu):
    config = RECIPES[name].build()
    assert all(np.isfinite(steps_on_gpu(small(config), config)))


@pytest.mark.parametrize("changes", [{"micro_batches": 2}, {"recompute": True}, {"model": {"kv_shift": True}}], ids=str)
def test_training_steps_with_other_settings(changes, gpu, tiny):
    config = tiny.replace(precision="auto", **changes)
    assert all(np.isfinite(steps_on_gpu(config, config)))


def test_a_run_on_a_gpu_is_the_run_on_a_cpu(tiny, tmp_path):
    """Trained, evaluated, saved and resumed; another run starts from its weights."""
    grown = tiny.replace(start={"recipe": "tiny", "config": tiny.to_json()}, data={"modulus": 128}, steps=1)
    expected = execute(create_run(RunSpec("tiny", tiny), tmp_path / "cpu", ["unrandom"]))
    with fake_gpu():
        run = create_run(RunSpec("tiny", tiny), tmp_path / "gpu", ["unrandom"])
        assert run.folder.read_manifest()["device"] == describe(GPU) == "fake GPU"
        assert execute(run, stop=lambda: True)["steps"] == 1
        found = execute(run)
        after = execute(create_run(RunSpec("grown", grown), tmp_path / "gpu", ["unrandom"]))
    assert_agree(found["train_loss"], expected["train_loss"], 1e-3)
    assert_agree(found["test_loss"], expected["test_loss"], 1e-3)
    assert after["finished"]
    assert _cosine(run, Run.open(tmp_path / "cpu" / run.id)) > 0.999


def _cosine(run: Run, other: Run) -> float:
    vectors = [torch.cat([each.detach().flatten() for each in one.load_model().parameters()]) for one in (run, other)]
    return float(F.cosine_similarity(*vectors, dim=0))


@pytest.mark.slow
def test_runs_that_are_trained_side_by_side(gpu, tiny, tmp_path):
    specs = [RunSpec("tiny", tiny.replace(seed=seed, steps=3, precision="bf16")) for seed in (0, 1)]
    results = execute_together([create_run(spec, tmp_path, ["unrandom"]) for spec in specs])
    assert [result["finished"] for result in results] == [True, True]
    alone = execute(create_run(specs[0], tmp_path / "alone", ["unrandom"]))
    assert_agree(results[0]["train_loss"], alone["train_loss"], 1e-2)


@pytest.mark.parametrize(
    "name", slow_but(set(CHECKS) - {"resume"}, [name for name in CHECKS if name not in NEED_A_GPU])
)
def test_what_is_checked_of_a_device(name, gpu, tiny):
    assert CHECKS[name](CheckContext(tiny.replace(precision="auto"), GPU))


# Models: predictions, interventions, formats

CONFIG = TransformerConfig(depth=2, n_heads=2, d_model=8, vocab_size=11, context=6, kv_shift=True, positions="rotary")


@pytest.fixture
def tokens() -> torch.Tensor:
    return torch.randint(11, (3, 6), generator=torch.Generator().manual_seed(0))


@torch.no_grad()
@pytest.mark.parametrize("positions", ["learned", "abacus", "rotary"])
def test_every_tap_is_recorded_and_edited(positions, tokens):
    expected = Transformer(CONFIG.replace(positions=positions)).eval()
    edits = dict.fromkeys(tap_names(expected), lambda value: value * 0.5 + torch.zeros_like(value))
    with fake_gpu():
        model = Transformer(expected.config).to(GPU).eval()
        with intervene(model, edits), record(model, "*") as seen:
            found = model(tokens.to(GPU)).cpu()
        assert {value.device for value in seen.values()} == {GPU}
    with intervene(expected, edits):
        assert_agree(found, expected(tokens))


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
def test_a_predictor(precision, gpu, finished_run):
    numbers = finished_run.split().test(64, 8).numbers
    tokenizer = finished_run.config.data.tokenizer
    on_gpu = TransformerPredictor(finished_run.load_model(GPU), tokenizer, precision=precision)
    expected = TransformerPredictor(finished_run.load_model(), tokenizer).predict(numbers)
    tolerance = 1e-5 if precision == "fp32" else 5e-2
    assert_agree(on_gpu.predict(numbers).truth_probability, expected.truth_probability, tolerance)
    guesses, probabilities = on_gpu.continue_sequences(numbers[:2, :5], 4)
    assert guesses.shape == probabilities.shape == (2, 4)


def test_a_loaded_run(gpu, finished_run):
    run = unrandom.load(finished_run.folder.path)
    numbers = run.split().test(64, 2).numbers[0]
    assert (run.model.embed.weight.device, run.tokens(numbers).device) == (GPU, GPU)
    assert len(run.predict(numbers, 3).numbers) == 3
    assert len(run.evaluate(sequences=16, predictors=["copy"])) > 0
    assert run.cache(run.tokens(numbers[:-1]))["logits"].device == GPU
    assert run.cache(run.tokens(numbers[:-1]).cpu())["logits"].device == GPU
    assert measure_point(run, 16)["parameters"] > 0


def test_a_report(finished_run, monkeypatch):
    with fake_gpu() as gpu:
        load_on_gpu(monkeypatch)
        assert measure_run(finished_run, sequences=16)["embedding"]
        assert gpu.operations


@pytest.mark.parametrize(
    ("convert", "positions"), [(to_plain, "rotary"), (to_gpt2, "learned"), (to_gpt2, "abacus"), (to_gpt_neox, "rotary")]
)
def test_a_model_in_another_format(convert, positions, gpu):
    model = Transformer(CONFIG.replace(positions=positions, kv_shift=False)).to(GPU)
    _, tensors = convert(model)
    assert {tensor.device.type for tensor in tensors.values()} == {"cpu"}


# Measurements of experiments


def load_on_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """Models are on the GPU also where the code leaves the device to the default, the CPU."""
    load = checkpoint.load_model
    monkeypatch.setattr(checkpoint, "load_model", lambda folder, device=None: load(folder, device or GPU))


def short(config: RunConfig) -> RunConfig:
    """The run and those that it starts from with fewer steps, unless it is measured by step."""
    if config.keep_every is not None:
        return config
    start = config.start and config.start.replace(config=short(config.start.config))
    return config.replace(steps=2, evaluate_every=1, checkpoint_every=1, start=start)


@pytest.fixture(scope="session")
def smoke_runs(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Experiment], list[Run]]:
    """The runs of an experiment at smoke scale, trained on the CPU and shared by the experiments."""
    folder = tmp_path_factory.mktemp("smoke-runs")

    def trained(experiment: Experiment) -> list[Run]:
        planned = experiment.runs("smoke", 1)
        runs = [create_run(replace(spec, config=short(spec.config)), folder, []) for spec in planned]
        for run in runs:
            execute(run)
        return runs

    return trained


def measured_on_gpu(experiment: Experiment, runs: list[Run]) -> tuple[Tables, FakeGpu]:
    with pytest.MonkeyPatch.context() as patch, fake_gpu() as gpu:
        load_on_gpu(patch)
        alone._tested.cache_clear()  # what three experiments share was evaluated on the other device
        return experiment.measure(runs, "smoke"), gpu


@pytest.mark.parametrize("name", nightly_but(QUICK, EXPERIMENTS))
def test_a_measurement_on_a_gpu_is_that_on_a_cpu(name, smoke_runs):
    if name in NOT_CARRIED:
        pytest.skip(NOT_CARRIED[name])
    experiment, runs = EXPERIMENTS[name], smoke_runs(EXPERIMENTS[name])
    found, gpu = measured_on_gpu(experiment, runs)
    assert bool(gpu.operations) == (name not in NO_MODEL)
    alone._tested.cache_clear()
    expected = experiment.measure(runs, "smoke")
    assert list(found) == list(expected)
    for table, rows in expected.items():
        assert_frame_equal(found[table], rows, rel_tol=1e-3, abs_tol=1e-4)
