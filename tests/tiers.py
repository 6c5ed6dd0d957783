"""Parameters of tests: those of slower tiers (see CONTRIBUTING.md), and few that cover all pairs of settings."""

from collections.abc import Iterable, Sequence
from itertools import combinations, product

import pytest


def slow(*cases: object) -> list[object]:
    """These parameters, a tuple for each case of several, in the slow tier."""
    return _marked(pytest.mark.slow, cases)


def nightly(*cases: object) -> list[object]:
    """These parameters, a tuple for each case of several, in the nightly tier."""
    return _marked(pytest.mark.nightly, cases)


def slow_but(fast: Iterable[object], cases: Iterable[object]) -> list[object]:
    """The parameters in their order, all but the fast ones in the slow tier."""
    return _marked_but(pytest.mark.slow, fast, cases)


def nightly_but(faster: Iterable[object], cases: Iterable[object]) -> list[object]:
    """The parameters in their order, all but the faster ones in the nightly tier."""
    return _marked_but(pytest.mark.nightly, faster, cases)


def pairs(*axes: Sequence[object]) -> list[tuple[object, ...]]:
    """Combinations of one value per axis in which each pair of values of two axes occurs, chosen greedily.

    A fault that needs three settings at once can escape them; the full product costs many times as much.
    """
    every = [frozenset(combinations(enumerate(case), 2)) for case in product(*axes)]
    left, chosen = set().union(*every), []
    while left:
        best = max(every, key=lambda covered: len(covered & left))
        left -= best
        chosen.append(tuple(dict(place for pair in best for place in pair)[axis] for axis in range(len(axes))))
    return chosen


def _marked(mark: pytest.MarkDecorator, cases: Iterable[object]) -> list[object]:
    return [pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=mark) for case in cases]


def _marked_but(mark: pytest.MarkDecorator, kept: Iterable[object], cases: Iterable[object]) -> list[object]:
    unmarked = list(kept)
    return [given for case in cases for given in ([case] if case in unmarked else _marked(mark, [case]))]
