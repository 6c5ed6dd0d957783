"""What the Play page shows is what the model, algebra and look-back say; a mistake is one sentence."""

import json
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

import unrandom
from tiers import slow_but
from unrandom.app import heads, models, play
from unrandom.app.limits import GRID_TOKENS, GUESSES_SHOWN, MAX_CHARACTERS, TOKENS_SHOWN
from unrandom.generators.lcg import LCG
from unrandom.predictors.algebraic import AlgebraicPredictor
from unrandom.predictors.lookback import LookbackPredictor

HEAD = "layer 0 head 0"
NO_RUNS = Path(__file__).parent / "no runs"


def of_lcg(model="fm-256", m=256, a=5, c=3, x0=1, seen=40, head=HEAD, runs=NO_RUNS):
    return play.play(runs, model, "lcg", str(m), str(a), str(c), str(x0), seen, "", head)


def of_numbers(text, model="fm-256"):
    return play.play(NO_RUNS, model, "numbers", "", "", "", "", 1, text, HEAD)


class Cells(HTMLParser):
    """The rows of a table, as texts."""

    def __init__(self, html):
        super().__init__()
        self.rows = []
        self.feed(html)

    def handle_starttag(self, tag, _attributes):
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_data(self, data):
        self.rows[-1][-1] += data


def columns(html):
    """The columns of the table by their names; a guess without its sign, None where it abstains."""
    head, *rows = Cells(html).rows
    rows.reverse()  # the newest is the first
    last = int(rows[-1][0])
    assert [row[0] for row in rows] == [str(seen) for seen in range(max(1, last - GUESSES_SHOWN + 1), last + 1)]
    values = [[None if cell == "–" else cell.split()[0] for cell in row] for row in rows]
    return {name: [int(cell) if cell and cell != "?" else None for cell in cells]
            for name, cells in zip(head, zip(*values, strict=True), strict=True)}  # fmt: skip


def mistake(answer):
    """The sentence of a mistake, without its tags; the other outputs must be empty."""
    said, *others = answer
    assert others == [None] * len(others)
    (sentence,) = re.findall(r'^<p class="mistake">([^<\n]+)</p>$', said)
    return sentence


@pytest.mark.parametrize(
    ("model", "m", "a", "c", "seen"),
    [
        ("fm-256", 256, 5, 3, 40),
        ("fm-256", 256, 13, 7, 64),  # the full context
        ("fm-256", 100, 21, 7, 30),  # a modulus that it never saw
        ("um-144", 144, 37, 25, 64),
        ("um-144", 97, 5, 0, 1),
        ("fm-2p8", 256, 77, 201, 48),  # two digits per number
        ("fm-2p8", 250, 77, 201, 9),
    ],
)
def test_the_guesses_are_those_of_predict_after_each_number(model, m, a, c, seen):
    said, table, *_ = of_lcg(model, m, a, c, 1, seen)
    numbers, run = LCG(m=m, a=a, c=c).orbit(x0=1, length=seen + 1), models.loaded(model, NO_RUNS).run
    shown = columns(table)
    assert shown["model"] == [run.predict(numbers[:count]).numbers[0] for count in range(1, seen + 1)]
    assert shown["next number"] == [*numbers[1:seen], None]
    probability = run.predict(numbers[:seen]).probabilities[0]
    assert f"the model says {shown['model'][-1]}, with a probability of {probability:.3f}" in said
    assert f"The next number is {numbers[seen]}: the model is" in said
    assert ("the model is right" in said) == (shown["model"][-1] == numbers[seen])


@pytest.mark.parametrize("model", ["fm-256", "um-144"])
def test_the_guesses_are_those_of_a_forward_pass(model):
    numbers, run = LCG(m=144, a=37, c=25).orbit(x0=5, length=64), models.loaded(model, NO_RUNS).run
    logits = run.cache(run.tokens(numbers), [])["logits"][0]
    shown = columns(of_lcg(model, 144, 37, 25, 5, 64)[1])
    assert shown["model"] == logits.argmax(-1).tolist()
    last = logits[-1].softmax(-1).max().item()
    assert f"a probability of {last:.3f}" in of_lcg(model, 144, 37, 25, 5, 64)[0]


@pytest.mark.parametrize(("model", "known"), [("fm-256", 256), ("um-144", None)])
def test_algebra_and_look_back_are_the_predictors_on_the_same_numbers(model, known):
    numbers = LCG(m=128, a=5, c=3).orbit(x0=1, length=31)
    row = np.array([numbers], dtype=np.uint64)
    shown = columns(of_lcg(model, 128, 5, 3, 1, 30)[1])
    for name, predictor in (("algebra", AlgebraicPredictor(known)), ("look-back", LookbackPredictor(128))):
        guess = predictor.predict(row)
        assert shown[name] == [
            None if abstained else int(number)
            for number, abstained in zip(guess.numbers[0], guess.abstained[0], strict=True)
        ]
    assert any(number is not None for number in shown["look-back"])


def test_signs_and_classes_tell_right_from_wrong():
    html = of_lcg(seen=40)[1]
    head, *rows = Cells(html).rows
    rows.reverse()
    assert head == ["numbers seen", "next number", "model", "algebra", "look-back"]
    for row in rows[:-1]:
        for cell in row[2:]:
            assert cell == "–" or cell == f"{cell.split()[0]} {'✓' if cell.split()[0] == row[1] else '✗'}"
    assert rows[-1][1] == "?"
    assert not any(sign in cell for cell in rows[-1] for sign in "✓✗")
    assert html.count('class="right"') == sum("✓" in row[2] for row in rows)


def test_typed_numbers_are_the_sequence():
    numbers = LCG(m=256, a=5, c=3).orbit(x0=1, length=20)
    spaces, commas = (of_numbers(each.join(map(str, numbers))) for each in (" ", " ,\n"))
    assert spaces[:2] == commas[:2]
    assert columns(spaces[1])["model"] == columns(of_lcg(seen=20)[1])["model"]
    assert "The next number" not in spaces[0]
    assert "look-back" in columns(spaces[1])  # the modulus of the model
    assert "look-back" not in columns(of_numbers("1 2 3", "um-144")[1])  # nobody knows the modulus


def test_of_more_numbers_than_the_context_the_last_ones_are_read():
    numbers = LCG(m=256, a=5, c=3).orbit(x0=1, length=100)
    text = " ".join(map(str, numbers))
    assert of_numbers(text)[:2] == of_numbers(" ".join(map(str, numbers[-64:])))[:2]
    assert len(columns(of_numbers(text)[1])["model"]) == 64


FEW = {"fm-256", "um-144", "fm-2048-fast"}


@pytest.mark.parametrize("model", slow_but(FEW, models.model_names(NO_RUNS)))
def test_every_model_answers_on_its_largest_test_modulus(model):
    task = models.loaded(model, NO_RUNS).run.config.data
    shown = min(task.context, GUESSES_SHOWN + 10)
    said, table, staircase, grid, line, attention = of_lcg(
        model, models.loaded(model, NO_RUNS).largest_tested, 5, 3, 1, shown
    )
    assert 'class="said"' in said
    assert len(columns(table)["model"]) == min(shown, GUESSES_SHOWN)
    names = [trace.name for trace in staircase.data]
    assert {"model", "algebra", "look-back"} <= set(names)
    tokens = shown * task.tokenizer.width
    assert len(attention.data[0].z) == min(tokens, TOKENS_SHOWN)
    assert len(grid.data[-1].z) == min(tokens, GRID_TOKENS) if grid else task is not None
    assert " of its attention, on average, " in line


def test_the_staircase_rises_to_the_accuracy_in_the_index():
    curves = {trace.name: trace for trace in of_lcg()[2].data if trace.name}
    assert curves["model"].y[-1] > 0.95
    assert curves["model"].y[0] < 0.2


def test_the_attention_is_that_of_the_chosen_head():
    run, numbers = models.loaded("um-144", NO_RUNS).run, LCG(m=144, a=37, c=25).orbit(x0=5, length=10)
    tap = "blocks.2.attn.hook_pattern"
    pattern = run.cache(run.tokens(numbers), tap)[tap][0, 3]
    shown = of_lcg("um-144", 144, 37, 25, 5, 10, head="layer 2 head 3")[5].data[0].z
    for query, row in enumerate(shown):
        assert list(row) == [round(weight, 4) for weight in pattern[query, : query + 1].tolist()]
    assert len(shown) == 10
    other = of_lcg("fm-256", head="layer 3 head 3")[5]  # a head of the model before
    assert other.data[0].z == of_lcg("fm-256")[5].data[0].z


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"m": 1}, "m must be from 2 to 256: this model knows the numbers below 256 only"),
        ({"m": 257}, "m must be from 2 to 256"),
        ({"m": "2^4000"}, "m: 2^4000 is larger than 2^128"),
        ({"m": "10^400"}, "m: 10^400 is larger"),
        ({"m": "9" * 41}, "m must be a whole number of at most 40 digits"),
        ({"m": -256}, "m must be from 2 to 256"),
        ({"m": ""}, "m is missing"),
        ({"a": "5.0"}, "a: &#x27;5.0&#x27; is not a whole number"),
        ({"a": "٥"}, "a must be a whole number"),
        ({"a": 256}, "a, c and x0 must be from 0 to 255, below m"),
        ({"c": "<b>"}, "c: &#x27;&lt;b&gt;&#x27; is not a whole number"),
        ({"x0": -1}, "a, c and x0 must be from 0 to 255"),
        ({"x0": "nan"}, "x0: &#x27;nan&#x27; is not"),
        ({"seen": 0}, "from 1 to 64 numbers can be shown"),
        ({"seen": 65}, "from 1 to 64 numbers can be shown"),
        ({"seen": float("nan")}, "from 1 to 64 numbers can be shown"),
        ({"seen": None}, "from 1 to 64 numbers can be shown"),
        ({"model": "../../etc"}, "the model must be one of: fm-"),
        ({"model": None}, "the model must be one of"),
        ({"model": []}, "the model must be one of"),
    ],
)
def test_mistakes_about_the_sequence(changes, said):
    assert mistake(of_lcg(**changes)).startswith(said)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "type some numbers"),
        (" ,, \n", "type some numbers"),
        ("1 2 x", "line 1: &#x27;x&#x27; is not a number; choose the numbers with --column or --regex"),
        ("1 2 256", "256 is not from 0 to 255, the numbers this model knows"),
        ("-1", "-1 is not from 0 to 255"),
        ("1.5", "the numbers have decimals"),
        ("١ ٢ ٣", "line 1: &#x27;١&#x27; is not"),
        ("²", "line 1: &#x27;²&#x27; is not"),
        ("1\x002", "the box is not text"),
        ("9" * 30, f"{'9' * 20} is not from 0 to 255"),
        ("<script>alert(1)</script>", "line 1: &#x27;&lt;script&gt;alert&#x27; is not a number"),
        ("1 " * MAX_CHARACTERS, "400,000 characters were given; 200,000 are allowed"),
    ],
)
def test_mistakes_in_typed_numbers(text, said):
    assert mistake(of_numbers(text)).startswith(said)


@pytest.mark.parametrize(
    "text",
    [
        *("[5, 28, 143]", "0x05 0x1c 0x8f", '{"draws": [5, 28, 143]}', "value\n5\n28\n143"),
        *("5, 28, 143,\n", "5,28\n143", "5, 28,\n143", "5\n28 143"),
    ],
)
def test_typed_numbers_are_read_as_the_audit_reads_them(text):
    rows, plain = (Cells(of_numbers(each)[1]).rows for each in (text, "5 28 143"))
    assert rows == plain
    assert len(rows) > 3


def test_how_typed_numbers_were_read_is_said():
    assert "The numbers were read so: " in of_numbers("# mine\n5\n28\n143")[0]
    assert "were read so" not in of_numbers("5 28 143")[0]


def test_how_the_sequence_is_given_must_be_known():
    assert mistake(play.play(NO_RUNS, "fm-256", "sql", "", "", "", "", 1, "1", HEAD)).startswith("the way")
    assert mistake(play.play(NO_RUNS, "fm-256", None, None, None, None, None, None, None, None)).startswith("the way")


def test_a_fault_of_the_program_is_a_sentence_and_in_the_log(monkeypatch, caplog):
    monkeypatch.setattr(play, "loaded", lambda _name, _runs: 1 / 0)
    assert mistake(of_lcg()) == "This failed, and the fault is the program&#x27;s; its log has the details."
    assert "ZeroDivisionError" in caplog.text


@pytest.mark.parametrize("name", ["fm-256", "um-144"])
def test_the_first_page_shows_the_models_of_the_package_whatever_was_trained_last(
    name, finished_run, tmp_path, monkeypatch
):
    """The demo that visitors start and stop trains a run of the recipe fm-256 in the folder of runs."""
    model = unrandom.pretrained()[name]
    for folder in (name, model.id):
        own = shutil.copytree(finished_run.folder.path, tmp_path / "runs" / folder)
        manifest = own / "manifest.json"
        manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "recipe": name}))
        (own / "result.json").unlink()
    monkeypatch.chdir(tmp_path)
    models._loaded.cache_clear()
    assert models.loaded(name, tmp_path / "runs").run.folder.path == model.folder


@pytest.fixture
def own(tmp_path):
    """A folder of runs with a copy of a model of the package, which is then a run of one's own."""
    folder = tmp_path / "runs" / "mine-52178bd0"
    shutil.copytree(unrandom.pretrained()["um-144"].folder, folder)
    return folder


def test_runs_of_one_s_own_follow_the_models_of_the_package(own, tmp_path):
    packaged = models.model_names(tmp_path / "nowhere")
    (own.parent / "damaged").mkdir()
    (own.parent / "damaged" / "manifest.json").write_text("{")
    (own.parent / "damaged" / "checkpoints" / "x").mkdir(parents=True)
    shutil.copytree(own, own.parent / "no weights")
    shutil.rmtree(own.parent / "no weights" / "checkpoints")
    assert models.model_names(own.parent) == [*packaged, own.name]
    assert models.model_choices(own.parent)[-1] == ("mine-52178bd0, m up to 512", own.name)
    mine, theirs = (of_lcg(name, 144, 37, 25, runs=own.parent) for name in (own.name, "um-144"))
    assert mine[:2] == theirs[:2]
    for outside in ("../secret", str(own), "damaged", "no weights"):
        assert mistake(of_lcg(outside, runs=own.parent)).startswith("the model must be one of: fm-")


def test_a_run_that_is_still_training_is_said_to_be(own):
    (own / "result.json").unlink()
    assert "It has not finished: these are the weights of step " in of_lcg(own.name, 144, 37, 25, runs=own.parent)[0]


@pytest.mark.parametrize(
    ("model", "m", "a", "c", "said"),
    [
        ("fm-256", 256, 5, 3, "It was trained on m = 256 only."),
        ("fm-256", 100, 21, 7, "It was trained on m = 256 only, so it cannot know m = 100."),
        ("um-144", 144, 37, 25, "from 64 to 512, but never on 96, 108 and 144; m = 144 is unseen."),
        ("um-144", 100, 21, 7, "from 64 to 512, but never on 96, 108 and 144; m = 100 was one of them."),
        ("um-144", 60, 31, 7, "from 64 to 512, but never on 96, 108 and 144; m = 60 was none of them."),
    ],
)
def test_what_a_model_was_trained_on_is_said(model, m, a, c, said):
    assert said in of_lcg(model, m, a, c)[0]


def test_values_that_training_never_had_are_said_to_be_unseen():
    model = models.loaded("fm-256", NO_RUNS)
    (held,) = model.split.held_out
    a, c = int(held.multipliers[0]), int(held.increments[0])
    assert f"It never saw a = {a}, nor c = {c}." in of_lcg(a=a, c=c)[0]
    assert "It never saw" not in of_lcg(a=1, c=c)[0]


def test_pairs_that_training_never_had_are_said_to_be_unseen_together():
    withheld = models.loaded("um-144", NO_RUNS).split.withheld
    a, c = (int(values[0]) for values in (withheld.tested[0].multipliers, withheld.tested[0].increments))
    assert f"It never saw a = {a} together with c = {c}." in of_lcg("um-144", 144, a, c)[0]
    assert (85 in withheld.a, 1 in withheld.c) == (True, True)  # at different moduli
    assert "It never saw" not in of_lcg("um-144", 144, 85, 1)[0]


def test_the_first_head_is_the_one_with_the_strongest_line():
    model = models.loaded("um-144", NO_RUNS)
    first = heads.first_head(model)
    distance, weight = heads.lines(model)[first]
    assert weight == max(each for _, each in heads.lines(model).values()) > 0.5
    assert f"{first} puts {weight:.2f} of its attention" in of_lcg("um-144", 144, 37, 25, head=None)[4]
    run, numbers = model.run, LCG(m=144, a=37, c=25).orbit(x0=5, length=60)
    layer, head = (int(word) for word in first.split()[1::2])
    tap = f"blocks.{layer}.attn.hook_pattern"
    pattern = run.cache(run.tokens(numbers), tap)[tap][0, head].numpy()
    assert pattern.diagonal(-distance)[: len(pattern) // 2].mean() > 0.5  # in a sequence that was not measured


def test_a_line_is_found_at_its_distance_and_not_on_the_diagonal():
    pattern = np.eye(20)[None] * 0.6
    pattern[0, np.arange(7, 20), np.arange(13)] = 0.4
    assert heads.strongest_line(pattern) == (7, pytest.approx(0.4))
    assert heads.strongest_line(np.eye(1)[None]) == (0, 1.0)


def test_the_grid_has_every_head_and_a_model_of_one_head_none():
    grid = of_lcg("um-144", 144, 37, 25)[3]
    assert len(grid.data) == 16
    large = of_lcg("um-144", 144, 37, 25, head="layer 1 head 2")[5]
    assert grid.data[6].z == large.data[0].z
    assert of_lcg()[3] is None
