"""What the generators of all families have in common: a state, a step to the next state, and the output of a state.

A module per family defines frozen dataclasses, whose fields are the parameters of a generator, with `step(state)`,
`back(state)` and `output(state)`; a state is a word or a tuple of words (`words`). Generators with a long state, which
would be slow to copy at every step, have `following(window)` and `preceding(window)` instead (`lagged`, `carry`), and
a Mersenne twister generates a block of words at a time.
"""

from typing import Any, Protocol, runtime_checkable


@runtime_checkable
class Forward(Protocol):
    """A generator with an explicit state."""

    def step(self, state: Any) -> Any:
        """The next state."""

    def output(self, state: Any) -> Any:
        """The output of a state."""


@runtime_checkable
class Stepping(Forward, Protocol):
    """A generator that can also be run backwards."""

    def back(self, state: Any) -> Any:
        """The previous state."""
