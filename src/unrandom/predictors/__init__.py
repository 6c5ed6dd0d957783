"""Everything that predicts and needs no torch, behind one protocol; `models.predictor` makes a trained model one."""

from unrandom.predictors.algebraic import AlgebraicPredictor, recover
from unrandom.predictors.bayes import BayesFixed
from unrandom.predictors.bayes_unseen import BayesUnseen
from unrandom.predictors.copying import CopyPredictor
from unrandom.predictors.lagged import LaggedPredictor
from unrandom.predictors.lattice import LatticePredictor
from unrandom.predictors.linear import LinearPredictor
from unrandom.predictors.lookback import LookbackPredictor
from unrandom.predictors.protocol import Predictions, Predictor

__all__ = [
    "AlgebraicPredictor",
    "BayesFixed",
    "BayesUnseen",
    "CopyPredictor",
    "LaggedPredictor",
    "LatticePredictor",
    "LinearPredictor",
    "LookbackPredictor",
    "Predictions",
    "Predictor",
    "recover",
]
