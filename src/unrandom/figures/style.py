"""What do all figures share? Colours that colour-blind readers can distinguish, dashes, markers, and axis titles.

Categories use Okabe and Ito's palette (with grey for its black, to be visible on a dark page), maps use viridis.
"""

import matplotlib
from matplotlib.colors import to_hex

BLUE, VERMILLION, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
ORANGE, SKY, GREY, YELLOW = "#E69F00", "#56B4E9", "#8A8A8A", "#F0E442"
CATEGORIES = (BLUE, VERMILLION, GREEN, PURPLE, ORANGE, SKY, GREY, YELLOW)
CATEGORY_DASHES = ("solid", "dash", "dot", "dashdot")
# Names in plotly and in matplotlib. For a marker whose name ends in "-open", only the outline is drawn.
DASHES = {"solid": "-", "dash": "--", "dot": ":", "dashdot": "-.", "longdash": (0, (8, 3))}
MARKS = {"": "None", "circle": "o", "diamond": "D", "square": "s", "triangle-up": "^", "cross": "P", "x": "x"}
MAP = "viridis"
ROOT_EXPONENT = 0.5  # exponent applied to values before they become colours, if small ones must be visible

SEEN = "numbers seen (t)"
SHARE = "accuracy (share of sequences)"
QUARTERS = (0, 0.25, 0.5, 0.75, 1)  # ticks of a share


def category(index: int) -> tuple[str, str]:
    """The colour and dash of line number ``index``, from 0."""
    return CATEGORIES[index % len(CATEGORIES)], CATEGORY_DASHES[index % len(CATEGORY_DASHES)]


def viridis(steps: int) -> list[str]:
    """``steps`` > 1 evenly spaced colours of the map, as #rrggbb."""
    return [to_hex(matplotlib.colormaps[MAP](i / (steps - 1))) for i in range(steps)]


def powers(base: int, longest: int) -> list[int]:
    """1, base, base^2, ... up to and including ``longest``."""
    found = [1]
    while found[-1] * base <= longest:
        found.append(found[-1] * base)
    return found
