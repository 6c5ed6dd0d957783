"""`unrandom lcg` prints the numbers of a linear congruential generator, and says what it is in JSON."""

import json
import subprocess
import sys

import pytest

from unrandom.cli import main
from unrandom.generators.lcg import LCG

SMALL = ("--m", "16", "--a", "5", "--c", "3")


def said(capsys, *arguments):
    """What the command prints; nothing may be on standard error."""
    assert main(["lcg", *arguments]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def test_the_numbers_are_printed_one_per_line(capsys):
    printed = said(capsys, *SMALL, "-n", "20")
    assert printed == "1\n8\n11\n10\n5\n12\n15\n14\n9\n0\n3\n2\n13\n4\n7\n6\n1\n8\n11\n10\n"
    assert said(capsys, *SMALL) == printed
    assert said(capsys, *SMALL, "--x0", "9", "-n", "3") == "9\n0\n3\n"


@pytest.mark.parametrize(
    ("m", "a", "c", "x0"),
    [("2^64", "6364136223846793005", "1", "2^63"), ("0x100", "4", "0x10", "1"), ("2", "1", "1", "0")],
)
def test_json_has_the_numbers_and_the_period(capsys, m, a, c, x0):
    answer = json.loads(said(capsys, "--m", m, "--a", a, "--c", c, "--x0", x0, "-n", "30", "--json"))
    generator = LCG(*(answer[name] for name in ("m", "a", "c")))
    assert answer["numbers"] == generator.orbit(answer["x0"], 30)
    assert answer["period"] == generator.period(answer["x0"])
    assert answer["full_period"] == generator.has_full_period == (answer["period"] == answer["m"])


def test_numbers_that_repeat_too_soon_are_said_to(capsys):
    assert main(["lcg", "--m", "15", "--a", "5", "--c", "11", "-n", "4"]) == 0
    out, err = capsys.readouterr()
    assert out == "1\n1\n1\n1\n"
    assert err == "it has no full period: it repeats every 1 number\n"


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (("--m", "1"), "--m must be from 2 to 2^64, but 1 was given"),
        (("--m", "2^65"), f"--m must be from 2 to 2^64, but {2**65} was given"),
        (("--m", "ten"), "--m: 'ten' is not a whole number"),
        (("--m", "9" * 5000), f"--m: '{'9' * 40}' is not a whole number"),
        (("--a", "16"), "--a must be from 0 to 15, below the modulus, but 16 was given"),
        (("--c=-1",), "--c must be from 0 to 15, below the modulus, but -1 was given"),
        (("--x0", "1.5"), "--x0: '1.5' is not a whole number"),
        (("--x0", "300"), "--x0 must be from 0 to 15, below the modulus, but 300 was given"),
        (("-n", "0"), "argument -n: 0 was given; 1 to 1,000,000 are allowed"),
    ],
)
def test_a_mistake_is_one_line(capsys, changed, message):
    try:
        status = main(["lcg", *SMALL, *changed])
    except SystemExit as left:
        status = left.code
    out, err = capsys.readouterr()
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert message in err


def test_what_is_missing_is_said(capsys):
    with pytest.raises(SystemExit) as left:
        main(["lcg", "--m", "16"])
    assert left.value.code == 2
    assert "the following arguments are required: --a, --c" in capsys.readouterr().err


def test_it_imports_no_torch():
    program = f"import sys; from unrandom.cli import main; main(['lcg', *{SMALL!r}]); print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "False"


def test_a_period_of_many_numbers_is_told_at_once(capsys):
    large = (f"{2**64 - 59}", "2", "0")  # a prime
    m, a, c = large
    answer = json.loads(said(capsys, "--m", m, "--a", a, "--c", c, "--json"))
    assert pow(2, answer["period"], 2**64 - 59) == 1
    assert not answer["full_period"]
