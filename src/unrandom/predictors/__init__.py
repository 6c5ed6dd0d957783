"""Everything that predicts, behind one protocol."""

from unrandom.predictors.algebraic import AlgebraicPredictor, recover
from unrandom.predictors.bayes import BayesFixed
from unrandom.predictors.bayes_unseen import BayesUnseen
from unrandom.predictors.copying import CopyPredictor
from unrandom.predictors.lookback import LookbackPredictor
from unrandom.predictors.named import make_predictors, predictor_names
from unrandom.predictors.protocol import Predictions, Predictor
from unrandom.predictors.transformer import TransformerPredictor

__all__ = [
    "AlgebraicPredictor",
    "BayesFixed",
    "BayesUnseen",
    "CopyPredictor",
    "LookbackPredictor",
    "Predictions",
    "Predictor",
    "TransformerPredictor",
    "make_predictors",
    "predictor_names",
    "recover",
]
