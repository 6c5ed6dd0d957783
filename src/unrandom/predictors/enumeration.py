"""The optimal guess for a small generator: the mode of the posterior, by trying all its states and parameters.

A hypothesis is a state with the parameters of a generator. Hypotheses are arrays with one entry for each, so that a
step of all of them is a few operations of numpy. Hypotheses whose outputs are the numbers so far survive; the next
number has the distribution of their next outputs.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
from jaxtyping import Float, Integer, Shaped, UInt64

from unrandom.core.errors import UserError
from unrandom.predictors.protocol import Predictions

CHUNK = 2**20  # hypotheses tried at once: about 50 MB
MAX_HYPOTHESES = 2**25  # the most hypotheses per sequence for a task to offer enumeration: about half a second
FOR_REPORTS = 2**20  # the most hypotheses per sequence for a task to offer enumeration in reports
COUNTED = 2**16  # up to this vocabulary, outputs are counted with one counter for every number

Hypotheses = tuple[Shaped[np.ndarray, " hypotheses"], ...]
"""The current states and the parameters, in the order that the functions of a family agree on."""
Tally = tuple[Integer[np.ndarray, " values"], Float[np.ndarray, " values"]]
"""Different numbers, ascending, and a positive weight of each."""


class EnumeratedPosterior:
    """The most probable next number (the smallest in a tie) of a finite family, and the probability of the true one.

    ``begin`` yields, in chunks of any size, all hypotheses whose first outputs are the given ``after`` numbers, in the
    state whose output is the last of these. ``step`` moves them one step on, and ``output`` is what they then output.
    All have the same prior probability unless ``weights`` says otherwise. ``early`` has the probabilities of all
    numbers of the vocabulary after fewer than ``after`` numbers; they are equal without it. After numbers that the
    prior excludes, it abstains and assigns probability 0.

    >>> counters = EnumeratedPosterior(  # x[t+1] = (x[t] + d) mod 5, d uniform
    ...     lambda seen: [(np.full(5, seen[0]), np.arange(5))],
    ...     lambda states: ((states[0] + states[1]) % 5, states[1]),
    ...     lambda states: states[0],
    ...     vocabulary=5,
    ...     assumes="x[t+1] = (x[t] + d) mod 5",
    ... )
    >>> counters.predict(np.array([[1, 4, 2, 0]], dtype=np.uint64)).truth_probability.tolist()
    [[0.2, 1.0, 1.0]]
    """

    name = "bayes"

    def __init__(
        self,
        begin: Callable[[Sequence[int]], Iterable[Hypotheses]],
        step: Callable[[Hypotheses], Hypotheses],
        output: Callable[[Hypotheses], Integer[np.ndarray, " hypotheses"]],
        *,
        vocabulary: int,
        assumes: str,
        after: int = 1,
        early: Callable[[Sequence[int]], Float[np.ndarray, " vocabulary"]] | None = None,
        weights: Callable[[Hypotheses], Float[np.ndarray, " hypotheses"]] | None = None,
    ) -> None:
        if after < 1:
            raise UserError(f"a posterior begins after one number or more, but after={after} was given")
        self.assumes, self.vocabulary, self.after = assumes, vocabulary, after
        self._begin, self._step, self._output = begin, step, output
        self._early, self._weights = early, weights

    def predict(self, sequences: UInt64[np.ndarray, "batch length"]) -> Predictions:
        """Predictions for arbitrary numbers."""
        numbers = np.zeros(sequences[:, 1:].shape, dtype=np.uint64)
        abstained = np.ones(numbers.shape, dtype=bool)
        probability = np.zeros(numbers.shape)
        for row, sequence in enumerate(sequences.tolist()):
            possible = next((t for t, number in enumerate(sequence) if number >= self.vocabulary), len(sequence))
            for t in range(min(self.after - 1, possible, len(sequence) - 1)):
                if self._early is None:
                    abstained[row, t], probability[row, t] = False, (t + 1 < possible) / self.vocabulary
                elif (chances := self._early(sequence[: t + 1])).any():
                    numbers[row, t], abstained[row, t] = _first_of_largest(chances), False
                    probability[row, t] = chances[sequence[t + 1]] / chances.sum() if t + 1 < possible else 0
            if possible >= self.after:
                for t, (values, weights) in enumerate(self._tallies(sequence), start=self.after - 1):
                    numbers[row, t], abstained[row, t] = values[_first_of_largest(weights)], False
                    probability[row, t] = weights[values == sequence[t + 1]].sum() / weights.sum()
        return Predictions(numbers, abstained, probability)

    def _tallies(self, sequence: list[int]) -> Iterator[Tally]:
        """The weighed next outputs of the survivors, from the first ``after`` numbers on, while there are any."""
        found: list[list[Tally]] = [[] for _ in sequence[self.after :]]
        for hypotheses in self._begin(sequence[: self.after]):
            for tallies, tally in zip(found, self._walk(hypotheses, sequence[self.after :]), strict=False):
                tallies.append(tally)
        for tallies in found:
            if not tallies:
                return
            yield tallies[0] if len(tallies) == 1 else _tally(*map(np.concatenate, zip(*tallies, strict=True)))

    def _walk(self, hypotheses: Hypotheses, numbers: list[int]) -> Iterator[Tally]:
        """The weighed next outputs of the surviving hypotheses, before each of the numbers."""
        for number in numbers:
            if not len(hypotheses[0]):
                return
            hypotheses = self._step(hypotheses)
            outputs = self._output(hypotheses)
            weights = None if self._weights is None else self._weights(hypotheses)
            yield _count(outputs, weights) if self.vocabulary <= COUNTED else _tally(outputs, weights)
            kept = np.flatnonzero(outputs == number)
            hypotheses = tuple(values[kept] for values in hypotheses)


def _first_of_largest(weights: Float[np.ndarray, " values"]) -> int:
    """The first place of the largest weight; weights that differ by rounding alone are equal."""
    return int((weights >= weights.max() * (1 - 1e-9)).argmax())


def _count(outputs: Integer[np.ndarray, " n"], weights: Float[np.ndarray, " n"] | None) -> Tally:
    """The total weight (by default the number) of each output, with one counter for every number up to the largest."""
    totals = np.bincount(outputs.astype(np.intp, copy=False), weights)
    values = np.flatnonzero(totals)
    return values, totals[values].astype(float)


def _tally(outputs: Integer[np.ndarray, " n"], weights: Float[np.ndarray, " n"] | None) -> Tally:
    """The same by sorting, for numbers of any size."""
    values, which = np.unique(outputs, return_inverse=True)
    return values, np.bincount(which.ravel(), weights).astype(float)


def hidden_lcg(
    outputs: Integer[np.ndarray, "*variants states"],
    multipliers: Integer[np.ndarray, " multipliers"],
    *,
    vocabulary: int,
    assumes: str,
) -> EnumeratedPosterior:
    """The posterior of LCGs modulo m = 2^k, 4 <= m <= 2^16, that output ``outputs[x]`` in state x.

    With several rows of ``outputs``, one of them, equally likely, is the output function of all states. The first
    state, the odd increment c, and the odd multiplier (among ``multipliers``) are uniform and independent. As
    c = x[1] − a x[0], the triples (x[0], x[1], a) are tried instead of all (x[0], a, c).
    """
    m = outputs.shape[-1]
    if not 4 <= m <= 2**16 or m & (m - 1):
        raise UserError(f"states are enumerated modulo a power of two from 4 to 2^16, not {m}")
    rows, a, mask = outputs.reshape(-1, m), multipliers.astype(np.uint32), np.uint32(m - 1)
    table, parity = np.ascontiguousarray(rows).ravel(), np.arange(m) & 1  # state x of row i is number i m + x

    def begin(seen: Sequence[int]) -> Iterator[Hypotheses]:
        for start, row in zip(range(0, len(table), m), rows, strict=True):
            first, second = (np.flatnonzero(row == number).astype(np.uint32) for number in seen)
            x, y = (grid.ravel() for grid in np.meshgrid(first, second, indexing="ij"))
            odd = np.flatnonzero((x ^ y) & 1)  # the increment is odd if and only if exactly one state is
            x, y = x[odd], y[odd] + np.uint32(start)
            for some in np.array_split(a, -(-len(x) * len(a) // CHUNK) or 1):
                multiplier = np.repeat(some, len(x))
                state = np.tile(y, len(some))
                yield state, multiplier, (state - multiplier * np.tile(x, len(some))) & mask

    def step(states: Hypotheses) -> Hypotheses:
        x, a, c = states
        return (x & ~mask) | ((a * x + c) & mask), a, c

    def early(seen: Sequence[int]) -> Float[np.ndarray, " vocabulary"]:
        """The second state is uniform over the states whose parity differs from the first's."""
        chances = np.zeros(vocabulary)
        for row in rows:
            odd, even = (np.bincount(row[parity == bit], minlength=vocabulary) for bit in (1, 0))
            chances += odd[seen[0]] * even + even[seen[0]] * odd
        return chances

    return EnumeratedPosterior(
        begin, step, lambda states: table[states[0]], vocabulary=vocabulary, assumes=assumes, after=2, early=early
    )
