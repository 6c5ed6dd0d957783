"""Settings are chosen by validation, never by the test; a cell is measured once; failures are blanks."""

import json
import math
import shlex

import numpy as np
import polars
import pytest

import unrandom
from unrandom.cli import main
from unrandom.core.errors import Busy
from unrandom.evaluation import Evaluation
from unrandom.figures.panels import MapPanel, save_panels
from unrandom.runs.running import grid_point as measuring
from unrandom.runs.running.execution import create_run, execute
from unrandom.runs.running.grid_point import measure_point, measured_point, sets_to_measure
from unrandom.runs.running.plan import grid_points, parse_grid
from unrandom.runs.running.saved_sweep import is_sweep, runs_of, save_sweep
from unrandom.runs.running.sweep import Sweep, choose, combinations, grid_point_table, heatmap
from unrandom.runs.spec import RunSpec
from unrandom.runs.tables import table
from unrandom.tasks import LCGParameters


def swept(config, *grid: str, seeds: int = 1) -> Sweep:
    parsed = parse_grid(grid)
    return Sweep("tiny", config, parsed, grid_points("tiny", config, parsed, seeds), 16)


def pretend(sweep: Sweep, validation: list[float | None], test: list[float]) -> polars.DataFrame:
    """Rows of grid points with invented accuracies; None is a failure."""
    rows = []
    for each, chosen_by, shown in zip(sweep.points, validation, test, strict=True):
        row = {**each.labels, "run": each.id, "error": None}
        known = chosen_by is not None
        row["status"] = "finished" if known else "failed"
        for name in ("last", "number"):
            row |= {f"validation_{name}": chosen_by, f"test_{name}": shown if known else None}
        rows.append(row)
    return table(rows)


def test_validation_and_test_have_nothing_in_common(tiny, um_data):
    for data in (tiny.data, um_data, um_data.replace(validation_moduli=(25,))):
        sides = sets_to_measure(data.split(0), 64)
        assert all(len(examples) == 64 for parts in sides.values() for examples in parts.values())
        pairs = [
            {(m, a, c) for m, p in parts.items() for a, c in zip(p.parameters.a, p.parameters.c, strict=True)}
            for parts in sides.values()
        ]
        assert not pairs[0] & pairs[1]
    assert list(sides["validation"]) == [25]
    assert list(sides["test"]) == [32, 27]


def test_a_cell_is_measured_for_each_modulus_and_over_all(tiny, um_data, tmp_path):
    run = create_run(RunSpec("um", tiny.replace(data=um_data.replace(n_test_a=4))), tmp_path, [])
    execute(run)
    row = measure_point(run, 64)
    for part in ("validation", "test"):
        for what in ("last", "number"):
            assert row[f"{part}_{what}"] == pytest.approx(
                (row[f"{part}_{what}@32"] + row[f"{part}_{what}@27"]) / 2, abs=1e-5
            )
            assert row[f"{part}_{what}_low"] <= row[f"{part}_{what}"] <= row[f"{part}_{what}_high"]
    assert (row["steps"], row["parameters"] > 0) == (12, True)


def test_a_cell_is_measured_once(finished_run, tmp_path, monkeypatch):
    import shutil

    from unrandom.runs.run import Run

    run = Run.open(shutil.copytree(finished_run.folder.path, tmp_path / finished_run.id))
    first = measured_point(run, 16)
    monkeypatch.setattr(measuring, "measure_point", lambda *_arguments: {**first, "steps": 5})
    assert measured_point(run, 16) == first
    with run.folder.lock():
        assert measured_point(run, 16) == first
        with pytest.raises(Busy):
            measured_point(run, 32)
    assert measured_point(run, 32) == {**first, "steps": 5}


def test_sequences_of_one_multiplier_are_not_taken_for_independent():
    right = np.repeat(np.array([[True], [False], [True], [False]]), 4, axis=0)  # all or none of a pair's four
    a, c, x0 = (np.array(column, dtype=np.uint64) for column in ([1, 5, 9, 13], [1, 3, 5, 7], range(4)))
    parameters = LCGParameters(16, np.repeat(a, 4), np.repeat(c, 4), np.tile(x0, 4))
    numbers = np.zeros((16, 1), dtype=np.uint64)
    row = measuring._accuracies("test", {16: Evaluation("p", parameters, parameters.units, right, numbers, numbers, 0)})
    assert row["test_last"] == 0.5
    assert row["test_last_high"] - row["test_last_low"] > 0.6  # four multipliers, not sixteen sequences
    alone = Evaluation("p", parameters, parameters.units, right, numbers, numbers, 0).only(np.arange(16) < 4)
    row = measuring._accuracies("test", {16: alone})
    assert (row["test_last"], row["test_last_low"], row["test_last_high"]) == (1, None, None)


def test_what_is_tuned_is_chosen_by_validation_at_each_place_of_the_map(tiny):
    sweep = swept(tiny, "model.depth=1,2", "model.n_heads=1,2", "optimizer.lr=0.1,0.2")
    assert sweep.axes == ("model.depth", "model.n_heads")
    rows = pretend(sweep, [0.5, 0.4, 0.1, 0.2, None, 0.3, None, None], [0.1, 0.9, 0.1, 0.7, 0.1, 0.6, 0.1, 0.1])
    combined = combinations(sweep, rows)
    chosen = heatmap(sweep, combined)
    assert chosen.select("optimizer.lr", "test_last").rows() == [
        (0.1, 0.1),
        (0.2, 0.7),
        (0.2, 0.6),
        (None, None),
    ]
    best = choose(combined)
    assert (best["validation_last"], best["test_last"]) == (0.5, 0.1)  # a better test is not looked at


def test_seeds_are_averaged_and_half_a_combination_does_not_win(tiny):
    sweep = swept(tiny, "model.depth=1,2", seeds=2)
    combined = combinations(sweep, pretend(sweep, [0.2, 0.4, 0.9, None], [0.3, 0.5, 0.9, 0.9]))
    assert combined["validation_last"].to_list() == pytest.approx([0.3, 0.9])
    assert combined.select("seeds", "finished").rows() == [(2, 2), (2, 1)]
    whole, half = combined.iter_rows(named=True)
    assert 0 <= whole["test_last_low"] <= whole["test_last"] <= whole["test_last_high"] <= 1
    assert half["test_last_low"] is half["test_last_high"] is None  # one seed says nothing of others
    assert choose(combined)["model.depth"] == 1
    assert sweep.axes == (None, "model.depth")
    assert choose(combinations(sweep, pretend(sweep, [None] * 4, [0] * 4))) is None


def test_a_sweep_is_saved_with_its_failures_and_what_is_left(tiny, tmp_path):
    sweep = swept(tiny, "model.depth=1,2", "model.n_heads=1,2")
    done, failed, *_ = sweep.points
    execute(create_run(done, tmp_path, []))
    measured_point(measuring.Run.open(tmp_path / done.id), 16)
    (tmp_path / failed.id).mkdir()
    trouble = {"kind": "out of memory", "message": "no room", "traceback": None}
    (tmp_path / failed.id / "error.json").write_text(json.dumps(trouble))
    found = save_sweep(sweep, tmp_path, ["unrandom", "sweep"])
    folder = found.folder
    assert found.points["status"].to_list() == ["finished", "failed", "new", "new"]
    assert found.points["error"][1] == "out of memory: no room"
    assert found.best["runs"] == [done.id]
    saved = polars.read_parquet(folder / "grid_points.parquet")
    assert saved["model.depth"].to_list() == [1, 1, 2, 2]
    assert saved["test_last@64"].null_count() == 3
    assert saved.equals(grid_point_table(sweep, tmp_path))
    assert json.loads((folder / "best.json").read_text())["model.depth"] == 1
    assert json.loads((folder / "sweep.json").read_text())["grid"] == {
        "model.depth": ["1", "2"],
        "model.n_heads": ["1", "2"],
    }
    assert {"heatmap.png", "heatmap.svg", "curves.png"} <= {path.name for path in folder.iterdir()}
    assert is_sweep(folder)
    assert not is_sweep(tmp_path / done.id)  # although a run's measurements are in a file of the same name
    assert [run.id for run in runs_of(folder)] == [done.id]
    assert "nan" not in (folder / "heatmap.svg").read_text().lower()


def test_settings_that_are_lists_are_told_apart(tiny, um_data, tmp_path):
    sweep = swept(tiny.replace(data=um_data), "data.test_moduli=[32],[32,27]", "model.depth=1,2")
    combined = combinations(sweep, pretend(sweep, [0.1, 0.2, 0.4, 0.3], [0.5] * 4))
    assert len(combined) == 4
    assert choose(combined)["data.test_moduli"] == [32, 27]
    for spec in sweep.points[:2]:
        execute(create_run(spec, tmp_path, []))
        measured_point(measuring.Run.open(tmp_path / spec.id), 16)
    best = save_sweep(sweep, tmp_path, []).best
    assert best["runs"] == [spec.id for spec in sweep.points if spec.config.model.depth == best["model.depth"]][:1]


def test_a_map_without_any_value_can_be_drawn(tmp_path):
    blank = [[math.nan, math.nan]]
    save_panels([MapPanel("", "", "", blank, ["1", "2"], [""], written=True, limits=(None, None))], tmp_path / "blank")
    assert (tmp_path / "blank.png").is_file()


def test_the_same_grid_has_the_same_name_and_another_has_another(tiny):
    name = swept(tiny, "model.depth=1,2").name
    assert swept(tiny, "model.depth=1,2", seeds=2).name == name
    assert swept(tiny, "model.depth=1,2,3").name != name
    assert swept(tiny.replace(steps=13), "model.depth=1,2").name != name


@pytest.mark.slow
def test_a_sweep_in_python_records_the_command_that_makes_it_again(tmp_path, capsys):
    changes = {"model": {"d_model": 8}, "sequences": 16, "workers": 1, "runs": tmp_path}
    found = unrandom.sweep("quadratic-smoke", {"steps": [2, 4]}, **changes)
    assert "steps=" in str(found)
    recorded = shlex.split(json.loads((found.folder / "sweep.json").read_text())["command"])
    assert recorded[:2] == ["unrandom", "sweep"]
    capsys.readouterr()
    assert main([*recorded[1:], "--dry-run", "--json"]) == 0
    planned = json.loads(capsys.readouterr().out)["grid_points"]
    assert [(each["run"], each["status"]) for each in planned] == [
        (run.id, "finished") for run in runs_of(found.folder)
    ]
