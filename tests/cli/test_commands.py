"""Each command answers as text or as one JSON object; a mistake of the user is one line and exit status 2."""

import io
import json
import shutil
import subprocess
import sys

import pytest

import unrandom
from unrandom.bench import device, device_checks
from unrandom.cli import main
from unrandom.cli.commands import COMMANDS
from unrandom.runs.run import Run
from unrandom.training import estimate
from unrandom.training.checkpoint import checkpoint_to_resume

RATE = "fraction of the matrix rate"


@pytest.fixture
def run(finished_run, tmp_path):
    """A copy of a finished run that a test may change."""
    return shutil.copytree(finished_run.folder.path, tmp_path / finished_run.id)


def answer(capsys, *arguments):
    """The JSON object that a command prints, and nothing else on standard output."""
    assert main([*map(str, arguments), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def mistake(capsys, *arguments):
    """The one line on standard error after a mistake of the user."""
    try:
        status = main([str(argument) for argument in arguments])
    except SystemExit as left:
        status = left.code
    out, err = capsys.readouterr()
    assert status == 2, err
    assert out == ""
    assert err.count("\n") == 1, err
    assert "Traceback" not in err
    return err


@pytest.mark.parametrize("command", COMMANDS)
def test_help_shows_an_example(command, capsys):
    with pytest.raises(SystemExit) as left:
        main([command, "--help"])
    assert left.value.code == 0
    example = "unrandom lcg" if command == "predict" else f"unrandom {command}"
    shown = " ".join(capsys.readouterr().out.split())
    assert f"example: {example}" in shown or f"examples: {example}" in shown


def test_help_and_training_import_nothing_heavy():
    light = (
        "import sys, unrandom.cli.commands as commands; [commands.module_of(name) for name in commands.COMMANDS]; "
        "print(*sorted(sys.modules))"
    )
    training = "import sys; from unrandom.cli import main; main(['train', 'no recipe']); print(*sorted(sys.modules))"
    listing = "import sys; from unrandom.cli import main; main(['train', '--list']); print(*sorted(sys.modules))"
    experiments = training.replace("['train', 'no recipe']", "['reproduce', '--list']")
    drawing = {"matplotlib", "plotly", "jinja2", "sympy", "flint", "polars", "gradio", "ray", "unrandom.report"}
    for program, forbidden in (
        (light, {"torch", "numpy", "pydantic", "rich"}),
        (listing, {"torch", "rich", "scipy", "unrandom.predictors.algebraic"} | drawing),
        (experiments, {"torch", "numpy"} | drawing),  # their modules are read, and not imported
        (training, drawing),
    ):
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        assert not forbidden & set(done.stdout.split())
    assert "torch" in done.stdout.split()  # the last program did reach the import of torch


def test_no_command_is_answered_with_the_help(capsys):
    with pytest.raises(SystemExit) as left:
        main([])
    assert left.value.code == 0
    out, err = capsys.readouterr()
    assert "Start with: unrandom demo" in out
    assert err == ""


def test_train_then_resume_then_evaluate_then_report(tmp_path, capsys, tiny_settings):
    out = ("--runs", tmp_path / "runs")
    stopped = answer(capsys, "train", "fm-256", *tiny_settings(), *out, "--max-minutes", "0")
    assert (stopped["steps"], stopped["finished"]) == (1, False)
    finished = answer(capsys, "resume", stopped["run"])
    assert (finished["steps"], finished["finished"]) == (6, True)
    assert {"run", "steps", "train_loss", "last_number_accuracy"} <= set(finished)
    assert set(stopped["estimate"]) == {"flops", "memory_bytes", "seconds"}
    assert 6 * finished["estimate"]["flops"] == 5 * stopped["estimate"]["flops"]  # of the steps that were left
    again = answer(capsys, "train", "fm-256", *tiny_settings(), *out)
    assert again == {**finished, "estimate": None}
    (tested,) = answer(capsys, "evaluate", finished["run"], "--sequences", 40)["evaluation"]
    assert tested["by_position"]["seen"] == list(range(1, 13))
    assert answer(capsys, "report", finished["run"])["report"].endswith("report.html")


def test_what_training_costs_is_said_before_and_after_its_first_steps(tmp_path, capsys, monkeypatch, tiny_settings):
    monkeypatch.setattr(estimate, "ENOUGH_SECONDS", 0.0)
    settings = tiny_settings(steps=20, evaluate_every=10)
    assert main(["train", "fm-256", *settings, "--runs", str(tmp_path), "--json"]) == 0
    out, err = capsys.readouterr()
    lines = err.splitlines()
    assert [line.split()[0] for line in lines] == ["about", "memory", "making", "about", "step", "step"]
    assert lines[2] == "making the data, then timing the first steps ..."
    assert " for 20 steps: " in lines[3]
    assert " per step as measured, and an evaluation of " in lines[3]
    assert "; starting took " in lines[3]
    expected = json.loads(out)["estimate"]
    assert expected["seconds"] is not None
    assert set(expected) == {"flops", "memory_bytes", "seconds"}


def test_demo(tmp_path, capsys, tiny_settings):
    made = answer(capsys, "demo", *tiny_settings(), "--runs", tmp_path)
    assert set(made) == {
        "run", "report", "steps", "train_seconds", "last_number_accuracy", "number_accuracy_by_position",
    }  # fmt: skip
    assert len(made["number_accuracy_by_position"]) == 12
    assert main(["demo", *tiny_settings(), "--runs", str(tmp_path)]) == 0
    assert "file://" in capsys.readouterr().out


def test_the_seed_is_part_of_the_run(tmp_path, capsys, tiny_settings):
    train = ("train", "fm-256", *tiny_settings(), "--runs", tmp_path, "--max-minutes", 0)
    assert answer(capsys, *train, "--seed", 0)["run"] != answer(capsys, *train, "--seed", 1)["run"]


def test_the_recipes_are_listed_with_their_cost(capsys):
    recipes = answer(capsys, "train", "--list")["recipes"]
    names = {"fm-256", "fm-2048", "fm-7776", "um-128", "um-2048", "fm-base256", "um-base256"}
    assert names <= {entry["recipe"] for entry in recipes}
    assert all("steps" in entry["cost"] for entry in recipes)


@pytest.mark.parametrize(
    ("text", "shape"),
    [("1\n2\n3\n", (1, 4)), ("1 2 3\n4,5\n\n6\n", (3, 4)), ("7", (1, 4)), ("1, 2, 3", (1, 4))],
)
def test_predict_reads_columns_and_rows(run, capsys, tmp_path, text, shape):
    (tmp_path / "numbers").write_text(text)
    made = answer(capsys, "predict", run, tmp_path / "numbers", "-n", 4)
    assert (len(made["predictions"]), len(made["predictions"][0])) == shape
    assert all(0 <= number < 64 for row in made["predictions"] for number in row)
    assert all(0 < chance <= 1 for row in made["probabilities"] for chance in row)


def test_predict_reads_standard_input(run, capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO("1 2 3"))
    assert len(answer(capsys, "predict", run, "-")["predictions"][0]) == 1


def test_of_more_numbers_than_the_context_the_last_are_used(run, capsys, tmp_path):
    numbers, last = [*range(40), *range(5)], [*range(33, 40), *range(5)]
    (tmp_path / "long").write_text("\n".join(map(str, numbers)))
    (tmp_path / "last").write_text("\n".join(map(str, last)))
    assert main(["predict", str(run), str(tmp_path / "long"), "-n", "3", "--json"]) == 0
    out, err = capsys.readouterr()
    assert "only the last 12 numbers are used: this is the context of the model" in err.splitlines()
    made, last = json.loads(out), answer(capsys, "predict", run, tmp_path / "last", "-n", 3)
    assert made["numbers_used"] == [12]
    assert all(made[name] == last[name] for name in ("predictions", "probabilities", "numbers_used"))
    (tmp_path / "rows").write_text("1 2 3\n" + " ".join(map(str, numbers)))
    assert answer(capsys, "predict", run, tmp_path / "rows")["numbers_used"] == [3, 12]


@pytest.fixture
def orbit(tmp_path):
    """Writes some numbers of an LCG from 5 on, one on each line; returns their file."""

    def write(m, a, c, length=60):
        file = tmp_path / f"{m}-{a}-{c}"
        file.write_text("\n".join(map(str, unrandom.LCG(m, a, c).orbit(5, length))))
        return file

    return write


def predicted(capsys, *arguments):
    """The JSON answer, and the lines on standard error."""
    assert main(["predict", *map(str, arguments), "--json"]) == 0
    out, err = capsys.readouterr()
    return json.loads(out), err.splitlines()


COUNTED = "of your last 32 numbers this model would have guessed"


def test_predict_says_how_reliable_the_model_is_on_these_numbers(capsys, orbit):
    made, lines = predicted(capsys, "fm-256", orbit(256, 5, 3))
    (tried,) = made["tried"]
    assert tried["guessed"] >= 30
    assert lines == [
        f"{COUNTED} {tried['guessed']}, and all of the last 8: rely on its next number; each later number rests on "
        "the ones before it"
    ]
    assert made["suggested"] is None
    others = {"tested": 32, "tested_last": 8, "guessed_last": 8, "verdict": "rely", "enough": 40, "contradiction": None}
    assert tried == {**others, "guessed": tried["guessed"]}


def test_predict_says_what_contradicts_the_task_and_what_to_do_instead(capsys, orbit):
    file = orbit(1000, 21, 7)
    made, lines = predicted(capsys, "fm-2p10", file)
    assert lines == [
        f"{COUNTED} 0, and none of the last 8: do not rely on its next number",
        "warning: no a and c make your numbers modulo 1,024, but x → (21 x + 7) mod 1,000 does",
        f"instead: search for their generator with: unrandom audit {file}",
    ]
    assert (made["tried"][0]["verdict"], made["suggested"]) == ("do not rely", None)
    file = orbit(256, 7, 7)
    made, lines = predicted(capsys, "fm-2p8", file)
    assert lines[-2:] == [
        "warning: your numbers are of x → (7 x + 7) mod 256, which repeats after 64; this model was trained on "
        "sequences that repeat after 256",
        f"instead: fm-256 would have guessed 32 of the last 32: unrandom predict fm-256 {file}",
    ]
    assert made["suggested"] == "fm-256"


def test_a_number_that_the_model_does_not_know_leads_to_one_that_does(capsys, orbit):
    file = orbit(512, 100, 7)
    assert mistake(capsys, "predict", "fm-256", file).endswith(
        "is not from 0 to 255, the numbers this model knows; fm-2048-fast would have guessed 32 of the last 32: "
        f"unrandom predict fm-2048-fast {file}\n"
    )
    file = orbit(2**31 - 1, 16807, 0)
    assert mistake(capsys, "predict", "um-144", file).endswith(
        f"the numbers this model knows; search for their generator with: unrandom audit {file}\n"
    )


def test_of_several_sequences_each_is_tried(capsys, tmp_path):
    rows = [unrandom.LCG(m, a, c).orbit(5, 60) for m, a, c in ((256, 5, 3), (97, 5, 3))]
    (tmp_path / "rows").write_text("\n".join(" ".join(map(str, row)) for row in [*rows, [1, 2]]))
    made, lines = predicted(capsys, "fm-256", tmp_path / "rows")
    assert [each["verdict"] for each in made["tried"]] == ["rely", "do not rely", "too few"]
    assert lines[0] == "each of the 3 lines is a sequence of its own"
    assert [line.split(": ")[0] for line in lines[1:]] == [
        "sequence 1", "sequence 2", "sequence 2", "sequence 3", "instead, for sequence 2",
    ]  # fmt: skip
    (tmp_path / "many").write_text("1 2\n" * 10)
    made, lines = predicted(capsys, "fm-256", tmp_path / "many")
    assert len(made["tried"]) == 10
    assert lines[-1] == "the tests of 2 more sequences are in the answer with --json"


def test_predict_reads_lists_and_logs_as_audit_does(capsys, tmp_path):
    (tmp_path / "list").write_text("[7, 6, 1]")
    assert predicted(capsys, "fm-256", tmp_path / "list")[0]["numbers_used"] == [3]
    (tmp_path / "log").write_text("X0=7\nX1=6\nX2=1\nX3=9\n")
    assert predicted(capsys, "fm-256", tmp_path / "log", "--regex", r"=(\d+)")[0]["numbers_used"] == [4]
    made, lines = predicted(capsys, "fm-256", tmp_path / "log")
    assert made["numbers_used"] == [4]
    assert lines[0].startswith("of each line, as 'X0=7', the part that varies read")
    (tmp_path / "log").write_text("X0=7 Y0=3\nX1=6 Y1=9\nX2=1 Y2=2\n")
    assert "several parts of the lines vary: " in mistake(capsys, "predict", "fm-256", tmp_path / "log")


def test_text_and_json_have_the_same_numbers(run, capsys, tmp_path):
    (tmp_path / "numbers").write_text("1 2 3")
    made = answer(capsys, "predict", run, tmp_path / "numbers", "-n", 2)
    assert main(["predict", str(run), str(tmp_path / "numbers"), "-n", "2"]) == 0
    numbers = [line.split("\t")[0] for line in capsys.readouterr().out.splitlines()]
    assert numbers == [str(number) for number in made["predictions"][0]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "holds no numbers"),
        (" \n\n", "holds no numbers"),
        ("1\ntwo\n", "line 2: 'two' is not a number"),
        ("1.5", "the numbers have decimals"),
        ("1\n64\n", "64 is not from 0 to 63"),
        ("-3", "-3 is not from 0 to 63"),
        ("9" * 39, "is not from 0 to 63"),
        ("١", "is not a number"),
    ],
)
def test_bad_numbers(run, capsys, tmp_path, text, message):
    (tmp_path / "numbers").write_text(text)
    assert message in mistake(capsys, "predict", run, tmp_path / "numbers")


def test_files_that_cannot_be_read(run, capsys, tmp_path):
    assert "does not exist" in mistake(capsys, "predict", run, tmp_path / "nothing")
    assert "cannot be read" in mistake(capsys, "predict", run, tmp_path)
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    assert "is not text" in mistake(capsys, "predict", run, tmp_path / "binary")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--json"], "required"),
        (["trian"], "no command is called 'trian'; near misses: train"),
        (["x"], "no command is called 'x' (see unrandom --help)"),
        (["train"], "name a recipe: fm-256"),
        (["train", "fm256"], "near misses: fm-256"),
        (["train", "fm-256", "--set", "model.dept=2"], "near misses: model.depth"),
        (["train", "fm-256", "--set", "model.d_model=130", "--set", "model.n_heads=4"], "multiple of n_heads=4"),
        (["train", "fm-256", "--set", "data.modulus=0"], "data.modulus=0"),
        (["train", "fm-256", "--set", "data.modulus=1"], "data.modulus=1"),
        (["train", "fm-256", "--set", "data.modulus=-5"], "data.modulus=-5"),
        (["train", "fm-256", "--set", "data.modulus=2^64+1"], "data.modulus='2^64+1'"),
        (["train", "fm-256", "--set", "data.modulus=251"], "251 has 1 full-period multiplier"),
        (["train", "fm-256", "--set", "steps=many"], "steps='many'"),
        (
            ["train", "um-80", "--set", "data.hold_out=both"],
            "data.hold_out='both': input should be 'pairs' or 'values'",
        ),
        (["train", "fm-256", "--set", "optimizer.lr=Infinity"], "optimizer.lr"),
        (["train", "fm-256", "--set", "data.max_period=2^65"], "data.max_period=36893488147419103232"),
        (["train", "fm-256", "--set", "data.regime=um"], "data.regime cannot be set: the task of a recipe is fm"),
        (["train", "fm-256", "--set", "steps=" + "[" * 50_000], "steps='[[["),
        (["train", "fm-256", "--seed", "-1"], "--seed"),
        (["train", "fm-256", "--max-minutes", "soon"], "--max-minutes"),
        (["train", "fm-256", "--stpes", "3"], "unrecognized arguments"),
        (["train", "fm-256", "--runs", "/dev/null/runs"], "cannot create the folder /dev/null/runs"),
        (["resume", "nowhere"], "nowhere is not a run folder"),
        (["evaluate", "nowhere"], "nowhere is not a run folder"),
        (["report", "nowhere"], "nowhere is not a run folder"),
        (["predict", "nowhere", "-"], "nowhere is not a run folder"),
        (["bench", "everything"], "invalid choice"),
        (["bench", "train", "--recipe", "x"], "no recipe is called 'x'"),
    ],
)
def test_mistakes_on_the_command_line(capsys, arguments, message):
    assert message in mistake(capsys, *arguments)


def test_evaluating_what_cannot_be_evaluated(run, capsys):
    assert "writes numbers below 64" in mistake(capsys, "evaluate", run, "--modulus", 65)
    assert "'seven' is not a whole number" in mistake(capsys, "evaluate", run, "--modulus", "seven")
    assert "--sequences" in mistake(capsys, "evaluate", run, "--sequences", 0)


def test_a_manifest_that_was_tampered_with(run, capsys):
    manifest = run / "manifest.json"
    tree = json.loads(manifest.read_text())
    tree["config"]["model"]["n_head"] = 2
    manifest.write_text(json.dumps(tree))
    assert "near misses: model.n_heads" in mistake(capsys, "resume", run)
    manifest.write_text("{")
    assert "is not JSON" in mistake(capsys, "evaluate", run)
    manifest.write_text("[]")
    assert "manifest.json: " in mistake(capsys, "evaluate", run)


def test_a_run_whose_checkpoint_has_another_shape(run, capsys):
    manifest = run / "manifest.json"
    tree = json.loads(manifest.read_text())
    tree["config"]["model"]["d_model"] = 32
    manifest.write_text(json.dumps(tree))
    assert "holds a model with another configuration" in mistake(capsys, "evaluate", run)
    (run / "result.json").unlink()
    assert "does not fit this model" in mistake(capsys, "resume", run)


@pytest.fixture
def common_message(run, capsys, tmp_path):
    """Returns the error message that all the named commands print about the run."""

    def message_of(*names):
        (tmp_path / "numbers").write_text("1 2 3")
        more = {"predict": [tmp_path / "numbers"], "reproduce": []}
        (line,) = {mistake(capsys, name, run, *more.get(name, [])) for name in names}
        return line

    return message_of


def test_a_run_without_a_checkpoint(run, common_message):
    shutil.rmtree(run / "checkpoints")
    message = common_message("evaluate", "predict", "report", "resume")
    assert f"has no checkpoint, though the run is finished; remove {run}/result.json and train again with" in message
    (run / "result.json").unlink()
    message = common_message("evaluate", "predict", "report")
    assert f"{run} has no checkpoint yet; train it with: unrandom resume {run}" in message


def test_a_run_whose_checkpoints_are_all_damaged(run, capsys, common_message):
    whole = answer(capsys, "resume", run)
    for weights in run.glob("checkpoints/*/model.safetensors"):
        weights.write_bytes(weights.read_bytes()[:-7])
    message = common_message("evaluate", "predict", "report", "resume")
    assert f"every checkpoint in {run}/checkpoints is damaged; to train again from the start, remove" in message
    (run / "result.json").unlink()
    assert "result.json" not in common_message("evaluate", "predict", "report", "resume")
    shutil.rmtree(run / "checkpoints")  # as the message advises
    again = answer(capsys, "resume", run)
    different = {"train_seconds", "estimate"}
    assert {k: v for k, v in again.items() if k not in different} == {
        k: v for k, v in whole.items() if k not in different
    }


def test_a_finished_run_whose_newest_checkpoint_is_damaged(run, capsys):
    assert main(["resume", str(run)]) == 0
    assert capsys.readouterr().err == f"{run} is finished; nothing to train\n"
    newest = max(run.glob("checkpoints/*"))
    (newest / "model.safetensors").write_bytes(b"")
    assert main(["resume", str(run)]) == 0
    message = capsys.readouterr().err.splitlines()[-1]
    assert message == (
        f"{run} is finished, but its newest intact checkpoint is of step 9; to train the rest again, "
        f"remove {run}/result.json and then: unrandom resume {run}"
    )


def test_the_run_that_is_named_is_the_one_that_was_given(run, finished_run, capsys):
    assert answer(capsys, "resume", run)["run"] == str(run)
    assert json.loads((run / "result.json").read_text())["run"] == str(finished_run.folder.path)  # where it was made


def test_the_result_of_a_model_that_others_trained_is_completed(run, capsys):
    whole = answer(capsys, "resume", run)
    named = {"recipe": "tiny", "steps": 12, "finished": True, "data_mode": "streaming"}
    (run / "result.json").write_text(json.dumps(named))
    short = answer(capsys, "resume", run)
    assert short == {**dict.fromkeys(whole), **named, "run": str(run)}
    assert main(["resume", str(run)]) == 0


@pytest.mark.slow
def test_a_run_can_be_named_by_less_than_its_folder(run, capsys, monkeypatch, tmp_path, tiny_settings):
    run.rename(tmp_path / "other")
    monkeypatch.chdir(tmp_path)
    made = answer(capsys, "train", "fm-256", *tiny_settings())["run"]
    (tmp_path / "numbers").write_text("1 2 3")
    for name in ("fm-256:newest", "latest", made.removeprefix("runs/")[:-3]):
        assert answer(capsys, "resume", name)["run"] == made
        assert answer(capsys, "evaluate", name, "--sequences", 8)["run"] == made
        assert answer(capsys, "report", name)["run"] == made
        assert answer(capsys, "predict", name, "numbers")["predictions"]
    larger = answer(capsys, "train", "fm-256", *tiny_settings(**{"data.modulus": 128}), "--start-from", "fm-256:newest")
    assert Run.open(larger["run"]).spec.ancestors()[-1].id == made.removeprefix("runs/")
    assert "nowhere is not a run folder" in mistake(capsys, "train", "fm-256", "--start-from", "nowhere")
    assert "nowhere is not a run folder" in mistake(capsys, "reproduce", "fm-staircase", "--run", "nowhere")


@pytest.mark.slow
def test_a_model_of_the_package_is_never_replaced_by_what_was_trained_last(
    tmp_path, monkeypatch, capsys, caplog, tiny_settings
):
    monkeypatch.chdir(tmp_path)
    model = unrandom.pretrained()["fm-256"]
    made = answer(capsys, "train", "fm-256", *tiny_settings(), "--max-minutes", "0")["run"]
    (tmp_path / "runs" / made.removeprefix("runs/")).rename(tmp_path / "runs" / model.id)  # as the demo's own run
    (tmp_path / "numbers").write_text(" ".join(map(str, range(3, 256, 7))))
    for name in ("fm-256", "demo"):
        assert answer(capsys, "predict", name, "numbers", "-n", 3)["predictions"] == [[6, 13, 20]]
        assert answer(capsys, "evaluate", name, "--sequences", 8)["run"] == str(model.folder)
        assert answer(capsys, "report", name)["run"] == f"runs/pretrained/{model.id}"
        assert "is a finished model that comes with the package" in mistake(capsys, "resume", name)
        assert "named by its folder, or as fm-256:newest" in mistake(capsys, "train", "fm-256", "--start-from", name)
    assert not caplog.messages
    answer(capsys, "evaluate", "fm-256:newest", "--sequences", 8)
    assert caplog.messages == [f"runs/{model.id} is not finished: step 1 of 6"]
    caplog.clear()
    assert answer(capsys, "resume", "fm-256:newest")["finished"]
    assert not caplog.messages


@pytest.mark.parametrize("evaluate_every", [1, 100])
def test_a_loss_that_explodes_is_a_failure_in_one_line(tmp_path, capsys, tiny_settings, evaluate_every):
    rates = {"optimizer.lr": 1000, "optimizer.muon_lr": 1000, "gradient_clip": "none", "warmup_steps": 0}
    settings = tiny_settings(steps=400, evaluate_every=evaluate_every, **rates)
    status = main(["train", "fm-256", *settings, "--set", "optimizer.weight_decay=1000", "--runs", str(tmp_path)])
    last = capsys.readouterr().err.splitlines()[-1]
    assert status == 1
    assert "the last good checkpoint is kept" in last
    assert "step" in last


@pytest.mark.slow
def test_the_largest_modulus_can_be_trained_and_reported(tmp_path, capsys, tiny_settings):
    settings = tiny_settings(**{"data.modulus": "2^64", "data.base": 256, "model.positions": "abacus"})
    made = answer(capsys, "demo", *settings, "--runs", tmp_path)
    assert len(made["number_accuracy_by_position"]) == 12


def test_the_smallest_base_can_be_reported(tmp_path, capsys, tiny_settings):
    answer(capsys, "demo", *tiny_settings(**{"data.base": 2, "model.positions": "abacus"}), "--runs", tmp_path)


def test_a_modulus_of_one_s_own_is_said_to_be_possibly_seen(run, capsys):
    (tested,) = answer(capsys, "evaluate", run, "--modulus", "2^5", "--sequences", 20)["evaluation"]
    assert (tested["part"], tested["about"]) == (32, "that training may have seen")
    assert main(["evaluate", str(run), "--modulus", "32", "--sequences", "20"]) == 0
    assert "that training may have seen" in capsys.readouterr().out


@pytest.mark.parametrize("text", ["5", "[]", "{}"])
def test_a_result_that_was_tampered_with(run, capsys, text):
    (run / "result.json").write_text(text)
    assert "result.json: " in mistake(capsys, "resume", run)


def test_a_run_held_by_another_process(run, capsys):
    from unrandom.core.run_folder import RunFolder

    (run / "result.json").unlink()
    with RunFolder(run).lock():
        assert "another process is working on" in mistake(capsys, "resume", run)
    assert checkpoint_to_resume(RunFolder(run)) is not None


def test_an_error_of_our_own_is_not_hidden_in_one_line(monkeypatch):
    from unrandom.cli.commands import train

    monkeypatch.setattr(train, "run", lambda _arguments: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        main(["train"])


@pytest.mark.slow
def test_checks_of_a_device_are_lines_and_one_that_does_not_pass_makes_the_status_1(tiny_settings, capsys, monkeypatch):
    monkeypatch.setattr(device, "CHECKS", {name: device.CHECKS[name] for name in ("tokens", "compile", RATE)})
    arguments = ["bench", "device", *tiny_settings()]
    monkeypatch.setattr(device_checks, "MIN_RATE_FRACTION", 0.0)
    assert main(arguments) == 0
    out, err = capsys.readouterr()
    assert [line.split("  ")[0].strip() for line in out.splitlines()] == ["passed", "passed", "skipped", "passed"]
    assert "training on cpu runs eager" in out
    assert err.splitlines() == ["device: passed", "tokens: passed", "compile: skipped", f"{RATE}: passed"]
    monkeypatch.setattr(device_checks, "MIN_RATE_FRACTION", 2.0)
    assert main([*arguments, "--json"]) == 1
    out, err = capsys.readouterr()
    answer = json.loads(out)
    assert answer["not_passed"] == [RATE]
    assert [check["result"] for check in answer["checks"]] == ["passed", "passed", "skipped", "not passed"]
    assert err.splitlines()[-1] == f"unrandom: not passed: {RATE}"
