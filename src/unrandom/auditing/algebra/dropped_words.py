"""Finds the words of a Mersenne twister that a program dropped between its outputs, by testing the recurrence on
outputs that may lie the right number of words apart.

A program that draws again until a number is in range drops words at unknown places. The recurrence s[t+n] = s[t+m] ^
twist(s[t], s[t+1]) uses one bit of s[t], and gives some parities of the known bits of the other three words, whatever
their lost bits are. If none of these is dropped, outputs j and l about m and n words after output i satisfy them; by
chance few others do. Each match tells the distances of three outputs, and together these tell the places of most.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise
from math import ceil, log2, sqrt

import numpy as np
from jaxtyping import Int64, UInt64

from unrandom.auditing.generators.mersenne import MersenneTwister

DEVIATIONS = 4.5  # half the window in which a word is searched, in standard deviations of the number of dropped words
CERTAIN_BITS = 15  # a chain of matches needs this many parities more than log2 of the number of pairs of places tried
NEIGHBOURS = 8  # later outputs that each output is compared with to bound their distances
MAX_SETS = 600  # sets of outputs whose order is considered at a time, the largest ones
UNKNOWN = np.iinfo(np.int64).min  # the place of an output that no match reaches


def parities(v: MersenneTwister, lost: Sequence[int]) -> list[int]:
    """Masks over the bits of s[t+n] ^ s[t+m] ^ twist(0, s[t+1]) whose parities depend neither on these lost bits of the
    three tempered words, nor on s[t].
    """
    words = [v.untemper(1 << bit) for bit in lost]
    upper = [1 << k for k in range(v.w) if (v.upper >> k) & 1]
    columns = [*words, *(v.twist(0, word) for word in words), *(v.twist(bit, 0) for bit in upper)]
    pivots: dict[int, int] = {}  # lowest bit of a reduced column -> the column
    for column in columns:
        while column and (known := pivots.get(column & -column)):
            column ^= known
        if column:
            pivots[column & -column] = column
    masks = []
    for free in (1 << bit for bit in range(v.w)):
        if free in pivots:
            continue
        mask = free
        for lowest in sorted(pivots, reverse=True):
            if (pivots[lowest] & mask).bit_count() & 1:
                mask ^= lowest
        masks.append(mask)
    return masks


def places(
    v: MersenneTwister,
    outputs: UInt64[np.ndarray, " outputs"],
    lost: Sequence[int],
    dropped: float,
    check: Callable[[], None] = lambda: None,
) -> Int64[np.ndarray, " outputs"] | None:
    """The index of the word of each output, up to a constant, or UNKNOWN; None if the parities are too few or the
    outputs do not match.

    `outputs` are tempered words with their lost bits 0; `dropped` is the fraction of words dropped, 0 … 1/2.
    """
    masks = parities(v, lost)
    if not masks:
        return None
    words = v.untemper(outputs)
    keys = _keys(words, masks)
    wanted = _keys(v.twist(np.zeros_like(words), words), masks)
    (first, last), (first_far, last_far) = (_window(distance - 1, dropped) for distance in (v.m, v.n))
    pairs = (last - first) * (last_far - first_far)
    chain = max(1, ceil((log2(pairs) + CERTAIN_BITS) / len(masks)))
    matches: set[tuple[int, int, int]] = set()
    for i in range(len(words) - first_far):
        if i % 64 == 0:
            check()
        near, far = keys[i + first : i + last], keys[i + first_far : i + last_far]
        hits = np.argwhere((near[:, None] ^ far[None, :]) == wanted[i])
        matches.update((i, i + first + int(a), i + first_far + int(b)) for a, b in hits)
    return _joined(v, matches, len(words), chain, max(1, ceil(CERTAIN_BITS / len(masks))) - 1)


def _window(distance: int, dropped: float) -> tuple[int, int]:
    """How many outputs on the word at this distance may be: at least, and less than."""
    middle, deviation = distance * (1 - dropped), sqrt(distance * dropped * (1 - dropped))
    return max(2, int(middle - DEVIATIONS * deviation)), min(distance, ceil(middle + DEVIATIONS * deviation)) + 1


def _keys(words: UInt64[np.ndarray, " n"], masks: Sequence[int]) -> UInt64[np.ndarray, " n"]:
    """The parities of each word, packed."""
    keys = np.zeros(len(words), np.uint64)
    for k, mask in enumerate(masks):
        keys |= (np.bitwise_count(words & np.uint64(mask)).astype(np.uint64) & np.uint64(1)) << np.uint64(k)
    return keys


class _Distances:
    """Sets of outputs whose distances are known: a forest, in which each output has its distance to its parent."""

    def __init__(self, count: int) -> None:
        self.parent, self.distance = list(range(count)), [0] * count

    def find(self, i: int) -> tuple[int, int]:
        """The root of an output, and the output's distance to it."""
        path = []
        while self.parent[i] != i:
            path.append(i)
            i = self.parent[i]
        total = 0
        for one in reversed(path):
            total += self.distance[one]
            self.parent[one], self.distance[one] = i, total
        return i, total

    def join(self, i: int, j: int, apart: int) -> bool:
        """Learn that output j lies `apart` words after output i; False if it was known."""
        (a, from_a), (b, from_b) = self.find(i), self.find(j)
        if a != b:
            self.parent[b], self.distance[b] = a, from_a + apart - from_b
        return a != b


def _joined(
    v: MersenneTwister, matches: set[tuple[int, int, int]], count: int, chain: int, margin: int
) -> Int64[np.ndarray, " outputs"] | None:
    """Places from chains of enough matches in a row, and from the order of the outputs. The first and last matches of
    a chain, `margin` each, may have been added by chance.
    """
    distances = _Distances(count)
    before = max(margin, (chain - 1) // 2)
    after = max(margin, chain - 1 - before)
    for i, j, far in matches:
        if all((i + k, j + k, far + k) in matches for k in range(-before, after + 1)):
            distances.join(i, j, v.m - 1)
            distances.join(i, far, v.n - 1)
    while _join_by_order(distances, count):
        pass
    roots = [distances.find(i) for i in range(count)]
    largest = Counter(root for root, _ in roots).most_common(1)[0][0]
    found = np.array([distance if root == largest else UNKNOWN for root, distance in roots])
    known = np.flatnonzero(found != UNKNOWN)
    if len(known) < 2 or (np.diff(found[known]) < np.diff(known)).any():
        return None
    for i, j in pairwise(known.tolist()):
        if found[j] - found[i] == j - i:  # no word between them was dropped
            found[i : j + 1] = np.arange(found[i], found[j] + 1)
    return found


def _join_by_order(distances: _Distances, count: int) -> bool:
    """Join sets of outputs whose order leaves only one distance. An output lies at least s words after the one s before
    it, so that sets of outputs that alternate bound each other's distances from both sides, also by way of other sets.
    True if any were joined.
    """
    roots = [distances.find(i) for i in range(count)]
    sizes = Counter(root for root, _ in roots)
    sets = {root: k for k, (root, size) in enumerate(sizes.most_common(MAX_SETS)) if size > 1}
    order = [(i, sets[root], distance) for i, (root, distance) in enumerate(roots) if root in sets]
    least = np.full((len(sets), len(sets)), -np.inf)  # the second set's root lies at least so far after the first's
    for s in range(1, NEIGHBOURS + 1):
        for (i, a, from_a), (j, b, from_b) in zip(order, order[s:], strict=False):
            if a != b:
                least[a, b] = max(least[a, b], from_a + j - i - from_b)
    for middle in range(len(sets)):
        np.maximum(least, least[:, middle, None] + least[None, middle, :], out=least)
    representative, joined = list(sets), False
    for a, b in np.argwhere(np.isfinite(least) & (least == -least.T)):
        if a < b:
            joined |= distances.join(representative[a], representative[b], int(least[a, b]))
    return joined
