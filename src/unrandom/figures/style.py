"""What all figures share: colours that colour-blind readers can distinguish, dashes, markers, and axis titles.

Categories follow Okabe and Ito's palette, with its pale colours replaced by darker ones: lines of every colour have a
contrast of 3:1 or more on white. Maps of shares use viridis; maps of signed values, a scale that is white at zero.
"""

import matplotlib
from matplotlib.colors import to_hex

BLUE, VERMILLION, GREEN, PURPLE = "#0072B2", "#D55E00", "#008A63", "#B8578F"
OCHRE, INDIGO, GREY, WINE = "#AD7400", "#3B2E8C", "#7A7D82", "#7A1F4B"
CATEGORIES = (BLUE, VERMILLION, GREEN, PURPLE, OCHRE, INDIGO, GREY, WINE)
CATEGORY_DASHES = ("solid", "dash", "dot", "dashdot")
# Names in plotly and in matplotlib. For a marker whose name ends in "-open", only the outline is drawn.
DASHES = {"solid": "-", "dash": "--", "dot": ":", "dashdot": "-.", "longdash": (0, (8, 3))}
MARKS = {"": "None", "circle": "o", "diamond": "D", "square": "s", "triangle-up": "^", "cross": "P", "x": "x"}
MAP, SIGNED_MAP = "viridis", "RdBu"  # of shares, and of values with a sign: red below zero, blue above
SUPERSCRIPTS = str.maketrans("0123456789.-", "⁰¹²³⁴⁵⁶⁷⁸⁹·⁻")
ROOT_EXPONENT = 0.5  # exponent applied to values before they become colours, if small ones must be visible

SEEN = "numbers seen (t)"
SHARE = "accuracy (share of sequences)"
DIGIT = "digit (its weight)"
ABOVE_CHANCE = "0: chance, 1: always right"
QUARTERS = (0, 0.25, 0.5, 0.75, 1)  # ticks of a share


def category(index: int) -> tuple[str, str]:
    """The colour and dash of line number ``index``, from 0."""
    return CATEGORIES[index % len(CATEGORIES)], CATEGORY_DASHES[index % len(CATEGORY_DASHES)]


def colours(steps: int, scale: str = MAP) -> list[str]:
    """``steps`` > 1 evenly spaced colours of the map ``scale``, as #rrggbb."""
    return [to_hex(matplotlib.colormaps[scale](i / (steps - 1))) for i in range(steps)]


def power(base: int | str, exponent: int | str) -> str:
    """The text of a power, e.g. ``2⁷``."""
    return f"{base}{str(exponent).translate(SUPERSCRIPTS)}"


def powers(base: int, longest: int) -> list[int]:
    """1, base, base^2, ... up to and including ``longest``."""
    found = [1]
    while found[-1] * base <= longest:
        found.append(found[-1] * base)
    return found
