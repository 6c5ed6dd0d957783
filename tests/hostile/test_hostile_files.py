"""Commands bear hostile files and options: each succeeds, or refuses in one line that names the file or the option."""

import sys
from pathlib import Path
from subprocess import PIPE, STDOUT, run

import pytest

from sweeping import PATIENCE

CASES = 25
KINDS = ("runs", "results", "records", "imports", "options")


def attacked(cases: int, *kinds: str) -> None:
    program = Path(__file__).with_name("attack.py")
    attack = run([sys.executable, str(program), str(cases), *kinds], stdout=PIPE, stderr=STDOUT, timeout=PATIENCE)
    said = attack.stdout.decode(errors="replace")
    assert attack.returncode == 0, said[-5000:]
    for kind in kinds:
        assert f"{kind}: " in said


def test_a_few_hostile_files_and_options_of_each_kind():
    attacked(2, *KINDS)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_hostile_files_and_options(kind):
    attacked(CASES, kind)
