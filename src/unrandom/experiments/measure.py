"""What does a run know, finished or not? Every measurement that reports and figures draw, as plain JSON values.

Analyses run on the eager model in fp32 with explicit attention. Drawing needs only what is returned here.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from unrandom.core.arithmetic import factorize
from unrandom.core.errors import UserError
from unrandom.core.seeds import stream
from unrandom.evaluation import evaluate
from unrandom.experiments.comparison import compare
from unrandom.experiments.runs import Run
from unrandom.interpretation.attention import attention_by_distance
from unrandom.interpretation.embedding import embedding_table
from unrandom.models import Transformer, parameter_count, record
from unrandom.models.predictor import TransformerPredictor
from unrandom.tasks import DataConfig, FixedModulus, Parameters, SequenceSet, UnseenModulus
from unrandom.tasks.baselines import make_predictors, predictor_names
from unrandom.tasks.split import Split, hold_out
from unrandom.training.checkpoint import latest_checkpoint

TOKENS_SHOWN = 256  # of an attention map
SEQUENCES_AVERAGED = 64  # in the attention by distance
SEQUENCES_OF_CEILINGS = 256
LARGEST_POSTERIOR = 2**13  # of unseen moduli
SAMPLES = 10
SMALL_MODULI = (2, 3, 4, 5, 6, 7, 8, 9)  # residues looked for where training saw many moduli

Tree = dict[str, Any]


def evaluate_run(run: Run, predictor: TransformerPredictor, *, modulus: int | None, sequences: int) -> list[Tree]:
    """Accuracy by position, digit and period for one modulus, or for every test modulus of the run.

    The first two on full-period (a, c), held out for the test moduli by the run's rule and possibly seen for others; by
    period on arbitrary (a, c), which training may have seen. Primes that are tested by primitive roots have the last
    number with a = 1 too, which only counts.
    Raises UserError for a modulus that the model cannot write.
    """
    split = run.split()
    moduli = run.config.data.test_moduli if modulus is None else (modulus,)
    return [_evaluate_modulus(run, predictor, split, m, sequences) for m in moduli]


def measure_run(run: Run, *, sequences: int = 1024) -> Tree:
    """Everything the report shows."""
    predictor = run.predictor()
    manifest = run.folder.read_manifest()
    metrics = run.folder.read_metrics()
    split = run.split()
    shown = _test_set(run, split, 1)
    return {
        "run": _about(run, manifest),
        "metrics": metrics,
        "evaluation": evaluate_run(run, predictor, modulus=None, sequences=sequences),
        "ceilings": _ceilings(run),
        "attention": _attention(predictor, shown, _test_set(run, split, SEQUENCES_AVERAGED)),
        "attention_sequence": _named(shown.parameters, 0),
        "embedding": _embedding(run, predictor.model),
        "samples": _samples(predictor, _test_set(run, split, SAMPLES)),
    }


def _ceilings(run: Run) -> list[Tree]:
    """What other predictors do with as many numbers, for each test modulus."""
    data = run.config.data
    left_out = {"lookback-copy"} | ({"bayes"} if _takes_long(data) else set())
    names = [name for name in predictor_names(data) if name not in left_out]
    return compare(run, make_predictors(names, data), modulus=None, sequences=SEQUENCES_OF_CEILINGS)


def _takes_long(data: DataConfig) -> bool:
    """Whether the exact posterior has more unseen moduli to weigh than a report should wait for."""
    return isinstance(data, UnseenModulus) and data.largest_modulus > LARGEST_POSTERIOR


def _evaluate_modulus(run: Run, predictor: TransformerPredictor, split: Split, modulus: int, sequences: int) -> Tree:
    if not 2 <= modulus <= predictor.tokenizer.limit:
        raise UserError(f"modulus {modulus} was given; this model writes numbers below {predictor.tokenizer.limit}")
    length = run.config.data.context + 1
    unseen_parameters = modulus in run.config.data.test_moduli
    if not unseen_parameters:  # a modulus of the user's own, and full-period parameters that training may have used
        own = hold_out(split.config, modulus, split.seed, or_fewer=True)
        split = replace(split, held_out=(own,))
    unseen = evaluate(predictor, SequenceSet.of(split.test_parameters(modulus, sequences), length))
    rng = stream(run.config.seed, "by period", modulus)
    last = modulus - 1
    a = rng.integers(1, max(1, last), size=sequences, dtype=np.uint64, endpoint=True)
    c, x0 = (rng.integers(0, last, size=sequences, dtype=np.uint64, endpoint=True) for _ in range(2))
    arbitrary = evaluate(predictor, SequenceSet.of(Parameters(modulus, a, c, x0), length))
    counting = split.counting()
    counted = [
        evaluate(predictor, SequenceSet.of(counting.test_parameters(modulus, sequences), length))
        for part in counting.held_out
        if part.modulus == modulus
    ]
    return {
        **unseen.tree(),
        "unseen_parameters": unseen_parameters,
        "held_out": run.config.data.hold_out if unseen_parameters else None,
        "counting": counted[0].last_number_tree() if counted else None,
        "modulus_in_training": modulus in split.seen_moduli,
        "by_period": [
            {"group": group, "last_number_accuracy": tally.tree()} for group, tally in arbitrary.by_period().items()
        ],
    }


def _test_set(run: Run, split: Split, sequences: int) -> SequenceSet:
    """A few sequences of the largest test modulus."""
    modulus = max(run.config.data.test_moduli)
    return SequenceSet.of(split.test_parameters(modulus, sequences, name="shown"), run.config.data.context + 1)


def _attention(predictor: TransformerPredictor, shown: SequenceSet, many: SequenceSet) -> list[Tree]:
    patterns, averaged = (attention_patterns(predictor, part) for part in (shown, many))
    return [
        {
            "layer": layer,
            "head": head,
            "tokens": patterns[layer].shape[-1],
            "pattern": np.round(patterns[layer][0, head], 4).tolist(),
            "by_distance": np.round(attention_by_distance(averaged[layer][:, head]), 6).tolist(),
        }
        for layer in range(len(patterns))
        for head in range(patterns[layer].shape[1])
    ]


def attention_patterns(
    predictor: TransformerPredictor, sequences: SequenceSet, tokens_read: int = TOKENS_SHOWN
) -> Sequence[np.ndarray]:
    """The attention pattern [sequences, head, query, key] of each layer, over the first tokens."""
    model = predictor.model
    tokens = predictor.tokenizer.encode(sequences.numbers)[:, : min(tokens_read, model.config.context)]
    names = pattern_taps(model)
    with torch.no_grad(), record(model, names) as seen:
        model(torch.from_numpy(tokens.astype(np.int64)).to(predictor.device))
    return [seen[name].cpu().numpy() for name in names]


def pattern_taps(model: Transformer) -> list[str]:
    """The attention patterns of every layer."""
    return [f"blocks.{layer}.attn.hook_pattern" for layer in range(model.config.depth)]


def _embedding(run: Run, model: Transformer) -> Tree:
    data = run.config.data
    base = data.base if data.base is not None else data.modulus if isinstance(data, FixedModulus) else None
    moduli = SMALL_MODULI if base is None else prime_powers(base)
    table = embedding_table(model.embed.weight.detach().numpy(), moduli)
    return {"labels": "numbers" if data.base is None else "digits", **table}


def prime_powers(n: int) -> list[int]:
    """The prime powers above 1 that divide n, and leave at least two numbers in each residue class."""
    powers = [p**k for p, exponent in factorize(n).items() for k in range(1, exponent + 1)]
    return sorted(q for q in powers if 2 * q <= n) or powers


def _samples(predictor: TransformerPredictor, sequences: SequenceSet) -> list[Tree]:
    predictions = predictor.predict(sequences.numbers)
    assert predictions.truth_probability is not None
    return [
        {
            **_named(sequences.parameters, row),
            "period": int(sequences.parameters[row : row + 1].periods()[0]),
            "numbers": sequences.numbers[row].tolist(),
            "predicted": predictions.numbers[row].tolist(),
            "probability": np.round(predictions.truth_probability[row].astype(float), 4).tolist(),
        }
        for row in range(len(sequences))
    ]


def _named(parameters: Parameters, row: int) -> dict[str, int]:
    values = {name: int(getattr(parameters, name)[row]) for name in ("a", "c", "x0")}
    return {"modulus": parameters.modulus(row), **values}


def _about(run: Run, manifest: Tree) -> Tree:
    checkpoint = latest_checkpoint(run.folder)
    assert checkpoint is not None, "the model was loaded from one"
    return {
        "id": run.id,
        "recipe": run.recipe,
        "config": manifest["config"],
        "config_regime": run.config.data.regime,
        "data_mode": run.config.data.mode,
        "seed": run.config.seed,
        "steps": checkpoint.step,
        "train_seconds": checkpoint.progress.get("train_seconds"),
        "finished": run.folder.finished,
        "parameters": parameter_count(run.config.transformer),
        **{name: manifest.get(name) for name in ("command", "device", "versions", "commit", "created")},
        "again": [
            *([str(manifest["command"])] if manifest.get("command") else []),
            f"unrandom evaluate {run.folder.path}",
            f"unrandom report {run.folder.path}",
        ],
    }
