"""Commands bear hostile files and options: each succeeds, or refuses in one line that names the file or the option."""

import sys
from pathlib import Path
from subprocess import PIPE, STDOUT, run

import pytest

from sweeping import PATIENCE
from tiers import nightly

KINDS = ("runs", "results", "records", "imports", "options")


@pytest.mark.slow
@pytest.mark.parametrize("cases", [1, *nightly(15)])
def test_hostile_files_and_options_of_each_kind(cases):
    program = [sys.executable, str(Path(__file__).with_name("attack.py")), str(cases), *KINDS]
    attacked = run(program, stdout=PIPE, stderr=STDOUT, timeout=PATIENCE)
    said = attacked.stdout.decode(errors="replace")
    assert attacked.returncode == 0, said[-5000:]
    for kind in KINDS:
        assert f"{kind}: " in said
