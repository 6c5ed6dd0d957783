"""What does a trained Transformer predict? One forward pass guesses every number of a sequence from its past."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Int, UInt64
from torch import Tensor
from torch.nn import functional as F

from unrandom.core.errors import UserError
from unrandom.models import Transformer
from unrandom.models.numerics import autocast
from unrandom.predictors.protocol import Predictions
from unrandom.tokenization import Tokenizer

NUMBERS_AT_ONCE = 2**24  # in the largest array of a forward pass, which bounds its memory


@dataclass(frozen=True)
class TokenScores:
    """What a forward pass says of each token but the first: the best guess, and the surprise at what came (nats)."""

    best: Int[Tensor, "batch tokens"]
    loss: Float[Tensor, "batch tokens"]


class TransformerPredictor:
    """A trained model as a predictor.

    A number is right when every one of its digits is the most likely one given the true digits before it (teacher
    forcing), so accuracy needs no decoding and is exact. Where the first digits are wrong, the guess as a number is
    made of digits that were each given the truth before them.
    """

    name = "transformer"
    assumes = "training on other sequences of the same task"

    def __init__(self, model: Transformer, tokenizer: Tokenizer, *, precision: str = "fp32") -> None:
        self.model, self.tokenizer, self.precision = model, tokenizer, precision
        self.device = next(model.parameters()).device
        shape = model.config
        largest = shape.context * max(shape.vocab_size, shape.n_heads * shape.context)  # logits, or attention scores
        self.chunk = max(1, NUMBERS_AT_ONCE // largest)

    @property
    def context(self) -> int:
        """The longest sequence that can be predicted through, in numbers."""
        return (self.model.config.context + 1) // self.tokenizer.width

    def predict(self, sequences: UInt64[np.ndarray, "batch length"]) -> Predictions:
        """Raises UserError for numbers that do not fit, and for sequences longer than the context."""
        return self.read(sequences)[0]

    def read(self, sequences: UInt64[np.ndarray, "batch length"]) -> tuple[Predictions, TokenScores]:
        """The predictions together with the scores of the tokens they are made of."""
        _check_length(sequences, self.context)
        tokens = torch.from_numpy(self.tokenizer.encode(sequences).astype(np.int64))
        scores = self._scores(tokens)
        width = self.tokenizer.width
        best = torch.cat((tokens[:, :1], scores.best.cpu()), dim=1)[:, width:]
        surprise = torch.cat((torch.zeros(len(tokens), 1), scores.loss.cpu()), dim=1)[:, width:]
        numbers = self.tokenizer.decode(best.numpy())
        probability = torch.exp(-surprise.unflatten(1, (-1, width)).sum(-1)).numpy()
        return Predictions(numbers, np.zeros(numbers.shape, dtype=bool), probability), scores

    def continue_sequences(
        self,
        sequences: UInt64[np.ndarray, "batch length"],
        steps: int,
        observer: Callable[[int], None] = lambda _done: None,
    ) -> tuple[UInt64[np.ndarray, "batch steps"], Float[np.ndarray, "batch steps"]]:
        """The next ``steps`` numbers, digit by digit the most likely, and the probability the model gives each.

        A guess is taken as read for the next one; once the context is full, the earliest number is dropped, and of a
        longer sequence the last numbers are read. Once the numbers read have been read before, what followed follows
        again, and is not computed again. The ``observer`` is called after each guess with how many there are.
        """
        longest = (self.context - 1) * self.tokenizer.width
        known = torch.from_numpy(self.tokenizer.encode(sequences).astype(np.int64))
        guesses: list[Tensor] = []
        probabilities: list[Tensor] = []
        before, earlier = 0, None  # an earlier moment: how many guesses there were, and what was read then
        for step in range(steps):
            known = known[:, -longest:]
            if earlier is not None and torch.equal(known, earlier):
                break
            # Brent's method: the moment is renewed at powers of two, and sooner or later a whole cycle lies between.
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
        """The digits of the most likely next number, and its probability."""
        chance = torch.ones(len(known), dtype=torch.float64)
        for _ in range(self.tokenizer.width):
            with autocast(self.precision, self.device):
                logits = self.model(known.to(self.device))[:, -1].float().cpu()
            probability, guess = logits.softmax(-1).max(-1)
            chance *= probability
            known = torch.cat((known, guess[:, None]), dim=1)
        return known[:, -self.tokenizer.width :], chance

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
