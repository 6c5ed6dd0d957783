"""The Results page shows the claims of the saved results that have the chosen verdicts, origin and words."""

import html
import os
import re
from pathlib import Path

import pytest

from unrandom.app import results
from unrandom.app.limits import MAX_PICTURE
from unrandom.app.pictures import picture, pictures
from unrandom.experiments.registry import EXPERIMENTS
from unrandom.experiments.reproduce import all_judgements

SAVED = Path(__file__).parents[2] / "results"
ALL = results.verdict_names()


@pytest.fixture(scope="module")
def judged():
    return all_judgements(list(EXPERIMENTS.values()), "laptop", SAVED)


def shown(verdicts=ALL, origin="all", words="", scale="laptop", folder=SAVED):
    return results.claims(folder, scale, verdicts, origin, words)


def counts(page):
    """How many claims the sentence counts, of how many; and how many are shown."""
    few, many = map(int, re.findall(r"^<p class=\"said\">(\d+) of (\d+) claims, in \d+ experiments?;", page)[0])
    return few, many, page.count("<article")


def test_all_claims_are_shown_with_their_numbers(judged):
    page = shown()
    assert counts(page) == (len(judged), len(judged), len(judged))
    texts = html.unescape(page).lower()
    for row in judged:
        assert row["claim"].lower() in texts
        assert row["experiment"] in texts


@pytest.mark.parametrize("verdict", ALL)
def test_a_verdict_chooses_the_claims_that_have_it(judged, verdict):
    page, wanted = shown([verdict]), sum(row["verdict"] == verdict for row in judged)
    assert counts(page) == (wanted, len(judged), wanted)
    slug = verdict.replace(" ", "-")
    assert page.count(f'<article class="claim {slug}">') == wanted


@pytest.mark.parametrize("origin", ["paper", "beyond"])
def test_an_origin_chooses_the_claims_that_have_it(judged, origin):
    assert counts(shown(origin=origin))[0] == sum(row["origin"] == origin for row in judged) > 0


def test_all_words_must_be_in_a_claim_whatever_their_case(judged):
    one, other, both = (counts(shown(words=words))[0] for words in ("MUON", "head", "Head muon"))
    assert 0 < both < min(one, other) < len(judged)
    assert counts(shown(words="  muon   "))[0] == one
    assert counts(shown(words=None)) == counts(shown())
    assert counts(shown(words="no claim has these"))[0] == 0
    assert counts(shown([])) == (0, len(judged), 0)


def test_what_is_written_in_a_filter_is_not_markup():
    for words in ("<script>alert(1)</script>", "' OR 1=1 --", "{0.__class__}", "\x00", "‮", "a" * 10**6):
        page = shown(words=words)
        assert counts(page)[0] == 0
        assert "<script" not in page


def test_choices_that_the_page_does_not_offer_are_mistakes():
    for page, name in (
        (shown(scale="../laptop"), "scale"),
        (shown(scale="/etc"), "scale"),
        (shown(scale=[]), "scale"),
        (shown(origin="x"), "origin"),
        (shown(["x"]), "verdict"),
        (shown([[]]), "verdict"),
    ):
        assert page.startswith(f'<p class="mistake">the {name} must be one of: ')


def test_no_results_are_said_to_be_missing(tmp_path):
    said = shown(scale="overnight", folder=tmp_path)
    assert "There are no results of the scale overnight in the folder" in said
    assert "(the saved ones are in the repository" in said
    assert "(the saved ones are" not in shown(scale="paper", folder=tmp_path)
    assert "run: unrandom reproduce fm-staircase --scale overnight." in said


def experiments(page):
    """The blocks of a page by the name of their experiment."""
    blocks = re.split(r'<details class="experiment"(?: open)?><summary><code>', page)[1:]
    return {block.partition("<")[0]: block for block in blocks}


def test_claims_are_grouped_by_experiment_with_its_pictures(judged):
    found = experiments(shown())
    assert list(found) == list(dict.fromkeys(row["experiment"] for row in judged))
    for name, block in found.items():
        assert block.count("<article") == sum(row["experiment"] == name for row in judged)
        files = [path.name for path in (SAVED / "laptop" / name).glob("*.png")]
        addresses = re.findall(r'<img loading="lazy" src="/pictures/laptop/([^"]+)" width="\d+" height="\d+"', block)
        assert sorted(addresses) == sorted(f"{name}/{file}" for file in files)
        assert f"{name}/{name}.png" not in addresses[1:]


def test_few_experiments_are_shown_open():
    assert " open>" not in shown()
    assert shown(words="fm-order-pressure").count('<details class="experiment" open>') == 1


def png(width=3, height=2):
    head = b"\x89PNG\r\n\x1a\n" + bytes([0, 0, 0, 13]) + b"IHDR"
    return head + width.to_bytes(4, "big") + height.to_bytes(4, "big") + bytes(9)


@pytest.fixture
def saved(tmp_path):
    """A folder of results with one picture."""
    folder = tmp_path / "results" / "laptop" / "fm-staircase"
    folder.mkdir(parents=True)
    (folder / "fm-staircase.png").write_bytes(png())
    return tmp_path / "results"


def test_a_picture_of_the_results_is_answered_with_its_size(saved):
    (found,) = pictures(saved, "laptop", "fm-staircase")
    assert (found.address, found.width, found.height) == ("/pictures/laptop/fm-staircase/fm-staircase.png", 3, 2)
    assert picture(saved, found.address) == png()
    for path in SAVED.glob("laptop/*/*.png"):
        assert picture(SAVED, f"/pictures/laptop/{path.parent.name}/{path.name}") == path.read_bytes()


def test_no_other_file_is_a_picture(saved):
    folder = saved / "laptop" / "fm-staircase"
    (saved.parent / "secret.png").write_bytes(png())
    (folder / "made.json").write_text("{}")
    (folder / "text.png").write_text("<script>alert(1)</script> and some more text")
    (folder / "short.png").write_bytes(png()[:20])
    (folder / "large.png").write_bytes(png() + bytes(MAX_PICTURE))
    (folder / "link.png").symlink_to(saved.parent / "secret.png")
    (folder / "folder.png").mkdir()
    os.mkfifo(folder / "pipe.png")
    (saved / "laptop" / "linked").symlink_to(saved.parent)
    assert [each.address for each in pictures(saved, "laptop", "fm-staircase")] == [
        "/pictures/laptop/fm-staircase/fm-staircase.png"
    ]
    names = [path.name for path in folder.iterdir() if path.name != "fm-staircase.png"]
    asked = [f"/pictures/laptop/fm-staircase/{name}" for name in names]
    asked += ["/pictures/laptop/linked/secret.png", "/pictures/laptop/../secret.png", "/pictures/../../secret.png"]
    asked += ["/pictures/laptop/fm-staircase/../../../secret.png", "/pictures/other/fm-staircase/fm-staircase.png"]
    asked += ["/pictures//etc/passwd", "/pictures/laptop/fm-staircase/", "/pictures/laptop/fm-staircase/FM.PNG", ""]
    asked += ["/pictures/laptop/fm-staircase/fm-staircase.png\n", "/pictures/laptop/fm-staircase/\0.png"]
    assert [address for address in asked if picture(saved, address) is not None] == []
