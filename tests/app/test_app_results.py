"""The Results page shows the claims of the saved results that have the chosen verdicts, origin and words."""

import html
import re
from pathlib import Path

import pytest

from unrandom.app import results
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
    few, many = map(int, re.findall(r"^<p class=\"said\">(\d+) of (\d+) claims", page)[0])
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
    assert "There are no saved results for the scale overnight" in shown(scale="overnight", folder=tmp_path)
