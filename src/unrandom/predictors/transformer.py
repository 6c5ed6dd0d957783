"""What does a trained Transformer predict? One forward pass guesses every number of a sequence from its past."""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Int, UInt64
from torch import Tensor
from torch.nn import functional as F

from unrandom.core.errors import UserError
from unrandom.models import Transformer
from unrandom.predictors.protocol import Predictions
from unrandom.tokenization import Tokenizer
from unrandom.training.machine import autocast

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
    assumes = "training on other sequences of the same regime"

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
        self, sequences: UInt64[np.ndarray, "batch length"], steps: int
    ) -> tuple[UInt64[np.ndarray, "batch steps"], Float[np.ndarray, "batch steps"]]:
        """The next ``steps`` numbers, digit by digit the most likely, and the probability the model gives each.

        A guess is taken as read for the next one; once the context is full, the earliest number is dropped.
        Raises UserError for a sequence that fills the context already.
        """
        width, longest = self.tokenizer.width, self.context - 1
        _check_length(sequences, longest)
        known = torch.from_numpy(self.tokenizer.encode(sequences).astype(np.int64))
        guesses, probabilities = [], np.ones((len(sequences), steps))
        for step in range(steps):
            known = known[:, -longest * width :]
            for _ in range(width):
                with torch.no_grad(), autocast(self.precision, self.device):
                    logits = self.model(known.to(self.device))[:, -1].float().cpu()
                probability, guess = logits.softmax(-1).max(-1)
                probabilities[:, step] *= probability.numpy()
                known = torch.cat((known, guess[:, None]), dim=1)
            guesses.append(known[:, -width:])
        return self.tokenizer.decode(torch.cat(guesses, dim=1).numpy()), probabilities

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
