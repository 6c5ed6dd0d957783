"""The tests that a change of audits needs are chosen by what audits import."""

import pytest

from audits_changed import concerned, grounds


def test_audits_stand_on_what_they_import_and_on_nothing_of_the_laboratory():
    files = grounds()
    assert {"src/unrandom/auditing/audit.py", "src/unrandom/core/errors.py", "src/unrandom/generators/lcg.py"} <= files
    rooms = {name.split("/")[2] for name in files if name.count("/") > 2}
    assert rooms == {"auditing", "core", "generators", "predictors"}


@pytest.mark.parametrize(
    ("changed", "found"),
    [
        (["src/unrandom/training/loop.py", "README.md", "tests/core/test_files.py"], []),
        (["src/unrandom/auditing/audit.py"], ["src/unrandom/auditing/audit.py"]),
        (["tests/auditing/streams.py", "docs/audit.md"], ["tests/auditing/streams.py"]),
        (["src/unrandom/core/errors.py"], ["src/unrandom/core/errors.py"]),
    ],
)
def test_slow_audits_run_for_a_change_of_theirs_and_of_their_ground(changed, found):
    assert concerned(changed, grounds()) == found
