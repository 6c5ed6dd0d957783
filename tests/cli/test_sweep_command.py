"""``sweep`` plans, trains, chooses and draws; kills, full disks and parallel sweeps lose and repeat no work."""

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from sweeping import PATIENCE, children, holder, steps_measured, synchronize
from unrandom.cli import main

GRID = ["--grid", "model.depth=1,2", "--grid", "model.n_heads=1,2"]


@pytest.fixture
def sweep(tiny_settings):
    return ["sweep", "fm-256", *tiny_settings(), *GRID, "--sequences", "16", "--threads", "1", "--workers", "2"]


def unrandom(arguments: list[str], out: Path) -> subprocess.Popen:
    command = [sys.executable, "-m", "unrandom", *arguments, "--runs", str(out)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def runs(out: Path) -> list[Path]:
    return sorted(path.parent for path in out.glob("*/manifest.json"))


def test_plan_then_train_then_nothing_is_left(sweep, tmp_path, capsys):
    out = tmp_path / "runs"
    assert main([*sweep, "--runs", str(out), "--dry-run", "--json"]) == 0
    plan = json.loads(capsys.readouterr().out)
    assert [row["status"] for row in plan["grid_points"]] == ["new"] * 4
    assert plan["flops_left"] == plan["flops"] == sum(row["flops"] for row in plan["grid_points"])
    assert not out.exists()
    assert main([*sweep, "--runs", str(out), "--json"]) == 0
    captured = capsys.readouterr()
    done = json.loads(captured.out)
    assert [row["status"] for row in done["grid_points"]] == ["finished"] * 4
    assert (done["left"], done["failed"]) == (0, 0)
    assert done["best"]["validation_last"] == max(row["validation_last"] for row in done["grid_points"])
    assert "grid point 4 of 4 finished: model." in captured.err
    assert (Path(done["sweep"]) / "heatmap.png").is_file()
    assert main([*sweep, "--runs", str(out)]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""  # nothing is left to train
    assert "best    model.depth=" in captured.out
    assert main([*sweep, "--runs", str(out), "--dry-run"]) == 0
    assert "4 runs, 4 finished; 0.0e+00 of" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("grid", "message"),
    [
        ("model.deph=1,2", "near misses: model.depth"),
        ("model.positions=rotary,deep", "deep"),
        ("model.depth", "--grid takes key=value"),
        ("data.n_test_c=8,100000", "n_test_c=100000"),
        ("data.min_period=8,1000", "data.min_period"),
    ],
)
def test_a_grid_that_does_not_fit_is_one_line_and_no_folder(sweep, tmp_path, capsys, grid, message):
    out = tmp_path / "runs"
    assert main([*sweep, "--grid", grid, "--runs", str(out)]) == 2
    err = capsys.readouterr().err
    assert message in err
    assert err.count("\n") == 1
    assert not out.exists()


@pytest.mark.parametrize("share", ["1.5", "2.25"])
def test_part_of_a_second_gpu_is_refused(sweep, tmp_path, capsys, share):
    assert main([*sweep, "--runs", str(tmp_path / "runs"), "--gpus-per-run", share, "--dry-run"]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert "a share of one GPU or a whole number is allowed" in err


@pytest.fixture
def read_only(small_disk):
    (small_disk / "runs").mkdir()
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    return small_disk


@pytest.mark.parametrize("engine", [(), ("--engine", "slurm", "--slurm", "cluster=local")])
def test_a_folder_that_cannot_be_written_is_one_line(sweep, read_only, engine, capfd):
    if engine:
        pytest.importorskip("submitit", reason="the sweep extra is not installed")
    for out in ("runs", "new"):
        assert main([*sweep, *engine, "--runs", str(read_only / out)]) == 2
        err = capfd.readouterr().err
        assert err.count("\n") == 1
        assert err.startswith("unrandom: cannot ")


def test_a_missing_sbatch_is_one_line_and_no_folder(sweep, tmp_path, capsys, monkeypatch):
    pytest.importorskip("submitit", reason="the sweep extra is not installed")
    monkeypatch.setenv("PATH", "/nowhere")
    assert main([*sweep, "--runs", str(tmp_path / "runs"), "--engine", "slurm"]) == 2
    assert "needs sbatch" in capsys.readouterr().err
    assert not (tmp_path / "runs").exists()


def test_without_the_extra_an_engine_says_so(sweep, tmp_path, capsys, monkeypatch):
    for engine, package in (("ray", "ray"), ("slurm", "submitit")):
        monkeypatch.setitem(sys.modules, package, None)
        assert main([*sweep, "--runs", str(tmp_path / "runs"), "--engine", engine]) == 2
        assert "pip install 'unrandom[sweep]'" in capsys.readouterr().err


@pytest.mark.slow
def test_out_of_time_says_what_is_left_and_the_same_command_goes_on(sweep, tmp_path, capsys):
    assert main([*sweep, "--runs", str(tmp_path), "--max-minutes", "0", "--json"]) == 0
    captured = capsys.readouterr()
    assert "the time is up; 4 grid points are left" in captured.err
    assert json.loads(captured.out)["left"] == 4
    assert main([*sweep, "--runs", str(tmp_path), "--json", "--pack", "2"]) == 0
    assert json.loads(capsys.readouterr().out)["left"] == 0


@pytest.mark.slow
def test_a_failed_grid_point_is_one_row_and_the_others_are_finished(sweep, tmp_path, capsys):
    assert main([*sweep, "--runs", str(tmp_path), "--dry-run", "--json"]) == 0
    bad = tmp_path / json.loads(capsys.readouterr().out)["grid_points"][0]["run"]
    bad.mkdir()
    (bad / "manifest.json").write_text("{}")
    (bad / "metrics.jsonl").write_text("no metrics\n")
    assert main([*sweep, "--runs", str(tmp_path)]) == 0
    captured = capsys.readouterr()
    assert f"failed: {bad}/metrics.jsonl: line 1 is not JSON" in captured.err
    assert f"{bad.name}  user error: {bad}/metrics.jsonl: line 1 is not JSON" in captured.out
    shutil.rmtree(bad)
    assert main([*sweep, "--runs", str(tmp_path), "--json"]) == 0  # the failed run is tried again
    assert [row["error"] for row in json.loads(capsys.readouterr().out)["grid_points"]] == [None] * 4


@pytest.mark.slow
def test_a_killed_sweep_leaves_no_worker_and_goes_on_where_it_was(sweep, tmp_path):
    slow = [*sweep, "--set", "steps=60", "--set", "checkpoint_every=5"]
    with unrandom(slow, tmp_path) as killed:
        synchronize(lambda: list(tmp_path.glob("*/result.json")))
        below = children(killed.pid)
        killed.send_signal(signal.SIGKILL)
        killed.wait()
    finished = {path: path.stat().st_mtime_ns for path in tmp_path.glob("*/result.json")}
    assert len(below) >= 2
    synchronize(lambda: not any(_alive(process) for process in below))
    with unrandom([*slow, "--json"], tmp_path) as again:
        out, err = again.communicate(timeout=PATIENCE)
    assert again.returncode == 0, err
    assert [row["status"] for row in json.loads(out)["grid_points"]] == ["finished"] * 4
    assert all(path.stat().st_mtime_ns == before for path, before in finished.items())
    assert all(steps_measured(run) == list(range(3, 61, 3)) for run in runs(tmp_path))


def _alive(process: int) -> bool:
    try:
        return "(zombie)" not in Path(f"/proc/{process}/status").read_text()
    except OSError:
        return False


@pytest.mark.slow
def test_two_sweeps_at_once_train_nothing_twice(sweep, tmp_path):
    slow = [*sweep, "--set", "steps=60", "--json"]
    with unrandom(slow, tmp_path) as one, unrandom(slow, tmp_path) as two:
        answers = [each.communicate(timeout=PATIENCE) for each in (one, two)]
    assert [one.returncode, two.returncode] == [0, 0], answers
    for out, _ in answers:
        assert [row["status"] for row in json.loads(out)["grid_points"]] == ["finished"] * 4
    assert len(runs(tmp_path)) == 4
    for run in runs(tmp_path):
        assert steps_measured(run) == list(range(3, 61, 3))
        seconds = [json.loads(line)["seconds"] for line in (run / "metrics.jsonl").read_text().splitlines()]
        assert seconds == sorted(seconds)  # one clock: one training


@pytest.mark.slow
def test_after_an_interrupt_no_worker_is_left(sweep, tmp_path):
    with unrandom([*sweep, "--set", "steps=100000"], tmp_path) as running:
        worker = synchronize(lambda: next((held for run in runs(tmp_path) if (held := holder(run))), None))
        running.send_signal(signal.SIGINT)
        _, err = running.communicate(timeout=PATIENCE)
    assert running.returncode == 130
    assert err.splitlines()[-1].startswith("unrandom: interrupted")
    assert "Traceback" not in err
    assert not _alive(worker)


@pytest.fixture
def small_disk(tmp_path):
    mounted = tmp_path / "disk"
    mounted.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=300k", "none", str(mounted)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("2026-11-21: a file system of its own can be mounted by root alone")
    yield mounted
    subprocess.run(["umount", str(mounted)], check=True)


@pytest.mark.slow
def test_a_full_disk_stops_the_sweep_in_one_line(sweep, small_disk):
    with unrandom(sweep, small_disk / "runs") as running:
        _, err = running.communicate(timeout=PATIENCE)
    assert running.returncode == 1
    last = [line for line in err.splitlines() if not line.startswith("grid point ")]
    assert len(last) == 1, err
    assert "No space left on device" in last[0]
    assert not list((small_disk / "runs").glob("*/error.json"))


def test_a_sweep_of_failures_is_one(sweep, tmp_path, capsys):
    assert main([*sweep, "--runs", str(tmp_path), "--dry-run", "--json"]) == 0
    for point in json.loads(capsys.readouterr().out)["grid_points"]:
        (tmp_path / point["run"]).mkdir()
        (tmp_path / point["run"] / "manifest.json").write_text("{}")
        (tmp_path / point["run"] / "metrics.jsonl").write_text("no metrics\n")
    assert main([*sweep, "--runs", str(tmp_path)]) == 1
    assert "(and 3 more failed)" in capsys.readouterr().err
    assert list((tmp_path / "sweeps").glob("*/grid_points.parquet"))


def test_operations_above_2_to_63_are_added_exactly(tmp_path, capsys):
    rates = ",".join(f"{k}e-3" for k in range(1, 9))
    command = ["sweep", "um-2048", "--grid", f"optimizer.lr={rates}", "--seeds", "2", "--runs", str(tmp_path)]
    assert main([*command, "--dry-run", "--json"]) == 0
    planned = json.loads(capsys.readouterr().out)
    assert planned["flops"] == planned["flops_left"] == sum(point["flops"] for point in planned["grid_points"]) > 2**63
