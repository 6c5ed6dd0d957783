"""The paper's two tasks of linear congruential generators: a fixed modulus, and unseen moduli."""

from unrandom.tasks.lcg.config import LCGTask
from unrandom.tasks.lcg.fixed_modulus import FixedModulus
from unrandom.tasks.lcg.narrowing import lcg_split, lcg_task
from unrandom.tasks.lcg.parameters import LCGParameters
from unrandom.tasks.lcg.split import LCGSplit
from unrandom.tasks.lcg.unseen_modulus import UnseenModulus
