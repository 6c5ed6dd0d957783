"""Where the heads of a model look in a sequence: all heads in a grid, and one of them large, at first the one that
looks back most by a single distance (a line beside the diagonal), as measured on held-out sequences."""

from functools import lru_cache
from typing import Any

import numpy as np
from jaxtyping import Float

from unrandom.app.answers import plotly_figure, sentence
from unrandom.app.limits import GRID_TOKENS, LOADED_MODELS, TOKENS_SHOWN
from unrandom.app.models import Model
from unrandom.figures.attention import attention_figure, attention_grid
from unrandom.interpretation.attention import attention_by_distance, attention_patterns, pattern_taps
from unrandom.runs.loaded import LoadedRun

LEAST_DISTANCE = 2
SEQUENCES = 16  # The number of sequences on which the heads are compared.
WIDEST = 4  # heads across, of cells that are as high as they are wide on a screen


def head_names(run: LoadedRun) -> list[str]:
    """The heads that have a pattern, e.g. ``layer 0 head 1``, counted from 0 as in the names of taps."""
    heads = run.config.model.n_heads
    return [f"layer {name.split('.')[1]} head {head}" for name in pattern_taps(run.model) for head in range(heads)]


@lru_cache(LOADED_MODELS)
def lines(model: Model) -> dict[str, tuple[int, float]]:
    """For each head the distance of its strongest line, in tokens, and the mean weight there on held-out sequences."""
    run = model.run
    patterns = attention_patterns(run.predictor(), run.split().test_of_largest(SEQUENCES, name="shown"))
    found = [strongest_line(pattern[:, head]) for pattern in patterns for head in range(pattern.shape[1])]
    return dict(zip(head_names(run), found, strict=True))


def strongest_line(pattern: Float[np.ndarray, "sequences queries keys"]) -> tuple[int, float]:
    """The distance from 2 to half of the queries with the largest mean weight, and this weight. (The diagonal hides
    a line that is nearer, and of a longer one, too few weights are left for a mean.)"""
    by_distance = attention_by_distance(pattern)
    eligible = by_distance[LEAST_DISTANCE : max(LEAST_DISTANCE + 1, len(by_distance) // 2 + 1)]
    best = int(np.argmax(eligible)) if len(eligible) else -1
    return (LEAST_DISTANCE + best, float(eligible[best])) if best >= 0 else (0, float(by_distance[0]))


def first_head(model: Model) -> str:
    """The head that is shown first: the one with the strongest line."""
    found = lines(model)
    return max(found, key=lambda name: found[name][1])


def line_text(model: Model, head: str) -> str:
    """A sentence on how far a head looks back, measured on held-out sequences."""
    distance, weight = lines(model)[head]
    where = f"on the number {distance + 1} before the one that is guessed"
    if model.run.config.data.tokenizer.width > 1:
        where = f"on the token {distance} before the one that it reads; a token is a digit of a number"
    return f"On held-out sequences, {head} puts {weight:.2f} of its attention, on average, {where}."


def attention(model: Model, numbers: list[int], head: Any) -> tuple[Any, str, Any]:
    """The grid of all heads in this sequence (None for a single head); a sentence on one head, and its picture. If
    the model has no such head, its first head is shown."""
    run = model.run
    names = head_names(run)
    chosen = head if head in names else first_head(model)
    taps = pattern_taps(run.model)
    tokens = run.tokens(numbers)[:, -run.config.transformer.context :]
    seen = run.cache(tokens, taps)
    heads = [
        {"layer": int(tap.split(".")[1]), "head": head, "pattern": pattern.tolist()}
        for tap in taps
        for head, pattern in enumerate(seen[tap][0].numpy())
    ]
    length = tokens.shape[1]
    cell = 150 if run.config.model.n_heads <= WIDEST else 90
    large = plotly_figure(attention_figure([heads[names.index(chosen)]], min(length, TOKENS_SHOWN)))
    grid = plotly_figure(attention_grid(heads, min(length, GRID_TOKENS), cell=cell)) if len(heads) > 1 else None
    return grid, sentence(line_text(model, chosen)), large
