"""Tasks to train models on: sequences of a generator, what is held out of them, and batches."""

from unrandom.tasks.batches import Batches, CurriculumBatches, FixedBatches, StreamingBatches, make_batches
from unrandom.tasks.curriculum import Phase
from unrandom.tasks.examples import Examples, Grouping, Parameters, sequence_tokens
from unrandom.tasks.facts import Baseline, FurtherTest, KnownFrom, Part
from unrandom.tasks.held_values import HeldValues, HeldValuesTask
from unrandom.tasks.lcg import FixedModulus, LCGParameters, LCGSplit, LCGTask, UnseenModulus, lcg_split, lcg_task
from unrandom.tasks.predictors import make_predictors
from unrandom.tasks.protocol import check_task
from unrandom.tasks.registry import TASKS, AnyTask
from unrandom.tasks.task import Split, Task
from unrandom.tasks.user_tasks import is_import_path, load_task
