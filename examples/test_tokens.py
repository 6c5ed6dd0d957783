"""A fixture for the tests of a program: the numbers, codes or tokens that it makes must not be predictable.

Copy it into your tests, and put your own program in place of `session_token`. An audit that finds nothing is no proof
of safety; one that finds something is a bug.
"""

import secrets
import warnings
from collections.abc import Callable, Sequence

import pytest

import unrandom

OUTPUTS, SECONDS = 1000, 30.0  # of the program, and of the search


@pytest.fixture
def unpredictable() -> Callable[[Sequence[object]], None]:
    """A check that fails for outputs that are predictable, or too few; a search that has not finished is a warning."""

    def check(outputs: Sequence[object]) -> None:
        verdict = unrandom.audit(outputs, max_seconds=SECONDS)
        if verdict.verdict == "not finished":
            warnings.warn(verdict.advice, stacklevel=2)
            return
        assert verdict.verdict == "not predicted", verdict.text()

    return check


def session_token() -> str:
    """What stands here for your program."""
    return secrets.token_hex(16)


def test_session_tokens_cannot_be_predicted(unpredictable: Callable[[Sequence[object]], None]) -> None:
    unpredictable([session_token() for _ in range(OUTPUTS)])
