"""Known bits are those of the lowest digits of each prime that are correct together."""

import numpy as np

from unrandom.evaluation import Evaluation, bits_known
from unrandom.tasks import LCGParameters


def guessed(modulus, guesses, truth):
    guesses, truth = (np.array(each, dtype=np.uint64) for each in (guesses, truth))
    rows = len(guesses)
    a, c = np.ones(rows, dtype=np.uint64), np.ones(rows, dtype=np.uint64)
    parameters = LCGParameters(modulus, a, c, a)
    return Evaluation("made up", parameters, parameters.units, guesses == truth, guesses, truth, 0)


def test_a_wrong_digit_hides_those_above_it():
    truth = [[0b1010, 0b1010, 0b1010, 0b1010]]
    guesses = [[0b1010, 0b1011, 0b1000, 0b0010]]
    assert bits_known(guessed(16, guesses, truth)).tolist() == [4, 0, 1, 3]


def test_the_primes_of_a_modulus_add_up():
    known = bits_known(guessed(12, [[5, 1, 9]], [[5, 5, 5]]))  # 5 = 1 mod 4, 2 mod 3; 1 = 1, 1; 9 = 1, 0
    assert np.allclose(known, [np.log2(12), 2, 2])


def test_a_digit_is_known_if_it_is_correct_in_the_given_share():
    truth = np.zeros((200, 2))
    guesses = truth.copy()
    guesses[:2, 0], guesses[:3, 1] = 1, 1
    assert bits_known(guessed(4, guesses, truth)).tolist() == [2, 0]
    assert bits_known(guessed(4, guesses, truth), share=0.98).tolist() == [2, 2]
