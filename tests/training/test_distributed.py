"""Two ranks see what one rank sees, and learn the same."""

import json
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

from sweeping import PATIENCE
from unrandom.cli import main
from unrandom.core.errors import UserError
from unrandom.core.run_folder import RunFolder
from unrandom.training.distributed import Ranks

ROUNDING = 2e-4  # Muon orthogonalises in bf16; the losses of another seed differ by 1e-3 and more


def unrandom(ranks: int, *arguments: str) -> dict:
    """The answer of the command: here for one rank, by the launcher of several."""
    if ranks == 1:
        with redirect_stdout(StringIO()) as out, redirect_stderr(StringIO()) as err:
            status = main([*arguments, "--json"])
        said, answer = err.getvalue(), out.getvalue()
    else:
        launcher = ["-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={ranks}"]
        command = [sys.executable, *launcher, "-m", "unrandom", *arguments, "--json"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
        status, said, answer = done.returncode, done.stderr, done.stdout
    assert status == 0, said
    assert said.count("memory ") == 1  # what to expect, from one rank
    return json.loads(answer)  # one object, from one rank


def train(out: Path, ranks: int, settings: list[str]) -> list[dict]:
    answer = unrandom(ranks, "train", "fm-256", *settings, "--runs", str(out))
    assert answer["finished"]
    return metrics(answer)


def metrics(answer: dict) -> list[dict]:
    """Without the clock."""
    rows = RunFolder(Path(answer["run"])).read_metrics()
    return [{key: value for key, value in row.items() if key != "seconds"} for row in rows]


@pytest.mark.slow
def test_two_gloo_ranks_have_the_losses_of_one(tmp_path, tiny_settings):
    settings = tiny_settings(steps=10, evaluate_every=5, checkpoint_every=5)
    one, two = train(tmp_path / "one", 1, settings), train(tmp_path / "two", 2, settings)
    assert len(one) == len(two) == 2
    for alone, together in zip(one, two, strict=True):
        for loss in ("train_loss", "test_loss"):
            assert together[loss] == pytest.approx(alone[loss], rel=ROUNDING)


@pytest.mark.slow
def test_two_ranks_in_micro_batches_have_the_losses_of_one_and_go_on_exactly_where_they_stopped(
    tmp_path, tiny_settings
):
    sizes = {"steps": 4, "evaluate_every": 2, "checkpoint_every": 2}
    alone = train(tmp_path / "one", 1, tiny_settings(**sizes))
    settings = tiny_settings(**sizes, micro_batches=2, recompute="true")
    whole = train(tmp_path / "whole", 2, settings)
    for one, two in zip(alone, whole, strict=True):
        for loss in ("train_loss", "test_loss"):
            assert two[loss] == pytest.approx(one[loss], rel=ROUNDING)
    stopped = unrandom(2, "train", "fm-256", *settings, "--runs", str(tmp_path / "parts"), "--max-minutes", "0")
    assert (stopped["steps"], stopped["finished"]) == (1, False)
    resumed = unrandom(2, "resume", stopped["run"])
    assert resumed["finished"]
    assert metrics(resumed) == whole


def test_a_batch_that_the_ranks_cannot_share_evenly_is_refused():
    with pytest.raises(UserError, match="batch_size=16 must be a multiple of the 3 ranks"):
        Ranks(0, 3).check_batch(16)
    with pytest.raises(UserError, match="multiple of the 2 ranks with micro_batches=16 each"):
        Ranks(0, 2).check_batch(16, 16)
