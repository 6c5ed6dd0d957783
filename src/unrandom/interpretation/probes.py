"""Linear probes of activations: least squares to classes, tested on other rows."""

import numpy as np
from jaxtyping import Bool, Float, Int, Integer
from torch import Tensor

from unrandom.core.errors import UserError
from unrandom.interpretation.residual_stream import at_position, stream_taps
from unrandom.models import Transformer

RIDGE = 1e-3  # penalty of the weights, as a share of the mean variance of the features


def linear_probe(
    features: Float[np.ndarray, "rows features"],
    classes: Integer[np.ndarray, " rows"],
    fitted: Bool[np.ndarray, " rows"],
) -> float:
    """The share of the rows that are not ``fitted`` whose class a linear probe predicts, fitted to the others.

    The probe is ridge regression to one indicator per class; the largest is its answer. Raises ValueError
    unless some rows are fitted and some are not.

    >>> import numpy as np
    >>> from unrandom.interpretation import linear_probe
    >>> rng = np.random.default_rng(0)
    >>> classes = rng.integers(0, 3, 300)
    >>> features = np.eye(3)[classes] + 0.1 * rng.standard_normal((300, 3))
    >>> linear_probe(features, classes, np.arange(300) < 150)
    1.0
    """
    if fitted.all() or not fitted.any():
        raise ValueError("a probe needs rows to fit and rows to test")
    x = features.astype(float) - features[fitted].mean(axis=0, dtype=float)
    wanted = np.eye(int(classes.max()) + 1)[classes]
    centre = wanted[fitted].mean(axis=0)
    gram = x[fitted].T @ x[fitted]
    penalty = RIDGE * np.trace(gram) / len(gram) + np.finfo(float).tiny
    weights = np.linalg.solve(gram + penalty * np.eye(len(gram)), x[fitted].T @ (wanted[fitted] - centre))
    guesses = (x[~fitted] @ weights + centre).argmax(axis=1)
    return float((guesses == classes[~fitted]).mean())


def probe_stream(
    model: Transformer,
    tokens: Int[Tensor, "rows pos"],
    classes: Integer[np.ndarray, "rows questions"],
    position: int = -1,
    groups: Integer[np.ndarray, " rows"] | None = None,
) -> dict[str, Float[np.ndarray, " questions"]]:
    """How well linear probes answer each question from the residual stream at one position, by the tap's name.

    Probes are fitted to the first half of the rows and tested on the second, so that rows should be in random order,
    and there should be many more rows than classes. With ``groups``, such as the increment of each row, they are fitted
    to the groups that appear first, half of them, and tested on the others: what rows share, a probe may learn by
    heart. Each accuracy is `linear_probe`'s. Raises UserError for classes that are not a table of whole numbers, and if
    there is nothing to test.
    """
    answers = np.asarray(classes)
    if answers.ndim != 2 or len(answers) != len(tokens) or answers.dtype.kind not in "iub":
        raise UserError(
            f"classes must be whole numbers [rows, questions] for {len(tokens)} rows, but have shape "
            f"{list(answers.shape)} and type {answers.dtype}"
        )
    labels = np.arange(len(tokens)) if groups is None else np.asarray(groups)
    _, first, group = np.unique(labels, return_index=True, return_inverse=True)
    appearance = first.argsort().argsort()  # of each group, from 0 on
    fitted = appearance[group] < len(first) // 2
    if labels.shape != (len(tokens),) or not fitted.any():
        raise UserError("groups must be one label per row, of two groups or more")
    _, cache = model.run_with_cache(tokens, stream_taps(model))
    streams = {tap: at_position(stream, position).cpu().numpy() for tap, stream in cache.items()}
    named = [np.unique(each, return_inverse=True)[1] for each in answers.T]
    return {tap: np.array([linear_probe(stream, each, fitted) for each in named]) for tap, stream in streams.items()}
