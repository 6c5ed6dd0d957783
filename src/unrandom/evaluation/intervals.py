"""How sure is a mean? Intervals that cover what they say: over seeds, over independent trials, over clusters.

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

FEWEST_UNITS = 3  # an interval over two units is printed, but decides nothing
RESAMPLES = 1000
COLUMNS = 64  # resampled together, which bounds the memory

Right = Float[np.ndarray, "sequences columns"]
Labels = UInt64[np.ndarray, " sequences"]


@dataclass(frozen=True)
class Estimate:
    """A number with its 95 % interval, how many units it rests on, and how the interval was made.

    ``low`` and ``high`` are None for a single unit, which says nothing of others. ``too_low`` says that what was left
    out, as it never got there, could only have made the number larger.
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
    """The mean over independent units with Student's t interval (Student 1908), for units that are about normal."""
    each = np.asarray(values, dtype=float)
    mean, n = float(each.mean()), len(each)
    if n == 1:
        return Estimate(mean, None, None, 1, f"no interval: one of the {unit}")
    reach = students_quantile(n - 1) * float(each.std(ddof=1)) / n**0.5
    return Estimate(mean, mean - reach, mean + reach, n, f"Student's t over {n} {unit}")


def within_bounds(found: Estimate) -> Estimate:
    """The estimate of a share, whose interval ends at 0 and 1 whatever Student's t says."""
    low, high = (None if end is None else min(1.0, max(0.0, end)) for end in (found.low, found.high))
    return replace(found, low=low, high=high)


def over_trials(successes: int, trials: int, trial: str = "runs") -> Estimate:
    """A share of independent trials with the Wilson score interval."""
    tally = Tally(np.array(successes), np.array(trials))
    low, high = (float(end) for end in tally.interval())
    return Estimate(float(tally.value), low, high, trials, f"Wilson over {trials} {trial}")


@dataclass(frozen=True)
class Clustered:
    """Means over sequences that share values of their parameters, a column for each question asked of them.

    ``spread`` is the standard error over other draws of the clusters, ``clusters`` the fewest of either kind.
    """

    value: Float[np.ndarray, " columns"]
    spread: Float[np.ndarray, " columns"]
    clusters: int
    kind: str

    def interval(self) -> tuple[Float[np.ndarray, " columns"], Float[np.ndarray, " columns"]]:
        """The 95 % interval of shares, inside [0, 1].

        Student's t interval with one cluster added that is right half of the time (as Agresti and Coull add trials to
        a binomial): where all clusters agree, it says how far one that was not drawn could change the mean.
        """
        n = self.clusters
        centre = (n * self.value + 0.5) / (n + 1)
        variance = self.spread**2 * (n - 1) / (n + 1) + (self.value - 0.5) ** 2 / (n + 1) ** 2
        reach = students_quantile(n) * np.sqrt(variance)
        low, high = np.minimum(self.value, centre - reach), np.maximum(self.value, centre + reach)
        return np.clip(low, 0, 1), np.clip(high, 0, 1)

    def first(self) -> tuple[float, float, float]:
        """The first column: its value and the two ends of its interval."""
        low, high = self.interval()
        return float(self.value[0]), float(low[0]), float(high[0])


def over_clusters(right: Right, clusters: Mapping[str, Labels]) -> Clustered:
    """Means over sequences, with the spread of a cluster bootstrap over the values of up to two labels.

    ``clusters`` maps what such values are called to the label of each sequence: multipliers and increments, say. Both
    are drawn again, independently (Owen 2007, the pigeonhole bootstrap). The spread is that of the draws, times
    √(n / (n − 1)) for the n clusters of the fewer kind. Without labels, or where each has one value, sequences are the
    units.
    """
    counts = [len(np.unique(labels)) for labels in clusters.values()]
    way = "two-way cluster" if len(counts) == 2 else "cluster"
    kind = f"{way} bootstrap over {' and '.join(f'{n} {called}' for n, called in zip(counts, clusters, strict=True))}"
    if set(counts) <= {1}:
        counts = [len(right)]
        kind = f"bootstrap over {len(right)} sequences" + (
            f", which share their {' and '.join(clusters)}" * bool(clusters)
        )
    fewest = min((n for n in counts if n > 1), default=1)
    spread = np.nanstd(cluster_draws(right, list(clusters.values())), axis=0) * np.sqrt(fewest / max(fewest - 1, 1))
    return Clustered(right.mean(axis=0), spread, fewest, kind)


def cluster_draws(right: Right, clusters: Sequence[Labels]) -> Float[np.ndarray, "draws columns"]:
    """Means of the columns when the values of up to two labels are drawn again; always the same draws.

    Without labels, or where each has one value, sequences are drawn again. A draw that happens to hold no sequence is
    NaN.
    """
    same = np.zeros(len(right), dtype=np.uint64)
    a, c = (*clusters, same, same)[:2]
    if len(np.unique(a)) == len(np.unique(c)) == 1:
        a = np.arange(len(right), dtype=np.uint64)
    (n_a, row), (n_c, column) = (
        (len(values), places.ravel()) for values, places in (np.unique(each, return_inverse=True) for each in (a, c))
    )
    rng = stream(0, "cluster bootstrap", n_a, n_c)
    times_a, times_c = (rng.multinomial(n, np.full(n, 1 / n), size=RESAMPLES).astype(float) for n in (n_a, n_c))
    counts = np.zeros((n_a, n_c))
    np.add.at(counts, (row, column), 1)
    weight = np.einsum("ra,ac,rc->r", times_a, counts, times_c, optimize=True)
    parts = []
    for start in range(0, right.shape[1], COLUMNS):
        part = right[:, start : start + COLUMNS]
        sums = np.zeros((n_a, n_c, part.shape[1]))
        np.add.at(sums, (row, column), part)
        drawn = (times_a @ sums.reshape(n_a, -1)).reshape(RESAMPLES, n_c, -1)
        parts.append(np.einsum("rct,rc->rt", drawn, times_c))
    with np.errstate(invalid="ignore"):
        return np.concatenate(parts, axis=1) / weight[:, None]


def mean_of(parts: Sequence[Clustered]) -> Clustered:
    """The mean over independent parts of the test, which weigh alike, however many sequences each has."""
    value = np.mean([part.value for part in parts], axis=0)
    spread = np.sqrt(np.sum([part.spread**2 for part in parts], axis=0)) / len(parts)
    kinds = list(dict.fromkeys(part.kind for part in parts))
    kind = kinds[0] if len(kinds) == 1 else "two-way cluster bootstrap within each modulus"
    return Clustered(value, spread, min(part.clusters for part in parts), kind)
