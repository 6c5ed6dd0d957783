"""A loaded run can predict, evaluate, record or edit its activations, train on, and be exported."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import torch
from jaxtyping import Int, Integer, UInt64
from torch import Tensor

from unrandom.core.arithmetic import as_words
from unrandom.core.errors import UserError, check_counts
from unrandom.core.files import JsonObject
from unrandom.models import Transformer, record
from unrandom.models.formats import huggingface_model, transformer_lens_model
from unrandom.models.predictor import TransformerPredictor
from unrandom.models.taps import Activations, Edits, TapName, intervene
from unrandom.runs.continuation import Continuation, Reliability, Tried
from unrandom.runs.run import Run
from unrandom.runs.running.execution import OnStart, execute
from unrandom.runs.sharing.curves import Curves
from unrandom.runs.sharing.exchange import export_run
from unrandom.runs.sharing.pretrained import is_pretrained
from unrandom.tasks import Part, make_predictors
from unrandom.training.loop import Observer, ShouldStop
from unrandom.training.machine import choose_device

if TYPE_CHECKING:
    import polars as pl

Numbers: TypeAlias = Sequence[int] | np.ndarray
"""One sequence of whole numbers: a list, a tuple or an array with one axis."""

Tokens: TypeAlias = Sequence[int] | Sequence[Sequence[int]] | np.ndarray | Tensor
"""Tokens of one sequence [pos], or of several of one length [batch, pos]."""


@dataclass(frozen=True, repr=False)
class LoadedRun(Run):
    """A run with its model: what `unrandom.load` and `unrandom.train` return.

    ``folder``, ``spec``, ``id``, ``recipe`` and ``config`` describe the run; ``result()`` is what a finished training
    measured; ``split()`` is what it held out.

    >>> import unrandom
    >>> run = unrandom.load("um-144")
    >>> run.config.data.test_moduli, run.config.model.depth
    ((96, 108, 144), 4)
    >>> run.result()["finished"]
    True
    """

    device: str | None = None  # where the model is trained and loaded; None: CUDA, else MPS, else the CPU

    def shown(self) -> dict[str, str]:
        """As for any run; a model of the package has its name.

        >>> import unrandom
        >>> unrandom.load("um-144").shown()["run"]
        'um-144, which comes with the package'
        """
        packaged = is_pretrained(self.folder.path)
        return {**super().shown(), **({"run": f"{self.recipe}, which comes with the package"} if packaged else {})}

    @cached_property
    def model(self) -> Transformer:
        """The model of the newest checkpoint, eager and with explicit attention, so that every tap runs.

        Raises UserError where the run has no checkpoint.

        >>> import unrandom
        >>> model = unrandom.load("um-144").model
        >>> model.W_E.shape, model.W_Q.shape  # [vocab, d_model], [layer, head, d_model, d_head]
        (torch.Size([512, 128]), torch.Size([4, 4, 128, 32]))
        """
        return self.load_model(choose_device(self.device))

    def tokens(self, numbers: Numbers | Sequence[Sequence[int]]) -> Int[Tensor, "batch pos"]:
        """Numbers as the model reads them: one sequence, or several of one length, on the model's device.

        Raises UserError for numbers that are not whole, or not below ``config.data.vocabulary``.

        >>> import unrandom
        >>> run = unrandom.load("um-144", device="cpu")
        >>> run.tokens([5, 66, 19])
        tensor([[ 5, 66, 19]])
        """
        return self._on_device(self.config.data.tokenizer.encode(self._known_numbers(numbers)))

    def predict(
        self, numbers: Numbers, n: int = 1, *, progress: Callable[[int], None] = lambda _done: None
    ) -> Continuation:
        """The ``n`` numbers after ``numbers``, each the model's most likely one, with the probability it gives it.

        Only the last ``config.data.context`` numbers are read. Each guess is appended to the input for the next. The
        model is also tried on the numbers themselves: ``tried`` says how many it would have guessed, and whether to
        rely on the next one. ``progress`` is called after each guess with the number of guesses so far. Raises
        UserError for numbers that the model does not know.

        >>> import unrandom
        >>> run = unrandom.load("um-144")
        >>> numbers = unrandom.LCG(m=144, a=37, c=25).orbit(x0=5, length=40)
        >>> continuation = run.predict(numbers, n=5)
        >>> continuation.numbers
        [141, 58, 11, 0, 25]
        >>> continuation.tried.guessed, continuation.tried.tested, continuation.tried.verdict
        (31, 32, 'rely')
        """
        check_counts(n=n)
        known = self._known_numbers(numbers)
        if len(known) > 1:
            raise UserError("numbers must be one sequence, but several were given")
        read = known[:, -self.config.data.context :]
        guesses, probabilities = self._predictor.continue_sequences(read, n, progress)
        return Continuation(
            numbers=[int(guess) for guess in guesses[0]],
            probabilities=[round(float(probability), 6) for probability in probabilities[0]],
            numbers_used=read.shape[1],
            tried=Tried.on(
                known[0].tolist(),
                self._predictor,
                self.config.data,
                probability=float(probabilities[0, 0]),
                reliable_from=self.reliability.reliable_from,
            ),
        )

    @cached_property
    def reliability(self) -> Reliability:
        """How often the model was right when it was last evaluated in training, by how many numbers it had seen."""
        return Reliability.of(self.folder.read_metrics())

    def evaluate(
        self, *, sequences: int = 1024, part: Part | None = None, predictors: Sequence[str] = ()
    ) -> "pl.DataFrame":
        """Accuracy on the run's test, by how many numbers were seen, with 95 % intervals.

        One row per part of the test (of one modulus, for unseen moduli), predictor and position: columns ``part``,
        ``predictor``, ``seen`` (numbers), ``accuracy``, ``low`` and ``high``. ``predictors`` are baselines beside the
        model, by name (``copy``, ``bayes``, ``lookback:3``, …: docs/predictors.md). Raises UserError for a part that
        the run does not test, and for a baseline that does not apply to its task.

        >>> import unrandom
        >>> run = unrandom.load("um-144")
        >>> accuracy = run.evaluate(part=144, sequences=128, predictors=["copy"])
        >>> accuracy.columns
        ['part', 'predictor', 'seen', 'accuracy', 'low', 'high']
        >>> last = accuracy.filter(seen=63)
        >>> [name for name, value in zip(last["predictor"], last["accuracy"]) if value > 0.9]
        ['transformer']
        """
        from unrandom.runs.comparison import accuracy_table  # training does not wait for tables

        return accuracy_table(self.compare(predictors, part=part, sequences=sequences))

    def compare(
        self, predictors: str | Sequence[str], *, part: Part | None = None, sequences: int = 1024
    ) -> list[JsonObject]:
        """The model and baselines on the same test sequences, with all that `evaluate` leaves out, as JSON values.

        One entry per part of the test; its ``predictors`` have accuracy by position, the context needed and bits known.

        >>> import unrandom
        >>> run = unrandom.load("um-144")
        >>> (compared,) = run.compare("copy", part=144, sequences=64)
        >>> [row["predictor"] for row in compared["predictors"]]
        ['transformer', 'copy']
        """
        from unrandom.runs.comparison import compare

        names = [predictors] if isinstance(predictors, str) else list(dict.fromkeys(predictors))
        baselines = make_predictors(names, self.config.data)
        return compare(self, [self._predictor, *baselines], part=part, sequences=sequences)

    def record(self, names: TapName | Sequence[TapName]) -> AbstractContextManager[Activations]:
        """Record activations of the model within a ``with`` block, as `unrandom.record` does.

        >>> import unrandom
        >>> run = unrandom.load("um-144")
        >>> with run.record("blocks.0.attn.hook_pattern") as seen:
        ...     logits = run.model(run.tokens([5, 66, 19]))
        >>> seen["blocks.0.attn.hook_pattern"].shape  # [batch, head, query, key]
        torch.Size([1, 4, 3, 3])
        """
        return record(self.model, names)

    def intervene(self, edits: Edits) -> AbstractContextManager[None]:
        """Edit activations of the model within a ``with`` block, as `unrandom.intervene` does.

        >>> import unrandom
        >>> run = unrandom.load("um-144")
        >>> tokens = run.tokens([5, 66, 19])
        >>> with run.intervene({"blocks.0.hook_attn_out": lambda output: 0 * output}):
        ...     edited = run.model(tokens)
        >>> bool((edited == run.model(tokens)).all())
        False
        """
        return intervene(self.model, edits)

    def cache(self, tokens: Tokens, names: TapName | Sequence[TapName] | None = None) -> Activations:
        """The activations of one forward pass by the name of their tap, all of them or the ones that ``names`` match.

        A tap may be named whole or short: ``cache["blocks.0.attn.hook_pattern"]`` is ``cache["pattern", 0]``; whole
        names may have wildcards. ``logits`` [batch, pos, vocab] are there, too. Raises UserError for tokens that are
        not in the vocabulary, for more tokens than the context, and for names that match no tap.

        >>> import unrandom
        >>> run = unrandom.load("um-144")
        >>> cache = run.cache(run.tokens([5, 66, 19]))
        >>> cache["pattern", 0].shape, cache["logits"].shape  # [batch, head, query, key], [batch, pos, vocab]
        (torch.Size([1, 4, 3, 3]), torch.Size([1, 3, 512]))
        """
        read = _sequences(tokens.cpu().numpy() if isinstance(tokens, Tensor) else tokens, "tokens")
        if read.max() >= self.model.config.vocab_size:
            raise UserError(f"tokens must be from 0 to {self.model.config.vocab_size - 1}, but {read.max()} was given")
        logits, cache = self.model.run_with_cache(self._on_device(read), names)
        cache["logits"] = logits
        return cache

    def train(
        self,
        *,
        max_minutes: float | None = None,
        log: Sequence[str] = (),
        stop: ShouldStop | None = None,
        observers: tuple[Observer, ...] = (),
        on_start: OnStart | None = None,
    ) -> JsonObject:
        """Train from the newest checkpoint to the end, or until the time is up; returns the result so far.

        A finished run is not trained again. SIGINT (Ctrl-C, or a notebook's stop button) ends training after the step,
        with a checkpoint; then KeyboardInterrupt is raised. ``log`` names where the curves are written, too: ``"csv"``,
        ``"tensorboard"``, ``"wandb"``. ``observers`` are called after every step with the progress, ``on_start``
        with each run (ancestors first) and its step before its data are built.

        >>> import tempfile, unrandom
        >>> run = unrandom.train("quadratic-smoke", max_minutes=0, runs=tempfile.mkdtemp())
        >>> run.folder.finished
        False
        >>> run.train()["steps"]
        12
        """
        for name in ("model", "reliability"):  # cached, of an earlier checkpoint
            vars(self).pop(name, None)
        with closing(Curves(log)) as curves:

            def begin(run: Run, step: int) -> None:
                curves.begin(run, step)
                if on_start is not None:
                    on_start(run, step)

            return execute(
                self,
                device=self.device,
                max_minutes=max_minutes,
                stop=stop,
                observers=(*observers, curves),
                on_start=begin,
            )

    def export(self, folder: str | Path, to: str = "huggingface") -> Path:
        """Write the model of the newest checkpoint to ``folder`` for other libraries; returns the folder.

        ``to`` is ``"huggingface"`` (a model of transformers: GPT-2, or GPT-NeoX for rotary positions),
        ``"transformerlens"`` (the same, with code for TransformerLens in its model card) or ``"safetensors"`` (the
        parameters as they are); all in fp32, and none needs the library installed. `unrandom.import_run` makes a run of
        the folder again: docs/export.md. Raises UserError for another format, for a folder that is not empty, where
        the run has no checkpoint, and for ``kv_shift``, which only ``"safetensors"`` can express.

        >>> import tempfile, unrandom
        >>> run = unrandom.load("um-144")
        >>> folder = run.export(tempfile.mkdtemp(), to="huggingface")
        >>> sorted(file.name for file in folder.iterdir())
        ['README.md', 'config.json', 'model.safetensors', 'unrandom.json']
        """
        return export_run(self, Path(folder), to)

    def to_huggingface(self) -> Any:
        """The model as one of transformers: `GPT2LMHeadModel`, or `GPTNeoXForCausalLM` for rotary positions.

        It is a copy in fp32 on the CPU, in evaluation mode, whose logits agree to rounding. Raises UserError without
        transformers, and for ``kv_shift``, which it cannot express.

        >>> import unrandom
        >>> run = unrandom.load("um-144", device="cpu")
        >>> tokens = run.tokens([5, 66, 19])
        >>> run.to_huggingface()(tokens).logits.argmax(-1).equal(run.model(tokens).argmax(-1))
        True
        """
        return huggingface_model(self.model)

    def to_transformer_lens(self) -> Any:
        """The model as a bridge of TransformerLens 4, around a copy that `to_huggingface` makes.

        Hooks, weights and caches have the names that they have here. Raises UserError without transformer-lens, and for
        ``kv_shift``.

        >>> import unrandom
        >>> run = unrandom.load("um-144", device="cpu")
        >>> bridge = run.to_transformer_lens()
        >>> logits, cache = bridge.run_with_cache(run.tokens([5, 66, 19]))
        >>> cache["pattern", 0].shape  # [batch, head, query, key]
        torch.Size([1, 4, 3, 3])
        """
        return transformer_lens_model(self.model)

    @property
    def _predictor(self) -> TransformerPredictor:
        return TransformerPredictor(self.model, self.config.data.tokenizer)

    def _known_numbers(self, numbers: Any) -> UInt64[np.ndarray, "batch length"]:
        """Sequences of numbers below the vocabulary. Raises UserError for anything else."""
        read, vocabulary = _sequences(numbers, "numbers"), self.config.data.vocabulary
        if read.max() >= vocabulary:
            raise UserError(f"{read.max()} is not from 0 to {vocabulary - 1}, the numbers this model knows")
        return read

    def _on_device(self, tokens: Integer[np.ndarray, "batch pos"]) -> Int[Tensor, "batch pos"]:
        return torch.from_numpy(tokens.astype(np.int64)).to(self._predictor.device)


def _sequences(values: Any, name: str) -> UInt64[np.ndarray, "batch length"]:
    """One sequence, or several of one length, as words. Raises UserError for anything else."""
    if isinstance(values, str) or len(values) == 0:
        given = "a text" if len(values) else "none"
        raise UserError(f"{name} must be one sequence, or several of one length, but {given} was given")
    try:
        array = np.array(values)
    except ValueError:  # numpy refuses sequences of several lengths
        raise UserError(f"{name} must be one sequence, or several of one length") from None
    if array.ndim not in (1, 2) or not array.size:
        raise UserError(f"{name} must be one sequence, or several of one length, but have shape {list(array.shape)}")
    return np.atleast_2d(as_words(array, name=name))
