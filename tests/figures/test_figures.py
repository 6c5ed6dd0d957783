"""Figures show the numbers they were given, mark what theory predicts, and come out the same every time."""

from pathlib import Path

import pytest
from synthetic_measurements import attention_head, fixed_modulus, one_modulus, share, unseen_modulus

from unrandom import figures
from unrandom.figures.digits import above_chance, staircase
from unrandom.figures.style import TEMPLATES, category, powers, translucent
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
    assert figures.common_base([{"modulus": 3**5}]) == 3
    assert figures.common_base([{"modulus": 9}, {"modulus": 25}]) == 2
    assert figures.common_base([{"modulus": 2**61 - 1}]) == 2**61 - 1
    assert powers(3, 80) == [1, 3, 9, 27]


def test_the_ladder_shows_every_modulus_and_what_would_be_enough():
    known, unknown = (
        figures.ladder_figure(FM["evaluation"]),
        figures.ladder_figure(UM["evaluation"], unseen_modulus=True),
    )
    assert [trace.name for trace in known.data if trace.name] == ["m = 256"]
    assert [trace.name for trace in unknown.data if trace.name] == ["m = 1800", "m = 2048", "m = 2352"]
    assert list(known.data[1].y) == FM["evaluation"][0]["by_position"]["value"]
    words = [trace.text[0] for trace in unknown.data if trace.mode == "text"]
    assert len(words) == 2
    assert "unknown" in words[1]
    assert [trace.text[0] for trace in known.data if trace.mode == "text"] == ["three numbers would do"]


def test_the_ladder_shows_other_predictors_for_the_largest_modulus():
    curve = {"seen": [1, 2, 3], "value": [0, 0, 1]}
    ceilings = [{"modulus": m, "predictors": [{"predictor": "bayes", "by_position": curve}]} for m in (1800, 2352)]
    lines = figures.ladder_figure(UM["evaluation"], unseen_modulus=True, ceilings=ceilings).data
    assert [trace.name for trace in lines if trace.name][3:] == ["bayes, m = 2352"]
    assert list(lines[-1].y) == [0, 0, 1]
    assert not [trace for trace in lines if trace.mode == "text"]


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


def test_periods_keep_their_order_and_their_counts():
    figure = figures.period_figure(UM["evaluation"])
    assert list(figure.layout.yaxis.ticktext) == ["full period", "17-64", "1-16"]
    assert len(figure.data) == 3
    assert figure.data[0].text[0].endswith("of 64")


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
        "unseen": lambda path: figures.save_ladder(UM["evaluation"], path, unseen_modulus=True),
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


def test_an_unknown_kind_of_file_is_named(tmp_path: Path):
    with pytest.raises(ValueError, match=r"ladder\.bmp"):
        figures.save_ladder(FM["evaluation"], tmp_path / "ladder.bmp")


def test_style_helpers():
    assert translucent("#0072B2", 0.5) == "rgba(0,114,178,0.5)"
    assert len({category(i) for i in range(8)}) == 8
    assert TEMPLATES["light"]["layout"].keys() == TEMPLATES["dark"]["layout"].keys()


def test_the_synthetic_interval_contains_its_value():
    assert share(0.0, 100)["low"] == 0
    assert share(0.9, 100)["low"] < 0.9 < share(0.9, 100)["high"]
