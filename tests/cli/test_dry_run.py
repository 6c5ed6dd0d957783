"""``reproduce --dry-run`` says what training would cost, by trial steps, and trains and writes nothing."""

import json
from dataclasses import replace

import pytest
import torch

from unrandom.cli import dry_run, main, trials
from unrandom.cli.trials import Trial
from unrandom.core.errors import UserError
from unrandom.evaluation.during_training import PROBES
from unrandom.experiments.registry import EXPERIMENTS
from unrandom.runs.running.execution import create_run, execute
from unrandom.runs.spec import with_ancestors
from unrandom.training.checkpoint import saved_step
from unrandom.training.estimate import estimate

CPU = torch.device("cpu")


@pytest.fixture
def command(tmp_path, monkeypatch):
    """The arguments of a dry run at the scale smoke, in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def arguments(*words):
        return ["reproduce", *words, "--scale", "smoke", "--dry-run"]

    return arguments


@pytest.fixture
def known(monkeypatch):
    """Nothing is timed: a step takes a second, an evaluation none."""
    trial = Trial(step_seconds=1.0, sequence_seconds=0.0, rows=4)
    monkeypatch.setattr(dry_run, "measure", lambda configs, device: [trial] * len(configs))


def answer(capsys, arguments):
    assert main([*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_a_line_per_group_of_equal_runs_and_the_total(command, tmp_path, capsys):
    threads = torch.get_num_threads()
    assert main(command("fm-primes", "tokenization", "--seeds", "2", "--workers", "1")) == 0
    out, err = capsys.readouterr()
    heading, *lines = out.splitlines()
    assert heading.split("  ")[0] == "run"
    assert heading.endswith("core-hours")
    assert [line.split()[0] for line in lines[:2]] == ["fm-13-depth2", "fm-16-depth2"]
    assert "2 x 16, 12 tokens of 13, batch 32  2     30          60" in lines[0]
    assert lines[2] == "total     4 runs, 0 finished; 120 steps to go"
    assert "core-hours; with 1 worker of one thread about" in lines[3]
    assert lines[4].endswith("to go of 1.88 GFLOP in training, in closed form")
    assert err == "timing a few steps of 2 configurations ...\n"
    assert torch.get_num_threads() == threads
    assert list(tmp_path.iterdir()) == [], "nothing is written"


def test_the_numbers_add_up(command, tmp_path, capsys):
    found = answer(capsys, command("fm-primes", "--seeds", "3", "--workers", "2"))
    planned = EXPERIMENTS["fm-primes"].runs("smoke", 3)
    assert sorted(run for group in found["groups"] for run in group["runs"]) == sorted(spec.id for spec in planned)
    assert found["flops"] == found["flops_left"] == sum(spec.flops for spec in planned)
    for group in found["groups"]:
        steps, evaluations = group["steps_left"], group["evaluations_left"]
        assert (steps, evaluations, group["timed_batch"]) == (3 * 30, 3 * 6, 32)
        assert group["step_seconds"] > 0
        seconds = steps * group["step_seconds"] + evaluations * group["evaluation_seconds"]
        assert group["core_hours"] == pytest.approx(seconds / 3600)
    total = found["core_hours"]
    assert total == pytest.approx(sum(group["core_hours"] for group in found["groups"]))
    assert total / 2 <= found["hours"] * (1 + 1e-9) <= total * (1 + 2e-9)
    assert found["gpu"] is None
    assert list(tmp_path.iterdir()) == []


def test_finished_runs_cost_nothing_and_begun_ones_what_is_left(command, known, tmp_path, capsys):
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
    assert found["core_hours"] == pytest.approx(left / 3600)
    assert (found["flops"], found["flops_left"]) == (2 * first.flops, left * first.config.step_flops)
    assert sorted(tmp_path.rglob("*")) == files
    assert main(command("fm-invariance", "--seeds", "1")) == 0
    out, err = capsys.readouterr()
    assert "1 (1 finished)  30          0            -         -           0\n" in out
    assert "total     1 run, 1 finished; 0 steps to go" in out
    assert err == ""


def test_runs_from_which_others_start_are_counted(command, known, monkeypatch, capsys):
    wanted = EXPERIMENTS["fm-scaling"].runs("smoke", 1)
    needed = with_ancestors(wanted)
    assert len(needed) > len(wanted)
    monkeypatch.setattr(dry_run, "physical_cores", lambda: 100)
    found = answer(capsys, command("fm-scaling", "--seeds", "1", "--workers", "100"))
    assert found["runs"] == len(needed)
    assert {run for group in found["groups"] if group["for_others"] for run in group["runs"]} == {
        each.id for each in needed
    } - {each.id for each in wanted}
    chains = [sum(each.config.steps for each in (*spec.ancestors(), spec)) for spec in needed]
    assert found["hours"] == pytest.approx(max(chains) / 3600), "a run waits for those from which it starts"
    assert main(command("fm-scaling", "--seeds", "1")) == 0
    assert "others start from it" in capsys.readouterr().out


def test_more_workers_than_cores_are_no_faster(command, known, monkeypatch, capsys):
    monkeypatch.setattr(dry_run, "physical_cores", lambda: 2)
    found = answer(capsys, command("fm-primes", "--workers", "8"))
    assert found["hours"] == pytest.approx(found["core_hours"] / 2)


def test_the_paper_s_scale_has_the_hours_of_a_gpu_too(command, known, monkeypatch, capsys):
    def with_little_memory(*arguments, **how):
        return replace(estimate(*arguments, **how), available=10**9)

    monkeypatch.setattr(dry_run, "estimate", with_little_memory)
    arguments = ["reproduce", "fm-scaling", "--scale", "paper", "--dry-run"]
    found = answer(capsys, arguments)
    assert found["gpu"]["hours"] == pytest.approx(found["flops_left"] / 0.4 / 790e12 / 3600)
    assert main(arguments) == 0
    out = capsys.readouterr().out
    assert "hours of one NVIDIA H200 at 40% of 790 TFLOP/s: computed from the operations, not measured" in out
    assert "from a batch of 4, needs " in out
    assert " of memory, 1 GB are free" in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--archived"], "--archived trains nothing"),
        (["--from-tables"], "--from-tables trains nothing"),
        (["--run", "latest"], "--run trains nothing"),
        (["--engine", "ray"], "leave out --engine ray"),
        (["--slurm", "partition=gpu"], "leave out --slurm"),
        (["--gpus-per-run", "1"], "leave out --gpus-per-run"),
        (["--pack", "4"], "leave out --pack"),
        (["--threads", "2"], "leave out --threads"),
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


def test_a_long_step_is_timed_with_fewer_sequences(tiny):
    config = tiny.replace(data={"context": 512}, batch_size=64)
    assert trials.trial_rows(config, config.step_flops, CPU) == 64
    assert trials.trial_rows(config, config.step_flops / 3, CPU) == 16
    assert trials.trial_rows(config, 1.0, CPU) == 2, "but with some thousand tokens"


def test_a_step_that_does_not_fit_into_memory_is_timed_with_fewer_sequences(tiny, monkeypatch):
    config = tiny.replace(data={"context": 512}, batch_size=64)
    monkeypatch.setattr(trials, "available_memory", lambda: 2 * trials.step_memory(config, ranks=1, device=CPU).total)
    assert trials.trial_rows(config, config.step_flops, CPU) == 64
    monkeypatch.setattr(trials, "available_memory", lambda: trials.step_memory(config, ranks=1, device=CPU).total)
    assert trials.trial_rows(config, config.step_flops, CPU) == 16, "what does not depend on the batch needs room, too"
    monkeypatch.setattr("unrandom.training.estimate.available_memory", lambda: 1000)
    with pytest.raises(UserError, match="this run needs"):
        trials.trial_rows(config, config.step_flops, CPU)


def test_the_update_of_the_weights_is_not_scaled(tiny, monkeypatch):
    monkeypatch.setattr(trials, "interleaved", lambda *actions, **_: [0.5, 0.1][: len(actions)])
    monkeypatch.setattr(trials, "LEAST_TOKENS", 4 * tiny.data.context)
    monkeypatch.setattr(trials, "SHORTEST", 0.0)
    monkeypatch.setattr(trials, "ALL_SECONDS", 0.0)
    (trial,) = trials.measure([tiny], CPU)
    assert (tiny.batch_size, trial.rows) == (16, 4)
    assert trial.step_seconds == pytest.approx(0.1 + 0.4 * 16 / 4)
    assert trial.sequence_seconds == 0.5
    assert trial.evaluation_seconds(tiny) == 0.5 * (32 + PROBES)


def test_fewer_rows_are_the_first_of_the_batch(tiny):
    batches = trials.trial_stepper(tiny, trials.build_model(tiny, CPU)).batches
    few = trials.FirstRows(batches, 3)
    assert few.tokens(5).tolist() == batches.tokens(5)[:3].tolist()
    assert len(few.probe(7)) == 7
