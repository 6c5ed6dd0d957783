"""Everything that predicts, behind one protocol."""

from unrandom.predictors.protocol import Predictions, Predictor
from unrandom.predictors.transformer import TransformerPredictor

__all__ = ["Predictions", "Predictor", "TransformerPredictor"]
