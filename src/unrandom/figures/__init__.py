"""A table becomes a picture: ``*_figure`` returns a plotly figure for pages, ``save_*`` writes a PNG or SVG file.

Every function takes a part of a run's measurements as plain lists and dictionaries, so drawing never needs a model.
"""

from unrandom.figures.attention import attention_figure, distance_figure, save_attention, tokens_shown
from unrandom.figures.digits import digit_figure, save_digits
from unrandom.figures.embedding import embedding_figure, save_embedding, variance_figure
from unrandom.figures.groups import group_figure
from unrandom.figures.ladder import common_base, first_stays_above, ladder_figure, save_ladder
from unrandom.figures.style import PAGE_COLOURS, TEMPLATES
from unrandom.figures.training import accuracy_figure, loss_figure, save_training

__all__ = [
    "PAGE_COLOURS",
    "TEMPLATES",
    "accuracy_figure",
    "attention_figure",
    "common_base",
    "digit_figure",
    "distance_figure",
    "embedding_figure",
    "first_stays_above",
    "group_figure",
    "ladder_figure",
    "loss_figure",
    "save_attention",
    "save_digits",
    "save_embedding",
    "save_ladder",
    "save_training",
    "tokens_shown",
    "variance_figure",
]
