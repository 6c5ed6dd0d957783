"""Finds the state of an LCG whose outputs show about a bit each, as the peak of a Fourier transform (Bleichenbacher
2000).

Let x[t] = (A[t] x + C[t]) mod m be the states, and y[t] the middle of the states that an output allows. The number
exp(2πi (y[t] − C[t]) / m) is on average exp(2πi A[t] x / m), times a factor that is 0.64 if half of all states are
allowed. So the sum over t of these numbers times exp(−2πi A[t] k / m) is largest at k = x. That place cannot be found
directly, because A[t] may have any value up to m. But products of four such numbers, or their conjugates, belong to
sums and differences of four A[t], of which some are far smaller than m. Their sum has a wide peak, which a transform
shows; its place tells the top bits of x. Then larger sums and differences tell the next bits, and so on.

A lattice needs fewer outputs, but one bit of a state of 48 bits would need a lattice of about 100 dimensions.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Complex128, Int32, Int64

from unrandom.generators.lcg import LCG

POINTS = 1 << 22  # points of a transform
MORE_POINTS = 1 << 24  # points of the first transform if POINTS were too few
MAX_OUTPUTS = 1200  # outputs used; the number of their pairs is the square of it
MAX_WAVES = 1 << 18  # products of four used
MAX_BITS = 60  # sums of two states must be below 2**63
CANDIDATES = 4  # highest points of the first transform that are followed
MARGIN = 4  # a peak is at most this many points from the state; the next transform covers this many times that distance

LEAST_STRENGTH = 25.0
"""Sum of the squared amplitudes of the waves, whose peak then rises by sqrt(2 × 25) = 7 standard deviations of the
noise; the highest of 2**22 points of noise rises by 5.5.
"""

Frequencies = Int64[np.ndarray, " n"]
Amplitudes = Complex128[np.ndarray, " n"]
Factors = Int32[np.ndarray, "n factors"]


@dataclass(frozen=True)
class Waves:
    """Terms v exp(−2πi f k / m) of a sum whose real part is largest where k is the state."""

    f: Frequencies  # from 0 to m / 2
    v: Amplitudes
    outputs: Factors  # by their index; v is the product of these

    @classmethod
    def of(cls, f: Frequencies, v: Amplitudes, outputs: Factors, m: int) -> "Waves":
        """Terms of any frequency. That of m − f has the same real part as the conjugate one of f."""
        f = f % m
        above = f > m // 2
        return cls(np.where(above, m - f, f), np.where(above, v.conj(), v), outputs)

    @property
    def strength(self) -> float:
        """The sum of the squared amplitudes."""
        return float((np.abs(self.v) ** 2).sum())

    def below(self, limit: float) -> "Waves":
        """Those with smaller frequencies."""
        kept = self.f < limit
        return Waves(self.f[kept], self.v[kept], self.outputs[kept])

    def products(self, m: int) -> "Waves":
        """The products of two, and of one and the conjugate of another."""
        i, j = np.triu_indices(len(self.f), 1)
        f, g, v, w = self.f[i], self.f[j], self.v[i], self.v[j]
        outputs = np.concatenate([self.outputs[i], self.outputs[j]], axis=1)
        return Waves.of(
            np.concatenate([f + g, f - g]), np.concatenate([v * w, v * w.conj()]), np.concatenate([outputs, outputs]), m
        )

    def slow_products(self, limit: float) -> "Waves":
        """The products of one and the conjugate of another with frequencies below the limit and no output in common,
        at least MAX_WAVES of them if there are enough.
        """
        order = np.argsort(self.f)
        f, found = self.f[order], []
        for distance in range(1, len(f)):
            (near,) = np.nonzero(f[distance:] - f[:-distance] < limit)
            if not len(near):
                break
            low, high = order[near], order[near + distance]
            apart = (self.outputs[low, :, None] != self.outputs[high, None, :]).all(axis=(1, 2))
            found.append(np.stack([low, high])[:, apart])
            if sum(len(each[0]) for each in found) > MAX_WAVES:
                break
        low, high = np.concatenate(found, axis=1) if found else np.empty((2, 0), dtype=np.int64)
        outputs = np.concatenate([self.outputs[low], self.outputs[high]], axis=1)
        return Waves(self.f[high] - self.f[low], self.v[high] * self.v[low].conj(), outputs)

    def peaks(self, points: int, centre: int, span: float, m: int, count: int) -> list[int]:
        """The `count` highest points of the sum among `points` ones that cover `span` numbers k around the centre."""
        turned = self.v * np.exp(-2j * np.pi * ((self.f.astype(object) * centre % m).astype(np.float64) / m))
        places = np.rint(self.f * (span / m)).astype(np.int64)
        half = points // 2 + 1
        spectrum = np.bincount(places, turned.real, half) - 1j * np.bincount(places, turned.imag, half)
        heights = np.fft.irfft(spectrum, points)
        highest = np.argpartition(heights, -count)[-count:]
        ordered = highest[np.argsort(-heights[highest])]
        return [centre + round((j - points * (j > points // 2)) * span / points) for j in ordered.tolist()]


def states_by_fourier(
    lcg: LCG, bounds: Sequence[tuple[int, int]], check: Callable[[], None] = lambda: None
) -> Iterator[int]:
    """First states x[0] of an LCG with bounds[t][0] <= x[t] <= bounds[t][1] for every t. There are none if the modulus
    is above 2**60, or if the outputs are too few. `check` is called between steps, and may raise.
    """
    middles = np.array([(low + high) // 2 / lcg.m for low, high in bounds])
    widths = np.array([(high - low + 1) / lcg.m for low, high in bounds])
    for state in likely_states(lcg, np.sinc(widths) * np.exp(2j * np.pi * middles), check):
        states = lcg.orbit(state, len(bounds))
        if all(low <= x <= high for x, (low, high) in zip(states, bounds, strict=True)):
            yield state


def likely_states(lcg: LCG, numbers: Amplitudes, check: Callable[[], None] = lambda: None) -> Iterator[int]:
    """First states x[0] of an LCG, the likeliest first, where numbers[t] is |numbers[t]| exp(2πi x[t] / m) on average.
    There are none if the modulus is above 2**60, or if the numbers are too few.
    """
    m = lcg.m
    if m.bit_length() > MAX_BITS or len(numbers) < 2:
        return
    singles = _waves(lcg, numbers[:MAX_OUTPUTS])
    pairs = singles.products(m)
    check()
    found: set[int] = set()
    for points in (POINTS, MORE_POINTS):
        fours = pairs.slow_products(points / 4)
        if fours.strength < LEAST_STRENGTH:
            continue
        for first in fours.peaks(points, 0, m, m, CANDIDATES):
            state = _refined(singles, pairs, first, 2 * MARGIN**2 * m / points, m, check)
            if state not in found:
                found.add(state)
                yield state


def _refined(singles: Waves, pairs: Waves, place: int, span: float, m: int, check: Callable[[], None]) -> int:
    """The highest place among `span` numbers around one that the highest products of four have."""
    while span > MARGIN**2:
        check()
        limit = POINTS / 4 * m / span
        waves = singles.below(limit)
        if waves.strength < LEAST_STRENGTH:
            waves = pairs.below(limit)
        (place,) = waves.peaks(POINTS, place, span, m, 1)
        span *= 2 * MARGIN**2 / POINTS
    return place % m


def _waves(lcg: LCG, numbers: Amplitudes) -> Waves:
    """The terms of single outputs."""
    m, a, c = lcg.m, 1, 0
    multipliers, turns = [], []
    for _ in numbers:
        multipliers.append(a)
        turns.append(c / m)
        a, c = a * lcg.a % m, (c * lcg.a + lcg.c) % m
    values = numbers * np.exp(-2j * np.pi * np.array(turns))
    return Waves.of(np.array(multipliers), values, np.arange(len(numbers), dtype=np.int32)[:, None], m)
