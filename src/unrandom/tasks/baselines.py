"""Which predictors can be compared with a model? Those that its data leave a chance, by name."""

from collections.abc import Callable, Mapping, Sequence

from unrandom.core.errors import UserError, named
from unrandom.predictors.algebraic import AlgebraicPredictor
from unrandom.predictors.bayes import BayesFixed
from unrandom.predictors.bayes_unseen import BayesUnseen
from unrandom.predictors.copying import CopyPredictor
from unrandom.predictors.lookback import LookbackPredictor
from unrandom.predictors.protocol import Predictor
from unrandom.tasks import FixedModulus, UnseenModulus

FIXED: Mapping[str, Callable[[FixedModulus], Predictor]] = {
    "copy": lambda data: CopyPredictor(),
    "lookback-copy": lambda data: LookbackPredictor(data.modulus, order=1),
    "lookback": lambda data: LookbackPredictor(data.modulus),
    "algebraic": lambda data: AlgebraicPredictor(data.modulus),
    "bayes": lambda data: BayesFixed(data.modulus, full_period_share=float(data.test_multipliers == "full-period")),
}
"""For a fixed modulus, which they are told. ``lookback:J`` looks back at up to J numbers."""

UNSEEN: Mapping[str, Callable[[UnseenModulus], Predictor]] = {
    "copy": lambda data: CopyPredictor(),
    "algebraic": lambda data: AlgebraicPredictor(),
    "bayes": lambda data: BayesUnseen(
        range(data.smallest_modulus, data.largest_modulus + 1),
        arbitrary_for_primes=data.test_multipliers == "primitive-root",
    ),
}
"""For unseen moduli: bayes is told the range that training draws from, the others nothing.

The prior of bayes is that of the test sequences: full-period (a, c), and for a prime modulus that is tested with
primitive roots, arbitrary ones. Which pairs are held out it is not told.
"""


def predictor_names(data: FixedModulus | UnseenModulus) -> list[str]:
    """All that can be made for the test sequences of ``data``."""
    return list(FIXED if isinstance(data, FixedModulus) else UNSEEN)


def make_predictors(names: Sequence[str], data: FixedModulus | UnseenModulus) -> list[Predictor]:
    """The predictors of these names for the test sequences of ``data``.

    UserError for a name that there is not, with those that come close, for one that needs a modulus that is unseen,
    and for an order of look-back that is no number from 1 to 64.
    """
    return [_make(name, data) for name in names]


def _make(name: str, data: FixedModulus | UnseenModulus) -> Predictor:
    kind, colon, order = name.partition(":")
    of_fixed = named("predictor", kind, FIXED)
    if colon and kind != "lookback":
        raise UserError(f"{name!r}: of the predictors only lookback has an order, as in lookback:3")
    if isinstance(data, FixedModulus):
        return _of_order(name, order, data.modulus) if colon else of_fixed(data)
    if kind not in UNSEEN:
        raise UserError(f"{name} needs the modulus: it can be had for a fixed modulus, not for unseen ones")
    return UNSEEN[kind](data)


def _of_order(name: str, order: str, modulus: int) -> Predictor:
    if not (order.isascii() and order.isdigit() and len(order) <= 4):
        raise UserError(f"{name!r}: the order of lookback is a whole number, as in lookback:3")
    predictor = LookbackPredictor(modulus, order=int(order))
    predictor.name = name
    return predictor
