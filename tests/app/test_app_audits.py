"""What the Audit page shows is what `unrandom audit` answers; its process ends in time; a mistake is one sentence."""

import html
import json
import re
import subprocess
import sys
import time

import pytest

from sweeping import PATIENCE
from unrandom.app import audits
from unrandom.app.examples import EXAMPLES, example
from unrandom.app.limits import MAX_CHARACTERS, MAX_FILE
from unrandom.auditing.generators.java import JAVA
from unrandom.core.errors import UserError
from unrandom.generators.lcg import LCG

STREAM = LCG(m=2**31, a=1103515245, c=12345).orbit(x0=1, length=70)
NUMBERS = " ".join(map(str, STREAM[:60]))


def definitions(page):
    """The rows of a verdict by their names."""
    pairs = re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", page)
    return {name: html.unescape(text) for name, text in pairs}


def mistake(page):
    (sentence,) = re.findall(r'^<p class="mistake">([^<\n]+)</p>$', page)
    return html.unescape(sentence)


def test_predictable_numbers_have_a_proof_and_the_next_ones(tmp_path):
    page, rows = audits.audit(NUMBERS, None), definitions(audits.audit(NUMBERS, None))
    assert '<section class="verdict predictable"><h3>Predictable</h3>' in page
    assert rows["outputs"].startswith("60 given, ")
    assert rows["next"].split() == [str(number) for number in STREAM[60:]]
    assert "m = 2147483648, a = 1103515245, c = 12345" in rows["parameters"]
    (tmp_path / "numbers").write_text(NUMBERS)
    command = [sys.executable, "-m", "unrandom", "audit", str(tmp_path / "numbers"), "--json"]
    answer = json.loads(subprocess.run(command, capture_output=True, text=True).stdout)
    assert rows["proof"] == answer["certificate"]["about"]
    assert rows["before the first"].split() == [str(number) for number in answer["previous"]]
    assert html.escape(answer["advice"]) in page
    assert "limited to" not in page


@pytest.mark.slow
def test_a_break_is_said_in_words():
    page = audits.audit(" ".join(map(str, [*STREAM[:30], 7, *STREAM[30:60]])), None)
    assert "<h3>Predictable up to a break</h3>" in page
    assert definitions(page)["breaks"] == "after output 30, 1 output of the input is not the generator's"


@pytest.mark.slow
def test_too_few_numbers_say_how_many_more_are_needed(monkeypatch):
    monkeypatch.setattr(audits, "AUDIT_SECONDS", 90)  # the first audit of a new environment compiles the seeds
    page = audits.audit("1 2 3", None)
    assert '<section class="verdict too-few"><h3>Too few numbers</h3>' in page
    counts = [int(each.split()[0].replace(",", "")) for each in definitions(page)["fewest more"].split(" · ")]
    assert counts == sorted(counts)
    assert 1 <= len(counts) <= audits.NEEDED_SHOWN
    assert "next" not in definitions(page)


@pytest.mark.slow
def test_numbers_that_no_family_predicts_are_not_called_safe(monkeypatch):
    monkeypatch.setattr(audits, "AUDIT_SECONDS", 1)
    chaotic = " ".join(str(pow(7, n, 2**61 - 1) ** 5 % (2**61 - 31) % 2**32) for n in range(3, 3003))
    page = audits.audit(chaotic, None)
    assert f'<section class="verdict {audits.UNFINISHED}"><h3>Not finished</h3>' in page
    assert "neither that they can be predicted nor that they cannot" in page
    assert "This search was limited to 1 seconds" in page


@pytest.mark.slow
def test_a_candidate_is_shown_as_not_proven():
    page = audits.audit("6543 6331 9584 9025 3911", None)
    assert "m = 14159, a = 9001, c = 69" in definitions(page)["not proven"]
    assert "of 40 bits of evidence" in definitions(page)["not proven"]
    assert "next 3706 " in definitions(page)["not proven"]


def test_a_file_is_read_before_the_text(tmp_path):
    (tmp_path / "list.csv").write_text("n\n" + "\n".join(map(str, STREAM[:60])))
    assert definitions(audits.audit("1 2 3", str(tmp_path / "list.csv")))["next"].split()[0] == str(STREAM[60])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "paste some numbers, or choose a file"),
        (None, "paste some numbers, or choose a file"),
        (" \n\t", "paste some numbers, or choose a file"),
        ("hello", "hello"),
        ("<img src=x onerror=alert(1)>", ""),
        ("nan inf", ""),
        ("\x00\x01\x02", "(options of the command unrandom audit)"),
        ("PK\x03\x04rest", "zip"),
        ("\ud800 1 2", ""),
        ("7" * (MAX_CHARACTERS + 1), "200,001 characters were pasted; 200,000 are allowed"),
    ],
)
def test_a_text_without_numbers_is_a_mistake_of_one_sentence(text, said):
    sentence = mistake(audits.audit(text, None))
    assert said in sentence
    assert "/tmp" not in sentence
    assert "Traceback" not in sentence


def test_files_that_cannot_be_audited_are_mistakes(tmp_path):
    (tmp_path / "large").write_bytes(b"1 " * (MAX_FILE // 2 + 1))
    (tmp_path / "empty").write_bytes(b"")
    assert mistake(audits.audit("", str(tmp_path / "large"))) == "the file has 2,097,154 bytes; 2,097,152 are allowed"
    assert mistake(audits.audit("", str(tmp_path / "empty"))) == "the input holds no numbers"
    assert mistake(audits.audit("", str(tmp_path / "gone"))) == "the file is no longer here; choose it again"
    assert mistake(audits.audit("", str(tmp_path))) == "the file is no longer here; choose it again"


def test_an_audit_that_takes_too_long_is_ended(monkeypatch):
    monkeypatch.setattr(audits, "KILLED_AFTER", 0.5 - 2 * PATIENCE)
    monkeypatch.setattr(audits, "AUDIT_SECONDS", 2 * PATIENCE)
    started, begun = [], time.monotonic()
    start = audits.start
    monkeypatch.setattr(audits, "start", lambda *words, **how: started.append(start(*words, **how)) or started[-1])
    chaotic = " ".join(str(pow(7, n, 2**61 - 1) ** 5 % (2**61 - 31) % 2**32) for n in range(3, 3003))
    assert mistake(audits.audit(chaotic, None)) == "the audit took more than 0.5 s and was ended; try fewer numbers"
    assert time.monotonic() - begun < PATIENCE
    assert started[0].poll() is not None


@pytest.mark.slow
def test_an_audit_that_fails_is_a_fault_of_the_program(monkeypatch, caplog):
    start = audits.start
    monkeypatch.setattr(
        audits, "start", lambda *_words, **how: start("train", "fm-256", "--runs", "/dev/null/x", **how)
    )
    assert "cannot create the folder" in mistake(audits.audit("1 2 3", None))
    monkeypatch.setattr(audits, "MISTAKE", 0)
    monkeypatch.setattr(audits, "start", lambda *_words, **how: start("audit", "/dev/null", **how))
    assert mistake(audits.audit("1 2 3", None)).startswith("This failed, and the fault is the program's")
    assert "an audit ended with status 2" in caplog.text


@pytest.mark.slow
def test_no_file_of_an_audit_is_left(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    audits.audit("1 2 3", None)
    audits.audit("x", None)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", list(EXAMPLES)[:-1])
def test_examples_of_programs_are_predictable_within_the_time_of_the_page(name):
    page = audits.audit(example(name), None)
    assert "<h3>Predictable</h3>" in page
    assert example(name) == example(name)


@pytest.mark.slow
def test_the_example_of_good_numbers_is_not_predicted():
    (name,) = list(EXAMPLES)[-1:]
    assert example(name) != example(name)
    assert "<h3>Not finished</h3>" in audits.audit(example(name), None, seconds=1)


def test_the_examples_are_what_the_programs_print():
    """Java's Random(42), by its documentation, and Python's own random; `tests/generators` has more of Node.js."""
    assert example("8 × nextInt() of Java").split()[:3] == ["-1170105035", "234785527", "-1360544799"]
    fractions = [float(word) for word in example("20 × Math.random() of Node.js").split()]
    assert len(set(fractions)) == 20
    assert all(0 <= fraction < 1 for fraction in fractions)
    assert [len(token) for token in example("170 tokens of Python's random").split()] == [32] * 170


TABLE = "n,other\n" + "\n".join(f"{number},{index * index % 97}" for index, number in enumerate(STREAM[:60]))


@pytest.mark.slow
def test_options_are_those_of_the_command():
    assert definitions(audits.audit(TABLE, None, column="n"))["next"].split()[0] == str(STREAM[60])
    lines = "\n".join(f"id=7 token={number:x};" for number in STREAM[:60])
    page = audits.audit(lines, None, regex="token=([0-9a-f]+)", notation="hexadecimal", seconds=20)
    assert definitions(page)["next"].split()[0] == f"{STREAM[60]:x}"
    letters = "ybndrfg8ejkmcpqxot1uwisza345h769"
    drawn = "".join(letters[state >> 43] for state in JAVA.orbit(x0=99 ^ JAVA.a, length=111)[1:])
    tokens = [drawn[begin : begin + 10] for begin in range(0, 110, 10)]
    page = audits.audit("\n".join(tokens[:-1]), None, alphabet=letters)
    assert "<h3>Predictable</h3>" in page
    assert tokens[-1] in definitions(page)["next"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"column": "--max-seconds=999999"}, ""),
        ({"column": "x" * 201}, "the column has 201 characters; 200 are allowed"),
        ({"regex": ["(.)"]}, "the regex must be a text"),
        ({"regex": "("}, ""),
        ({"alphabet": "a\0b"}, "the alphabet has characters that are no text"),
        ({"alphabet": "\ud800"}, "the alphabet has characters that are no text"),
        ({"notation": "roman"}, "the notation must be one of: inferred, decimal"),
        ({"notation": ["decimal"]}, "the notation must be one of"),
        ({"seconds": 0}, "the search can take from 1 to 180 seconds"),
        ({"seconds": 181}, "the search can take from 1 to 180 seconds"),
        ({"seconds": float("nan")}, "the search can take from 1 to 180 seconds"),
        ({"seconds": "10"}, "the search can take from 1 to 180 seconds"),
        ({"seconds": True}, "the search can take from 1 to 180 seconds"),
    ],
)
def test_mistakes_in_options_are_sentences(options, said):
    assert said in mistake(audits.audit(TABLE, None, **options))


def test_no_option_of_a_visitor_is_another_option(monkeypatch):
    started = []

    def start(*words, **_how):
        started.append(words)
        raise UserError("not started")

    monkeypatch.setattr(audits, "start", start)
    for value in ("--json", "-", "--seeds=32bit", "; ls", "$(id)", "a b"):
        audits.audit("1 2 3", None, column=value, regex=value, alphabet=value)
        assert started.pop()[-3:] == (f"--column={value}", f"--regex={value}", f"--alphabet={value}")
