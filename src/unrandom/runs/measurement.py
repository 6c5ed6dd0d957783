"""Measures a run for its report: accuracy, attention, embedding, ceilings and samples, as JSON values.

Analyses run on the eager model in fp32 with explicit attention. Reports are drawn from the returned values alone.
"""

import shlex
from dataclasses import asdict
from functools import partial

import numpy as np

from unrandom.core.files import JsonObject
from unrandom.evaluation import evaluate
from unrandom.interpretation.attention import attention_by_distance, attention_patterns, pattern_taps
from unrandom.interpretation.embedding import embedding_table, prime_powers, token_vectors
from unrandom.models import Transformer, parameter_count
from unrandom.models.predictor import TransformerPredictor
from unrandom.runs.comparison import compare
from unrandom.runs.recipes import RECIPES
from unrandom.runs.run import Run
from unrandom.runs.spec import RunSpec
from unrandom.tasks import Examples, FurtherTest, Part, Split, Task, make_predictors
from unrandom.training.checkpoint import checkpoint_to_load

SEQUENCES_AVERAGED = 64  # test sequences for attention by distance
SEQUENCES_OF_CEILINGS = 256
SAMPLES = 10
SMALL_MODULI = (2, 3, 4, 5, 6, 7, 8, 9)  # residues tested in the embedding if training has many moduli


def evaluate_run(run: Run, predictor: TransformerPredictor, *, part: Part | None, sequences: int) -> list[JsonObject]:
    """Accuracy by position, digit and label for one part of the test, or (None) for each part.

    The sequences are held out from training, unless the configuration does not name the part (such as another modulus):
    training may have seen these. Further tests of the task come with each part. Raises UserError for a part
    that the task cannot test.
    """
    split = run.split() if part is None else run.split().testing(part)
    parts = split.parts if part is None else (part,)
    return [_evaluate_part(run, predictor, split, each, sequences) for each in parts]


def measure_run(run: Run, *, sequences: int = 1024) -> JsonObject:
    """Everything that the report shows."""
    predictor = run.predictor()
    shown = partial(run.split().test_of_largest, name="shown")
    one = shown(1)
    return {
        "run": _about(run, run.folder.read_manifest()),
        "metrics": run.folder.read_metrics(),
        "evaluation": evaluate_run(run, predictor, part=None, sequences=sequences),
        "ceilings": _ceilings(run),
        "attention": _attention(predictor, one, shown(SEQUENCES_AVERAGED)),
        "attention_sequence": one.parameters.text(0),
        "embedding": _embedding(run, predictor.model),
        "samples": _samples(predictor, shown(SAMPLES)),
    }


def _ceilings(run: Run) -> list[JsonObject]:
    """Accuracy of the task's baselines, up to the ceiling of what is possible, for each part of the test."""
    task = run.config.data
    names = [name for name, baseline in task.baselines().items() if baseline.in_reports]
    return compare(run, make_predictors(names, task), part=None, sequences=SEQUENCES_OF_CEILINGS) if names else []


def _evaluate_part(run: Run, predictor: TransformerPredictor, split: Split, part: Part, sequences: int) -> JsonObject:
    task = run.config.data
    return {
        "part": part,
        "name": task.part_text(part),
        "symbol": task.part_symbol(part),
        **evaluate(predictor, split.test(part, sequences)).to_json(),
        "about": split.about,
        "further": [_further(predictor, test) for test in split.further_tests(part, sequences, seed=run.config.seed)],
    }


def _further(predictor: TransformerPredictor, test: FurtherTest) -> JsonObject:
    tested = evaluate(predictor, test.examples)
    accuracy = tested.last_number_json()
    return {"name": test.name, "about": test.about, "last_number_accuracy": accuracy, "by_group": tested.by_group()}


def _attention(predictor: TransformerPredictor, shown: Examples, many: Examples) -> list[JsonObject]:
    """The attention pattern and mean attention by distance of each head, in layers that have patterns."""
    patterns, averaged = (attention_patterns(predictor, part) for part in (shown, many))
    layers = [int(name.split(".")[1]) for name in pattern_taps(predictor.model)]
    return [
        {
            "layer": layer,
            "head": head,
            "tokens": pattern.shape[-1],
            "pattern": np.round(pattern[0, head], 4).tolist(),
            "by_distance": np.round(attention_by_distance(mean[:, head]), 6).tolist(),
        }
        for layer, pattern, mean in zip(layers, patterns, averaged, strict=True)
        for head in range(pattern.shape[1])
    ]


def _embedding(run: Run, model: Transformer) -> JsonObject:
    task = run.config.data
    moduli = SMALL_MODULI if task.embedding_modulus is None else prime_powers(task.embedding_modulus)
    table = embedding_table(token_vectors(model), moduli)
    return {"labels": "numbers" if task.base is None else "digits", **table}


def _samples(predictor: TransformerPredictor, sequences: Examples) -> list[JsonObject]:
    predictions = predictor.predict(sequences.numbers)
    assert predictions.truth_probability is not None
    return [
        {
            "parameters": sequences.parameters.text(row),
            "numbers": sequences.numbers[row].tolist(),
            "predicted": predictions.numbers[row].tolist(),
            "probability": np.round(predictions.truth_probability[row].astype(float), 4).tolist(),
        }
        for row in range(len(sequences))
    ]


def _about(run: Run, manifest: JsonObject) -> JsonObject:
    checkpoint = checkpoint_to_load(run.folder)
    return {
        "id": run.id,
        "recipe": run.recipe,
        "config": manifest["config"],
        "task": task_json(run.config.data),
        "data_mode": run.config.data.mode,
        "seed": run.config.seed,
        "steps": checkpoint.step,
        "train_seconds": checkpoint.progress.get("train_seconds"),
        "finished": run.folder.finished,
        "caution": run.split().caution,
        "parameters": parameter_count(run.config.transformer),
        **{name: manifest.get(name) for name in ("command", "device", "precision", "versions", "commit", "created")},
        "again": [
            *_training_command(run, manifest),
            f"unrandom evaluate {run.folder.path}{run.task_option}",
            f"unrandom report {run.folder.path}{run.task_option}",
        ],
    }


def _training_command(run: Run, manifest: JsonObject) -> list[str]:
    """The command that trains the same run; the one that made it, if it is of no recipe of the package."""
    if run.recipe in RECIPES and run.config.start is None:
        base = RunSpec(run.recipe, RECIPES[run.recipe].build())
        return [shlex.join(["unrandom", "train", *base.words_for(run.config)])]
    return [str(manifest["command"])] if manifest.get("command") else []


def task_json(task: Task) -> JsonObject:
    """A task's descriptions of itself for readers."""
    return {
        "name": task.name,
        "part": task.part_name[0],
        "rule": task.rule,
        "scope": task.scope,
        "unseen": task.unseen,
        "enough": [asdict(each) for each in task.enough],
        "enough_text": task.enough_text,
        "baselines": {name: baseline.about for name, baseline in task.baselines().items()},
        "width": task.tokenizer.width,
    }
