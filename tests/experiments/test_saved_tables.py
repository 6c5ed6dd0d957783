"""Results that were measured are not lost while new ones are saved, and are not judged if they were changed."""

import os
from dataclasses import replace

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from unrandom.core.errors import UserError
from unrandom.core.files import replaced_atomically, restore
from unrandom.experiments import reproduce
from unrandom.experiments.registry import EXPERIMENTS
from unrandom.experiments.reproduce import (
    draw_and_judge,
    is_measured,
    measure_and_judge,
    measure_planned,
    missing_runs,
    saved_tables,
)
from unrandom.runs.running.execution import create_run, execute

EXPERIMENT = EXPERIMENTS["digit-periods"]  # it needs no run


@pytest.fixture
def measured(tmp_path):
    measure_and_judge(EXPERIMENT, "smoke", [], tmp_path, "the command")
    return tmp_path / "smoke" / EXPERIMENT.name


def test_a_disk_that_fills_up_while_tables_are_saved_leaves_the_earlier_ones(measured, tmp_path, monkeypatch):
    before = {path: path.read_bytes() for path in measured.iterdir()}

    def full(*_given, **_settings):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(reproduce, "write_json", full)
    with pytest.raises(OSError, match="No space left"):
        measure_and_judge(EXPERIMENT, "smoke", [], tmp_path, "another command")
    assert {path: path.read_bytes() for path in measured.iterdir()} == before
    assert list(measured.parent.iterdir()) == [measured]


def test_a_fault_that_is_not_of_the_tables_is_no_mistake_of_the_user(measured, tmp_path):
    picture = next(measured.glob("*.svg"))
    picture.unlink()
    picture.mkdir()
    with pytest.raises(UserError, match=f"^{picture} is a folder"):
        draw_and_judge(EXPERIMENT, "smoke", tmp_path)

    def full(*_given):
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space left"):
        draw_and_judge(replace(EXPERIMENT, draw=full), "smoke", tmp_path)


def test_values_that_an_experiment_does_not_bear_are_those_of_its_folder(measured, tmp_path):
    def refuse(*_given):
        raise UserError("only numbers from 1 to 2**64 can be factored, but nan was given")

    with pytest.raises(UserError, match=f"^{measured}: only numbers from 1"):
        draw_and_judge(replace(EXPERIMENT, draw=refuse), "smoke", tmp_path)


def test_a_panic_of_polars_is_one_line_that_names_the_table(measured, tmp_path, monkeypatch, capfd):
    def panic(*_given):
        os.write(2, b"thread panicked at ...")
        raise pl.exceptions.PanicException("called unwrap on an Err value")

    monkeypatch.setattr(pl, "read_parquet", panic)
    with pytest.raises(UserError, match=r"parquet is not a Parquet file: called unwrap"):
        draw_and_judge(EXPERIMENT, "smoke", tmp_path)
    os.write(2, b"said")
    assert capfd.readouterr().err == "said"


def test_what_a_user_keeps_beside_the_tables_stays(measured, tmp_path):
    (measured / "notes.md").write_text("mine")
    (measured / "link").symlink_to(tmp_path)
    (measured / "stale.parquet").touch()
    measure_and_judge(EXPERIMENT, "smoke", [], tmp_path, "another command")
    assert (measured / "notes.md").read_text() == "mine"
    assert (measured / "link").readlink() == tmp_path
    assert not (measured / "stale.parquet").exists()


@pytest.mark.slow
def test_a_process_that_ends_between_two_renames_loses_nothing(measured, tmp_path):
    rows = draw_and_judge(EXPERIMENT, "smoke", tmp_path)
    measured.rename(measured.with_name(f".{measured.name}.before"))
    assert is_measured(EXPERIMENT, "smoke", tmp_path)
    assert draw_and_judge(EXPERIMENT, "smoke", tmp_path) == rows


def test_a_folder_that_is_replaced_is_never_mixed(tmp_path):
    folder = tmp_path / "folder"
    for name in ("first", "second"):
        with replaced_atomically(folder, replace=True) as made:
            (made / name).touch()
    assert [path.name for path in tmp_path.rglob("*")] == ["folder", "second"]
    restore(folder)
    assert [path.name for path in folder.iterdir()] == ["second"]


def test_a_table_that_was_changed_is_not_judged(measured, tmp_path):
    name = min(saved_tables(measured))
    path = measured / f"{name}.parquet"
    changed = pl.read_parquet(path).head(1)
    changed.write_parquet(path)
    with pytest.raises(UserError, match=f"{name}.parquet is not the table that was measured"):
        draw_and_judge(EXPERIMENT, "smoke", tmp_path)
    path.unlink()
    with pytest.raises(UserError, match=f"{name}.parquet does not exist"):
        draw_and_judge(EXPERIMENT, "smoke", tmp_path)


def trained(specs, folder):
    for spec in specs:
        execute(create_run(spec, folder, []))


@pytest.mark.slow
def test_a_seed_is_added_to_saved_tables_without_the_runs_that_they_have(tmp_path):
    each, runs, results = EXPERIMENTS["fm-scaling"], tmp_path / "runs", tmp_path / "results"
    trained(missing_runs([each], "smoke", 1, runs), runs)
    measure_planned(each, "smoke", 1, results, runs)
    before, others = saved_tables(results / "smoke" / each.name), tmp_path / "others"
    missing = missing_runs([each], "smoke", 2, others, but=results)
    assert {spec.config.seed for spec in missing} == {1}
    assert measure_planned(each, "smoke", 2, tmp_path / "nothing yet", others, add=True)[0]["verdict"] == "not run"
    trained(missing[:1], others)  # as if the time had been up
    measure_planned(each, "smoke", 2, results, others, add=True)
    assert (
        saved_tables(results / "smoke" / each.name)["positions"]["run"].n_unique()
        == len(before["positions"]["run"].unique()) + 1
    )
    trained(missing[1:], others)
    rows = measure_planned(each, "smoke", 2, results, others, add=True)
    after = saved_tables(results / "smoke" / each.name)
    assert rows[0]["command"] == "unrandom reproduce fm-scaling --scale smoke --seeds 2"
    for name, table in before.items():
        if name != "laws":  # which are fitted to all runs
            assert_frame_equal(after[name].filter(seed=0), table)
            assert after[name]["seed"].n_unique() == 2
    trained(missing_runs([each], "smoke", 2, others), others)
    assert measure_planned(each, "smoke", 2, tmp_path / "at once", others) == rows
    assert measure_planned(each, "smoke", 1, results, others, add=True) == rows  # fewer seeds take none away


def test_runs_cannot_be_added_to_a_table_that_is_not_by_run():
    each = EXPERIMENTS["pcg-transfer"]
    kept, saved = [each.runs("smoke", 1)[0].id], {"matrix": pl.DataFrame({"trained": ["rr"]})}
    with pytest.raises(UserError, match="the table matrix is not by run"):
        reproduce._added(each, saved, {}, kept)


def test_added_rows_are_matched_by_the_names_of_their_columns():
    saved, measured = (
        pl.DataFrame({"run": ["old"], "seed": [0]}),
        pl.DataFrame({"seed": [1], "run": ["new"], "step": [2]}),
    )
    added = reproduce._added(EXPERIMENTS["fm-skipping"], {"runs": saved}, {"runs": measured}, ["old"])["runs"]
    assert_frame_equal(added, pl.DataFrame({"run": ["old", "new"], "seed": [0, 1], "step": [None, 2]}))
