"""How much of the next number is known for sure? Its low digits, prime by prime, as far as they are right together."""

import numpy as np
from jaxtyping import Float

from unrandom.evaluation.evaluate import Evaluation

KNOWN = 0.99  # Digits count as known once they are right in this share of the sequences.


def bits_known(tested: Evaluation, share: float = KNOWN) -> Float[np.ndarray, " guesses"]:
    """log2 of the largest divisor of m modulo which the guess is known, after 1, 2, … numbers.

    Modulo p^w the guess is known if the digits p^0 … p^(w − 1) are all right in at least ``share``, from 0 to 1, of the
    sequences. In a guess of several tokens each is given the true tokens below it.
    """
    right = tested.right_digits()
    primes = np.array([digit.prime for digit in tested.digits])
    bits = np.zeros(right.shape[1])
    for prime in np.unique(primes):
        together = np.logical_and.accumulate(right[..., primes == prime], axis=-1).mean(axis=0)
        bits += np.log2(prime) * (together >= share).sum(axis=-1)
    return bits
