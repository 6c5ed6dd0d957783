"""Checks that a model can be analysed as requested; they raise UserError if a part is missing or cannot be edited."""

import numpy as np
from jaxtyping import Integer

from unrandom.core.errors import UserError
from unrandom.models import Transformer
from unrandom.models.predictor import TransformerPredictor


def check_one_token_per_number(model: Transformer) -> None:
    """Raise UserError for a model that writes a number as several tokens: its positions are not numbers."""
    if model.config.digits > 1:
        raise UserError(f"this model writes a number as {model.config.digits} tokens; one token per number is required")


def check_numbers(
    model: Transformer, numbers: Integer[np.ndarray, "batch length"], position: int | None = None
) -> None:
    """Raise UserError for a number or token position that the model does not have, or several tokens per number."""
    check_one_token_per_number(model)
    vocabulary, length = model.config.vocab_size, min(model.config.context, numbers.shape[1])
    if numbers.size and int(numbers.max()) >= vocabulary:
        raise UserError(f"the number {int(numbers.max())} does not fit; this model has numbers below {vocabulary}")
    if position is not None and not 0 <= position < length:
        raise UserError(f"token position {position} was given; there are positions 0 to {length - 1}")


def check_head(model: Transformer, head: int) -> None:
    """Raise UserError for a head that the model does not have."""
    if not 0 <= head < model.config.n_heads:
        raise UserError(f"head {head} was given; there are heads 0 to {model.config.n_heads - 1}")


def check_exact(predictor: TransformerPredictor) -> None:
    """Raise UserError for a model that does not run in fp32, or that writes a number as several tokens."""
    check_one_token_per_number(predictor.model)
    if predictor.precision != "fp32":
        raise UserError(f"this model runs in {predictor.precision}; heads and attention are edited in fp32 only")


def first_counted(start: int | None, predictions: int) -> int:
    """The index of the first prediction that is evaluated: ``start``, or for None the beginning of the second half.
    Raises ValueError unless 0 <= start < predictions."""
    start = predictions // 2 if start is None else start
    if not 0 <= start < predictions:
        raise ValueError(f"start={start}: there are predictions 0 to {predictions - 1}")
    return start
