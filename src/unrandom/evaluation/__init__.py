"""How good is a predictor? Counts of right and wrong, by position, digit and period, with intervals."""

from unrandom.evaluation.during_training import TrainingMeasure
from unrandom.evaluation.elements import Elements, elements_needed
from unrandom.evaluation.evaluate import Evaluation, evaluate
from unrandom.evaluation.tally import Tally
from unrandom.evaluation.trends import PowerLaw, Trend, power_law, rank_correlation

__all__ = [
    "Elements",
    "Evaluation",
    "PowerLaw",
    "Tally",
    "TrainingMeasure",
    "Trend",
    "elements_needed",
    "evaluate",
    "power_law",
    "rank_correlation",
]
