"""A saved file with a missing key, a further one, or one of another type is read, or refused in one line."""

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from keys import MORE, damages

import unrandom
from tiers import nightly_but
from unrandom.cli import main
from unrandom.core.errors import UserError
from unrandom.runs.run import Run
from unrandom.runs.running.grid_point import measured_point

RESULTS = Path(__file__).parents[2] / "results" / "laptop"
MAY_BE_MISSING = {
    "manifest.json": {"precision"},
    "metrics.jsonl": {"numbers_needed", "train_short_period_accuracy", "train_long_period_accuracy",
                      "train_rule_accuracy", "train_full_period_accuracy"},
    "result.json": set(),
}  # fmt: skip
"""Keys of the files of a run that not every task, or not every version, writes."""


@pytest.fixture
def run(finished_run, tmp_path) -> Path:
    """A run whose files may be damaged."""
    return Path(shutil.copytree(finished_run.folder.path, tmp_path / "runs" / finished_run.id))


def load(run: Path) -> None:
    loaded = unrandom.load(run, device="cpu")
    assert loaded.shown()
    assert loaded.result()["steps"] == 12
    assert loaded.reliability.accuracy_after


def measure(run: Path) -> None:
    assert measured_point(Run.open(run), 4)["steps"] == 12


def command(*words: str) -> Callable[[Path], None]:
    """A reader that runs a command on the run, and raises UserError if its status is 2."""

    def read(run: Path) -> None:
        (run.parent / "numbers.txt").write_text("1 2 3\n")
        given = {"RUN": str(run), "NUMBERS": str(run.parent / "numbers.txt"), "CURVES": str(run.parent / "curves")}
        if status := main([given.get(word, word) for word in words]):
            assert status == 2
            raise UserError("")

    return read


READERS = {
    "load": load,
    "compare": command("compare", "RUN", "--out", "CURVES"),
    "predict": command("predict", "RUN", "NUMBERS"),
    "evaluate": command("evaluate", "RUN", "--sequences", "4", "--predictors", "copy"),
    "report": command("report", "RUN"),
}


def refusals(path: Path, read: Callable[[], None], said: Callable[[], str], *, every: int = 1) -> dict[str, str]:
    """Each damage of a file (of lines, of the last one) and what the reader said of it; empty if it read the file."""
    whole, found = path.read_text(), {}
    *before, last = whole.splitlines() if path.suffix == ".jsonl" else [whole]
    try:
        for done, values in list(damages(json.loads(last)))[::every]:
            path.write_text("\n".join([*before, json.dumps(values), ""]))
            try:
                read()
                found[done] = ""
            except UserError as error:
                found[done] = str(error) or said()
    finally:
        path.write_text(whole)
    for done, refusal in found.items():
        assert not refusal or str(path) in refusal, (done, refusal)
        assert len(refusal.strip().splitlines()) < 2, (done, refusal)
        assert "lines" not in path.suffix or not refusal or f"line {len(before) + 1}: " in refusal, (done, refusal)
    read()
    return found


@pytest.mark.parametrize("name", MAY_BE_MISSING)
def test_every_key_that_training_writes_is_needed_and_no_other_is_known(run, name):
    found = refusals(run / name, lambda: load(run), str)
    written = (run / name).read_text()
    keys = json.loads(written.splitlines()[-1] if name == "metrics.jsonl" else written)
    assert {key for key in keys if not found[f"{key} deleted"]} == MAY_BE_MISSING[name] & set(keys)
    assert found[f"{MORE} added"]
    assert all(any(found[done] for done in found if done.startswith(f"{key} = ")) for key in keys)


@pytest.mark.parametrize("reader", nightly_but(["compare"], list(READERS)[1:]))
@pytest.mark.parametrize("name", MAY_BE_MISSING)
def test_every_command_reads_a_run_or_refuses_it_in_one_line(run, name, reader, capsys):
    def said() -> str:
        lines = (line for line in capsys.readouterr().err.splitlines() if "WARNING" not in line)
        return "\n".join(line for line in lines if line.startswith("unrandom") or "Traceback" in line)

    every = {"compare": 40, "report": 20}.get(reader, 3)
    assert refusals(run / name, lambda: READERS[reader](run), said, every=every)


def test_measurements_of_a_sweep_are_whole(run):
    measure(run)
    found = refusals(run / "sweep.json", lambda: measure(run), str)
    assert not found["4 deleted"]  # it is measured again
    assert found["4.validation_last deleted"]
    assert found[f"4.{MORE} added"]


@pytest.mark.slow
def test_tables_and_what_is_said_of_them_are_read_or_refused_in_one_line(tmp_path, capsys):
    folder = tmp_path / "laptop" / "fm-grokking"
    shutil.copytree(RESULTS / folder.name, folder)

    def read() -> None:
        if status := main(["claims", "--results", str(tmp_path)]):
            assert status == 2
            raise UserError("")
        capsys.readouterr()

    found = refusals(folder / "made.json", read, lambda: capsys.readouterr().err, every=5)
    assert len(found) > 20
    whole = (folder / "made.json").read_text()
    for table in sorted(folder.glob("*.parquet")):
        content, frame = table.read_bytes(), pl.read_parquet(table)
        for column in frame.columns:
            others = (frame.drop(column), frame.with_columns(pl.lit("x").alias(column)), frame.rename({column: MORE}))
            for other in others:
                other.write_parquet(table)
                made = json.loads(whole)
                made["tables"][table.stem] = hashlib.sha256(table.read_bytes()).hexdigest()
                (folder / "made.json").write_text(json.dumps(made))
                assert main(["claims", "--results", str(tmp_path)]) in (0, 2)
                said = capsys.readouterr().err
                assert not said or (str(folder) in said and said.count("\n") == 1)
        table.write_bytes(content)
        (folder / "made.json").write_text(whole)
    read()
