"""Files show the texts and colours of a description, and are reproducible byte for byte."""

import re
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from synthetic_figures import FIGURES

from tiers import slow
from unrandom.figures.description import Axis, Figure, Line, LinePanel, MapPanel, ScatterPanel
from unrandom.figures.drawing import cell_text
from unrandom.figures.files import drawing_grid, save_figure, save_panels
from unrandom.figures.style import CATEGORIES


@pytest.mark.parametrize("suffix", [".png", *slow(".svg")])
@pytest.mark.parametrize("name", FIGURES)
def test_files_are_written_and_the_same_each_time(tmp_path: Path, name: str, suffix: str):
    twice = [tmp_path / f"{name}-{time}{suffix}" for time in (1, 2)]
    for path in twice:
        save_figure(FIGURES[name], path)
    assert twice[0].read_bytes() == twice[1].read_bytes()
    assert twice[0].stat().st_size > 2000


def drawn(panel: LinePanel | MapPanel | ScatterPanel, path: Path) -> str:
    save_figure(Figure({"": panel}), path / "drawn.svg")
    return (path / "drawn.svg").read_text()


def test_titles_labels_notes_and_names_are_written(tmp_path: Path):
    svg = drawn(FIGURES["unseen"].first, tmp_path)
    for text in (
        "Accuracy of the next number",
        "numbers seen (t)",
        "m = 2352",
        "modulus known: three would do",
        " 128 ",
    ):
        assert text in svg
    assert "2³" in drawn(FIGURES["digits"].first, tmp_path)
    assert "≡ 1" in drawn(FIGURES["embedding"].first, tmp_path)
    assert "mod 128" in drawn(FIGURES["variance"].first, tmp_path)


def test_every_way_to_draw_a_line_has_its_own_picture(tmp_path: Path):
    ways = [{}, {"dots": True}, {"crosses": True}, {"stairs": True}, {"faint": True}, {"kind": 1}]
    ways += [{"low": [0, 0, 0], "high": [1, 1, 1]}, {"spans": [(0.0, 4.0)] * 3}]
    pictures = [drawn(LinePanel("", "x", "y", [Line([1, 2, 3], [0.1, None, 0.3], **way)]), tmp_path) for way in ways]
    assert len(set(pictures)) == len(ways)


def test_an_axis_may_run_downwards_and_a_map_may_have_short_rows(tmp_path: Path):
    panel = MapPanel("", "x", "y", [[1.0], [0.5, 0.2]])
    down = MapPanel("", "x", Axis("y", limits=(1.5, -0.5)), [[1.0], [0.5, 0.2]])
    assert drawn(panel, tmp_path) != drawn(down, tmp_path)


def test_many_groups_have_a_colour_bar_in_place_of_a_legend(tmp_path: Path):
    points = [(float(i), float(i % 3)) for i in range(24)]
    few = drawn(ScatterPanel("", "x", "y", points, [i % 3 for i in range(24)], "group"), tmp_path)
    many = drawn(ScatterPanel("", "x", "y", points, [i % 12 for i in range(24)], "group", "residue mod 12"), tmp_path)
    assert ("group 2" in few, "residue" in few) == (True, False)
    assert ("group 2" in many, "residue mod 12" in many) == (False, True)


def test_panels_are_written_side_by_side_as_png_and_svg(tmp_path: Path):
    panel = FIGURES["losses"].first
    save_panels([panel] * 3, tmp_path / "three")
    save_panels([panel], tmp_path / "one")
    with Image.open(tmp_path / "three.png") as three, Image.open(tmp_path / "one.png") as one:
        assert three.width == one.width == 1120  # a third of it is 400 pixels wide, with letters of 8
        assert three.height > one.height
    assert {path.name for path in tmp_path.iterdir()} == {"one.png", "one.svg", "three.png", "three.svg"}


def panels_drawn(panels: list[LinePanel | MapPanel | ScatterPanel], path: Path) -> str:
    save_panels(panels, path / "panels")
    return (path / "panels.svg").read_text()


def test_legends_that_agree_become_one_and_others_do_not(tmp_path: Path):
    def panel(*labels: str) -> LinePanel:
        return LinePanel("", "x", "y", [Line([1, 2], [0, 1], label, kind) for kind, label in enumerate(labels)])

    same = panels_drawn([panel("model", "copy"), panel("model", "copy")], tmp_path)
    with_one_more = panels_drawn([panel("model", "copy"), panel("model", "copy", "algebra")], tmp_path)
    other_names = panels_drawn([panel("model", "copy"), panel("neurons", "copy")], tmp_path)
    assert [svg.count("<!-- copy -->") for svg in (same, with_one_more, other_names)] == [1, 1, 2]
    assert same.count("<!-- model -->") == 1


def test_maps_of_a_row_with_one_scale_share_its_colour_bar(tmp_path: Path):
    share, other = (MapPanel("", "x", "y", [[0.1, 0.9]], bar=bar) for bar in ("share of all", "another"))
    assert panels_drawn([share, share], tmp_path).count("<!-- share of all -->") == 1
    assert panels_drawn([share, other], tmp_path).count("<!-- share of all -->") == 1
    fitted = MapPanel("", "x", "y", [[0.1, 0.9]], bar="share of all", limits=(None, None))
    assert panels_drawn([fitted, fitted], tmp_path).count("<!-- share of all -->") == 2


def test_the_first_panel_may_have_a_row_of_its_own(tmp_path: Path):
    share = MapPanel("", "x", "y", [[0.1, 0.9]], bar="share of all")
    other = MapPanel("", "x", "y", [[0.1, 0.9]] * 8, bar="another")
    save_panels([other, share, share], tmp_path / "wide", wide_first=True)
    svg = (tmp_path / "wide.svg").read_text()
    assert [svg.count(f"<!-- {bar} -->") for bar in ("another", "share of all")] == [1, 1]


def test_a_legend_is_below_the_panel(tmp_path: Path):
    save_panels([LinePanel("", "x", "y", [Line([1, 2], [0, 1], "model")])], tmp_path / "legend")
    svg = (tmp_path / "legend.svg").read_text()
    assert svg.index("<!-- x -->") < svg.index("<!-- model -->")
    heights = [float(found) for found in re.findall(r"<!-- (?:x|model) -->\s*<g[^>]*translate\([\d.]+ ([\d.]+)\)", svg)]
    assert len(heights) == 2
    assert heights == sorted(heights)


def test_values_in_cells_are_short_and_zero_has_no_sign():
    values = (-0.001, 0.0, -0.25, 0.996, -1.0, 12.345)
    assert [cell_text(value, whole=False) for value in values] == ["0", "0", "−.25", "1.00", "−1.00", "12.35"]
    assert [cell_text(value, whole=True) for value in (-0.0, 16.0)] == ["0", "16"]


def test_signed_values_are_white_at_zero_and_their_limits_are_symmetric(tmp_path: Path):
    change = MapPanel("", "x", "y", [[-0.2, 0.1], [float("nan"), 0.0]], signed=True, limits=(None, None))
    assert change.ends == (-0.2, 0.2)
    assert MapPanel("", "x", "y", [[0.1]], signed=True, limits=(-1, 1)).ends == (-1, 1)
    assert MapPanel("", "x", "y", [[0.0]], signed=True, limits=(None, None)).ends == (-1, 1)
    save_figure(Figure({"": MapPanel("", "x", "y", [[0.0]], signed=True, limits=(-1, 1))}), tmp_path / "zero.png")
    picture = Image.open(tmp_path / "zero.png").convert("RGB")
    assert min(picture.getpixel((picture.width // 2, picture.height // 2))) > 240


def test_a_png_has_a_palette_that_keeps_the_colours(tmp_path: Path):
    with drawing_grid(tmp_path / "bars.png", 1, 1, width=4, height=3) as (axis,):
        axis.bar(range(8), range(1, 9), color=CATEGORIES)
    picture = Image.open(tmp_path / "bars.png")
    assert picture.mode == "P"
    found = np.unique(np.asarray(picture.convert("RGB")).reshape(-1, 3), axis=0).astype(int)
    for colour in CATEGORIES:
        wanted = [int(colour[i : i + 2], 16) for i in (1, 3, 5)]
        assert np.abs(found - wanted).max(axis=1).min() <= 4, colour


def test_an_unknown_kind_of_file_is_named(tmp_path: Path):
    with pytest.raises(ValueError, match=r"staircase\.bmp"):
        save_figure(FIGURES["staircase"], tmp_path / "staircase.bmp")
