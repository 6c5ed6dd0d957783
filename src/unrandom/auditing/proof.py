"""The arithmetic of proofs: how many bits of evidence outputs have for a generator, and when these are a proof.

A proof is a chance of 2**-SIGNIFICANCE_BITS or less that a wrong generator makes the outputs. There are two kinds.

- Held back: the generator was found without outputs that it predicts. A wrong one makes them with a chance of at most
  2**-(their bits), so that the evidence is their bits less log2 of the number of candidates tried (Bonferroni).
  Parameters that were fitted without these outputs need no correction; a seed was fitted to none.
- Counted: the generator was fitted to all outputs. The chance that any of its kind makes outputs drawn at random is at
  most the number of these generators times 2**-(bits of all outputs): also the bits of its state and of its free
  parameters are taken off.
"""

from dataclasses import dataclass
from math import log2

from unrandom.auditing.verdict import Certificate

SIGNIFICANCE_BITS = 40  # a candidate is accepted if the probability of its success by chance is at most 2**-40
MULTIPLE_TESTING_BITS = 24
"""Further bits held back, a margin for up to 2**24 candidates tried; and of the evidence for a stretch of outputs whose
end was not known beforehand.
"""


@dataclass(frozen=True)
class Evidence:
    """The `bits` of outputs that a generator makes, one of the many `tried`; `complete` if these are all.

    If the generator was fitted to these outputs, it has `free_bits`; else these are None.
    """

    bits: float
    tried: float
    complete: bool
    free_bits: float | None = None

    @property
    def net(self) -> float:
        """−log2 of a bound on the chance that a wrong generator makes the outputs."""
        return self.bits - (self.free_bits or 0.0) - log2(self.tried)

    @property
    def proves(self) -> bool:
        """Whether this is a proof."""
        return self.net >= SIGNIFICANCE_BITS + MULTIPLE_TESTING_BITS * (not self.complete)

    def certificate(self, predicted: int = 0) -> Certificate:
        """The proof, by the number of outputs predicted or by counting."""
        chance = round(-self.net, 1)
        if self.free_bits is None:
            return Certificate(predicted, predicted, chance)
        return Certificate(0, 0, chance, round(self.bits, 1), round(self.free_bits, 1))
