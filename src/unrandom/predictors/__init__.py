"""Predictors that need no training: copying, look-back, algebra, posteriors and lattices."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from unrandom.predictors.algebraic import AlgebraicPredictor, recover
    from unrandom.predictors.bayes import BayesFixed
    from unrandom.predictors.bayes_unseen import BayesUnseen
    from unrandom.predictors.copying import CopyPredictor
    from unrandom.predictors.enumeration import EnumeratedPosterior
    from unrandom.predictors.lagged import LaggedPredictor
    from unrandom.predictors.lattice import LatticePredictor
    from unrandom.predictors.linear import LinearPredictor
    from unrandom.predictors.lookback import LookbackPredictor
    from unrandom.predictors.protocol import Predictions, Predictor
else:  # imported lazily: configuring a task needs none of them
    from unrandom.core.lazy import lazy_names

    __getattr__ = lazy_names(
        __name__,
        {
            "algebraic": ("AlgebraicPredictor", "recover"),
            "bayes": ("BayesFixed",),
            "bayes_unseen": ("BayesUnseen",),
            "copying": ("CopyPredictor",),
            "enumeration": ("EnumeratedPosterior",),
            "lagged": ("LaggedPredictor",),
            "lattice": ("LatticePredictor",),
            "linear": ("LinearPredictor",),
            "lookback": ("LookbackPredictor",),
            "protocol": ("Predictions", "Predictor"),
        },
    )
