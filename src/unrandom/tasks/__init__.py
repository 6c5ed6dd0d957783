"""Which sequences do training and testing see? Configuration, split, draws, sets and batches."""

from unrandom.tasks.batches import Batches, CurriculumBatches, FixedBatches, StreamingBatches, make_batches
from unrandom.tasks.config import DataConfig, FixedModulus, Phase, UnseenModulus
from unrandom.tasks.parameters import Parameters
from unrandom.tasks.sequences import SequenceSet, period_group, sequence_tokens
from unrandom.tasks.split import Split, make_split
from unrandom.tasks.training_draws import TrainingDraws

__all__ = [
    "Batches",
    "CurriculumBatches",
    "DataConfig",
    "FixedBatches",
    "FixedModulus",
    "Parameters",
    "Phase",
    "SequenceSet",
    "Split",
    "StreamingBatches",
    "TrainingDraws",
    "UnseenModulus",
    "make_batches",
    "make_split",
    "period_group",
    "sequence_tokens",
]
