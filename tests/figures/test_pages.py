"""A page gets JSON that plotly.js can draw: the first view, and for each view what differs between views."""

import json
from typing import Any

import plotly.graph_objects as go
import pytest
from synthetic_figures import FIGURES, UM

from unrandom.figures.attention import attention_figure, distance_figure
from unrandom.figures.description import Figure, Line, LinePanel, Look, ScatterPanel
from unrandom.figures.pages import PAGE_COLOURS, TEMPLATES, page_figure
from unrandom.figures.style import CATEGORIES


def lines(*drawn: Line, **panel: Any) -> list[dict[str, Any]]:
    return page_figure(Figure({"": LinePanel("", "x", "y", drawn, **panel)}))["data"]


@pytest.mark.parametrize("name", FIGURES)
def test_plotly_knows_every_property_and_every_choice_of_a_menu(name: str):
    tree = json.loads(json.dumps(page_figure(FIGURES[name])))
    figure = go.Figure(data=tree["data"], layout=tree["layout"])
    assert [choice["label"] for choice in tree["menu"]] == list(FIGURES[name].views)
    for choice in tree["menu"]:
        traces, layout = choice["args"]
        assert all(len(values) == len(tree["data"]) for values in traces.values())
        figure.plotly_update(restyle_data=traces, relayout_data=layout)
    assert figure.layout.title.text is None  # the page has the title


def test_a_choice_of_scale_changes_the_axis_alone():
    figure = page_figure(FIGURES["digits"])
    for choice in figure["menu"]:
        traces, layout = choice["args"]
        assert not traces
        assert set(layout) == {"xaxis.type", "xaxis.tickvals", "xaxis.range"}
    logarithmic, linear = (choice["args"][1] for choice in figure["menu"])
    assert logarithmic["xaxis.range"] == [pytest.approx(-0.30103), pytest.approx(1.31175, abs=1e-4)]
    assert linear["xaxis.range"] == [0, 20.5]
    assert figure["layout"]["xaxis"]["type"] == logarithmic["xaxis.type"] == "log"


def test_a_choice_of_head_changes_the_weights_alone():
    heads = UM["attention"]
    pattern, distance = page_figure(attention_figure(heads, 100)), page_figure(distance_figure(heads))
    for head, choice in zip(heads, pattern["menu"], strict=True):
        traces, layout = choice["args"]
        assert (set(traces), layout) == ({"z", "zmax"}, {})
        assert traces["z"][0][3] == [round(weight, 4) for weight in head["pattern"][3][:4]]
    for head, choice in zip(heads, distance["menu"], strict=True):
        traces, layout = choice["args"]
        assert (set(traces), layout) == ({"y"}, {})
        assert traces["y"][0] == head["by_distance"]


def test_a_choice_of_residue_changes_the_colours_alone():
    menu = page_figure(FIGURES["embedding"])["menu"]
    assert all(key.startswith("marker.") for choice in menu for key in choice["args"][0])
    assert [choice["args"][0]["marker.cmax"] for choice in menu] == [[2**k - 0.5] for k in range(1, 8)]
    assert set(menu[1]["args"][0]["marker.color"][0]) == {0, 1, 2, 3}


def test_a_line_has_its_band_below_it_and_shares_its_entry_of_the_legend():
    band, line = lines(Line([1, 2], [0.5, 0.6], "m", low=[0.4, 0.5], high=[0.6, 0.7], hover="%{y}"))
    assert (band["x"], band["y"]) == ([1, 2, 2, 1], [0.4, 0.5, 0.7, 0.6])
    assert (band["hoverinfo"], band["showlegend"], line["showlegend"]) == ("skip", False, True)
    assert band["legendgroup"] == line["legendgroup"] == "m"
    assert band["fillcolor"] == line["line"]["color"]


def test_a_line_marked_at_some_points_shows_its_mark_in_the_legend():
    look = Look(CATEGORIES[1], mark="x", layer=-1)
    line, marks = lines(Line([1, 2, 3], [0.5, 0.6, 0.7], "other", look=look, marked=[2], hover="%{y}"))
    assert (line["showlegend"], marks["showlegend"]) == (False, True)
    assert (line["y"], marks["y"]) == ([0.5, 0.6, 0.7], [None, 0.6, None])
    assert (line["hovertemplate"], marks["hoverinfo"], marks["marker"]["symbol"]) == ("%{y}", "skip", "x")
    assert line["zorder"] == marks["zorder"] == -1


def test_nothing_is_said_where_a_description_says_nothing():
    (line,) = lines(Line([1, 2], [0.5, 0.6]))
    assert (line["hoverinfo"], line["showlegend"], "hovertemplate" in line) == ("skip", False, False)
    assert page_figure(Figure({"": LinePanel("", "x", "y", [])}))["layout"]["hovermode"] == "closest"
    layout = page_figure(FIGURES["losses"])["layout"]
    assert (layout["hovermode"], layout["xaxis"]["unifiedhovertitle"]) == ("x unified", {"text": "step %{x}"})


def test_intervals_reach_from_the_point_on():
    (line,) = lines(Line([0.5], [0], dots=True, spans=[(0.25, 0.625)], texts=["1 of 2"]))
    assert (line["error_x"]["arrayminus"], line["error_x"]["array"]) == ([0.25], [0.125])
    assert line["text"] == ["1 of 2"]


def test_vertical_lines_and_names_of_ticks_are_drawn():
    layout = page_figure(Figure({"": LinePanel("", "x", "y", [], marks=[3.5], names=["a", "b"])}))["layout"]
    assert [(shape["x0"], shape["x1"]) for shape in layout["shapes"]] == [(3.5, 3.5)]
    assert (layout["xaxis"]["tickvals"], layout["xaxis"]["ticktext"]) == ([0, 1], ["a", "b"])


def test_few_groups_have_flat_colours_and_many_a_scale():
    def scale(groups: int) -> list[Any]:
        points = [(float(i), 0.0) for i in range(groups)]
        figure = page_figure(Figure({"": ScatterPanel("", "x", "y", points, range(groups))}))
        return figure["data"][0]["marker"]["colorscale"]

    assert scale(2) == [[0, CATEGORIES[0]], [0.5, CATEGORIES[0]], [0.5, CATEGORIES[1]], [1, CATEGORIES[1]]]
    assert len(scale(128)) == 9


def test_maps_of_weights_let_faint_ones_show():
    (cells,) = page_figure(FIGURES["attention"])["data"]
    middle = cells["colorscale"][8]
    assert middle[0] == 0.25  # half of the colours are for weights below a quarter
    assert page_figure(FIGURES["digits"])["data"][0]["colorscale"][8] == [0.5, "#f6f7f7"]  # chance is nearly white
    assert [len(row) for row in cells["z"][:3]] == [1, 2, 3]


def test_each_theme_has_its_own_ink_and_its_own_colour_for_each_category():
    assert TEMPLATES["light"]["layout"].keys() == TEMPLATES["dark"]["layout"].keys()
    assert TEMPLATES.keys() == PAGE_COLOURS.keys()
    assert all(list(colours) == list(CATEGORIES) for colours in PAGE_COLOURS.values())
    assert all(len(set(colours.values())) == len(CATEGORIES) for colours in PAGE_COLOURS.values())
