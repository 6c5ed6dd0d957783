"""Can this model be looked into as is asked? What is not there, or cannot be read or edited, is a UserError."""

import numpy as np
from jaxtyping import Integer

from unrandom.core.errors import UserError
from unrandom.models import Transformer
from unrandom.models.predictor import TransformerPredictor


def check_one_token_a_number(model: Transformer) -> None:
    """Raises UserError for a model that writes a number as several digits: its positions are not numbers."""
    if model.config.digits > 1:
        raise UserError(f"this model writes a number as {model.config.digits} tokens; one token a number is needed")


def check_numbers(
    model: Transformer, numbers: Integer[np.ndarray, "batch length"], position: int | None = None
) -> None:
    """Raises UserError for a number or a token position that is not there, and for several tokens a number."""
    check_one_token_a_number(model)
    known, length = model.config.vocab_size, min(model.config.context, numbers.shape[1])
    if numbers.size and int(numbers.max()) >= known:
        raise UserError(f"the number {int(numbers.max())} does not fit; this model knows those below {known}")
    if position is not None and not 0 <= position < length:
        raise UserError(f"token position {position} was asked for; there are positions 0 to {length - 1}")


def check_head(model: Transformer, head: int) -> None:
    """Raises UserError for a head that the model does not have."""
    if not 0 <= head < model.config.n_heads:
        raise UserError(f"head {head} was asked for; there are heads 0 to {model.config.n_heads - 1}")


def check_exact(predictor: TransformerPredictor) -> None:
    """Raises UserError for a model that is not read in fp32, or that writes several tokens a number."""
    check_one_token_a_number(predictor.model)
    if predictor.precision != "fp32":
        raise UserError(f"this model is read in {predictor.precision}; heads and attention are edited in fp32 only")


def first_counted(start: int | None, guesses: int) -> int:
    """The first guess that counts: ``start``, or None for that of the last half. Raises ValueError if it is not one."""
    start = guesses // 2 if start is None else start
    if not 0 <= start < guesses:
        raise ValueError(f"start={start}: there are guesses 0 to {guesses - 1}")
    return start
