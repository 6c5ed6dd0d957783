"""What the paper leaves open."""

from unrandom.experiments.beyond import ceilings

EXPERIMENTS = (ceilings.EXPERIMENT,)
