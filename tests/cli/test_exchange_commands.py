"""`unrandom export` and `unrandom import` answer as text or JSON; a mistake is one line and exit status 2."""

import json
import shutil

import pytest
import safetensors.torch

from public_code import DIGITS_NAME, OF_DIGITS, SMALL_TEST, digits_model
from unrandom.cli import main
from unrandom.cli.commands import module_of
from unrandom.core.names import EXPORT_FORMATS
from unrandom.runs.sharing.exchange import FORMATS


@pytest.fixture
def exported(finished_run, tmp_path, capsys):
    assert main(["export", str(finished_run.folder.path), "--to", "safetensors", str(tmp_path / "exported")]) == 0
    capsys.readouterr()
    return tmp_path / "exported"


def answer(capsys, *arguments):
    assert main([*map(str, arguments), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def mistake(capsys, *arguments):
    """The one line on standard error."""
    assert main([*map(str, arguments)]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    return err


def test_every_format_is_offered():
    assert set(EXPORT_FORMATS) == set(FORMATS)


def test_the_module_of_import_has_a_name_that_python_allows():
    assert module_of("import").__name__ == "unrandom.cli.commands.import_"
    assert module_of("export").__name__ == "unrandom.cli.commands.export"


@pytest.mark.parametrize("to", EXPORT_FORMATS)
def test_a_run_goes_out_and_comes_back(finished_run, to, tmp_path, capsys):
    path, folder = finished_run.folder.path, tmp_path / "exported"
    made = answer(capsys, "export", path, "--to", to, folder)
    files = ["README.md", "config.json", "model.safetensors", "unrandom.json"]
    assert made == {"run": str(path), "to": to, "folder": str(folder), "files": files}
    back = answer(capsys, "import", folder, "--runs", tmp_path / "runs")
    assert back == {"run": str(tmp_path / "runs" / finished_run.id), "from": str(folder)}
    (tmp_path / "numbers").write_text("1 2 3")
    before, after = (answer(capsys, "predict", run, tmp_path / "numbers", "-n", 3) for run in (path, back["run"]))
    assert before["predictions"] == after["predictions"]
    before, after = (answer(capsys, "evaluate", run, "--sequences", 32)["evaluation"] for run in (path, back["run"]))
    assert before == after
    assert answer(capsys, "resume", back["run"])["finished"]


def test_the_answers_as_text_name_the_folder(finished_run, tmp_path, capsys):
    assert main(["export", str(finished_run.folder.path), str(tmp_path / "exported")]) == 0
    assert capsys.readouterr().out.splitlines()[0] == f"exported  {tmp_path / 'exported'}"
    assert main(["import", str(tmp_path / "exported"), "--runs", str(tmp_path / "runs")]) == 0
    assert f"unrandom evaluate {tmp_path / 'runs' / finished_run.id}" in capsys.readouterr().out


def test_mistakes(finished_run, exported, tmp_path, capsys):
    run = finished_run.folder.path
    assert "exists already; name a folder that does not exist" in mistake(capsys, "export", run, exported)
    assert "nowhere is not a run folder" in mistake(capsys, "export", "nowhere", tmp_path / "new")
    assert "nowhere is not a folder" in mistake(capsys, "import", tmp_path / "nowhere")
    assert "has no unrandom.json: it was not written by unrandom export" in mistake(capsys, "import", run)
    runs = ("--runs", tmp_path / "runs")
    answer(capsys, "import", exported, *runs)
    assert "exists already; import into another folder with --runs" in mistake(capsys, "import", exported, *runs)
    (exported / "unrandom.json").write_text("{")
    assert "is not JSON" in mistake(capsys, "import", exported, "--runs", tmp_path / "others")
    assert not (tmp_path / "others").exists()
    with pytest.raises(SystemExit) as left:
        main(["export", str(run), "--to", "onnx", str(tmp_path / "new")])
    assert left.value.code == 2
    assert "invalid choice: 'onnx'" in capsys.readouterr().err


def test_a_run_without_a_checkpoint_is_refused_and_nothing_is_made(finished_run, tmp_path, capsys):
    run = shutil.copytree(finished_run.folder.path, tmp_path / finished_run.id)
    shutil.rmtree(run / "checkpoints")
    assert "has no checkpoint" in mistake(capsys, "export", run, tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_a_model_of_the_public_code_becomes_a_run(tmp_path, capsys):
    path, runs = tmp_path / DIGITS_NAME, tmp_path / "runs"
    safetensors.torch.save_file(digits_model().tensors(), path)
    settings = [word for each in SMALL_TEST for word in ("--set", each)]
    back = answer(capsys, "import", path, "--runs", runs, *settings)
    run = back["run"]
    assert back == {"run": run, "from": str(path), "assumed": {"model.activation": "gelu"}}
    (tested,) = answer(capsys, "evaluate", run, "--sequences", 8)["evaluation"]
    assert tested["part"] == 64
    (tmp_path / "numbers").write_text("1 2 3")
    (predicted,) = answer(capsys, "predict", run, tmp_path / "numbers", "-n", 2)["predictions"]
    assert len(predicted) == 2
    assert answer(capsys, "report", run)
    assert answer(capsys, "resume", run)["finished"]
    assert main(["import", str(path), "--runs", str(tmp_path / "others"), *settings]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[1] == "assumed  model.activation=gelu: the file does not tell; change with --set"


def test_mistakes_about_a_model_of_the_public_code(exported, tmp_path, capsys):
    path = tmp_path / "model.safetensors"
    safetensors.torch.save_file(digits_model().tensors(), path)
    settings = [word for each in OF_DIGITS for word in ("--set", each)]
    runs = ("--runs", tmp_path / "runs")
    assert "set data.context=11" in mistake(
        capsys, "import", path, *runs, *settings, "--set", "model.n_heads=3", "--set", "data.context=9"
    )
    assert "no recipe is called 'fm'" in mistake(capsys, "import", path, *runs, "--recipe", "fm")
    assert "is a pickle, which is never loaded" in mistake(capsys, "import", tmp_path / "model.pth", *runs)
    assert "a recipe and settings are for a file" in mistake(capsys, "import", exported, *runs, "--recipe", "fm-2048")
    assert not (tmp_path / "runs").exists()
