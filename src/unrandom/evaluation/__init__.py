"""How good is a predictor? Counts of right and wrong, by position, digit and period, with intervals."""

from unrandom.evaluation.during_training import TrainingMeasure
from unrandom.evaluation.evaluate import Evaluation, evaluate
from unrandom.evaluation.tally import Tally

__all__ = ["Evaluation", "Tally", "TrainingMeasure", "evaluate"]
