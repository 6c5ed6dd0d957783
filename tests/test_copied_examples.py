"""The files that are copied from `examples/` do what they say: the fixture fails, the workflow ends with the status."""

import os
import random
import subprocess
from pathlib import Path
from runpy import run_path

import pytest
import yaml

EXAMPLES = Path(__file__).parents[1] / "examples"


@pytest.fixture
def check():
    return run_path(str(EXAMPLES / "test_tokens.py"))["unpredictable"].__wrapped__()


def test_the_fixture_fails_for_predictable_outputs_and_for_too_few(check):
    twister = random.Random(1)
    with pytest.raises(AssertionError, match="PREDICTABLE"):
        check([twister.getrandbits(32) for _ in range(700)])
    with pytest.raises(AssertionError, match="8 outputs are too few"):
        check([3, 1, 4, 1, 5, 9, 2, 6])
    with pytest.raises(AssertionError, match="PREDICTABLE"):
        check([twister.randbytes(16).hex() for _ in range(700)])


def test_the_fixture_warns_of_a_search_that_has_not_finished_or_fails(check, monkeypatch):
    monkeypatch.setitem(check.__globals__, "SECONDS", 0.0)
    outputs = [random.SystemRandom().getrandbits(32) for _ in range(700)]
    with pytest.warns(UserWarning, match="the search has not finished in 0 s"):
        check(outputs)
    with pytest.raises(AssertionError, match="the search has not finished in 0 s"):
        check(outputs, finished=True)


@pytest.mark.parametrize(("status", "ends", "said"), [(0, 0, "notice"), (10, 1, "error"), (11, 1, "too few"),
                                                      (12, 0, "warning"), (2, 2, "")])  # fmt: skip
def test_the_workflow_ends_as_the_audit_says(tmp_path, status, ends, said):
    steps = yaml.safe_load((EXAMPLES / "audit-workflow.yml").read_text())["jobs"]["tokens"]["steps"]
    script = next(step["run"] for step in steps if step.get("name") == "Audit them")
    (tmp_path / "unrandom").write_text(f"#!/bin/sh\necho verdict\nexit {status}\n")
    (tmp_path / "unrandom").chmod(0o755)
    path = f"{tmp_path}:{os.environ['PATH']}"
    shell = ["bash", "-e", "-c", script]  # as GitHub starts it
    done = subprocess.run(
        shell, cwd=tmp_path, env={**os.environ, "PATH": path}, check=False, capture_output=True, text=True
    )
    assert done.returncode == ends
    assert said in done.stdout
    assert (tmp_path / "audit.txt").read_text() == "verdict\n"
