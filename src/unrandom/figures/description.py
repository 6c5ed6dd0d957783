"""Describes figures independently of the renderer: panels with axes, lines, maps and points. Hover texts are in
plotly's template language, for pages only."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite

Limits = tuple[float | None, float | None]


@dataclass(frozen=True)
class Axis:
    """An axis with its title and unit. A limit of None is fitted to the data; descending limits reverse the axis."""

    title: str
    ticks: Sequence[float] = ()
    names: Sequence[str] = ()  # labels of the ticks; empty: their numbers
    limits: Limits = (None, None)
    log: bool = False
    whole: bool = False  # whether all ticks are integers


@dataclass(frozen=True)
class Look:
    """The look of a line that overrides the colour and dash of its ``kind``."""

    colour: str
    dash: str = "solid"  # a key of `style.DASHES`
    mark: str = ""  # marker, a key of `style.MARKS`; with the suffix "-open", only its outline
    width: float = 1  # relative to the default width
    layer: int = 0  # drawing order: higher layers cover lower ones


@dataclass(frozen=True)
class Line:
    """A curve, and a band if ``low`` and ``high`` are given. ``kind`` picks colour and dash. None in ``y`` is a gap."""

    x: Sequence[float]
    y: Sequence[float | None]
    label: str = ""
    kind: int = 0
    low: Sequence[float] | None = None
    high: Sequence[float] | None = None
    faint: bool = False
    dots: bool = False  # draw points without a line
    crosses: bool = False  # draw crosses without a line
    stairs: bool = False  # step function: each value holds until the next one
    look: Look | None = None  # None: the colour and dash of ``kind``
    marked: Sequence[float] | None = None  # x values that get the marker of the look; None: all
    spans: Sequence[tuple[float, float]] = ()  # horizontal interval of each point
    texts: Sequence[str] = ()  # one text per point, which ``hover`` can show
    hover: str = ""  # hover text of a point; empty: none


@dataclass(frozen=True)
class Note:
    """Text in the picture that begins at a point."""

    x: float
    y: float
    text: str


@dataclass(frozen=True)
class LinePanel:
    """Curves over one pair of axes.

    ``ticks``, ``limits``, ``levels``, ``names`` and ``whole`` apply to axes that are given by their title only.
    """

    title: str
    x: str | Axis
    y: str | Axis
    lines: Sequence[Line]
    ticks: Sequence[int] = ()  # ticks of the x axis; if given, the axis is logarithmic
    marks: Sequence[float] = ()  # x of vertical lines
    limits: Limits = (-0.02, 1.04)  # limits of the y axis
    levels: Sequence[float] = ()  # ticks of the y axis; if given, the axis is logarithmic
    names: Sequence[str] = ()  # labels at x = 0, 1, …; empty: the numbers
    whole: bool = False  # whether all ticks of the y axis are integers
    notes: Sequence[Note] = ()
    hover: str = ""  # title of a hover text for all lines at one x; empty: hover texts are for single points

    @property
    def axes(self) -> tuple[Axis, Axis]:
        names = range(len(self.names))
        x, y = self.x, self.y
        return (
            x if isinstance(x, Axis) else Axis(x, self.ticks or names, self.names, log=bool(self.ticks)),
            y if isinstance(y, Axis) else Axis(y, self.levels, (), self.limits, bool(self.levels), self.whole),
        )


@dataclass(frozen=True)
class MapPanel:
    """A matrix drawn as colours, with its first row at the bottom; values may be printed in the cells.

    NaN cells are blank, and so is the rest of a row that is shorter than others. ``columns`` and ``rows`` label the
    cells of axes that are given by their title only.
    """

    title: str
    x: str | Axis
    y: str | Axis
    values: Sequence[Sequence[float]]
    columns: Sequence[str] = ()
    rows: Sequence[str] = ()
    bar: str = ""  # title of the colour bar
    limits: Limits = (0, 1)  # values of the first and the last colour; None: the least or the largest value
    signed: bool = False  # colours that are white at zero; a limit of None then makes the limits symmetric
    written: bool = False  # print the values in the cells
    stairs: Sequence[tuple[float | None, float | None]] = field(default_factory=list)  # (x, y) of a line over the map
    edges: Sequence[float] = ()  # x where columns begin and end; empty: column i is centred at x = i
    root: bool = False  # map the square root of values to colours, so that small values are visible
    texts: Sequence[Sequence[str]] = ()  # one text per cell, which ``hover`` can show
    hover: str = ""  # hover text of a cell; empty: none

    @property
    def axes(self) -> tuple[Axis, Axis]:
        return _cell_axis(self.x, self.columns), _cell_axis(self.y, self.rows)

    @property
    def ends(self) -> Limits:
        """The values of the first and the last colour, where they do not depend on the renderer."""
        if not self.signed or None not in self.limits:
            return self.limits
        most = max((abs(value) for row in self.values for value in row if isfinite(value)), default=0.0) or 1.0
        return -most, most


def _cell_axis(axis: str | Axis, names: Sequence[str]) -> Axis:
    """An axis with the names of cells as tick labels; of many names, about a dozen are shown."""
    most = 12 if len(names) < 100 else 8  # labels of three digits take more room
    ticks = range(0, len(names), max(1, len(names) // most))
    return axis if isinstance(axis, Axis) else Axis(axis, ticks, [names[i] for i in ticks])


@dataclass(frozen=True)
class ScatterPanel:
    """Points in a plane, coloured by the group of each point, an integer."""

    title: str
    x: str
    y: str
    points: Sequence[tuple[float, float]]
    groups: Sequence[int]
    group: str = "residue"  # text before the group's number in the legend
    bar: str = "residue"  # title of the colour bar that replaces the legend if there are many groups
    hover: str = ""

    @property
    def axes(self) -> tuple[Axis, Axis]:
        return Axis(self.x), Axis(self.y)


Panel = LinePanel | MapPanel | ScatterPanel


@dataclass(frozen=True)
class Figure:
    """One or several views (panels by name): a page offers a menu of them, a file shows the first."""

    views: Mapping[str, Panel]
    height: int = 400  # pixels on a page; 100 pixels are one inch in a file
    width: int = 720  # pixels in a file, 100 per inch; on a page, figures fill the available width

    @property
    def first(self) -> Panel:
        return next(iter(self.views.values()))
