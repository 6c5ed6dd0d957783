"""What is a figure, before anything draws it? Panels and what lies on them, as data.

`files` draws a description with matplotlib, `pages` hands it to plotly. Hover texts, in plotly's template language, are
for pages alone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

Limits = tuple[float | None, float | None]


@dataclass(frozen=True)
class Axis:
    """What is measured along an axis, with its unit. A limit that is None fits the data; axes may run downwards."""

    title: str
    ticks: Sequence[float] = ()
    names: Sequence[str] = ()  # what to write at the ticks in place of the numbers
    limits: Limits = (None, None)
    log: bool = False
    whole: bool = False  # ticks are whole numbers


@dataclass(frozen=True)
class Look:
    """How a line is drawn where the colour and the dash of its kind will not do."""

    colour: str
    dash: str = "solid"  # a key of `style.DASHES`
    mark: str = ""  # a key of `style.MARKS`, to which "-open" may be added
    width: float = 1  # The usual width is 1.
    layer: int = 0  # lower ones are covered by higher ones


@dataclass(frozen=True)
class Line:
    """A curve, with a band where ``low`` and ``high`` are given. ``kind`` picks colour and dash. A None is a gap."""

    x: Sequence[float]
    y: Sequence[float | None]
    label: str = ""
    kind: int = 0
    low: Sequence[float] | None = None
    high: Sequence[float] | None = None
    faint: bool = False
    dots: bool = False  # points that no line joins
    crosses: bool = False  # crosses that no line joins
    stairs: bool = False  # each value holds until the next one
    look: Look | None = None  # None: the colour and the dash of the kind
    marked: Sequence[float] | None = None  # the x at which it bears the mark of its look; all where None
    spans: Sequence[tuple[float, float]] = ()  # a horizontal interval about each point
    texts: Sequence[str] = ()  # One text a point, which ``hover`` can show.
    hover: str = ""  # what is said of a point at which the mouse points; nothing where empty


@dataclass(frozen=True)
class Note:
    """Words in the picture, which begin at a point."""

    x: float
    y: float
    text: str


@dataclass(frozen=True)
class LinePanel:
    """Curves over one pair of axes; the fields from ``ticks`` to ``names`` hold for axes given by their title alone."""

    title: str
    x: str | Axis
    y: str | Axis
    lines: Sequence[Line]
    ticks: Sequence[int] = ()  # on the x axis; with ticks, the axis is logarithmic
    marks: Sequence[float] = ()  # vertical lines
    limits: Limits = (0, 1.04)
    levels: Sequence[float] = ()  # ticks on the y axis; with them, it is logarithmic
    names: Sequence[str] = ()  # what to write at x = 0, 1, … in place of the numbers
    beside: bool = False  # the legend stands under the panel, where it covers no curve
    whole: bool = False  # ticks on the y axis are whole numbers
    notes: Sequence[Note] = ()
    hover: str = ""  # the head over what is said of all lines at one x; without it, the mouse points at one point

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
    """A matrix as colours, its first row at the bottom; cells may carry their values.

    A NaN is left blank, and so is the rest of a row that is shorter than others. ``columns`` and ``rows`` name the
    cells of axes given by their title alone.
    """

    title: str
    x: str | Axis
    y: str | Axis
    values: Sequence[Sequence[float]]
    columns: Sequence[str] = ()
    rows: Sequence[str] = ()
    bar: str = ""
    limits: Limits = (0, 1)
    written: bool = False
    stairs: Sequence[tuple[float | None, float | None]] = field(default_factory=list)  # a line over the map, in cells
    edges: Sequence[float] = ()  # where columns begin and end on the x axis; the stairs count x as it does
    root: bool = False  # colours follow the square root of the values, so that faint ones show
    texts: Sequence[Sequence[str]] = ()  # One text a cell, which ``hover`` can show.
    hover: str = ""  # what is said of a cell

    @property
    def axes(self) -> tuple[Axis, Axis]:
        return _cells(self.x, self.columns), _cells(self.y, self.rows)


def _cells(axis: str | Axis, names: Sequence[str]) -> Axis:
    """About a dozen of the names at most are written."""
    kept = range(0, len(names), max(1, len(names) // 12))
    return axis if isinstance(axis, Axis) else Axis(axis, kept, [names[i] for i in kept])


@dataclass(frozen=True)
class ScatterPanel:
    """Points in a plane, coloured by their group, a whole number."""

    title: str
    x: str
    y: str
    points: Sequence[tuple[float, float]]
    groups: Sequence[int]
    group: str = "residue"  # what the legend says before a group's number
    bar: str = "residue"  # what the colour bar says, which stands in place of a legend of many groups
    hover: str = ""

    @property
    def axes(self) -> tuple[Axis, Axis]:
        return Axis(self.x), Axis(self.y)


Panel = LinePanel | MapPanel | ScatterPanel


@dataclass(frozen=True)
class Figure:
    """A panel, or several to choose from by their names: a page has a menu of them, a file shows the first."""

    views: Mapping[str, Panel]
    height: int = 400  # in pixels of a page; a hundred are an inch of a file
    width: int = 720  # of a file; on a page, figures are as wide as there is room

    @property
    def first(self) -> Panel:
        return next(iter(self.views.values()))
