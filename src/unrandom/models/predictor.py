"""A trained Transformer as a predictor: one forward pass guesses every number of a sequence from its past."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Int, UInt64
from torch import Tensor
from torch.nn import functional as F

from unrandom.core.errors import UserError
from unrandom.models import Transformer, TransformerConfig
from unrandom.models.numerics import autocast
from unrandom.predictors.protocol import Predictions
from unrandom.tokenization import Tokenizer

MAX_ARRAY_SIZE = 2**24  # elements in the largest array of a forward pass, which bounds its memory


@dataclass(frozen=True)
class TokenScores:
    """The most likely token at each position but the first, and the loss of the true one (nats)."""

    best: Int[Tensor, "batch tokens"]
    loss: Float[Tensor, "batch tokens"]


def largest_array(config: TransformerConfig) -> int:
    """Elements of a forward pass's largest array for one sequence: logits, attention scores, or the MLP's inside."""
    return config.context * max(config.vocab_size, config.n_heads * config.context, config.d_mlp)


class TransformerPredictor:
    """A trained model as a predictor.

    A guess is correct if each of its digits is the most likely one given the true digits before it (teacher forcing),
    so accuracy needs no decoding and is exact. A guess with wrong digits still consists of digits that are each
    conditioned on the true digits before them.
    """

    name = "transformer"
    assumes = "training on other sequences of the same task"

    def __init__(self, model: Transformer, tokenizer: Tokenizer, *, precision: str = "fp32") -> None:
        self.model, self.tokenizer, self.precision = model, tokenizer, precision
        self.device = next(model.parameters()).device
        self.chunk = max(1, MAX_ARRAY_SIZE // largest_array(model.config))

    @property
    def context(self) -> int:
        """The longest sequence that can be predicted in one pass, in numbers."""
        return (self.model.config.context + 1) // self.tokenizer.width

    def predict(self, sequences: UInt64[np.ndarray, "batch length"]) -> Predictions:
        """Predictions; UserError for numbers too large for the tokenizer, and for sequences beyond the context."""
        return self.read(sequences)[0]

    def read(self, sequences: UInt64[np.ndarray, "batch length"]) -> tuple[Predictions, TokenScores]:
        """The predictions and the scores of their tokens."""
        _check_length(sequences, self.context)
        tokens = torch.from_numpy(self.tokenizer.encode(sequences).astype(np.int64))
        scores = self._scores(tokens)
        width = self.tokenizer.width
        best = torch.cat((tokens[:, :1], scores.best.cpu()), dim=1)[:, width:]
        loss = torch.cat((torch.zeros(len(tokens), 1), scores.loss.cpu()), dim=1)[:, width:]
        numbers = self.tokenizer.decode(best.numpy())
        probability = torch.exp(-loss.unflatten(1, (-1, width)).sum(-1)).numpy()
        return Predictions(numbers, np.zeros(numbers.shape, dtype=bool), probability), scores

    def continue_sequences(
        self,
        sequences: UInt64[np.ndarray, "batch length"],
        steps: int,
        observer: Callable[[int], None] = lambda _done: None,
    ) -> tuple[UInt64[np.ndarray, "batch steps"], Float[np.ndarray, "batch steps"]]:
        """The next ``steps`` numbers by greedy decoding, digit by digit, and the probability of each under the model.

        Each guess is appended to the input of the next one; if the context is full, only the last numbers are used.
        As soon as the input repeats, the continuation is periodic and is not computed further. The ``observer`` is
        called after each guess with the number of guesses so far.
        """
        longest = (self.context - 1) * self.tokenizer.width
        known = torch.from_numpy(self.tokenizer.encode(sequences).astype(np.int64))
        guesses: list[Tensor] = []
        probabilities: list[Tensor] = []
        before, earlier = 0, None  # number of guesses and input at an earlier step
        for step in range(steps):
            known = known[:, -longest:]
            if earlier is not None and torch.equal(known, earlier):
                break
            # Brent's cycle detection: the stored step is renewed at powers of two.
            if step & (step - 1) == 0:
                before, earlier = step, known
            guess, probability = self._next_number(known)
            guesses.append(guess)
            probabilities.append(probability)
            known = torch.cat((known, guess), dim=1)
            observer(step + 1)
        period = len(guesses) - before
        order = [step if step < before else before + (step - before) % period for step in range(steps)]
        numbers = self.tokenizer.decode(torch.cat([guesses[index] for index in order], dim=1).numpy())
        return numbers, torch.stack(probabilities, dim=1)[:, order].numpy()

    @torch.no_grad()
    def _next_number(
        self, known: Int[Tensor, "batch tokens"]
    ) -> tuple[Int[Tensor, "batch digits"], Float[Tensor, " batch"]]:
        """The digits of the next number by greedy decoding, and its probability."""
        total_probability = torch.ones(len(known), dtype=torch.float64)
        for _ in range(self.tokenizer.width):
            with autocast(self.precision, self.device):
                logits = self.model(known.to(self.device))[:, -1].float().cpu()
            probability, guess = logits.softmax(-1).max(-1)
            total_probability *= probability
            known = torch.cat((known, guess[:, None]), dim=1)
        return known[:, -self.tokenizer.width :], total_probability

    @torch.no_grad()
    def _scores(self, tokens: Int[Tensor, "batch tokens"]) -> TokenScores:
        best, loss = [], []
        for part in tokens.split(self.chunk):
            part = part.to(self.device)
            with autocast(self.precision, self.device):
                logits = self.model(part[:, :-1])
            best.append(logits.argmax(-1))
            loss.append(F.cross_entropy(logits.float().mT, part[:, 1:], reduction="none"))
        return TokenScores(torch.cat(best), torch.cat(loss))


def _check_length(sequences: UInt64[np.ndarray, "batch length"], longest: int) -> None:
    if sequences.shape[1] > longest:
        raise UserError(f"a sequence of {sequences.shape[1]} numbers is too long; at most {longest} can be read")
