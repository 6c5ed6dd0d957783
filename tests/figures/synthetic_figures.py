"""One figure of each kind, from synthetic measurements: what both renderers must be able to draw."""

from synthetic_measurements import attention_head, ceilings, fixed_modulus, one_modulus, unseen_modulus

from unrandom.figures.attention import attention_figure, distance_figure
from unrandom.figures.digits import digit_figure
from unrandom.figures.embedding import embedding_figure, variance_figure
from unrandom.figures.groups import group_figure
from unrandom.figures.staircase import staircase_figure
from unrandom.figures.training import accuracy_figure, loss_figure

FM, UM, SMALL = fixed_modulus(), unseen_modulus(), one_modulus(16, {2: 4}, 20)
FIGURES = {
    "staircase": staircase_figure([SMALL]),
    "unseen": staircase_figure(UM["evaluation"], enough=UM["run"]["task"]["enough"]),
    "ceilings": staircase_figure([SMALL], ceilings=ceilings(16, 20)),
    "digits": digit_figure(SMALL),
    "groups": group_figure(UM["evaluation"]),
    "training": accuracy_figure(FM["metrics"]),
    "losses": loss_figure(FM["metrics"]),
    "attention": attention_figure([attention_head(16, 2, 0, 0)], 16),
    "distance": distance_figure([attention_head(16, 2, 0, 0)]),
    "embedding": embedding_figure(FM["embedding"], (0, 1)),
    "variance": variance_figure(FM["embedding"]),
}
