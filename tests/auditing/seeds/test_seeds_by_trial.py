"""Seeds are found by trial, from a few outputs of programs in many languages; too few outputs give candidates."""

import json
from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from streams import PATIENT

import unrandom
from unrandom.auditing.verdict import NotPredicted, Predictable, TooFew
from unrandom.cli import main
from unrandom.core.errors import UserError

pytest.importorskip("numba", reason="2026-11-23: the extra fast is not installed")

from unrandom.auditing.forms.assumed import Assumed
from unrandom.auditing.forms.form import Form
from unrandom.auditing.forms.interpretations import interpretations
from unrandom.auditing.forms.shown import Fractions, Range
from unrandom.auditing.forms.stream import Stream
from unrandom.auditing.reading.values import numbers_of_values
from unrandom.auditing.seeds import programs
from unrandom.auditing.seeds.choice import trials
from unrandom.auditing.seeds.spans import Span, parse_around, parse_seeds
from unrandom.auditing.seeds.trials import Seeded, Trial

VECTORS = Path(__file__).parents[1] / "vectors" / "seeds"
SHOWN = 10

PROGRAMS = [
    ("python_randint", "Python", "randint", 123456),
    ("python_random", "Python", "random()", 123456),
    ("python_choice", "Python", "choice", 123456),
    ("python_choices", "Python", "choices", 123456),
    ("python_getrandbits", "Python", "getrandbits(16)", 123456),
    ("python_getrandbits64", "Python", "getrandbits(64)", 1795132800123),
    ("python_seconds", "Python", "randrange", 1795132800),
    ("numpy_randint", "numpy", "randint, choice", 54321),
    ("numpy_random", "numpy", "random(), numpy", 54321),
    ("torch_rand", "torch", "torch.rand", 54321),
    ("torch_randint", "torch", "", 54321),
    ("php_mt_rand", "PHP", "mt_rand()", 54321),
    ("php_mt_rand_range", "PHP", "mt_rand(a, b)", 54321),
    ("php_rand_range", "PHP", "rand(a, b)", 54321),
    ("php_legacy", "PHP mt_srand before 7.1", "mt_rand()", 54321),
    ("php_legacy_range", "PHP mt_srand before 7.1", "mt_rand(a, b)", 54321),
    ("ruby_rand", "Ruby", "rand, Ruby", 54321),
    ("ruby_rand_range", "Ruby", "rand(n)", 54321),
    ("r_runif", "R set.seed", "runif", 54321),
    ("r_sample", "R set.seed", "sample", 54321),
    ("r_sample_large", "R set.seed", "sample", 54321),
    ("cpp_mt19937_die", "C++ mt19937", "uniform_int", 54321),
    ("cpp_mt19937_real", "C++ mt19937", "uniform_real", 54321),
    ("cpp_mt19937_words", "C++ mt19937", "whole words", 54321),
    ("cpp_default_engine_hundred", "default_random_engine", "uniform_int", 54321),
    ("cpp_minstd_words", "C++ minstd_rand", "the generator", 54321),
    ("cpp_rand", "C srand of glibc", "rand()", 54321),
    ("cpp_rand_die", "C srand of glibc", "rand() % n", 54321),
    ("cpp_rand_fraction", "C srand of glibc", "rand() / ", 54321),
    ("cpp_drand48", "srand48", "drand48()", 54321),
    ("cpp_lrand48", "srand48", "lrand48()", 54321),
    ("perl_int_rand", "Perl", "int(rand(n))", 54321),
    ("java_nextInt", "Java", "nextInt()", 54321),
    ("java_nextInt6", "Java", "nextInt(n)", 1795132800123),
    ("java_nextInt16", "Java", "nextInt(n)", 54321),
    ("java_nextInt5to21", "Java", "nextInt(a, b)", 54321),
    ("java_nextLong", "Java", "nextLong()", 54321),
    ("java_nextDouble", "Java", "nextDouble()", 54321),
    ("java_nextFloat", "Java", "nextFloat()", 54321),
    ("java_product", "Java", "n * nextDouble()", 54321),
    ("go_Intn100", "Go", "Intn", 54321),
    ("go_Int63", "Go", "Int63", 54321),
    ("go_Uint32", "Go", "Uint32", 54321),
    ("go_Float64", "Go", "Float64", 54321),
    ("net_Next", ".NET", "Next()", 54321),
    ("net_Next1to100", ".NET", "Next(a, b)", 54321),
    ("net_NextDouble", ".NET", "NextDouble", 54321),
    ("bash_random", "bash", "$RANDOM", 54321),
    ("bash_die", "bash", "$RANDOM % n", 54321),
]

KNOWN = {
    "python_choices": {"bounded": 52},
    "php_rand_range": {"bounded": 52, "start": 1},
    "java_nextInt5to21": {"bounded": 16, "start": 5},
}
"""What is not inferred, as so few numbers do not reach the ends of their range."""


def printed(name):
    """The numbers that a program printed."""
    lines = (VECTORS / f"{name}.txt").read_text().splitlines()[1:]
    return " ".join(lines).split()


def around(seed, count=600):
    return f"{seed - count}:{seed + count}"


def audit(tmp_path, numbers, **about):
    path = tmp_path / "numbers"
    path.write_text("\n".join(numbers))
    return unrandom.audit(path, **about)


@pytest.mark.parametrize(("name", "program", "method", "seed"), PROGRAMS)
def test_the_seed_of_a_program(tmp_path, name, program, method, seed):
    numbers = printed(name)
    verdict = audit(tmp_path, numbers[:-SHOWN], seeds=around(seed), **KNOWN.get(name, {}))
    assert isinstance(verdict, Predictable), verdict.text()
    assert verdict.family == "seed"
    assert program in verdict.parameters["program"]
    assert method in "; ".join([verdict.parameters["method"], *verdict.parameters.get("or", [])])
    assert verdict.parameters["seed"] == seed
    assert verdict.next == pytest.approx([json.loads(number) for number in numbers[-SHOWN:]], rel=1e-5)
    assert verdict.previous is None
    assert verdict.certificate.log2_chance <= -40
    assert verdict.outputs_needed <= 24


def seeds_of(verdict):
    """The candidates of a verdict that are seeds."""
    return [one for one in verdict.candidates if one.family == "seed"]


def test_few_outputs_give_candidates_with_their_next_outputs(tmp_path):
    numbers = printed("php_mt_rand")
    verdict = audit(tmp_path, numbers[:1], seeds=around(54321, 3000), family="trivial")
    assert isinstance(verdict, TooFew), verdict.text()
    (first,) = seeds_of(verdict)
    assert (first.parameters["seed"], first.parameters["method"]) == (54321, "mt_rand(), PHP")
    assert first.next == [int(number) for number in numbers[1:11]]
    assert 10 < first.bits < 20
    assert first.needed_bits == 40
    assert 1 <= first.more <= 3
    assert any("makes these outputs: 1" in note and "of the 40 bits of a proof" in note for note in verdict.notes)
    assert not any("by chance" in note for note in verdict.notes)
    assert "seed 54321" in verdict.text()
    assert "the candidates listed are not proven" in verdict.advice
    assert verdict.to_json()["candidates"][0]["parameters"]["seed"] == 54321


def test_candidates_are_counted_and_listed_up_to_ten(tmp_path):
    verdict = audit(tmp_path, printed("python_randint")[:3], seeds=around(123456, 500), family="trivial")
    assert isinstance(verdict, TooFew)
    assert 5 < len(seeds_of(verdict)) <= 10
    assert any("10 of which are listed; as many may do so by chance" in note for note in verdict.notes)
    assert all(one.more >= 10 and one.bits < 1 for one in seeds_of(verdict))


def test_one_program(tmp_path):
    numbers = printed("php_mt_rand_range")
    verdict = audit(tmp_path, numbers[:8], seeds=around(54321), program="php", family="trivial")
    assert any(one.parameters["method"].startswith("mt_rand(a, b)") for one in seeds_of(verdict))
    assert all("PHP" in one.parameters["program"] for one in seeds_of(verdict))
    verdict = audit(tmp_path, numbers, seeds=around(54321), program="python", family="trivial")
    assert not isinstance(verdict, Predictable)


def test_a_wrong_range_finds_nothing(tmp_path):
    numbers = printed("php_mt_rand")
    verdict = audit(tmp_path, numbers, seeds="60000:61000", family="trivial")
    assert not isinstance(verdict, Predictable)
    assert verdict.tried[0].family == "seed"
    assert verdict.tried[0].result == "no"


def test_random_numbers_match_no_seed(tmp_path):
    rng = np.random.default_rng(3)
    for numbers in (rng.integers(0, 6, 12), rng.integers(0, 2**31, 4), rng.integers(0, 100, 8)):
        verdict = audit(tmp_path, map(str, numbers), seeds="0:5000", family="trivial")
        assert not isinstance(verdict, Predictable)


def test_constants_prove_no_seed(tmp_path):
    """xorshift32 with the seed 0 makes zeros."""
    verdict = audit(tmp_path, ["0"] * 200, seeds="0:100", family="trivial")
    assert verdict.family == "trivial"


def test_times_around_a_date(tmp_path):
    numbers = printed("python_seconds")
    verdict = audit(tmp_path, numbers[:-SHOWN], around="2026-11-20T00:15+-0.3", bounded=100)
    assert isinstance(verdict, Predictable)
    assert verdict.parameters["seed"] == 1795132800
    assert verdict.parameters["unit"] == "seconds since 1970"
    numbers = printed("java_nextInt6")
    verdict = audit(tmp_path, numbers[:-SHOWN], around="2026-11-20T01:00+01:00±0.01", bounded=6)
    assert verdict.parameters["seed"] == 1795132800123
    assert verdict.parameters["unit"] == "milliseconds since 1970"


def test_a_stretch_before_other_numbers(tmp_path):
    numbers = printed("cpp_rand")
    others = list("314159265358979")
    verdict = audit(tmp_path, numbers[:20] + others, seeds=around(54321), family="trivial", max_seconds=PATIENT)
    assert verdict.verdict == "predictable up to a break"
    assert (verdict.first, verdict.last) == (1, 20)
    assert verdict.parameters["seed"] == 54321


def test_the_time_limit(tmp_path):
    verdict = audit(
        tmp_path, printed("php_mt_rand_range")[:12], seeds="60000:4000000000", max_seconds=0.5, family="trivial"
    )
    assert verdict.tried[0].result.startswith("out of time")


def test_progress_is_reported(tmp_path):
    path = tmp_path / "numbers"
    path.write_text("\n".join(printed("python_randint")[:20]))
    lines = []
    unrandom.audit(path, seeds="0:30000", bounded=6, start=1, watch=lines.append, family="trivial")
    assert any("% of" in line for line in lines)


@pytest.mark.parametrize("name", ["python_randint", "python_random", "go_Float64", "net_Next", "cpp_rand", "r_runif"])
def test_many_outputs_agree_with_few(name):
    """Few words of a seed are computed in another way than many."""
    program, seed = next((program, seed) for one, program, _, seed in PROGRAMS if one == name)
    numbers = numbers_of_values([json.loads(number) for number in printed(name)])
    trial = next(one for one in trials(list(interpretations(numbers, Assumed()))) if program in one.program.about)
    engine = trial.program
    seeds = np.array([seed, seed + 1, 5], dtype=np.uint64)
    few, many = engine.words(seeds, 20), engine.words(seeds, 2000)
    assert (few == many[:20]).all()
    assert (engine.words(seeds[:1], 2000) == many[:, :1]).all()


def test_pythons_own_generator_for_a_long_time():
    import random

    engine = next(one for one in programs.PROGRAMS if one.about.startswith("Python"))
    for seed in (0, 1, 2**32 - 1, 2**32, 2**63 - 1):
        words = engine.words(np.array([seed], dtype=np.uint64), 3000)[:, 0]
        generator = random.Random(seed)
        assert words.tolist() == [generator.getrandbits(32) for _ in range(3000)]


def test_numpys_own_generator_for_a_long_time():
    engine = next(one for one in programs.PROGRAMS if "numpy RandomState" in one.about)
    for seed in (0, 1, 2**32 - 1):
        words = engine.words(np.array([seed], dtype=np.uint64), 3000)[:, 0]
        generator = np.random.RandomState(seed)
        assert words.tolist() == generator.randint(0, 2**32, 3000, dtype=np.uint32).tolist()


def test_numpys_new_generator_for_a_long_time():
    """Seeds are in one or two words of 32 bits."""
    whole, halves = (one for one in programs.PROGRAMS if "default_rng" in one.about)
    for seed in (0, 42, 2**32 - 1, 2**32, 2**63 - 1):
        words = whole.words(np.array([seed], dtype=np.uint64), 500)[:, 0]
        assert words.tolist() == np.random.PCG64(seed).random_raw(500).tolist()
        words = halves.words(np.array([seed], dtype=np.uint64), 500)[:, 0]
        assert words.tolist() == np.random.default_rng(seed).integers(0, 2**32, 500).tolist()


NEW_NUMPY = {
    "random": lambda rng: rng.random(12).tolist(),
    "uniform": lambda rng: rng.uniform(5, 10, 12).tolist(),
    "integers": lambda rng: rng.integers(0, 1000, 12).tolist(),
    "choice": lambda rng: rng.choice(1000, 12).tolist(),
    "random(dtype=float32)": lambda rng: [str(x) for x in rng.random(12, dtype=np.float32)],
}


@pytest.mark.parametrize("draw", NEW_NUMPY.values(), ids=NEW_NUMPY)
def test_the_seed_of_numpys_new_generator(tmp_path, draw):
    numbers = draw(np.random.default_rng(42))
    known = {"start": 5, "scale": 5} if isinstance(numbers[0], float) and max(numbers) > 1 else {}
    verdict = audit(tmp_path, map(str, numbers[:10]), seeds="0:1000", family="trivial", **known)
    assert isinstance(verdict, Predictable), verdict.text()
    assert "default_rng" in verdict.parameters["program"]
    assert verdict.parameters["seed"] == 42
    assert verdict.next[:2] == [float(x) for x in numbers[10:]]


@pytest.mark.parametrize("engine", programs.PROGRAMS, ids=lambda engine: engine.about)
def test_no_screen_drops_a_seed(engine):
    """The outputs of random seeds are found again, by every method and for ranges of many sizes."""
    rng = np.random.default_rng(5)
    for method in engine.methods:
        for n in (2, 3, 6, 10, 16, 52, 62, 100, 1000, 2**15, 40000, 2**31 - 7):
            if method.kind == "range" and not method.fits(n):
                continue
            seeds = rng.integers(0, 2**31 - 1, 40).astype(np.uint64)
            shown = Fractions(np.zeros(9)) if method.real else Range(n, 64)
            stream = Stream(np.zeros(9), Form("fraction"), shown)
            for seed in seeds[:: 1 if method.kind == "range" else 8].tolist():
                made = list(islice(Seeded(Trial(stream, engine, method), seed).outputs(), 9))
                values = np.array(made, dtype=float if method.real else np.uint64)
                trial = Trial(replace(stream, values=values), engine, method)
                words = engine.words(np.array([seed, seed + 1], dtype=np.uint64), trial.first_words)
                assert 0 in trial.agreeing(words)


def test_outputs_go_on():
    numbers = numbers_of_values([json.loads(number) for number in printed("php_mt_rand")])
    trial = next(
        one for one in trials(list(interpretations(numbers, Assumed()))) if one.method.about == "mt_rand(), PHP"
    )
    outputs = list(islice(Seeded(trial, 54321).outputs(), 3000))
    assert outputs[: len(numbers)] == numbers.whole
    generator = np.random.RandomState(54321)
    assert outputs == (generator.randint(0, 2**32, 3000, dtype=np.uint32) >> 1).tolist()


def test_spans():
    assert parse_seeds("32bit") == Span(0, 2**32)
    assert parse_seeds("0:1000000") == Span(0, 1000001)
    assert parse_seeds("42") == Span(42, 43)
    seconds, milliseconds = parse_around("2026-11-20T12:00")
    assert len(seconds) == 2 * 86400 + 1
    assert seconds.start * 1000 == milliseconds.start
    assert parse_around("2026-11-20T12:00+-1")[0] == parse_around("2026-11-20T14:00+02:00 ± 1")[0]


@pytest.mark.parametrize(
    "about",
    [
        {"seeds": "41bit"},
        {"seeds": "many"},
        {"seeds": "5:2"},
        {"seeds": "-5:2"},
        {"seeds": "5", "program": "cobol"},
        {"program": "cobol"},
        {"program": "php", "seeds": "none"},
        {"around": "yesterday"},
        {"around": "1960-01-01"},
        {"around": "2026-11-20+-many"},
        {"around": "2026-11-20+-1e300"},
    ],
)
def test_mistakes(about):
    with pytest.raises(UserError) as caught:
        unrandom.audit([1, 2, 3], **about)
    assert "\n" not in str(caught.value)


def test_the_command(capsys, tmp_path):
    path = tmp_path / "numbers"
    path.write_text("\n".join(printed("ruby_rand_range")))
    assert main(["audit", str(path), "--seeds", "54300:54500"]) == 10
    text = capsys.readouterr().out
    assert "seed         54321" in text
    assert "Ruby" in text
    assert main(["audit", str(path), "--seeds", "x"]) == 2
    verdict = unrandom.audit([3, 1, 4, 1, 5], seeds="0:10", family="trivial")
    assert isinstance(verdict, TooFew | NotPredicted)
    assert "candidates" not in verdict.advice


WIDE = {
    "LCG modulo 2^96": [3**50 * pow(5, 2 * n, 2**96) % 2**96 for n in range(30)],
    "just above 64 bits": [2**64, 5, 7],
    "of getrandbits(80)": [2**79 + 12345678901234567 * n**2 for n in range(9)],
}


@pytest.mark.slow
@pytest.mark.parametrize("program", [None, "Python"])
@pytest.mark.parametrize("numbers", WIDE.values(), ids=WIDE)
def test_numbers_of_more_than_64_bits_are_compared_with_no_program_and_the_families_go_on(numbers, program):
    found = unrandom.audit(numbers, seeds="0:100", program=program, max_seconds=PATIENT)
    alone = unrandom.audit(numbers, max_seconds=PATIENT)
    assert type(found) is type(alone)
    (tried,) = [tried for tried in found.tried if tried.family == "seed"]
    # In multiples of a common factor or from the least one on, some of them have fewer bits.
    assert tried.result in ("no", "such numbers are compared with no program")


def test_wide_numbers_with_a_sign_need_to_know_where_they_begin():
    signed = [-5, 3, 10**23]
    with pytest.raises(UserError, match=r"-5 is below 0, and .* do not fit into 64 bits; --from"):
        unrandom.audit(signed, seeds="0:100")
    assert isinstance(unrandom.audit(signed, seeds="0:100", start=-5, max_seconds=PATIENT), (TooFew, NotPredicted))


def test_wide_numbers_are_one_answer_on_the_command_line(file, capsys):
    words = file("\n".join(map(str, WIDE["LCG modulo 2^96"])))
    assert main(["audit", words, "--seeds", "0:100"]) == 10
    assert "PREDICTABLE" in capsys.readouterr().out
