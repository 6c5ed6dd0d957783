"""What does the card of an exported model say? What it predicts, how well, how it was trained, and how to load it.

The card is Markdown with the YAML header that the Hugging Face hub reads (written as JSON, a subset of YAML). Every
number in it is from the run's configuration, its manifest, or its last evaluation in training.
"""

import json
from collections.abc import Sequence
from typing import Any

from unrandom.core.files import JsonObject
from unrandom.core.quantities import listed
from unrandom.core.version import __version__
from unrandom.models import Transformer, parameter_count
from unrandom.models.formats import Tensors, meaning
from unrandom.runs.continuation import Reliability
from unrandom.runs.run import Run
from unrandom.runs.sharing.card_code import Sample, huggingface_code, plain_code, transformerlens_code
from unrandom.training.optimizers import OPTIMIZERS

LONGEST_SAMPLE = 64  # numbers in the sequence that the code of a card continues
CODE = {"huggingface": huggingface_code, "transformerlens": transformerlens_code, "safetensors": plain_code}
LIBRARY = {"huggingface": "transformers", "transformerlens": "transformers", "safetensors": "unrandom"}
DATA_MODE = {"streaming": "fresh sequences at every step", "fixed": "a fixed set of sequences, repeated"}
MEASURES = {
    "last_number_accuracy": "the last number of a sequence, after all numbers before it",
    "number_accuracy": "all numbers of a sequence, each after those before it",
    "token_accuracy": "all tokens, each after those before it",
}
EXPLAINED = {
    "huggingface": "The logits are those of the run's model, to rounding. No tokenizer is needed.",
    "transformerlens": (
        "TransformerLens makes a bridge to the model of transformers that is in this folder; no tokenizer is needed. "
        "Hooks have the names of this package's taps, with the same values, except for `hook_normalized`: there it is "
        "before the gain of the LayerNorm, whose output is `hook_out`."
    ),
    "safetensors": "The tensors are the run's own parameters in fp32. This is the whole model, in PyTorch alone:",
}


def model_card(run: Run, to: str, step: int, model: Transformer, values: JsonObject, tensors: Tensors) -> str:
    """The text of README.md for a model exported in the format ``to``, with its config.json and its tensors."""
    measured = _measured(run)
    sections = [
        _header(run, to, values, measured),
        f"# {run.spec.id}\n\n{_purpose(run, model)}",
        f"## Task\n\n{_task(run)}",
        f"## Accuracy\n\n{_accuracy(run, model, measured)}",
        f"## Use\n\n{_use(run, to, model)}",
        f"## Tensors\n\n{_tensors(to, model, tensors)}",
        f"## Training\n\n{_training(run, step, model)}",
        f"## Limits\n\n{_limits(run)}",
        f"## Provenance\n\n{_provenance(run, to)}",
    ]
    return "\n\n".join(sections) + "\n"


def _measured(run: Run) -> JsonObject:
    """The last line of the metrics; empty if there is none, or none of these weights."""
    metrics = run.folder.read_metrics()
    return metrics[-1] if metrics and not _were_changed(run) else {}


def _were_changed(run: Run) -> bool:
    """Whether the run was imported with other weights than those that its metrics are about."""
    return bool(run.folder.read_manifest().get("imported", {}).get("weights_changed"))


def _header(run: Run, to: str, values: JsonObject, measured: JsonObject) -> str:
    """The YAML header."""
    tags = [run.config.data.name, "pseudo-random-numbers", "in-context-learning", "unrandom"]
    header = {
        "license": "mit",
        "library_name": LIBRARY[to],
        "tags": [
            *tags,
            *{"transformerlens": ["transformer-lens"]}.get(to, []),
            values.get("model_type", "transformer"),
        ],
    }
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
    return "\n".join(["---", *(f"{key}: {json.dumps(value)}" for key, value in header.items()), "---"])


def _purpose(run: Run, model: Transformer) -> str:
    config, task = model.config, run.config.data
    return (
        f"A decoder-only Transformer with {parameter_count(config):,} parameters that reads the first numbers of a "
        f"pseudo-random sequence, {task.rule}, and predicts the next one. It was trained by Unrandom, a laboratory "
        "that teaches Transformers to predict pseudo-random numbers and shows how they do it."
    )


def _task(run: Run) -> str:
    task, tokenizer = run.config.data, run.config.data.tokenizer
    split = run.split()
    tokens = "one token per number: the token is the number"
    if tokenizer.width > 1:
        tokens = (
            f"{tokenizer.width} tokens per number: its digits in base {tokenizer.base}, least significant first, "
            f"d[k] = ⌊x / {tokenizer.base}^k⌋ mod {tokenizer.base}"
        )
    held_out = f"{task.unseen}; the test has sequences {split.about}"
    lines = [
        f"task: `{task.name}` ({task.kind}), {task.rule}",
        f"numbers: whole, from 0 to {task.vocabulary - 1:,}",
        f"tokens: {tokens}",
        f"context: at most {task.context:,} numbers are read to predict the one after them",
        f"tested on: {listed([task.part_text(part) for part in split.parts])}",
        f"held out: {held_out} (the values are `manifest.split` in unrandom.json)",
    ]
    return _bullets([*lines, task.enough_text] if task.enough_text else lines)


def _accuracy(run: Run, model: Transformer, measured: JsonObject) -> str:
    if _were_changed(run):
        return "The weights were changed after the run was evaluated: how accurate they are was not measured."
    if not measured:
        return "The run has no recorded evaluation."
    rows = [(about, _percent(measured[name])) for name, about in MEASURES.items() if measured.get(name) is not None]
    task, parts = run.config.data, measured.get(f"test_{run.config.data.part_name[1]}", {})
    rows += [
        (f"the last number, {task.part_text(part)}", _percent(values["last_number_accuracy"]))
        for part in task.test_parts
        if (values := parts.get(str(part))) and values.get("last_number_accuracy") is not None
    ]
    tested = len(task.test_parts) * max(1, run.config.test_sequences // len(task.test_parts))
    text = (
        f"Measured on {tested:,} held-out sequences in the last evaluation during training, after "
        f"{measured['step']:,} updates (`metrics` and `result` in unrandom.json):\n\n{_table(('right', 'share'), rows)}"
    )
    if seen := Reliability.of([measured]).accuracy_after:
        curve = [(f"{count:,}", _percent(share)) for count, share in sorted(seen.items())]
        text += f"\n\n{_needed(measured)}\n\n{_table(('numbers seen', 'next number right'), curve)}"
    if _is_bf16(model):
        text += (
            "\n\nThe run keeps its weights in bfloat16, and this folder has the same values; the numbers above were "
            "measured before they were rounded."
        )
    return text


def _needed(measured: JsonObject) -> str:
    first = Reliability.of([measured]).reliable_from
    if first is None:
        return "It was right in less than 90 % of the sequences, however many numbers it had seen:"
    return f"Where this was measured, it was right in 90 % of the sequences or more from {first:,} numbers on:"


def _use(run: Run, to: str, model: Transformer) -> str:
    sample, source = _sample(run), run.config.data.source
    task = "" if source is None else source.path.rpartition("/")[2]  # without the folders of the machine it was made on
    load_task = (
        f'unrandom.tasks.load_task("{task}")  # the file of the task, which is not in this folder\n' if task else ""
    )
    option = f" --task {task}" if task else ""
    return (
        f"{EXPLAINED[to]}\n\n```python\n{CODE[to](model.config, run.config.data.tokenizer, sample)}```\n\n"
        f"Unrandom makes a run of this folder again, as `unrandom import .{option}` does:\n\n"
        f'```python\nimport unrandom\n\n{load_task}run = unrandom.import_run(".", out="runs")\n'
        f"print(run.predict({sample.numbers[:8]}, n=2).numbers)\n```"
    )


def _sample(run: Run) -> Sample:
    """A test sequence of the run, as long as the model needs, if that is not too long for a card."""
    needed = Reliability.of(run.folder.read_metrics()).reliable_from or LONGEST_SAMPLE
    length = min(needed, run.config.data.context, LONGEST_SAMPLE)
    split = run.split()
    examples = split.test(split.parts[-1], 1, name="card")
    *numbers, following = examples.numbers[0, : length + 1].tolist()
    return Sample(numbers, following, f"a held-out sequence: {examples.parameters.text(0)}")


def _tensors(to: str, model: Transformer, tensors: Tensors) -> str:
    if to != "safetensors":
        positions = {
            "learned": "",
            "abacus": (
                " Abacus positions, a vector of the number plus one of the digit, are folded into the table of "
                "positions: wpe[i] = W_int[⌊i / D⌋] + W_digit[i mod D], with D digits per number."
            ),
            "rotary": " Rows of the matrix for queries, keys and values are in the order (head; q, k, v; feature).",
        }[model.config.positions]
        return f"All are in fp32. The run's model has no biases; those of the class here are zero.{positions}"
    rows = [(f"`{name}`", " × ".join(map(str, tensor.shape)), meaning(name)) for name, tensor in tensors.items()]
    reads = f"All are in fp32; D = {model.config.digits} is the number of tokens per number."
    tied = " The embedding is used again as the unembedding." * model.config.tied
    return f"{reads}{tied}\n\n{_table(('tensor', 'shape', 'meaning'), rows)}"


def _training(run: Run, step: int, model: Transformer) -> str:
    config, shape, optimizer = run.config, model.config, run.config.optimizer
    rates = OPTIMIZERS[optimizer.name].about(optimizer)
    shifted = "; each head mixes its keys and values with those of the number before" * shape.kv_shift
    rows = [
        ("model", f"{shape.depth} blocks, {shape.n_heads} heads, width {shape.d_model}, {shape.activation}{shifted}"),
        ("positions", shape.positions),
        ("unembedding", "tied to the embedding" if shape.tied else "its own weights"),
        ("optimiser", f"{rates}, weight decay {optimizer.weight_decay:g}"),
        ("schedule", f"{config.schedule}, after {config.warmup_steps:,} steps of warm-up"),
        ("updates", f"{step:,} of {config.steps:,}, each on {config.batch_size:,} sequences"),
        ("data", DATA_MODE[config.data.mode]),
        ("seed", str(config.seed)),
    ]
    start = f" It started from the weights of a run of `{config.start.recipe}`." if config.start else ""
    settings = _table(("setting", "value"), rows)
    return f"{settings}\n\nThe whole configuration is `manifest.config` in unrandom.json.{start}"


def _limits(run: Run) -> str:
    task = run.config.data
    return _bullets(
        [
            f"It knows sequences of its task only: {task.rule}, with numbers below {task.vocabulary:,}.",
            f"It reads {task.context:,} numbers at most, and always names a number, whether or not there is a rule.",
            "The accuracies are those of one trained model, on sequences that are drawn as its test is.",
        ]
    )


def _provenance(run: Run, to: str) -> str:
    manifest = run.folder.read_manifest()
    versions = ", ".join(f"{name} {version}" for name, version in manifest.get("versions", {}).items())
    imported = manifest.get("imported", {})
    facts: list[tuple[str, Any]] = [
        ("run", f"`{run.spec.id}`, of the recipe `{run.recipe}`"),
        ("made", manifest.get("created")),
        ("commit", manifest.get("commit")),
        ("versions", versions),
        ("device", manifest.get("device")),
        ("imported", imported.get("at")),
        ("exported", f"by Unrandom {__version__}, `--to {to}`"),
    ]
    return _bullets([f"{name}: {value}" for name, value in facts if value])


def _is_bf16(model: Transformer) -> bool:
    """Whether every weight is a bfloat16 number, as in archived runs."""
    return all(bool((weight == weight.bfloat16()).all()) for weight in model.parameters())


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _bullets(lines: Sequence[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
