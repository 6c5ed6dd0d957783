"""A grid has one small panel per head, at its place, with the values and the hover text of that head."""

from itertools import pairwise

import numpy as np
import pytest

from unrandom.figures.attention import attention_figure, attention_grid
from unrandom.figures.pages import page_figure


def heads(layers, each, tokens=6):
    rng = np.random.default_rng(0)
    found = []
    for layer in range(layers):
        for head in range(each):
            weights = np.tril(rng.random((tokens, tokens)))
            pattern = weights / weights.sum(axis=1, keepdims=True)
            found.append({"layer": layer, "head": head, "pattern": pattern.tolist()})
    return found


@pytest.mark.parametrize(("layers", "each"), [(1, 1), (1, 3), (4, 4), (2, 8), (7, 11)])
def test_every_head_is_at_its_place_with_its_weights(layers, each):
    shown = heads(layers, each)
    page = page_figure(attention_grid(shown, 5))
    assert len(page["data"]) == layers * each
    for place, (head, trace) in enumerate(zip(shown, page["data"], strict=True)):
        number = str(place + 1) if place else ""
        assert (trace["xaxis"], trace["yaxis"]) == (f"x{number}", f"y{number}")
        assert trace["z"] == page_figure(attention_figure([head], 5))["data"][0]["z"]
        assert trace["hovertemplate"].startswith(
            f"layer {head['layer']} head {head['head']}: query %{{y}} looks at key"
        )
        assert _part_of(page, f"xaxis{number}", each) == head["head"]
        assert _part_of(page, f"yaxis{number}", layers) == layers - 1 - head["layer"]
    ends = [end for name, axis in page["layout"].items() if "axis" in name for end in axis["domain"]]
    assert (min(ends), max(ends)) == (0, pytest.approx(1))
    assert max(ends) <= 1  # plotly refuses more
    texts = [each["text"] for each in page["layout"]["annotations"]]
    assert texts == [*(f"head {i}" for i in range(each)), *(f"layer {i}" for i in range(layers))]


def _part_of(page, axis, parts):
    """In which of the equal parts of the figure an axis is."""
    return int(sum(page["layout"][axis]["domain"]) / 2 * parts)


def test_cells_do_not_overlap_and_fill_the_figure():
    layout = page_figure(attention_grid(heads(3, 4), 5))["layout"]
    columns = [layout[f"xaxis{i or ''}"]["domain"] for i in ("", 2, 3, 4)]
    assert columns[0][0] == 0
    assert columns[-1][1] == pytest.approx(1)
    assert all(first[1] < second[0] for first, second in pairwise(columns))
