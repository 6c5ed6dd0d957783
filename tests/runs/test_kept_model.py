"""The kept model of 2^24 predicts sequences that are made, and written in tokens, by this file alone."""

import random

import pytest
import torch

import unrandom

EXPONENT, DIGITS, NUMBERS, FIRST, SEQUENCES, AT_ONCE = 24, 6, 255, 192, 256, 16


def tokens_of(rng):
    """The base-16 digits, lowest first, of a sequence of full period with parameters at random."""
    a, c = 1 + 4 * rng.randrange(2 ** (EXPONENT - 2)), 1 + 2 * rng.randrange(2 ** (EXPONENT - 1))
    x = rng.randrange(2**EXPONENT)
    digits = []
    for _ in range(NUMBERS + 1):
        digits += [x >> (4 * place) & 15 for place in range(DIGITS)]
        x = (a * x + c) % 2**EXPONENT
    return digits


@pytest.mark.slow
def test_the_numbers_192_to_255_are_right_in_99_of_100():
    rng = random.Random(20261128)
    model = unrandom.load("fm-2p24", device="cpu").model.eval()
    right = []
    with torch.no_grad():
        for _ in range(SEQUENCES // AT_ONCE):
            tokens = torch.tensor([tokens_of(rng) for _ in range(AT_ONCE)])
            hits = model(tokens[:, :-1]).argmax(-1) == tokens[:, 1:]
            numbers = hits[:, DIGITS - 1 :].unflatten(1, (NUMBERS, DIGITS)).all(-1)  # after 1 to 255 numbers
            right.append(numbers[:, FIRST - 1 :])
    assert torch.cat(right).float().mean() >= 0.99
