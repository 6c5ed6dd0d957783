"""Many generators side by side, for comparison with others: their first outputs, as arrays."""

import numpy as np


def orbits(generator, state, length):
    """The first outputs [rows, length], from that of the given state on, whose words are uint64 arrays [rows]."""
    outputs = [generator.output(state)]
    while len(outputs) < length:
        state = generator.step(state)
        outputs.append(generator.output(state))
    return np.stack(outputs, axis=-1)
