"""Audits and generators need no laboratory; what needs it names the extra in one line."""

import subprocess
import sys

import pytest

from tiers import slow
from unrandom.core.extras import OF_EXTRA, extra_needed


def test_a_missing_package_is_named_by_its_extra():
    missing = ModuleNotFoundError("No module named 'torch.nn'", name="torch.nn")
    needed = "unrandom train needs the extra lab: pip install 'unrandom[lab]'"
    assert extra_needed("unrandom train", missing) == needed
    assert extra_needed("unrandom train", ModuleNotFoundError("No module named 'mine'", name="mine")) is None


WITHOUT = """
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {missing}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Missing())
from unrandom.cli import main
sys.exit(main({words}))
"""
MISSING = [name for names in OF_EXTRA.values() for name in names]


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["lcg", "--m", "16", "--a", "5", "--c", "3", "--x0", "1", "-n", "3"], 0, "1\n8\n11\n"),
        (["audit", "-"], 10, "PREDICTABLE"),
        (["models"], 0, "fm-256"),
        *slow((["bench", "audit", "--count", "1", "--only", "minstd_rand"], 0, "1 of 1 predicted")),
        (["reproduce", "--list"], 0, "fm-staircase"),
        (["train", "fm-256"], 2, "unrandom: unrandom train needs the extra lab: pip install 'unrandom[lab]'\n"),
        (["claims"], 2, "needs the extra lab"),
        (["app"], 2, "needs the extra"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_audits_need_no_laboratory_and_other_commands_name_the_extra(words, status, said):
    program = WITHOUT.format(missing=set(MISSING), words=words)
    numbers = "\n".join(str(7 * n % 1009) for n in range(60))
    done = subprocess.run([sys.executable, "-c", program], input=numbers, capture_output=True, text=True, check=False)
    assert done.returncode == status, done.stderr
    assert said in done.stdout + done.stderr
    assert "Traceback" not in done.stderr
