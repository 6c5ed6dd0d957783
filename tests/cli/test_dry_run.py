"""``reproduce --dry-run`` says what training would cost, from closed forms, and trains and writes nothing."""

import json
from dataclasses import replace

import pytest

from unrandom.cli import dry_run, main
from unrandom.experiments.registry import EXPERIMENTS
from unrandom.runs.running.execution import create_run, execute
from unrandom.runs.spec import with_ancestors
from unrandom.training.checkpoint import saved_step
from unrandom.training.estimate import core_seconds, estimate


@pytest.fixture
def command(tmp_path, monkeypatch):
    """The arguments of a dry run at the scale smoke, in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def arguments(*words):
        return ["reproduce", *words, "--scale", "smoke", "--dry-run"]

    return arguments


def answer(capsys, arguments):
    assert main([*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_a_line_per_group_of_equal_runs_and_the_total(command, tmp_path, capsys):
    assert main(command("fm-primes", "tokenization", "--seeds", "2")) == 0
    out, err = capsys.readouterr()
    heading, *lines = out.splitlines()
    assert heading.split("  ")[0] == "run"
    assert heading.endswith("core-hours")
    assert [line.split()[0] for line in lines[:2]] == ["fm-13-depth2", "fm-16-depth2"]
    assert "2 x 16, 12 tokens of 13, batch 32  2     30          60" in lines[0]
    assert lines[2:] == [
        "total     4 runs, 0 finished; 120 steps to go",
        "compute   1.88 GFLOP to go of 1.88 GFLOP in training",
        "time      roughly 25 ms of one core, at 75 GFLOP/s: within a factor of two",
        "computed from the operations of training, not measured",
    ]
    assert err == ""
    assert list(tmp_path.iterdir()) == [], "nothing is written"


def test_the_numbers_add_up(command, tmp_path, capsys):
    found = answer(capsys, command("fm-primes", "--seeds", "3"))
    planned = EXPERIMENTS["fm-primes"].runs("smoke", 3)
    assert sorted(run for group in found["groups"] for run in group["runs"]) == sorted(spec.id for spec in planned)
    assert found["flops"] == found["flops_left"] == sum(spec.flops for spec in planned)
    for group in found["groups"]:
        assert group["steps_left"] == 3 * 30
        assert group["core_hours"] == pytest.approx(core_seconds(group["flops_left"]) / 3600)
    assert found["core_hours"] == pytest.approx(sum(group["core_hours"] for group in found["groups"]))
    assert found["gpu"] is None
    assert list(tmp_path.iterdir()) == []


def test_finished_runs_cost_nothing_and_begun_ones_what_is_left(command, tmp_path, capsys):
    first, second = EXPERIMENTS["fm-invariance"].runs("smoke", 2)
    execute(create_run(first, tmp_path / "runs", []))
    calls = iter(range(100))
    begun = create_run(second, tmp_path / "runs", [])
    execute(begun, stop=lambda: next(calls) >= 9)
    files = sorted(tmp_path.rglob("*"))
    found = answer(capsys, command("fm-invariance", "--seeds", "2"))
    left = second.config.steps - saved_step(begun.folder)
    assert 0 < left < second.config.steps
    assert (found["runs"], found["finished"], found["steps_left"]) == (2, 1, left)
    assert (found["flops"], found["flops_left"]) == (2 * first.flops, left * first.config.step_flops)
    assert sorted(tmp_path.rglob("*")) == files
    assert main(command("fm-invariance", "--seeds", "1")) == 0
    out, _ = capsys.readouterr()
    assert "1 (1 finished)  30          0            0\n" in out
    assert "total     1 run, 1 finished; 0 steps to go" in out


def test_runs_from_which_others_start_are_counted(command, capsys):
    wanted = EXPERIMENTS["fm-skipping"].runs("smoke", 1)
    needed = with_ancestors(wanted)
    assert len(needed) > len(wanted)
    found = answer(capsys, command("fm-skipping", "--seeds", "1"))
    assert found["runs"] == len(needed)
    assert {run for group in found["groups"] if group["for_others"] for run in group["runs"]} == {
        each.id for each in needed
    } - {each.id for each in wanted}
    assert main(command("fm-skipping", "--seeds", "1")) == 0
    assert "others start from it" in capsys.readouterr().out


def test_the_paper_s_scale_has_the_hours_of_a_gpu_too(command, monkeypatch, capsys):
    def with_little_memory(*arguments, **how):
        return replace(estimate(*arguments, **how), available=10**9)

    monkeypatch.setattr(dry_run, "estimate", with_little_memory)
    arguments = ["reproduce", "fm-scaling", "--scale", "paper", "--dry-run"]
    found = answer(capsys, arguments)
    assert found["gpu"]["hours"] == pytest.approx(found["flops_left"] / 0.4 / 790e12 / 3600)
    assert main(arguments) == 0
    out = capsys.readouterr().out
    assert "hours of one NVIDIA H200 at 40% of 790 TFLOP/s" in out
    assert " of memory, 1 GB are free" in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--archived"], "--archived trains nothing"),
        (["--from-tables"], "--from-tables trains nothing"),
        (["--run", "latest"], "--run trains nothing"),
        (["--all"], "--all is every experiment"),
    ],
)
def test_what_is_refused(words, message, command, tmp_path, capsys):
    assert main(command("fm-primes", *words)) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []
