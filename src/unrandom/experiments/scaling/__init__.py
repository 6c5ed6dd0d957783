"""The paper's section on scaling up the modulus, and what gets there with less."""

from unrandom.experiments.scaling import fixed_modulus, seeds, unseen_modulus, what_helps

EXPERIMENTS = tuple(module.EXPERIMENT for module in (fixed_modulus, seeds, unseen_modulus, what_helps))
