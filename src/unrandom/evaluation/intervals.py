"""Confidence intervals of a mean over seeds, over independent trials, and over clusters.

An interval has nominal 95 % coverage for the population that its units were drawn from: seeds (Student's t),
independent trials (Wilson, see ``Tally``), or values of parameters, such as multipliers and increments, that many
sequences share (cluster bootstrap).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float, UInt64
from scipy.special import stdtrit

from unrandom.core.seeds import stream
from unrandom.evaluation.tally import Tally

FEWEST_UNITS = 3  # An interval over fewer units is reported, but no claim is judged by it.
RESAMPLES = 1000  # draws of the cluster bootstrap
CHUNK_COLUMNS = 64  # columns resampled together, which bounds the memory

Accuracies = Float[np.ndarray, "sequences columns"]
Labels = UInt64[np.ndarray, " sequences"]


@dataclass(frozen=True)
class Estimate:
    """A number with its 95 % interval, the number of units behind it, and the kind of interval.

    ``low`` and ``high`` are None for a single unit. ``too_low`` is set if censored runs were left out, which could only
    have made the number larger.
    """

    value: float
    low: float | None
    high: float | None
    units: int
    kind: str
    too_low: bool = False


def students_quantile(degrees: int) -> float:
    """The factor of the standard error in a two-sided 95 % interval, for ``degrees`` > 0 degrees of freedom."""
    return float(stdtrit(degrees, 0.975))


def over_units(values: Sequence[float], unit: str = "seeds") -> Estimate:
    """The mean over independent units with Student's t interval (Student 1908); assumes roughly normal values.

    If all values are equal, the interval has no width, which says nothing about other units; its kind says so.
    """
    sample = np.asarray(values, dtype=float)
    mean, n = float(sample.mean()), len(sample)
    if n == 1:
        return Estimate(mean, None, None, 1, f"no interval: one of the {unit}")
    if np.ptp(sample) == 0:
        return Estimate(mean, mean, mean, n, f"no interval: the same in {n} of {n} {unit}")
    half_width = students_quantile(n - 1) * float(sample.std(ddof=1)) / n**0.5
    return Estimate(mean, mean - half_width, mean + half_width, n, f"Student's t over {n} {unit}")


def over_step_ratios(steps: Sequence[tuple[float, float]], grid: float) -> Estimate:
    """The mean ratio of two steps of each seed, each known only as the first step of a grid at which something was
    reached.

    A step s on a grid of ``grid`` > 0 stands for any in (s − grid, s], so that a ratio lies between
    (first − grid) / second and first / (second − grid); for the latter the second counts as at least half of the grid.
    The interval reaches from the lower end of Student's t interval over the former to the upper end over the latter.
    """
    lowest = over_units([(first - grid) / second for first, second in steps])
    highest = over_units([first / max(second - grid, grid / 2) for first, second in steps])
    value, n = float(np.mean([first / second for first, second in steps])), len(steps)
    kind = f"Student's t over {n} seeds, and steps known to {grid:g}" if n > 1 else lowest.kind
    return Estimate(value, lowest.low, highest.high, n, kind)


def within_bounds(estimate: Estimate) -> Estimate:
    """The estimate of a share, with its interval clipped to [0, 1]."""
    low, high = (None if end is None else min(1.0, max(0.0, end)) for end in (estimate.low, estimate.high))
    return replace(estimate, low=low, high=high)


def over_trials(successes: int, trials: int, trial: str = "runs") -> Estimate:
    """The share of successes in independent trials, with the Wilson score interval."""
    tally = Tally(np.array(successes), np.array(trials))
    low, high = (float(end) for end in tally.interval())
    return Estimate(float(tally.value), low, high, trials, f"Wilson over {trials} {trial}")


@dataclass(frozen=True)
class Clustered:
    """Means over sequences that share values of their parameters, one column per measured quantity.

    ``spread`` is the standard error over resampled clusters, ``clusters`` the number of clusters (the smaller one of
    two kinds).
    """

    value: Float[np.ndarray, " columns"]
    spread: Float[np.ndarray, " columns"]
    clusters: int
    kind: str

    def interval(self) -> tuple[Float[np.ndarray, " columns"], Float[np.ndarray, " columns"]]:
        """The 95 % interval of shares, inside [0, 1].

        Student's t interval with one added cluster of accuracy 1/2 (as Agresti and Coull add trials to a binomial): if
        all clusters agree, its width reflects by how much one further cluster could change the mean.
        """
        n = self.clusters
        centre = (n * self.value + 0.5) / (n + 1)
        variance = self.spread**2 * (n - 1) / (n + 1) + (self.value - 0.5) ** 2 / (n + 1) ** 2
        half_width = students_quantile(n) * np.sqrt(variance)
        low, high = np.minimum(self.value, centre - half_width), np.maximum(self.value, centre + half_width)
        return np.clip(low, 0, 1), np.clip(high, 0, 1)

    def first(self) -> tuple[float, float, float]:
        """Value, lower end and upper end of the first column."""
        low, high = self.interval()
        return float(self.value[0]), float(low[0]), float(high[0])


def over_clusters(accuracy: Accuracies, clusters: Mapping[str, Labels]) -> Clustered:
    """Means over sequences, with the spread of a cluster bootstrap over the values of up to two labels.

    ``clusters`` maps the name of such values (multipliers, increments) to the label of each sequence. Two labels are
    resampled independently (Owen 2007, the pigeonhole bootstrap). The spread is the standard deviation of the draws,
    times √(n / (n − 1)) for the n clusters of the kind with fewer. Without labels, or if each has a single value, the
    sequences are resampled.
    """
    counts = [len(np.unique(labels)) for labels in clusters.values()]
    design = "two-way cluster" if len(counts) == 2 else "cluster"
    kind = (
        f"{design} bootstrap over {' and '.join(f'{n} {called}' for n, called in zip(counts, clusters, strict=True))}"
    )
    if set(counts) <= {1}:
        counts = [len(accuracy)]
        kind = f"bootstrap over {len(accuracy)} sequences" + (
            f", which share their {' and '.join(clusters)}" * bool(clusters)
        )
    fewest = min((n for n in counts if n > 1), default=1)
    spread = np.nanstd(cluster_draws(accuracy, list(clusters.values())), axis=0) * np.sqrt(fewest / max(fewest - 1, 1))
    return Clustered(accuracy.mean(axis=0), spread, fewest, kind)


def cluster_draws(accuracy: Accuracies, clusters: Sequence[Labels]) -> Float[np.ndarray, "draws columns"]:
    """Means of the columns over bootstrap draws of the values of up to two labels; always the same draws. Without
    labels, or if each has a single value, the sequences are resampled. A draw that contains no sequence is NaN."""
    same = np.zeros(len(accuracy), dtype=np.uint64)
    a, c = (*clusters, same, same)[:2]
    if len(np.unique(a)) == len(np.unique(c)) == 1:
        a = np.arange(len(accuracy), dtype=np.uint64)
    (n_a, row), (n_c, column) = (
        (len(values), indices.ravel()) for values, indices in (np.unique(each, return_inverse=True) for each in (a, c))
    )
    rng = stream(0, "cluster bootstrap", n_a, n_c)
    times_a, times_c = (rng.multinomial(n, np.full(n, 1 / n), size=RESAMPLES).astype(float) for n in (n_a, n_c))
    counts = np.zeros((n_a, n_c))
    np.add.at(counts, (row, column), 1)
    weight = np.einsum("ra,ac,rc->r", times_a, counts, times_c, optimize=True)
    parts = []
    for start in range(0, accuracy.shape[1], CHUNK_COLUMNS):
        part = accuracy[:, start : start + CHUNK_COLUMNS]
        sums = np.zeros((n_a, n_c, part.shape[1]))
        np.add.at(sums, (row, column), part)
        drawn = (times_a @ sums.reshape(n_a, -1)).reshape(RESAMPLES, n_c, -1)
        parts.append(np.einsum("rct,rc->rt", drawn, times_c))
    with np.errstate(invalid="ignore"):
        return np.concatenate(parts, axis=1) / weight[:, None]


def mean_of(parts: Sequence[Clustered]) -> Clustered:
    """The unweighted mean over independent parts of the test, regardless of their numbers of sequences."""
    value = np.mean([part.value for part in parts], axis=0)
    spread = np.sqrt(np.sum([part.spread**2 for part in parts], axis=0)) / len(parts)
    kinds = list(dict.fromkeys(part.kind for part in parts))
    kind = kinds[0] if len(kinds) == 1 else "two-way cluster bootstrap within each modulus"
    return Clustered(value, spread, min(part.clusters for part in parts), kind)
