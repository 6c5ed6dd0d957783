"""The example of a user-defined task works with every command that accepts one."""

import json
from pathlib import Path

import pytest

from unrandom.cli import main

EXAMPLE = f"{Path(__file__).parents[2] / 'examples' / 'second_order.py'}:SecondOrder"
TINY = {
    "data.context": 10,
    "model.d_model": 16,
    "batch_size": 16,
    "steps": 4,
    "warmup_steps": 1,
    "evaluate_every": 2,
    "checkpoint_every": 2,
    "test_sequences": 16,
    "precision": "fp32",
}
SETTINGS = [word for key, value in TINY.items() for word in ("--set", f"{key}={value}")]


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def answer(capsys, *arguments) -> dict:
    assert main([*map(str, arguments), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def refused(capsys, *arguments) -> str:
    assert main(list(map(str, arguments))) == 2
    (line,) = capsys.readouterr().err.strip().splitlines()
    return line


def test_train_resume_evaluate_and_report(here, capsys):
    trained = answer(capsys, "train", EXAMPLE, *SETTINGS)
    assert trained["finished"]
    manifest = json.loads((Path(trained["run"]) / "manifest.json").read_text())
    assert manifest["task"]["path"] == EXAMPLE
    assert len(manifest["task"]["sha256"]) == 64
    assert set(manifest["split"]["test"]) == {"p", "q"}
    compared = answer(capsys, "evaluate", "latest", "--task", EXAMPLE, "--predictors", "copy", "--sequences", 16)
    assert [row["predictor"] for row in compared["comparison"][0]["predictors"]] == ["transformer", "copy"]
    (tested,) = answer(capsys, "evaluate", "latest", "--task", EXAMPLE, "--sequences", 16)["evaluation"]
    assert set(tested["units"]) == {"first coefficients", "second coefficients"}
    assert tested["by_digit"]["digits"] == []
    page = Path(answer(capsys, "report", "latest", "--task", EXAMPLE)["report"]).read_text()
    assert "Left out: accuracy was not measured digit by digit." in page
    assert answer(capsys, "resume", "latest", "--task", EXAMPLE)["finished"]
    said = refused(capsys, "evaluate", "latest", "--task", EXAMPLE, "--predictors", "bayes")
    assert said.startswith("unrandom: --predictors: the task SecondOrder has no predictor 'bayes'")
    assert "the test of this run has test" in refused(capsys, "evaluate", "latest", "--task", EXAMPLE, "--modulus", 7)


@pytest.mark.slow
def test_workers_of_a_sweep_import_it_too(here, capsys):
    grid = ["--grid", "model.depth=1,2", "--workers", 2, "--sequences", 16]
    swept = answer(capsys, "sweep", EXAMPLE, *grid, *SETTINGS)
    assert [cell["status"] for cell in swept["grid_points"]] == ["finished", "finished"]
    assert {"validation_last@test", "test_last@test"} <= set(swept["grid_points"][0])


def test_a_run_whose_code_has_changed_is_not_trained_on(here, capsys):
    own = here / "own.py"
    own.write_text(Path(EXAMPLE.rpartition(":")[0]).read_text())
    trained = answer(capsys, "train", "own.py:SecondOrder", *SETTINGS, "--max-minutes", 0)
    own.write_text(own.read_text() + "\n# changed\n")
    assert "was made by other code than" in refused(capsys, "resume", "latest", "--task", "own.py:SecondOrder")
    again = answer(capsys, "train", "own.py:SecondOrder", *SETTINGS)
    assert again["run"] != trained["run"]
    assert again["finished"]


def test_code_that_breaks_later_is_one_line_too(here, capsys):
    code = Path(EXAMPLE.rpartition(":")[0]).read_text()
    assert "    def draw(" in code
    head, _, rest = code.partition("    def draw(")
    signature, _, body = rest.partition(":\n")
    late = f"{head}    def draw({signature}:\n        if rows == 300:\n            raise KeyError('late')\n{body}"
    (here / "late.py").write_text(late)
    answer(capsys, "train", "late.py:SecondOrder", *SETTINGS)
    line = late.splitlines().index("            raise KeyError('late')") + 1
    message = refused(capsys, "evaluate", "latest", "--task", "late.py:SecondOrder", "--sequences", 300)
    assert message.endswith(f"late.py, line {line}: KeyError: 'late'")


def test_what_it_prints_is_not_in_the_answer(here, capsys):
    code = Path(EXAMPLE.rpartition(":")[0]).read_text()
    (here / "loud.py").write_text(f"print('imported')\n{code}")
    assert main(["train", "loud.py:SecondOrder", *SETTINGS, "--json"]) == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out)["finished"]
    assert "imported" in captured.err


def test_what_a_file_imports_beside_it_is_found(here, capsys):
    folder = here / "mine"
    folder.mkdir()
    (folder / "beside_it.py").write_text(Path(EXAMPLE.rpartition(":")[0]).read_text())
    (folder / "own.py").write_text("from beside_it import SecondOrder\n\nclass Mine(SecondOrder):\n    pass\n")
    assert answer(capsys, "train", "mine/own.py:Mine", *SETTINGS)["finished"]


def test_a_run_folder_imports_nothing_by_itself(here, capsys):
    (here / "trap.py").write_text(
        Path(EXAMPLE.rpartition(":")[0]).read_text().replace("class SecondOrder", "class Trap")
    )
    answer(capsys, "train", "trap.py:Trap", *SETTINGS)
    (here / "trap.py").write_text("raise SystemExit('this code was run')")
    from unrandom.tasks.registry import USER_TASKS

    USER_TASKS.pop("Trap")  # as in another process
    message = refused(capsys, "evaluate", "latest")
    assert "the task 'Trap' is not one of fm, um, truncated-lcg, quadratic" in message
    assert "trap.py:Trap" in message
