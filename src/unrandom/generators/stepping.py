"""What have the generators of all families in common? A state, the step to the next one, and the output that it shows.

A family's file has frozen dataclasses, whose fields are the parameters of a generator, with `step(state)`,
`back(state)` and `output(state)`; a state is a word or a tuple of words (`words`). Where a number follows from so many
earlier ones that copying them at each step would be slow, there are `following(window)` and `preceding(window)` instead
(`lagged`, `carry`), and a Mersenne twister makes a block of words at once.
"""

from typing import Any, Protocol, runtime_checkable

import numpy as np
from jaxtyping import UInt64

from unrandom.core.errors import UserError


@runtime_checkable
class Stepping(Protocol):
    """A generator as its family's file has it."""

    def step(self, state: Any) -> Any:
        """The next state."""
        ...

    def back(self, state: Any) -> Any:
        """The state before."""
        ...

    def output(self, state: Any) -> Any:
        """The output that a state shows."""
        ...


def orbits(generator: Stepping, state: Any, length: int) -> UInt64[np.ndarray, "rows length"]:
    """The first `length` outputs, that of the given state among them, of many generators side by side: the words of the
    state are uint64 arrays [rows]. UserError unless length >= 1.
    """
    if length < 1:
        raise UserError(f"a sequence needs length >= 1, but {length} was given")
    outputs = [generator.output(state)]
    while len(outputs) < length:
        state = generator.step(state)
        outputs.append(generator.output(state))
    return np.stack(outputs, axis=-1)
