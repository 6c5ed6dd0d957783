"""The card of an exported model: what it predicts, how well, how it was trained, and how to load it.

The card is Markdown (``card.md.j2``) with the YAML header that the Hugging Face hub reads (written as JSON, a subset of
YAML). Every number in it is from the run's configuration, its manifest, or its last evaluation in training.
"""

import json
import textwrap
from typing import Any

from unrandom.core.files import JsonObject
from unrandom.core.quantities import listed
from unrandom.core.templates import template
from unrandom.core.version import __version__
from unrandom.models import Transformer, parameter_count
from unrandom.models.formats import GPT2, GPT_NEOX, Tensors, meaning
from unrandom.models.positions import NUMBER_PERIODS
from unrandom.runs.continuation import Reliability
from unrandom.runs.run import Run
from unrandom.training.optimizers import OPTIMIZERS

LONGEST_SAMPLE = 64  # numbers in the sequence that the code of a card continues
WIDTH = 100  # columns of a line of numbers
LIBRARY = {"huggingface": "transformers", "transformerlens": "transformers", "safetensors": "unrandom"}
DATA_MODE = {"streaming": "fresh sequences at every step", "fixed": "a fixed set of sequences, repeated"}
MEASURES = {
    "last_number_accuracy": "the last number of a sequence, after all numbers before it",
    "number_accuracy": "all numbers of a sequence, each after the ones before it",
    "token_accuracy": "all tokens, each after the ones before it",
}


def model_card(run: Run, to: str, step: int, model: Transformer, values: JsonObject, tensors: Tensors) -> str:
    """The text of README.md for a model exported in the format ``to``, with its config.json and its tensors."""
    config, task, manifest, metrics = run.config, run.config.data, run.folder.read_manifest(), run.folder.read_metrics()
    # metrics of a run that was imported with other weights are not about these
    weights_changed = bool((manifest.get("imported") or {}).get("weights_changed"))
    measured = metrics[-1] if metrics and not weights_changed else {}
    reliability, split = Reliability.of([measured]), run.split()
    return template("unrandom.runs.sharing", "card.md.j2").render(
        GPT2=GPT2,
        GPT_NEOX=GPT_NEOX,
        run=run,
        to=to,
        task=task,
        tokenizer=task.tokenizer,
        split=split,
        shape=model.config,
        number_periods=NUMBER_PERIODS,
        parameters=parameter_count(model.config),
        header=_header(run, to, values, measured),
        tested_on=listed([task.part_text(part) for part in split.parts]),
        weights_changed=weights_changed,
        trained_by_others=bool(manifest.get("trained_by")),
        measured=measured,
        tested=len(task.test_parts) * max(1, config.test_sequences // len(task.test_parts)),
        accuracies=_accuracies(run, measured),
        curve=[(f"{count:,}", _percent(share)) for count, share in sorted(reliability.accuracy_after.items())],
        reliable_from=reliability.reliable_from,
        bf16=all(bool((weight == weight.bfloat16()).all()) for weight in model.parameters()),  # as in archived runs
        sample=_sample(run),
        user_task="" if task.source is None else task.source.path.rpartition("/")[2],  # without this machine's folders
        tensors=[(f"`{name}`", " × ".join(map(str, one.shape)), meaning(name)) for name, one in tensors.items()],
        settings=_settings(run, step, model),
        provenance=_provenance(run, to),
    )


def _header(run: Run, to: str, values: JsonObject, measured: JsonObject) -> dict[str, str]:
    """The YAML header: keys, and values as JSON."""
    tags = [run.config.data.name, "pseudo-random-numbers", "in-context-learning", "unrandom"]
    tags += ["transformer-lens"] * (to == "transformerlens") + [values.get("model_type", "transformer")]
    header: JsonObject = {"license": "mit", "library_name": LIBRARY[to], "tags": tags}
    results = [
        {"type": "accuracy", "name": f"accuracy on {about}", "value": measured[name]}
        for name, about in MEASURES.items()
        if measured.get(name) is not None
    ]
    if results:
        tested = {
            "task": {"type": "next-number-prediction", "name": "prediction of the next number"},
            "dataset": {"type": "unrandom", "name": f"held-out sequences, {run.config.data.rule}"},
            "metrics": results,
        }
        header |= {"metrics": ["accuracy"], "model-index": [{"name": run.spec.id, "results": [tested]}]}
    return {key: json.dumps(value) for key, value in header.items()}


def _accuracies(run: Run, measured: JsonObject) -> list[tuple[str, str]]:
    """The share that is right, by measure (number or token), then by part of the test."""
    task = run.config.data
    parts = measured.get(f"test_{task.part_name[1]}", {})
    shares = [(about, measured.get(name)) for name, about in MEASURES.items()]
    shares += [
        (f"the last number, {task.part_text(part)}", (parts.get(str(part)) or {}).get("last_number_accuracy"))
        for part in task.test_parts
    ]
    return [(about, _percent(share)) for about, share in shares if share is not None]


def _sample(run: Run) -> dict[str, Any]:
    """A test sequence of the run, as long as the model needs, if that is not too long for a card."""
    needed = Reliability.of(run.folder.read_metrics()).reliable_from or LONGEST_SAMPLE
    length = min(needed, run.config.data.context, LONGEST_SAMPLE)
    split = run.split()
    examples = split.test(split.parts[-1], 1, name="card")
    *numbers, following = examples.numbers[0, : length + 1].tolist()
    code = textwrap.fill(f"numbers = [{', '.join(map(str, numbers))}]", WIDTH, subsequent_indent="    ")
    about = f"a held-out sequence: {examples.parameters.text(0)}"
    return {"numbers": numbers, "following": following, "about": about, "code": code}


def _settings(run: Run, step: int, model: Transformer) -> list[tuple[str, str]]:
    config, shape, optimizer = run.config, model.config, run.config.optimizer
    shifted = "; each head mixes its keys and values with the previous number's" * shape.kv_shift
    biases = ", biases in blocks and LayerNorms" * shape.bias
    rates = OPTIMIZERS[optimizer.name].about(optimizer)
    return [
        (
            "model",
            f"{shape.depth} blocks, {shape.n_heads} heads, width {shape.d_model}, {shape.activation}{biases}{shifted}",
        ),
        ("positions", shape.positions + ", and queries and keys turn with the number" * shape.number_rotation),
        ("unembedding", "tied to the embedding" if shape.tied else "its own weights"),
        ("optimiser", f"{rates}, weight decay {optimizer.weight_decay:g}"),
        ("schedule", f"{config.schedule}, after {config.warmup_steps:,} steps of warm-up"),
        ("updates", f"{step:,} of {config.steps:,}, each on {config.batch_size:,} sequences"),
        ("data", DATA_MODE[config.data.mode]),
        ("seed", str(config.seed)),
    ]


def _provenance(run: Run, to: str) -> list[tuple[str, Any]]:
    manifest = run.folder.read_manifest()
    return [
        ("run", f"`{run.spec.id}`, of the recipe `{run.recipe}`"),
        ("made", manifest["created"]),
        ("commit", manifest.get("commit")),
        ("versions", ", ".join(f"{name} {version}" for name, version in manifest.get("versions", {}).items())),
        ("device", manifest.get("device")),
        ("imported", (manifest.get("imported") or {}).get("at")),
        ("exported", f"by Unrandom {__version__}, `--to {to}`"),
    ]


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
