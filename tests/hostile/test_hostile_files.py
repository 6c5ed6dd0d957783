"""Commands bear hostile files and options: each succeeds, or refuses in one line that names the file or the option."""

import sys
from pathlib import Path
from subprocess import PIPE, STDOUT, run

import pytest

from sweeping import PATIENCE

CASES = 25


@pytest.mark.parametrize("kind", ["runs", "results", "records", "imports", "options"])
def test_hostile_files_and_options(kind):
    program = Path(__file__).with_name("attack.py")
    attacked = run([sys.executable, str(program), str(CASES), kind], stdout=PIPE, stderr=STDOUT, timeout=PATIENCE)
    assert attacked.returncode == 0, attacked.stdout.decode(errors="replace")[-5000:]
    assert f"{kind}: " in attacked.stdout.decode()
