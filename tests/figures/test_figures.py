"""Figures show the numbers they were given, mark what theory predicts, and come out the same every time."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from synthetic_measurements import attention_head, ceilings, fixed_modulus, one_modulus, share, unseen_modulus

from unrandom import figures
from unrandom.figures import comparison
from unrandom.figures.digits import above_chance, staircase
from unrandom.figures.ladder import LOOKS
from unrandom.figures.style import CATEGORIES, PAGE_COLOURS, TEMPLATES, category, drawing, powers
from unrandom.figures.training import ACCURACIES, lines

FM, UM = fixed_modulus(), unseen_modulus()


def test_first_stays_above_looks_at_all_later_positions():
    dip = {"seen": [1, 2, 3, 4, 5], "value": [0.6, 0.4, 0.9, 0.91, 1.0]}
    assert figures.first_stays_above(dip, 0.5) == 3
    assert figures.first_stays_above(dip, 0.9) == 4
    assert figures.first_stays_above(dip, 0.3) == 1
    assert figures.first_stays_above(dip, 1.0) is None


def test_the_axis_is_marked_in_the_prime_the_moduli_share():
    assert figures.common_base(FM["evaluation"]) == 2
    assert figures.common_base([{"basis": 3**5}]) == 3
    assert figures.common_base([{"basis": 9}, {"basis": 25}]) == 2
    assert figures.common_base([{"basis": 2**61 - 1}, {"basis": None}]) == 2**61 - 1
    assert powers(3, 80) == [1, 3, 9, 27]


def test_the_ladder_shows_every_modulus_and_what_would_be_enough():
    known, unknown = (
        figures.ladder_figure(each["evaluation"], enough=each["run"]["task"]["enough"]) for each in (FM, UM)
    )
    assert [trace.name for trace in known.data if trace.name] == ["m = 256"]
    assert [trace.name for trace in unknown.data if trace.name] == ["m = 1800", "m = 2048", "m = 2352"]
    assert list(known.data[1].y) == FM["evaluation"][0]["by_position"]["value"]
    words = [trace.text[0] for trace in unknown.data if trace.mode == "text"]
    assert len(words) == 2
    assert "unknown" in words[1]
    assert [trace.text[0] for trace in known.data if trace.mode == "text"] == ["three numbers would do"]


def test_the_ladder_shows_other_predictors_for_the_largest_modulus():
    two = [*ceilings(1800, 9), *ceilings(2352, 9)]
    traces = figures.ladder_figure(UM["evaluation"], ceilings=two).data
    names = [trace.name for trace in traces if trace.name and trace.showlegend is not False][3:]
    assert names == [f"{name}, m = 2352" for name in ("copy", "lookback", "algebraic", "bayes")]
    assert list(traces[-2].y) == [0, 0, *[1] * 7]
    assert not [trace for trace in traces if trace.mode == "text"]


def test_no_two_predictors_look_alike_and_those_that_coincide_bear_marks_in_turn():
    traces = figures.ladder_figure(FM["evaluation"], ceilings=FM["ceilings"]).data
    (model,) = (trace for trace in traces if trace.name == "m = 256")
    marks = {trace.name: trace for trace in traces if trace.mode == "lines+markers"}
    assert marks.keys() == LOOKS.keys()
    assert len({trace.line.color for trace in [model, *marks.values()]}) == len(LOOKS) + 1
    assert len({trace.line.dash for trace in marks.values()}) == len(LOOKS)
    assert len({trace.marker.symbol for trace in marks.values()}) == len(LOOKS)
    bears = {name: {x for x, y in zip(trace.x, trace.y, strict=True) if y is not None} for name, trace in marks.items()}
    assert all(len(own) >= 4 for own in bears.values())
    assert sum(map(len, bears.values())) == len(set.union(*bears.values()))
    assert marks["bayes"].zorder < marks["algebraic"].zorder < (model.zorder or 0)
    assert marks["bayes"].line.width > 2 * marks["algebraic"].line.width


def test_what_is_pointed_at_is_named():
    assert figures.ladder_figure(FM["evaluation"]).layout.xaxis.unifiedhovertitle.text == "after %{x} numbers"
    assert figures.loss_figure(FM["metrics"]).layout.xaxis.unifiedhovertitle.text == "step %{x}"


def test_the_staircase_stands_where_a_digit_has_been_seen_one_period_ago():
    x, y = staircase(["2^0", "2^1", "2^2", "3^0"], longest=7)
    assert x == [None, 1.5, 1.5, 3.5, 3.5, None, 2.5, 2.5]  # 2^2 has period 8, never seen twice within 7
    assert y == [None, -0.5, 0.5, 0.5, 1.5, None, 2.5, 3.5]


def test_digits_of_different_primes_share_one_scale():
    heights = above_chance({"value": [[0.5, 1.0], [0.2, 0.6]], "chance": [0.5, 0.2]})
    assert heights == [[0, 1], [0, pytest.approx(0.5)]]
    heat = figures.digit_figure(UM["evaluation"][0]).data[0]
    assert len(heat.y) == len(UM["evaluation"][0]["by_digit"]["digits"]) + 1
    assert len(heat.x) == 193
    assert "chance 20%" in heat.text[-1][0]


def test_training_leaves_out_what_was_not_measured():
    keys = [measure.key for measure, _, _ in lines(FM["metrics"], ACCURACIES)]
    assert "token_accuracy" not in keys  # one token a number: it repeats number accuracy
    partly = [{**row, "train_long_period_accuracy": None, "token_accuracy": 0.5} for row in FM["metrics"]]
    keys = [measure.key for measure, _, _ in lines(partly, ACCURACIES)]
    assert "train_long_period_accuracy" not in keys
    assert "token_accuracy" in keys
    assert len(figures.accuracy_figure(partly).data) == 4
    assert len(figures.loss_figure(FM["metrics"]).data) == 2


def test_groups_keep_their_order_and_their_counts():
    arbitrary = [{**further, "symbol": entry["symbol"]} for entry in UM["evaluation"] for further in entry["further"]]
    figure = figures.group_figure(arbitrary)
    assert list(figure.layout.yaxis.ticktext) == ["1-16", "17-32", "33-64"]
    assert figure.layout.yaxis.title.text == "period"
    assert len(figure.data) == 3
    assert figure.data[0].text[1].endswith("of 64")
    heights = [y for trace in figure.data for y in trace.y]
    assert len(set(heights)) == len(heights) == 9
    assert max(heights[::3]) < min(heights[1::3])  # the rows of a group stand together


def test_multipliers_are_in_the_order_of_their_valuation_and_a_1_comes_last():
    evaluation = UM["evaluation"]
    figure = figures.group_figure(evaluation)
    assert list(figure.layout.yaxis.ticktext) == [*map(str, range(1, 11)), "∞"]
    names = [f"m = 1800, v_{p}(a − 1)" for p in (2, 3, 5)] + ["m = 2048, v_2(a − 1)"]
    assert [trace.name for trace in figure.data][:4] == names
    row = evaluation[1]["by_group"][0]["groups"][0]
    trace = figure.data[3]
    assert trace.x[0] == row["value"]
    assert trace.error_x.arrayminus[0] == row["value"] - row["low"]
    assert trace.text[0] == f"{row['correct']} of 256, 8 multipliers"
    alone = figures.group_figure(FM["evaluation"])
    assert alone.layout.showlegend is False
    assert list(alone.layout.yaxis.ticktext) == [*map(str, range(2, 8)), "∞"]


def test_attention_marks_the_powers_at_their_distance():
    head = attention_head(64, 2, 0, 0)
    figure = figures.distance_figure([head])
    dots = figure.data[1]
    assert list(dots.x) == [1, 2, 4, 8, 16, 32, 64]
    assert list(dots.y) == [head["by_distance"][power - 1] for power in dots.x]
    of_digits = figures.distance_figure([head], tokens_per_number=2).data
    assert list(of_digits[1].x) == [1, 2, 4, 8, 16, 32]
    assert of_digits[0].x[3] == 2  # four tokens back are two numbers


def test_attention_shows_the_causal_half_of_every_head_and_stays_small():
    figure = figures.attention_figure(UM["attention"])
    assert [len(row) for row in figure.data[0].z[:3]] == [1, 2, 3]
    assert len(figure.layout.updatemenus[0].buttons) == 4
    many = [attention_head(200, 2, 0, 0)] * 48
    assert figures.tokens_shown(many) < 200
    assert figures.tokens_shown(many[:1]) == 200


def test_the_embedding_can_be_coloured_by_every_residue():
    figure = figures.embedding_figure(FM["embedding"], (1, 2))
    labels = [button.label for button in figure.layout.updatemenus[0].buttons]
    assert labels == [f"mod {2**k}" for k in range(1, 8)]
    assert set(figure.data[0].marker.color) == {0, 1}
    assert "13%" in figure.layout.xaxis.title.text
    assert figures.variance_figure(FM["embedding"]).data[0].z[0][0] == 1
    assert figures.variance_figure(FM["embedding"], shuffled=True).data[0].z[0][0] < 0.01


@pytest.mark.parametrize("suffix", [".png", ".svg"])
def test_files_are_written_and_the_same_each_time(tmp_path: Path, suffix: str):
    small = one_modulus(16, {2: 4}, 20)
    save = {
        "ladder": lambda path: figures.save_ladder([small], path),
        "unseen": lambda path: figures.save_ladder(UM["evaluation"], path, enough=UM["run"]["task"]["enough"]),
        "digits": lambda path: figures.save_digits(small, path),
        "training": lambda path: figures.save_training(FM["metrics"], path),
        "losses": lambda path: figures.save_training(FM["metrics"], path, losses=True),
        "attention": lambda path: figures.save_attention(attention_head(16, 2, 0, 0), path),
        "embedding": lambda path: figures.save_embedding(FM["embedding"], path, modulus=16),
    }
    for name, write in save.items():
        twice = [tmp_path / f"{name}-{time}{suffix}" for time in (1, 2)]
        for path in twice:
            write(path)
        assert twice[0].read_bytes() == twice[1].read_bytes()
        assert twice[0].stat().st_size > 2000


def test_a_png_has_a_palette_that_keeps_the_colours(tmp_path: Path):
    with drawing(tmp_path / "bars.png", width=4, height=3) as axis:
        axis.bar(range(8), range(1, 9), color=CATEGORIES)
    picture = Image.open(tmp_path / "bars.png")
    assert picture.mode == "P"
    drawn = np.unique(np.asarray(picture.convert("RGB")).reshape(-1, 3), axis=0).astype(int)
    for colour in CATEGORIES:
        wanted = [int(colour[i : i + 2], 16) for i in (1, 3, 5)]
        assert np.abs(drawn - wanted).max(axis=1).min() <= 4, colour


def test_the_first_of_compared_predictors_is_drawn_over_the_others(tmp_path: Path, monkeypatch):
    drawn = []
    monkeypatch.setattr(comparison, "save_panels", lambda panels, stem: drawn.extend(panels))
    (entry,) = ceilings(256, 9)
    for row in entry["predictors"]:
        row["by_position"] |= {"low": row["by_position"]["value"], "high": row["by_position"]["value"]}
        row["bits_known"] = [0.0] * len(row["by_position"]["seen"])
    assert comparison.save_comparison([entry], tmp_path / "predictors") == tmp_path / "predictors.png"
    assert [[(line.label, line.kind) for line in panel.lines][-1] for panel in drawn] == [("copy", 0)] * 2


def test_an_unknown_kind_of_file_is_named(tmp_path: Path):
    with pytest.raises(ValueError, match=r"ladder\.bmp"):
        figures.save_ladder(FM["evaluation"], tmp_path / "ladder.bmp")


def test_style_helpers():
    assert len({category(i) for i in range(8)}) == 8
    assert TEMPLATES["light"]["layout"].keys() == TEMPLATES["dark"]["layout"].keys()
    assert TEMPLATES.keys() == PAGE_COLOURS.keys()
    assert all(list(colours) == list(CATEGORIES) for colours in PAGE_COLOURS.values())
    assert all(len(set(colours.values())) == len(CATEGORIES) for colours in PAGE_COLOURS.values())


def test_the_synthetic_interval_contains_its_value():
    assert share(0.0, 100)["low"] == 0
    assert share(0.9, 100)["low"] < 0.9 < share(0.9, 100)["high"]
