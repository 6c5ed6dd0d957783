"""What the documents say can be typed, can be typed; what they point to is there; the site is whole."""

import json
import re
import shlex
import subprocess
import sys
import textwrap
from pathlib import Path
from runpy import run_path

import pytest

import unrandom
from tiers import slow
from unrandom.cli.commands import COMMANDS as NAMES
from unrandom.cli.parsing import parse
from unrandom.runs.recipes import RECIPES, recipe

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted(page for page in DOCS.rglob("*.md") if page.parent != DOCS / "project")  # copies, made by a build
DOCUMENTS = [*ROOT.glob("*.md"), *PAGES]
LESSONS = sorted((ROOT / "examples").glob("*.ipynb"))
LESSON_OUTPUTS = run_path(str(DOCS / "run_lessons.py"))
COMMANDS = [
    line.split("|")[-1].strip()
    for document in DOCUMENTS
    for block in re.findall(r"```sh\n(.*?)```", document.read_text(), flags=re.DOTALL)
    for line in block.replace("\\\n", " ").splitlines()
    if "unrandom " in line and not line.startswith(("#", "git", "pip", "torchrun", "srun"))
]


@pytest.mark.parametrize("line", COMMANDS)
def test_every_command_can_be_parsed(line):
    words = shlex.split(line.partition("  #")[0])
    assert words[0] == "unrandom"
    arguments = parse(words[1:])
    if arguments.command == "train" and arguments.recipe is not None:
        assignments = arguments.assignments
        recipe(arguments.recipe).build().override(assignments)


@pytest.mark.parametrize(
    "document",
    [
        ROOT / "README.md",
        *(DOCS / f"{name}.md" for name in ("audit", "predictors", "python", "researcher", "running")),
        *slow(DOCS / "inside.md"),
    ],
    ids=lambda path: path.name,
)
def test_the_python_of_a_document_runs(document, tmp_path, monkeypatch):
    blocks = re.findall(r"```python\n(.*?)```", document.read_text(), flags=re.DOTALL)
    assert blocks
    (tmp_path / "results").symlink_to(ROOT / "results")
    monkeypatch.chdir(tmp_path)
    for block in blocks:
        exec(compile(textwrap.dedent(block), document.name, "exec"), {})


@pytest.mark.parametrize("document", [*DOCUMENTS, *LESSONS], ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_leads_somewhere(document):
    text = document.read_text()
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text) + re.findall(r'<img src="([^"]+)"', text):
        if not target.startswith("http"):
            assert (document.parent / target).exists(), target


def test_the_reference_has_every_name_of_the_front_door():
    text = "".join(page.read_text() for page in (DOCS / "api").glob("*.md"))
    documented = set(re.findall(r"^\.\. (?:auto\w+|py:module):: (?:unrandom\.)?(\w+)$", text, flags=re.MULTILINE))
    assert set(unrandom.__all__) <= documented


def test_the_reference_of_generators_has_every_module():
    text = (DOCS / "api" / "generators.md").read_text()
    source = ROOT / "src"
    rooms = (source / "unrandom" / "generators", source / "unrandom" / "auditing" / "generators")
    modules = [
        ".".join(path.relative_to(source).with_suffix("").parts) for room in rooms for path in room.glob("[!_]*.py")
    ]
    assert sorted(re.findall(r"automodule:: (\S+)", text)) == sorted(modules)


def test_every_page_is_in_a_table_of_contents():
    named = [
        (page.parent / line).resolve().relative_to(DOCS).as_posix()
        for page in PAGES
        for block in re.findall(r"```\{toctree\}\n(.*?)```", page.read_text(), flags=re.DOTALL)
        for line in block.splitlines()
        if line and not line.startswith(":")
    ]
    made = {f"project/{name}" for name in ("CHANGELOG", "CONTRIBUTING", "LOG")} | {
        f"lessons/{each.stem}" for each in LESSONS
    }
    pages = {page.relative_to(DOCS).with_suffix("").as_posix() for page in PAGES} - {"index"}
    assert sorted(named) == sorted(pages | made)


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.stem)
def test_a_lesson_has_the_outputs_of_a_run_and_needs_no_checkout(lesson):
    """Whether they are still those of a run is tested where the site is built, in a folder without a checkout."""
    notebook = json.loads(lesson.read_text())
    assert set(notebook["metadata"]) == {"kernelspec"}
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))
    assert not {"nan", "Traceback"} & {word.strip("()") for cell in code for word in LESSON_OUTPUTS["words"](cell)}
    assert not re.search(r"results/|/tmp/|site-packages", lesson.read_text())
    for cell in code:
        drawn = [output for output in cell["outputs"] if LESSON_OUTPUTS["kind"](output) == "picture"]
        assert bool(drawn) == ("mystnb" in cell["metadata"])
        if "plt.show()" in (source := "".join(cell["source"])) and not source.startswith("def "):
            assert cell["metadata"]["mystnb"]["image"]["alt"], "a picture needs an alternative text"


def test_outputs_of_lessons_may_differ_by_rounding_alone():
    same = LESSON_OUTPUTS["same_word"]
    assert same("0.93", "0.99")
    assert same("(12.5%)", "(13.1%)")
    assert not same("0.93", "0.73")
    assert not same("16", "17")
    old = {
        "cells": [
            {"cell_type": "code", "id": "a", "metadata": {}, "outputs": [{"output_type": "stream", "text": "1 2"}]}
        ]
    }
    new = json.loads(json.dumps(old).replace("1 2", "1 3"))
    differences = LESSON_OUTPUTS["differences"]
    assert not list(differences(old, old))
    assert list(differences(old, new)) == ["a: it was 1 2\n  and is 1 3"]
    old["cells"][0]["metadata"]["tags"] = ["varies"]
    assert not list(differences(old, new))
    new["cells"][0]["outputs"] = []
    assert list(differences(old, new)) == ["a: it has other outputs"]


def test_badges_say_what_was_measured():
    drawn = run_path(str(DOCS / "draw_badges.py"))
    assert all(file.read_text() == text for file, text in drawn["badges"]().items()), "draw them with: make pictures"
    _, reproduced = drawn["facts"]()["claims"]
    assert f"![the paper's claims at small scale: {reproduced}]" in (ROOT / "README.md").read_text()


def test_powers_and_indices_are_set_in_the_text_of_a_page(monkeypatch):
    pytest.importorskip("latex2mathml", reason="the docs extra is not installed (2026-11-26)")
    raised = run_path(str(DOCS / "formulas.py"))["raised"]

    def html(text):
        return "".join(
            f"{{{node.tagname[:3]} {node.astext()}}}" if node.children else node.astext() for node in raised(text)
        )

    assert html("2^32 numbers") == "2{sup 32} numbers"
    assert html("p^(w+1), 2^−40. v_p(a − 1)") == "p{sup w+1}, 2{sup −40}. v{sub p}(a − 1)"
    assert html("a file_name and d_model") == "a file_name and d_model"


FAULTY = {
    "index.html": '<a href="page.html#here"> <a href="page.html#nowhere"> <a href="gone.html"> <img src="a.png">',
    "page.html": '<p id="here"><script src="https://elsewhere.example/x.js"></script> <a href="https://elsewhere.example/">',
    "lost.html": "<style>@import url(//elsewhere.example/font.css);</style>",
    "a.png": "",
    "site.css": 'p { background: url("https://elsewhere.example/a.png") }',
}


def test_faults_of_the_site_are_found(tmp_path):
    for name, text in FAULTY.items():
        (tmp_path / name).write_text(text)
    done = subprocess.run(
        [sys.executable, str(DOCS / "check_links.py"), str(tmp_path)], check=False, capture_output=True, text=True
    )
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        "index.html: a picture has no alternative text: a.png",
        "index.html: links to page.html#nowhere, but that page has no such anchor",
        "index.html: links to gone.html, which is not there",
        "lost.html: loads //elsewhere.example/font.css, which is elsewhere",
        "page.html: loads https://elsewhere.example/x.js, which is elsewhere",
        "site.css: loads https://elsewhere.example/a.png, which is elsewhere",
        "lost.html: no page leads to it",
    ]


def test_the_reference_of_commands_has_every_command_and_option(monkeypatch):
    pytest.importorskip("sphinx")
    monkeypatch.syspath_prepend(str(DOCS))
    from command_reference import recipe_rows, sections

    text = "\n".join(sections())
    assert re.findall(r"^### (\w+)$", text, flags=re.MULTILINE) == list(NAMES)
    assert "| `--set KEY=VALUE` | change a configuration key, e.g. model.depth=2 (repeatable) |" in text
    assert [row.split("`")[1] for row in recipe_rows() if "`" in row] == list(RECIPES)


def test_the_tables_of_audits_are_those_that_were_measured():
    tabulated = run_path(str(ROOT / "docs" / "tabulate_audits.py"))
    assert tabulated["PAGE"].read_text() == tabulated["page"](), "make them again with: python docs/tabulate_audits.py"


def test_the_picture_of_the_floors_is_that_of_the_import_contract():
    drawn = run_path(str(ROOT / "docs" / "draw_floors.py"))
    assert drawn["PICTURE"].read_text() == drawn["picture"](), "draw it again with: make floors"
    assert sorted(name for floor in drawn["floors"]() for name in floor) == sorted(
        path.parent.name for path in (ROOT / "src" / "unrandom").glob("*/__init__.py")
    )


def test_the_files_to_read_are_in_an_order_in_which_each_needs_only_those_before():
    rows = re.findall(r"\]\(\.\./src/unrandom/([\w/]+)\.py\)\s*\|\s*(\d+)", (DOCS / "reading-the-code.md").read_text())
    files = [file for file, _ in rows]
    assert len(files) == 40
    for place, (file, lines) in enumerate(rows):
        text = (ROOT / "src" / "unrandom" / f"{file}.py").read_text()
        assert abs(len(text.splitlines()) - int(lines)) <= 0.2 * int(lines) + 5, f"{file} has other lines than {lines}"
        imported = [
            name.replace(".", "/") for name in re.findall(r"^from unrandom\.([\w.]+) import", text, re.MULTILINE)
        ]
        assert not set(imported) & set(files[place + 1 :]), file
