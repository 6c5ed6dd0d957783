"""How much of the next number is known for sure? Its low digits, prime by prime, as far as they are all right."""

import numpy as np
from jaxtyping import Float

from unrandom.evaluation.evaluate import Evaluation
from unrandom.generators.residues import digits_of

KNOWN = 0.99  # A digit counts as known once it is right in this share of the sequences.


def bits_known(tested: Evaluation, share: float = KNOWN) -> Float[np.ndarray, " guesses"]:
    """log2 of the largest divisor of m modulo which the guess is known, after 1, 2, … numbers.

    A digit p^w counts if it and all lower ones of its prime are right in at least ``share`` of the sequences, 0 to 1.
    In a guess of several tokens each digit is guessed from the true tokens below it, so that of those that are known
    none rests on a wrong one.
    """
    bits = np.zeros(tested.correct.shape[1])
    tallies = tested.by_digit()
    for prime in dict.fromkeys(digit.prime for digit in digits_of(tested.modulus)):
        right = [tallies[str(digit)].value >= share for digit in digits_of(tested.modulus) if digit.prime == prime]
        bits += np.log2(prime) * np.logical_and.accumulate(right, axis=0).sum(axis=0)
    return bits
