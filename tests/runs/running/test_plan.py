"""A sweep's plan: every combination once, what is wrong is found before anything runs, and what can be packed is."""

import pytest

from unrandom.core.errors import UserError
from unrandom.runs.running.plan import cost_text, grid_points, pack_jobs, parse_grid, run_state, settings_of
from unrandom.runs.spec import RunSpec


def test_values_are_split_at_the_commas_outside_brackets():
    grid = parse_grid(["model.depth=1,2", "data.test_moduli=[64,81], [125]"])
    assert dict(grid) == {"model.depth": ("1", "2"), "data.test_moduli": ("[64,81]", "[125]")}


@pytest.mark.parametrize(
    ("grid", "said"),
    [
        (["model.depth"], "--grid takes key=value"),
        (["model.depth="], "--grid takes key=value"),
        (["model.depth=1,,2"], "--grid takes key=value"),
        (["=1"], "--grid takes key=value"),
        (["model.depth=1", "model.depth=2"], "twice"),
        (["model.depth=1,1"], "one value twice"),
        (["seed=1,2"], "--seeds K does"),
    ],
)
def test_a_grid_that_is_unclear_is_refused(grid, said):
    with pytest.raises(UserError, match=said):
        parse_grid(grid)


def test_cells_are_every_combination_with_every_seed(tiny):
    made = grid_points("tiny", tiny, parse_grid(["model.depth=1,2", "optimizer.lr=1e-3,1"]), 2)
    assert [tuple(spec.labels.values()) for spec in made] == [
        (depth, rate, seed) for depth in (1, 2) for rate in (0.001, 1.0) for seed in (0, 1)
    ]
    assert len({cell.id for cell in made}) == 8
    assert settings_of(made[0]) == "model.depth=1 optimizer.lr=0.001 seed=0"


@pytest.mark.parametrize(
    ("grid", "said"),
    [
        ("model.deph=1,2", "near misses: model.depth"),
        ("model.depth=1,two", "two"),
        ("model.n_heads=1,3", "n_heads=3"),
        ("data.n_test_c=8,100000", "n_test_c=100000"),
        ("data.n_test_c=8,1", "2"),  # none is left to choose by
        ("data.min_period=8,1000", "no training parameters"),
        ("data.n_test_c=8,64", "increments"),
        ("optimizer.lr=1,1.0", "same run twice"),
    ],
)
def test_what_does_not_fit_is_found_at_once(tiny, grid, said):
    with pytest.raises(UserError, match=said):
        grid_points("tiny", tiny, parse_grid([grid]), 1)


def test_lists_of_test_moduli_are_settings_too(tiny, um_data):
    config = tiny.replace(data=um_data)
    made = grid_points("um", config, parse_grid(["data.test_moduli=[32,27],[25]"]), 1)
    assert [cell.labels["data.test_moduli"] for cell in made] == [[32, 27], [25]]


def test_only_runs_of_one_shape_are_packed_and_the_order_is_kept(tiny):
    runs = grid_points("t", tiny, parse_grid(["model.depth=1,2", "optimizer.lr=1,2,3"]), 1)
    assert [job.runs for job in pack_jobs(runs)] == [(run,) for run in runs]
    packed = pack_jobs(runs, pack=2)
    assert [job.runs for job in packed] == [tuple(runs[:2]), (runs[2],), tuple(runs[3:5]), (runs[5],)]
    assert len(pack_jobs(runs, pack=10)) == 2


def test_the_state_of_a_run_and_the_cost_of_a_plan(finished_run, tiny, tmp_path):
    out = finished_run.folder.path.parent
    done, other = (RunSpec("tiny", tiny.replace(seed=seed)) for seed in (0, 1))
    assert [run_state(done, out), run_state(other, out)] == ["finished", "new"]
    assert cost_text([done, other], out).startswith("2 runs, 1 finished; ")
    (tmp_path / other.id).mkdir()
    (tmp_path / other.id / "manifest.json").touch()
    assert run_state(other, tmp_path) == "part way"
    (tmp_path / other.id / "error.json").touch()
    assert run_state(other, tmp_path) == "failed"
