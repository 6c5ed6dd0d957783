"""Two ranks see what one rank sees, and learn the same."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from unrandom.core.errors import UserError
from unrandom.core.run_folder import RunFolder
from unrandom.training.distributed import Ranks


def train(out: Path, ranks: int, settings: list[str]) -> list[dict]:
    launcher = ["-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={ranks}"] if ranks > 1 else []
    command = [sys.executable, *launcher, "-m", "unrandom", "train", "fm-256", "--json", *settings, "--out", str(out)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)  # one object, from one rank
    assert answer["finished"]
    return RunFolder(Path(answer["run"])).read_metrics()


def test_two_gloo_ranks_have_the_losses_of_one(tmp_path, tiny_settings):
    settings = tiny_settings(steps=10, evaluate_every=5, checkpoint_every=5)
    one, two = train(tmp_path / "one", 1, settings), train(tmp_path / "two", 2, settings)
    assert len(one) == len(two) == 2
    for alone, together in zip(one, two, strict=True):
        for loss in ("train_loss", "test_loss"):
            assert together[loss] == pytest.approx(alone[loss], abs=2e-4)


def test_a_batch_that_the_ranks_cannot_share_evenly_is_refused():
    with pytest.raises(UserError, match="batch_size=16 must be a multiple of the 3 ranks"):
        Ranks(0, 3).check_batch(16)
