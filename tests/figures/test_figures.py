"""Figures describe the numbers they were given, and mark what theory predicts."""

from pathlib import Path

import pytest
from synthetic_measurements import attention_head, ceilings, fixed_modulus, share, unseen_modulus

from unrandom.figures.attention import attention_figure, distance_figure, tokens_shown
from unrandom.figures.comparison import comparison_panels, save_comparison
from unrandom.figures.description import Line, LinePanel, MapPanel
from unrandom.figures.digits import above_chance, digit_figure, digit_map, staircase
from unrandom.figures.embedding import embedding_figure, variance_figure
from unrandom.figures.groups import group_figure
from unrandom.figures.staircase import LOOKS, accuracy_panel, common_base, first_stays_above, staircase_figure
from unrandom.figures.style import CATEGORIES, category, power, powers
from unrandom.figures.training import accuracy_figure, loss_figure

FM, UM = fixed_modulus(), unseen_modulus()


def test_first_stays_above_looks_at_all_later_positions():
    dip = {"seen": [1, 2, 3, 4, 5], "value": [0.6, 0.4, 0.9, 0.91, 1.0]}
    assert first_stays_above(dip, 0.5) == 3
    assert first_stays_above(dip, 0.9) == 4
    assert first_stays_above(dip, 0.3) == 1
    assert first_stays_above(dip, 1.0) is None


def test_the_axis_is_marked_in_the_prime_the_moduli_share():
    assert common_base(FM["evaluation"]) == 2
    assert common_base([{"basis": 3**5}]) == 3
    assert common_base([{"basis": 9}, {"basis": 25}]) == 2
    assert common_base([{"basis": 2**61 - 1}, {"basis": None}]) == 2**61 - 1
    assert powers(3, 80) == [1, 3, 9, 27]


def test_the_staircase_shows_every_modulus_and_what_would_be_enough():
    known, unknown = (
        staircase_figure(each["evaluation"], enough=each["run"]["task"]["enough"]).first for each in (FM, UM)
    )
    assert [line.label for line in known.lines if line.label] == ["m = 256"]
    assert [line.label for line in unknown.lines if line.label] == ["m = 1800", "m = 2048", "m = 2352"]
    at = FM["evaluation"][0]["by_position"]
    assert (known.lines[0].y, known.lines[0].low, known.lines[0].high) == (at["value"], at["low"], at["high"])
    texts = [note.text for note in unknown.notes]
    assert len(texts) == 2
    assert "unknown" in texts[1]
    assert [note.text for note in known.notes] == ["three numbers would do"]


def test_the_staircase_has_two_scales():
    views = staircase_figure(FM["evaluation"]).views
    assert [(panel.axes[0].log, panel.axes[0].limits) for panel in views.values()] == [
        (True, (0.97, pytest.approx(261.12))),
        (False, (0, pytest.approx(261.12))),
    ]
    assert [panel.axes[0].ticks for panel in views.values()] == [powers(2, 256), [16, 32, 64, 128, 256]]


def test_the_staircase_shows_other_predictors_for_the_largest_modulus():
    two = [*ceilings(1800, 9), *ceilings(2352, 9)]
    panel = staircase_figure(UM["evaluation"], enough=UM["run"]["task"]["enough"], ceilings=two).first
    names = [line.label for line in panel.lines][3:]
    assert names == [f"{name}, m = 2352" for name in ("copy", "lookback", "algebraic", "bayes")]
    assert list(panel.lines[-1].y) == [0, 0, *[1] * 7]
    assert not panel.notes


def test_no_two_predictors_look_alike_and_those_that_coincide_bear_marks_in_turn():
    lines = staircase_figure(FM["evaluation"], ceilings=FM["ceilings"]).first.lines
    marks = {line.label: line for line in lines if line.look}
    (model,) = (line for line in lines if line.label == "m = 256")
    assert marks.keys() < LOOKS.keys()
    assert len({category(model.kind)[0], *(look.colour for look in LOOKS.values())}) == len(LOOKS) + 1
    assert len({look.mark for look in LOOKS.values()}) == len(LOOKS)
    assert len({line.look.dash for line in marks.values()}) == len(marks)
    bears = {name: set(line.marked) for name, line in marks.items()}
    assert all(len(own) >= 4 for own in bears.values())
    assert sum(map(len, bears.values())) == len(set.union(*bears.values()))
    assert marks["bayes"].look.layer < marks["algebraic"].look.layer < 0
    assert marks["bayes"].look.width > 2 * marks["algebraic"].look.width


def test_what_is_pointed_at_is_named():
    assert staircase_figure(FM["evaluation"]).first.hover == "after %{x} numbers"
    assert loss_figure(FM["metrics"]).first.hover == "step %{x}"


def test_the_staircase_stands_where_a_digit_has_been_seen_one_period_ago():
    gap, stairs = (None, None), staircase(["2^0", "2^1", "2^2", "3^0"], [2, 4, 8, 3], longest=7)
    steps = [(1.5, -0.5), (1.5, 0.5), (3.5, 0.5), (3.5, 1.5)]  # 2^2 has period 8, never seen twice within 7
    assert stairs == [gap, *steps, gap, (2.5, 2.5), (2.5, 3.5)]


def test_digits_of_unknown_period_have_no_staircase():
    entry = FM["evaluation"][0]
    unknown = {**entry["by_digit"], "period": [None] * len(entry["by_digit"]["digits"])}
    panel = digit_figure({**entry, "by_digit": unknown}).first
    assert list(panel.stairs) == []
    assert "line" not in panel.title


def test_digits_of_different_primes_share_one_scale():
    heights = above_chance([[0.5, 1.0, 0.0], [0.2, 0.6, 0.0]], [0.5, 0.2])
    assert heights == [[0, 1, -1], [0, pytest.approx(0.5), pytest.approx(-0.25)]]
    panel = digit_figure(UM["evaluation"][0]).first
    assert len(panel.values) == len(UM["evaluation"][0]["by_digit"]["digits"]) == len(panel.axes[1].names)
    assert panel.axes[1].names[:3] == ["2⁰", "2¹", "2²"]
    assert (panel.bar, panel.axes[1].title) == ("0: chance, 1: always right", "digit (its weight)")
    assert (panel.limits, panel.signed) == ((-1, 1), True)  # what is wrong more often than by chance shows as such
    assert len(panel.edges) == 193
    assert "chance 20%" in panel.texts[-1][0]


def test_training_leaves_out_what_was_not_measured():
    labels = [line.label for line in accuracy_figure(FM["metrics"]).first.lines]
    assert "test: all tokens" not in labels  # one token per number: it equals number accuracy
    partly = [{**row, "train_long_period_accuracy": None, "token_accuracy": 0.5} for row in FM["metrics"]]
    labels = [line.label for line in accuracy_figure(partly).first.lines]
    assert "training: long periods" not in labels
    assert "test: all tokens" in labels
    assert len(labels) == 4
    losses = loss_figure(FM["metrics"]).first.lines
    assert len(losses) == 2
    assert not any(line.look.mark for line in losses)
    assert all(
        line.look.mark for line in loss_figure(FM["metrics"][:1]).first.lines
    )  # a single point needs a marker to be visible


def test_groups_keep_their_order_and_their_counts():
    arbitrary = [{**further, "symbol": entry["symbol"]} for entry in UM["evaluation"] for further in entry["further"]]
    panel = group_figure(arbitrary).first
    assert panel.axes[1].names == ["1-16", "17-32", "33-64"]
    assert panel.axes[1].title == "period"
    assert len(panel.lines) == 3
    assert panel.lines[0].texts[1].endswith("of 64")
    heights = [y for line in panel.lines for y in line.y]
    assert len(set(heights)) == len(heights) == 9
    assert max(heights[::3]) < min(heights[1::3])  # the rows of a group stand together


def test_multipliers_are_in_the_order_of_their_valuation_and_a_1_comes_last():
    evaluation = UM["evaluation"]
    panel = group_figure(evaluation).first
    assert panel.axes[1].names == [*map(str, range(1, 11)), "∞"]
    names = [f"m = 1800, v_{p}(a − 1)" for p in (2, 3, 5)] + ["m = 2048, v_2(a − 1)"]
    assert [line.label for line in panel.lines][:4] == names
    row = evaluation[1]["by_group"][0]["groups"][0]
    line = panel.lines[3]
    assert (line.x[0], line.spans[0]) == (row["value"], (row["low"], row["high"]))
    assert line.texts[0] == f"{row['correct']} of 256, 8 multipliers"
    alone = group_figure(FM["evaluation"]).first
    assert [line.label for line in alone.lines] == [""]
    assert alone.axes[1].names == [*map(str, range(2, 8)), "∞"]


def test_a_group_without_an_interval_has_a_dot_alone():
    (grouping,) = FM["evaluation"][0]["by_group"]
    single = {**grouping, "groups": [{**grouping["groups"][0], "low": None, "high": None}]}
    (line,) = group_figure([{"symbol": "m = 256", "by_group": [single]}]).first.lines
    assert line.spans == [(line.x[0], line.x[0])]


def test_attention_marks_the_powers_at_their_distance():
    head = attention_head(64, 2, 0, 0)
    _, dots = distance_figure([head]).first.lines
    assert dots.x == [1, 2, 4, 8, 16, 32, 64]
    assert dots.y == [head["by_distance"][power - 1] for power in dots.x]
    _, dots = distance_figure([head], modulus=100).first.lines
    assert dots.label == "divisors of 100"
    assert all(100 % r == 0 for r in dots.x)
    assert len(dots.x) < len(head["by_distance"])
    line, dots = distance_figure([head], tokens_per_number=2).first.lines
    assert dots.x == [1, 2, 4, 8, 16, 32]
    assert line.x[3] == 2  # four tokens back are two numbers


def test_attention_shows_the_causal_half_of_every_head_and_stays_small():
    figure = attention_figure(UM["attention"], 100)
    assert [len(row) for row in figure.first.values[:3]] == [1, 2, 3]
    assert len(figure.first.values) == 100
    assert list(figure.views) == [f"layer {layer} head {head}" for layer in (0, 1) for head in (0, 1)]
    many = [attention_head(200, 2, 0, 0)] * 48
    assert tokens_shown(many) < 200
    assert tokens_shown(many[:1]) == 200


def test_the_embedding_can_be_coloured_by_every_residue():
    figure = embedding_figure(FM["embedding"], (1, 2))
    assert list(figure.views) == [f"mod {2**k}" for k in range(1, 8)]
    assert set(figure.first.groups) == {0, 1}
    assert "13%" in figure.first.x
    assert variance_figure(FM["embedding"]).first.values[0][0] == 1
    assert variance_figure(FM["embedding"], shuffled=True).first.values[0][0] < 0.01


def test_the_first_of_compared_predictors_is_drawn_over_the_others(tmp_path: Path):
    (entry,) = ceilings(256, 9)
    for row in entry["predictors"]:
        row["by_position"] |= {"low": row["by_position"]["value"], "high": row["by_position"]["value"]}
        row["bits_known"] = [0.0] * len(row["by_position"]["seen"])
    drawn = list(comparison_panels(entry))
    assert [[(line.label, line.kind) for line in panel.lines][-1] for panel in drawn] == [("copy", 0)] * 2
    assert [panel.axes[0].ticks for panel in drawn] == [[1, 2, 4, 8]] * 2
    first, *others = reversed(drawn[0].lines)
    assert not first.look.mark
    assert len({line.look.mark for line in others}) == len({line.look.colour for line in others}) == 3
    assert drawn[0].axes[1].limits[0] < 0  # a predictor that is never right can be seen
    assert len(list(comparison_panels({**entry, "basis": None}))) == 1
    assert save_comparison([entry], tmp_path / "predictors") == tmp_path / "predictors.png"
    assert {path.name for path in tmp_path.iterdir()} == {"predictors.png", "predictors.svg"}


def test_axes_given_by_their_title_take_the_ticks_and_names_of_their_panel():
    x, y = LinePanel("", "x", "y", [], ticks=[1, 2], limits=(0, None), whole=True).axes
    assert (x.ticks, x.log, y.log, y.limits, y.whole) == ([1, 2], True, False, (0, None), True)
    x, y = LinePanel("", "x", "y", [], names=["a", "b"], levels=[1, 8]).axes
    assert (list(x.ticks), x.names, x.log, y.ticks, y.log) == ([0, 1], ["a", "b"], False, [1, 8], True)
    x, _ = MapPanel("", "x", "y", [[0] * 30], columns=[str(i) for i in range(30)]).axes
    assert (list(x.ticks), x.names[:2]) == (list(range(0, 30, 2)), ["0", "2"])


def test_no_two_lines_look_alike_and_all_can_be_seen_on_white():
    assert len({category(i) for i in range(8)}) == len(CATEGORIES) == 8
    assert all(1.05 / (luminance(colour) + 0.05) >= 3 for colour in CATEGORIES)


def luminance(colour: str) -> float:
    """The relative luminance of #rrggbb, from 0 for black to 1 for white (WCAG 2)."""
    shares = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_numbers_seen_have_ticks_at_powers_and_digits_superscripts():
    panel = accuracy_panel("", [Line([1, 100], [0, 1])], base=3)
    assert (panel.axes[0].log, panel.axes[0].ticks) == (True, [1, 3, 9, 27, 81])
    assert (power(2, 10), power("m", "0.38")) == ("2¹⁰", "m⁰·³⁸")
    digits = digit_map("", ["3^0", "3^1"], [[1 / 3, 1.0], [0.0, 1 / 3]], [1, 2])
    assert digits.values == [[0, 1], [pytest.approx(-0.5), 0]]
    assert (digits.axes[0].log, digits.axes[1].names, digits.stairs) == (True, ["3⁰", "3¹"], ())


def test_the_synthetic_interval_contains_its_value():
    assert share(0.0, 100)["low"] == 0
    assert share(0.9, 100)["low"] < 0.9 < share(0.9, 100)["high"]
