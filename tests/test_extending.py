"""The recipes of docs/extending.md work as they are written: applied to a copy of the package, their commands run."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tiers import slow

ROOT = Path(__file__).parents[1]
TESTS = (
    *("conftest.py", "tiers.py", "tiny_runs.py", "tiny_settings.py", "saved.py", "typechecking.py", "rounding.py"),
    *("models/test_parts.py", "training/test_optimizers.py", "training/test_less_memory.py"),
    "runs/sharing/test_exchange.py",
)
BLOCKS = re.compile(r"^```(bash|diff|python)\n(.*?)^```$", flags=re.DOTALL | re.MULTILINE)
RECIPES = {
    section.partition("\n")[0]: BLOCKS.findall(section)
    for section in (ROOT / "docs" / "extending.md").read_text().split("\n## ")[1:]
}


def run(command: str, folder: Path, **environment: str) -> str:
    """Run a shell command in the copy, in which `unrandom` and `python` are those of this environment."""
    shell = f'python() {{ {sys.executable} "$@"; }}; unrandom() {{ {sys.executable} -m unrandom "$@"; }}\n{command}'
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", shell],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder / "src"), **environment},
        capture_output=True,
        text=True,
    )
    assert done.returncode in (0, 10), f"{command}\n{done.stderr}"  # 10: an audit found its generator
    return done.stdout


@pytest.fixture(scope="module")
def extended(tmp_path_factory):
    """A copy of the package after the steps of every recipe; the last commands of each are left to the tests."""
    folder = tmp_path_factory.mktemp("extended")
    for name in ("src", "examples"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in TESTS:
        (folder / "tests" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / "tests" / name, folder / "tests" / name)
    for blocks in RECIPES.values():
        for kind, text in blocks:
            if kind == "python":
                path, _, content = text.removeprefix("# ").partition("\n")
                (folder / path).write_text(content)
            elif kind == "diff":
                patch = folder / "step.patch"
                patch.write_text(text)
                run("git apply --unidiff-zero step.patch", folder, GIT_CEILING_DIRECTORIES=str(folder.parent))
            elif text.startswith("cp "):
                run(text, folder)
    return folder


def test_there_is_a_recipe_for_every_kind_of_extension():
    kinds = ("task", "predictor", "audit family", "architecture part", "optimiser", "experiment", "command")
    assert [title.removeprefix("Add a ").removeprefix("Add an ") for title in RECIPES] == list(kinds)


@pytest.mark.parametrize(
    ("recipe", "answers"),
    [
        ("Add an audit family", ("PREDICTABLE  x ← (x² + c) mod m",)),
        *slow(
            ("Add a task", ("9ebf1998", "steps    4 of 4", "copy")),
            ("Add a predictor", ("counting",)),
            ("Add an architecture part", ("steps    4 of 4", "exported")),
            ("Add an optimiser", ("steps    1 of 4", "steps    4 of 4", "AdamW with Nesterov momentum (rate")),
            ("Add an experiment", ("fm-halves: The first half of the context is harder",)),
            ("Add a command", ("period  4294967296",)),
        ),
    ],
)
def test_its_commands_run(extended, recipe, answers):
    said = "".join(
        run(text, extended) for kind, text in RECIPES[recipe] if kind == "bash" and not text.startswith("cp ")
    )
    for answer in answers:
        assert answer in said


KNOWN = {
    "models/test_parts.py": "test_parts",  # the new part states its costs
    "training/test_optimizers.py": "test_optimizers",
    "training/test_less_memory.py": "(nadamw and counted)",
    "runs/sharing/test_exchange.py": "(any_two_settings and temperature)",  # the code of a card computes the new part
}


@pytest.mark.slow
def test_the_tests_of_the_package_know_what_was_added(extended):
    files = " ".join(f"tests/{file}" for file in KNOWN)
    said = run(f"python -m pytest -n 0 -rp -p no:cacheprovider {files} -k '{' or '.join(KNOWN.values())}'", extended)
    for file in KNOWN:
        assert f"PASSED tests/{file}::" in said


NEW = """
import unrandom
from unrandom.core.errors import UserError
from unrandom.models import formats
from unrandom.models.transformer import Transformer, TransformerConfig

for positions in ("learned", "abacus", "rotary"):
    shape = dict(d_model=8, n_heads=2, vocab_size=5, context=6, positions=positions, temperature=True)
    try:
        formats.to_huggingface(Transformer(TransformerConfig(**shape)))
    except UserError as error:
        print(positions, error)
"""


@pytest.mark.slow
def test_a_new_part_is_refused_by_the_formats_of_other_libraries(extended):
    (extended / "new.py").write_text(NEW)
    said = run("python new.py", extended).splitlines()
    assert [line.partition(" ")[0] for line in said] == ["learned", "abacus", "rotary"]
    assert all("cannot express model.temperature=true" in line for line in said)
