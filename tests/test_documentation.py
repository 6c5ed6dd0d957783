"""What the documents say can be typed, can be typed; what they point to is there."""

import re
import shlex
from pathlib import Path
from runpy import run_path

import pytest

from unrandom.cli.parsing import parse
from unrandom.runs.recipes import RECIPES, recipe

ROOT = Path(__file__).parents[1]
DOCUMENTS = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]
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


@pytest.mark.parametrize("document", [ROOT / "README.md", ROOT / "docs" / "python.md", ROOT / "docs" / "predictors.md"])
def test_the_python_of_a_document_runs(document, tmp_path, monkeypatch):
    blocks = re.findall(r"```python\n(.*?)```", document.read_text(), flags=re.DOTALL)
    assert blocks
    (tmp_path / "results").symlink_to(ROOT / "results")
    monkeypatch.chdir(tmp_path)
    for block in blocks:
        exec(compile(block, document.name, "exec"), {})


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_link_leads_somewhere(document):
    for target in re.findall(r"\]\(([^)#]+)\)", document.read_text()):
        if not target.startswith("http"):
            assert (document.parent / target).exists(), target


def test_the_readme_names_every_recipe():
    text = (ROOT / "README.md").read_text()
    assert all(f"`{name}`" in text for name in RECIPES)


def test_the_tables_of_audits_are_those_that_were_measured():
    tabulated = run_path(str(ROOT / "docs" / "tabulate_audits.py"))
    assert tabulated["PAGE"].read_text() == tabulated["page"](), "make them again with: python docs/tabulate_audits.py"


def test_the_picture_of_the_floors_is_that_of_the_import_contract():
    drawn = run_path(str(ROOT / "docs" / "draw_floors.py"))
    assert drawn["PICTURE"].read_text() == drawn["picture"](), "draw it again with: make floors"
    assert sorted(name for floor in drawn["floors"]() for name in floor) == sorted(
        path.parent.name for path in (ROOT / "src" / "unrandom").glob("*/__init__.py")
    )
