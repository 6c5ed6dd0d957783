"""A fixture for the tests of a program: the numbers, codes or tokens that it makes must not be predictable.

Copy it into your tests, and put your own program in place of `session_token`. An audit that finds nothing does not
prove safety; one that finds something is a bug.
"""

import secrets
import warnings
from collections.abc import Callable, Sequence

import pytest

import unrandom

OUTPUTS, FEWEST = 1000, 500  # of the program
SECONDS = 30.0  # of the search


@pytest.fixture
def unpredictable() -> Callable[..., None]:
    """A check that fails for outputs that are predictable, or too few to tell.

    A search that has not finished in SECONDS is a warning or, with ``finished``, a failure: good tokens take minutes.
    """

    def check(outputs: Sequence[object], *, finished: bool = False) -> None:
        assert len(outputs) >= FEWEST, f"{len(outputs)} outputs are too few; make {FEWEST} or more"
        verdict = unrandom.audit(outputs, max_seconds=SECONDS)
        if verdict.verdict == "not finished":
            said = f"the search has not finished in {SECONDS:.0f} s, which says nothing about the outputs"
            assert not finished, said
            warnings.warn(said, stacklevel=2)
            return
        assert verdict.verdict == "not predicted", verdict.text()

    return check


def session_token() -> str:
    """Stands in for your program."""
    return secrets.token_hex(16)


def test_session_tokens_cannot_be_predicted(unpredictable: Callable[..., None]) -> None:
    unpredictable([session_token() for _ in range(OUTPUTS)])
