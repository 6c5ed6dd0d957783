"""The results page counts verdicts correctly, shows every claim distinctly, and links to the pictures."""

import json
import re
import struct
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from unrandom.experiments.registry import EXPERIMENTS
from unrandom.experiments.reproduce import other_settings
from unrandom.report import claims
from unrandom.report.results import results_page

NO_BREAK = "\N{NO-BREAK SPACE}"
TWO = list(EXPERIMENTS)[2:4]
BASIC: dict[str, Any] = {
    "experiment": TWO[0],
    "key": "learned",
    "claim": "One layer predicts the last number",
    "quantity": "accuracy at the end of training",
    "unit": "share",
    "figure": "fig:training",
    "figure_title": "accuracy by training step, fixed and unseen modulus",
    "value": 0.9189,
    "bound": "",
    "interval": [0.8891, 0.9378],
    "interval_kind": "Student's t over 3 seeds",
    "threshold": "≥ 0.9",
    "units": 3,
    "precondition": None,
    "origin": "paper",
    "written": "before",
    "verdict": "inconclusive",
    "reason": "",
    "why": "",
    "command": "unrandom reproduce fm-grokking --scale laptop --seeds 3",
    "half": "fixed modulus",
}


def row(**changes: Any) -> dict[str, Any]:
    return {**BASIC, **changes}


ROWS = [
    row(),
    row(key="again", quantity="accuracy with the paper's recipe", verdict="reproduced", written="after"),
    row(
        key="bound",
        quantity="compute of AdamW over Muon's",
        unit="ratio",
        value=3.3,
        bound="≥",
        interval=[3.0, 4.0],
        verdict="reproduced",
        reason="3 of 3 runs of AdamW never got there",
    ),
    row(
        key="few",
        claim="γ is small, and m < 9",
        quantity="γ over seeds",
        unit="exponent",
        value=-0.205,
        interval=[-0.26, -0.15],
        threshold="≤ -0.2",
        units=2,
        verdict="not judged",
        reason="2 independent units; 3 are needed",
        precondition="last-number accuracy of at least 0.9",
    ),
    row(
        experiment=TWO[1], key="far", claim="Digits come one by one.", verdict="not reproduced", why="It was too short"
    ),
    row(
        experiment=TWO[1],
        key="none",
        claim="Never seen",
        value=None,
        interval=None,
        interval_kind=None,
        units=0,
        verdict="not run",
        origin="beyond",
        half="beyond the paper",
    ),
]


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """A folder of results with pictures of two experiments, and of one without claims."""
    for name, picture in [(TWO[0], ""), (TWO[0], "-zoom"), (TWO[1], ""), (next(iter(EXPERIMENTS)), "")]:
        folder = tmp_path / "results" / "laptop" / name
        folder.mkdir(parents=True, exist_ok=True)
        header = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", 640, 480)
        (folder / f"{name}{picture}.png").write_bytes(header)
    return tmp_path / "results"


class Page(HTMLParser):
    """Tags with their attributes and all the text inside them, and the text that can be seen."""

    VOID = ("meta", "link", "img", "input")

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.inside: list[str] = []
        self.open: list[int] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attributes)))
        self.inside.append("")
        if tag not in self.VOID:
            self.open.append(len(self.tags) - 1)

    def handle_endtag(self, tag: str) -> None:
        assert self.tags[self.open[-1]][0] == tag, f"</{tag}> closes <{self.tags[self.open[-1]][0]}>"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        if not any(self.tags[i][0] in ("script", "style") for i in self.open):
            for i in self.open:
                self.inside[i] += data

    def find(self, tag: str, **wanted: str) -> list[tuple[dict[str, str | None], str]]:
        """Attributes and text of the tags that have these attributes."""
        pairs = zip(self.tags, self.inside, strict=True)
        found = [(attributes, " ".join(text.split(" "))) for (name, attributes), text in pairs if name == tag]
        keys = {key.rstrip("_").replace("_", "-"): value for key, value in wanted.items()}
        return [each for each in found if all(each[0].get(key) == value for key, value in keys.items())]

    def claim(self, key: str) -> str:
        """The text of a claim in the section of its experiment."""
        return self.find("article", id=key)[0][1]


def render(results: Path, rows: list[dict[str, Any]] = ROWS, name: str = "index.html") -> str:
    return results_page(rows, "laptop", results, results.parent / "docs" / name)


@pytest.fixture
def page(results: Path) -> Page:
    return Page(render(results))


@pytest.fixture
def text(results: Path) -> str:
    return render(results, name="results.md")


def test_the_summary_counts_by_verdict_origin_and_half():
    paper, beyond = claims.summary(ROWS)
    assert (paper["total"], beyond["total"]) == (5, 1)
    assert {verdict.name: count for verdict, count, _ in paper["counts"]} == {
        "reproduced": 2,
        "not reproduced": 1,
        "inconclusive": 1,
        "not judged": 1,
        "not run": 0,
    }
    assert [(part["name"], part["total"]) for part in beyond["parts"]] == [("beyond the paper", 1)]
    assert claims.summary([]) == []


def test_both_pages_open_with_the_counts(page: Page, text: str):
    assert [text for _, text in page.find("tr", class_="total")] == [
        "claims of the paper52 (1)1110",
        "claims beyond the paper100001",
    ]
    assert "| **claims of the paper** | **5** | **2** (1) | **1** | **1** | **1** | **0** |" in text
    assert "| beyond the paper | 1 | 0 | 0 | 0 | 0 | 1 |" in text
    for content in (page.inside[0], text):
        assert "the interval contains the threshold" in content
        assert re.search(r"\b1\s+of them were written after the first look", content)


def test_no_two_rows_look_alike(page: Page):
    shown = [text for attributes, text in page.find("tr") if "data-claim" in attributes]
    assert len(shown) == len(ROWS) == len(set(shown))
    for text, each in zip(shown, ROWS, strict=True):
        assert claims.sentence(each["claim"]) in text
        assert claims.sentence(each["quantity"]) in text


def test_links_lead_to_places_that_are_there_once(page: Page):
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert {f"{each['experiment']}.{each['key']}" for each in ROWS} | set(TWO) <= set(ids)
    inner = [a["href"] for a, _ in page.find("a") if str(a["href"]).startswith("#")]
    assert {str(href)[1:] for href in inner} <= set(ids)
    for each in ROWS:
        assert inner.count(f"#{each['experiment']}.{each['key']}") == 2  # from the table, and its own mark


def test_a_verdict_is_a_sign_and_a_word(page: Page):
    badges = {text for _, text in page.find("td", class_="verdict")}
    assert badges == {"✓ reproduced", "✗ not reproduced", "≈ inconclusive", "? not judged", "○ not run"}
    assert len({verdict.sign for verdict in claims.VERDICTS.values()}) == 5


def test_a_measured_value_comes_with_its_interval_and_how_it_was_made(page: Page, text: str):
    shown = page.claim(f"{TWO[0]}.learned")
    assert "0.919" in shown
    assert f"95{NO_BREAK}% interval 0.889 to 0.938" in shown
    assert "Student's t over 3 seeds" in shown
    assert f"n{NO_BREAK}={NO_BREAK}3" in shown
    assert f"wanted ≥{NO_BREAK}0.9" in shown
    assert f"Measured 0.919 (0.889 to 0.938), Student's t over 3 seeds, n{NO_BREAK}={NO_BREAK}3; wanted" in text


def test_a_count_never_leaves_its_number(page: Page, text: str):
    for content in (page.inside[0], text):
        assert not re.search(r"\bn(?!\u00a0=\u00a0)\s*=\s*\d", content)


def test_a_bound_is_shown_as_one_and_has_no_interval(page: Page, text: str):
    shown = page.claim(f"{TWO[0]}.bound")
    assert f"≥{NO_BREAK}3.30" in shown
    assert "interval" not in shown
    assert "Student" not in shown
    assert "3 of 3 runs of AdamW never got there." in shown
    (line,) = [line for line in text.splitlines() if "compute of AdamW" in line or "Compute of AdamW" in line]
    assert f"Measured ≥{NO_BREAK}3.30, n" in line


def test_why_a_claim_was_not_judged_is_said(page: Page, text: str):
    shown = page.claim(f"{TWO[0]}.few")
    for content in (shown, text):
        assert "Not judged: 2 independent units; 3 are needed." in content
        assert "Presupposes last-number accuracy of at least 0.9." in content
        assert "≤\N{NO-BREAK SPACE}−0.2" in content
    assert "−0.205" in shown
    assert "exponent" in shown
    assert "It was too short." in page.claim(f"{TWO[1]}.far")
    assert "This claim is not the paper's." in page.claim(f"{TWO[1]}.none")
    assert "Written after the first look at its results." in page.claim(f"{TWO[0]}.again")
    assert "n =" not in page.claim(f"{TWO[1]}.none").replace(NO_BREAK, " ")


def test_labels_of_the_paper_are_tooltips_alone(page: Page, text: str):
    titles = [(a["title"], text) for a, text in page.find("abbr")]
    assert ("fig:training", "accuracy by training step, fixed and unseen modulus") in titles
    for content in (page.inside[0], text):
        assert not re.search(r"\b(fig|figapp|appendix|eq):", content)
    assert "accuracy by training step, fixed and unseen modulus" in text


def test_pictures_are_lazy_described_and_keep_their_place(page: Page, results: Path):
    pictures = [attributes for attributes, _ in page.find("img")]
    assert [attributes["src"] for attributes in pictures][1:3] == [
        f"../results/laptop/{TWO[0]}/{TWO[0]}-zoom.png",
        f"../results/laptop/{TWO[0]}/{TWO[0]}.png",
    ]
    assert all(attributes["loading"] == "lazy" for attributes in pictures)
    assert all((attributes["width"], attributes["height"]) == ("640", "480") for attributes in pictures)
    assert len({attributes["alt"] for attributes in pictures}) == len(pictures)
    assert all((results.parent / "docs" / str(attributes["src"])).resolve().is_file() for attributes in pictures)


def test_an_experiment_without_claims_shows_its_picture_and_says_so(page: Page, text: str):
    silent = next(iter(EXPERIMENTS))
    section = page.find("section", id=silent)[0][1]
    assert "This experiment makes no claims" in section
    assert f"unrandom reproduce {silent} --scale laptop" in section
    assert text.count("This experiment makes no claims") == 1
    assert list(EXPERIMENTS)[1] not in [attributes["id"] for attributes, _ in page.find("section")]


def test_the_filter_waits_for_its_script_and_knows_every_choice(page: Page):
    (form,) = page.find("form")
    assert "hidden" in form[0]
    assert [a["name"] for a, _ in page.find("select")] == ["verdict", "origin", "half"]
    values = {a.get("value") or text for a, text in page.find("option")}
    assert {*claims.VERDICTS, *claims.ORIGINS, "fixed modulus", "beyond the paper"} <= values
    for tag in ("tr", "article"):
        filed = [a for a, _ in page.find(tag) if "data-claim" in a]
        assert [(a["data-verdict"], a["data-origin"], a["data-half"]) for a in filed] == [
            (each["verdict"], each["origin"], each["half"]) for each in ROWS
        ]


def test_nothing_is_fetched_but_pictures(page: Page):
    policy = next(a["content"] for a, _ in page.find("meta") if "http-equiv" in a)
    assert str(policy).startswith("default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src")
    sources = [a.get(key) for _, a in page.tags for key in ("src", "href", "action")]
    assert all(source.startswith(("#", "data:", "../results/")) for source in sources if source)


def test_what_claims_say_is_escaped(results: Path):
    attack = "<script>alert(1)</script>"
    page = Page(render(results, [row(claim=attack, reason=attack, why=attack, command=attack)]))
    assert len(page.find("script")) == 1
    assert page.inside[0].count("alert(1)") == 5  # the table, and at its place: claim, reason, why and command
    assert attack not in render(results, [row(claim=attack, why=attack)], "results.md")


def test_the_markdown_lists_its_contents(text: str):
    assert f"- [{TWO[0]}](#{TWO[0]}): {claims.sentence(EXPERIMENTS[TWO[0]].about)[:-1]} (✓ 2, ≈ 1, ? 1)" in text
    headings = re.findall(r"^## (.*)$", text, flags=re.MULTILINE)
    assert headings == [next(iter(EXPERIMENTS)), *TWO]
    assert re.findall(r"\]\(#(.*?)\)", text) == headings
    assert "**≈ inconclusive** One layer predicts the last number. *Accuracy at the end of training.*" in text
    assert f"]({'../results/laptop/'}{TWO[1]}/{TWO[1]}.png)" in text


def test_nothing_at_all_is_a_page_too(tmp_path: Path):
    page = Page(results_page([], "overnight", tmp_path, tmp_path / "index.html"))
    assert page.find("article") == []
    assert "## " not in results_page([], "overnight", tmp_path, tmp_path / "results.md")


def test_numbers_are_short_and_never_more_certain_than_they_are():
    shares = [claims.number(value, "share") for value in (0.0, 0.0048, 0.919, 0.9999, 1.0, 1.0121, -0.37)]
    assert shares == ["0.000", "0.00480", "0.919", ">0.999", "1.000", "1.012", "−0.370"]
    assert [claims.number(value, "numbers") for value in (0.26, 41, 134.2, 12345.0, -2.5)] == [
        "0.260",
        "41.0",
        "134",
        "12,345",
        "−2.50",
    ]


def test_sentences_begin_with_a_capital_unless_with_a_symbol():
    assert [claims.sentence(text) for text in ("it holds", "γ is small", "m is prime.", "(a, c) are new")] == [
        "It holds.",
        "γ is small.",
        "m is prime.",
        "(a, c) are new.",
    ]


def test_a_section_says_which_settings_its_runs_had_that_they_would_not_have_today(tmp_path):
    each = EXPERIMENTS["um-grokking"]
    (today,) = each.runs("smoke", 1)
    folder = tmp_path / "smoke" / each.name
    folder.mkdir(parents=True)
    made = {"command": "the command", "tables": {}}
    for configs, expected in (
        ([today.config], {}),
        ([today.config.override(["seed=7"])], {}),
        ([today.config.override(["data.hold_out=values", "steps=9"])], {"data.hold_out": "values", "steps": "9"}),
        ([today.config, today.config.override(["steps=9"])], {}),
    ):
        (folder / "made.json").write_text(
            json.dumps({**made, "configurations": {str(i): c.to_json() for i, c in enumerate(configs)}})
        )
        assert other_settings(each, "smoke", tmp_path) == expected
    (folder / "made.json").write_text(
        json.dumps({**made, "configurations": {"0": today.config.override(["data.hold_out=values"]).to_json()}})
    )
    for name in ("results.md", "results.html"):
        page = results_page([row(experiment=each.name)], "smoke", tmp_path, tmp_path / name)
        assert "data.hold_out=values" in page
        assert page.count("settings that have changed since") == 1
