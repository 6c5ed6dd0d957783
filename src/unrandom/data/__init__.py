"""Which sequences do training and testing see? Configuration, split, draws, sets and batches."""

from unrandom.data.batches import Batches, CurriculumBatches, FixedBatches, StreamingBatches, make_batches
from unrandom.data.config import DataConfig, FixedModulus, Phase, UnseenModulus
from unrandom.data.parameters import Parameters
from unrandom.data.sequences import SequenceSet, period_group, sequence_tokens
from unrandom.data.split import Split, make_split
from unrandom.data.training_draws import TrainingDraws

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
