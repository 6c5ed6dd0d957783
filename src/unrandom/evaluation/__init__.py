"""Measures accuracy by position, digit and group of sequences, with confidence intervals."""

from unrandom.evaluation.context_needed import ContextNeeded, context_needed
from unrandom.evaluation.during_training import TrainingMeasure
from unrandom.evaluation.evaluate import Evaluation, evaluate
from unrandom.evaluation.intervals import Clustered, Estimate, mean_of, over_trials, over_units
from unrandom.evaluation.known_bits import bits_known
from unrandom.evaluation.tally import Tally
from unrandom.evaluation.trends import PowerLaw, power_law
