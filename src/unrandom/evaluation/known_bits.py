"""The bits of the next number that are known: its low digits, prime by prime, as far as they are correct together."""

import numpy as np
from jaxtyping import Float

from unrandom.evaluation.evaluate import Evaluation

KNOWN_ACCURACY = 0.99  # digits count as known if they are correct in this share of the sequences


def bits_known(tested: Evaluation, share: float = KNOWN_ACCURACY) -> Float[np.ndarray, " guesses"]:
    """log2 of the largest divisor of m modulo which the guess is known, after 1, 2, … numbers.

    Modulo p^w the guess is known if the digits p^0 … p^(w − 1) are all correct in at least ``share``, from 0 to 1, of
    the sequences. If a number has several tokens, each is predicted given the true lower tokens.
    """
    correct = tested.right_digits()
    primes = np.array([digit.prime for digit in tested.digits])
    bits = np.zeros(correct.shape[1])
    for prime in np.unique(primes):
        together = np.logical_and.accumulate(correct[..., primes == prime], axis=-1).mean(axis=0)
        bits += np.log2(prime) * (together >= share).sum(axis=-1)
    return bits
