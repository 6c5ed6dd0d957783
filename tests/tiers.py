"""Which parameters of a test are for the slow tier? See CONTRIBUTING.md."""

from collections.abc import Iterable

import pytest


def slow(*cases: object) -> list[object]:
    """These parameters, a tuple for each case of several, in the slow tier."""
    return [pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.slow) for case in cases]


def slow_but(fast: Iterable[object], cases: Iterable[object]) -> list[object]:
    """The parameters in their order, all but the fast ones in the slow tier."""
    quick = list(fast)
    return [given for case in cases for given in ([case] if case in quick else slow(case))]
