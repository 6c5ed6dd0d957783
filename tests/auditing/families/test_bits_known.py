"""Generators linear modulo 2 are recovered from some bits of their outputs, in outputs of real programs and of their
simulators.
"""

import random
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from streams import stream_in, stream_of

from plainly import seeded_twister, take, xorshift, xorshift_words
from tiers import slow
from unrandom.auditing.deadline import Deadline, OutOfTime
from unrandom.auditing.families import FAMILIES
from unrandom.auditing.families.linear.known_bits import LARGE, SMALL, TWISTERS, KnownBits
from unrandom.auditing.families.linear.redrawn import Redrawn
from unrandom.auditing.families.linear.twister import Twisters
from unrandom.auditing.families.linear.xorwow import Xorwows
from unrandom.auditing.forms.form import Form
from unrandom.auditing.forms.scales import scales
from unrandom.auditing.forms.shown import Fractions
from unrandom.auditing.forms.stream import Stream
from unrandom.auditing.generators.mersenne import MT19937, MT19937_64, MT19937_PHP5
from unrandom.auditing.generators.xorshift import XORWOW
from unrandom.auditing.layouts.layout import (
    CPP,
    LARGEST,
    PHP,
    PYTHON,
    SINGLE,
    TORCH,
    TORCH_DOUBLE,
    lowest_bits,
    top_bits,
)
from unrandom.auditing.layouts.linear_engines import LARGE_ENGINES, SMALL_ENGINES, XORSHIFT128, Twister
from unrandom.auditing.layouts.readings import readings

VECTORS = Path(__file__).parents[1] / "vectors"
HELD_BACK = 3


def vector(name, folder, **about):
    """A stream of the outputs in a file, whose first line tells how they were made."""
    path = folder / name
    path.write_text("\n".join((VECTORS / name).read_text().splitlines()[1:]))
    return stream_in(str(path), **about)


def fractions(texts):
    """Fractions as a stream, with the digits of their texts."""
    values, places = np.array([float(text) for text in texts]), len(texts[0].partition(".")[2])
    exact = places > 15
    errors = np.full(len(texts), 0.0 if exact else 0.5 * 10.0**-places)
    form = Form("fraction") if exact else Form("fraction", digits=places, fixed=True)
    return Stream(values, form, Fractions(errors, scales=scales(values, errors)))


def recovered(stream, families, before=None, held_back=HELD_BACK):
    """The first generator of these families that makes the whole stream, from the outputs that they ask for."""
    for family in families:
        needed = family.needs(stream)
        if needed is None or needed > len(stream) - held_back:
            continue
        for generator in family.recover(stream.head(needed), Deadline(100)):
            if stream.matches(0, list(islice(generator.outputs(), len(stream)))) == len(stream):
                if before is not None:
                    assert generator.previous(len(before)) == before
                return generator
    raise AssertionError("no family makes this stream")


def of(engine, *indices):
    """The families of a large engine with these indices."""
    return [
        one for one in (*TWISTERS, *LARGE) if one.engine.name == engine.name and (not indices or one.index in indices)
    ]


def small(name):
    return [one for one in SMALL if one.engine.name.startswith(name)]


def test_every_engine_is_tried():
    assert {*SMALL, *TWISTERS, *LARGE} <= set(FAMILIES)
    assert all(one.slow == (one.engine.unknowns > 1024) for one in (*SMALL, *TWISTERS, *LARGE))


@pytest.mark.parametrize("bits", [16, *slow(48)])
def test_pythons_getrandbits(bits):
    """1,252 outputs of 16 bits have 20,032 bits; 48 bits take two words, the low one first."""
    twister = random.Random(bits)
    before = [twister.getrandbits(bits) for _ in range(10)]
    numbers = [twister.getrandbits(bits) for _ in range(1290 if bits == 16 else 680)]
    generator = recovered(stream_of(numbers, bits), of(MT19937, 0), before)
    assert generator.parameters["engine"] == "MT19937"
    assert len(generator.parameters["state"]) == 624
    if bits == 16:
        words = MT19937.temper(np.array([int(word, 16) for word in generator.parameters["state"]], dtype=np.uint64))
        assert (words >> np.uint64(16)).tolist() == numbers[:624]


@pytest.mark.slow
def test_fractions_of_torch(tmp_path):
    generator = recovered(vector("torch_rand.txt", tmp_path), of(MT19937, 0))
    assert generator.parameters["output"] == TORCH.about


@pytest.mark.slow
def test_six_digits_of_cpp(tmp_path):
    """The same equations as for Python's fractions, whose first word has the top bits."""
    generator = recovered(vector("cpp_uniform_real_6_digits.txt", tmp_path), of(MT19937, 0))
    assert generator.parameters["output"] == CPP.about


def test_old_php_shows_enough_bits_to_be_recovered_at_once(tmp_path):
    generator = recovered(vector("php_legacy_mt_rand.txt", tmp_path), [Twisters()])
    assert generator.parameters["variant"] == MT19937_PHP5.name


@pytest.mark.parametrize(
    ("name", "about", "output"),
    [
        ("luajit_random.txt", {}, "the lowest 52 bits of a word"),
        ("luajit_random_6_digits.txt", {}, "the top 53 bits of a word"),
        ("luajit_random_100.txt", {"bounded": 100}, "100 u rounded down, u from whole 64-bit words"),
    ],
)
def test_luajit(tmp_path, name, about, output):
    """A Tausworthe register shifted by some bits is the same register in another state, so the lowest bits are the top
    bits of another state.
    """
    generator = recovered(vector(name, tmp_path, **about), small("Tausworthe"))
    assert generator.parameters["output"] == output


def words_of(engine, count):
    """Outputs of a simulator from a random state on."""
    chance = random.Random(engine.name)
    state = tuple(chance.getrandbits(size) for size in engine.sizes)
    state = state if len(state) > 1 else state[0]
    for _ in range(len(engine.sizes) + 1):  # as some states follow no other state
        state = engine.generator.step(state)
    words = []
    while len(words) < count:
        output = engine.generator.output(state)
        words += [(output >> (engine.bits * part)) % 2**engine.bits for part in range(engine.parts)]
        state = engine.generator.step(state)
    return words


@pytest.mark.parametrize("family", [one for one in SMALL if one.engine.linear > 1], ids=lambda one: one.engine.name)
def test_small_engines(family):
    """Whole words, top bits, fractions, six digits, ⌊10 u⌋ and words modulo 6."""
    bits = family.engine.bits
    words = words_of(family.engine, min(1000, 200 + 3 * family.engine.unknowns))
    show = [
        stream_of(words, bits),
        stream_of([word >> (bits - 8) for word in words], 8),
        fractions([f"{word / 2**bits:.6f}" for word in words]),
        stream_of([word * 10 >> bits for word in words], bounded=10),
        stream_of([word % 6 for word in words], bounded=6),
    ]
    for stream in show if family.engine.unknowns < 512 else show[1:3]:
        recovered(stream, [family])


@pytest.mark.parametrize("family", [one for one in SMALL if one.engine.linear == 1], ids=lambda one: one.engine.name)
def test_tiny_twisters_show_one_linear_bit(family):
    words = words_of(family.engine, 500)
    recovered(stream_of(words, family.engine.bits), [family], words[:0])
    recovered(stream_of([word % 10 for word in words], bounded=10), [family])


def test_unitys_random():
    words = take(xorshift_words([1, 2**31, 3, 2**30 + 5], 32, (11, -8), 19), 500)[20:]
    values = np.array([float(str(np.float32(word & 0x7FFFFF) / np.float32(0x7FFFFF))) for word in words])
    stream = Stream(values, Form("fraction", digits=9), Fractions(np.full(len(values), 5e-10)))
    unity = small("xorshift128")
    assert "Unity" in recovered(stream, unity).parameters["output"]
    recovered(stream_of([word % 12 for word in words], bounded=12), unity)


def test_four_digits_of_a_xorshift():
    numbers = take(xorshift(2463534242, 32, (13, -17, 5)), 60)
    recovered(fractions([f"{x / 2**32:.4f}" for x in numbers]), small("xorshift32"))


def test_xorwow():
    state, numbers = (123456789, 362436069, 521288629, 88675123, 5783321, 6615241), []
    for _ in range(150):
        numbers.append(XORWOW.output(state))
        state = XORWOW.step(state)
    generator = recovered(stream_of(numbers[10:], 32), [Xorwows()], numbers[:10])
    assert generator.parameters["engine"] == "xorwow"


def test_the_simd_oriented_twister():
    (engine,) = (one for one in LARGE_ENGINES if one.name == "SFMT19937")
    recovered(stream_of(words_of(engine, 760), 32), of(engine, 0))


def twister_words(count, bits=32):
    twister = seeded_twister(42)
    return [twister.getrandbits(bits) for _ in range(count)]


@pytest.mark.parametrize(
    ("layout", "expected"),
    [
        (CPP, [0.79654298428784598, 0.18343478789336848, 0.77969099761266125]),
        (TORCH, [0.88226926326751709, 0.91500395536422729, 0.38286375999450684]),
        (TORCH_DOUBLE, [0.05815448596142969, 0.06291016742457756, 0.12358607277440903]),
        (PYTHON, [0.3745401188473625, 0.9507143064099162, 0.7319939418114051]),
        (PHP, [0.37454011448404756, 0.79654298433873005, 0.95071431200518941]),
        (SINGLE, [0.37454012036323547, 0.79654300212860107, 0.95071429014205933]),
    ],
)
def test_fractions_of_programs(layout, expected):
    """std::uniform_real_distribution<double> and <float> of g++ 12, torch.rand in both precisions of torch 2.13,
    numpy's RandomState.rand, and mt_rand() / mt_getrandmax() of PHP 8.2, after seed 42.
    """
    words = iter(twister_words(6))
    groups = list(zip(*[words] * layout.words, strict=False))[:3]
    assert [layout.fraction(layout.joined(group)) for group in groups] == expected


def test_integers_of_programs():
    """numpy's RandomState.bytes and randint(0, 256), PHP's mt_rand() and mt_rand(1, 100) − 1, after seed 42."""
    words = twister_words(3)
    cut = next(one.layout for one in readings(Twister(MT19937), stream_of([255], 8)) if one.layout.share > 1)
    assert [cut.joined((words[0],), part) for part in range(4)] == [102, 220, 225, 95]
    assert [lowest_bits(8).joined((word,)) for word in words] == [102, 179, 92]
    assert [top_bits(32, 31).joined((word,)) for word in words] == [804318771, 1710563033, 2041643438]
    (modulo,) = (one for one in readings(Twister(MT19937), stream_of([5], bounded=100)) if "modulo" in one.about)
    assert [modulo.show(word) for word in words] == [42, 67, 76]


@pytest.mark.slow
@pytest.mark.parametrize("of_numpy", [False, True])
def test_numbers_drawn_until_they_are_in_range(of_numpy):
    """Python's randrange(10**9), which drops 7 % of the words, and numpy's randint(0, 3 · 2**29), which drops 25 %."""
    n, count = (3 * 2**29, 2700) if of_numpy else (10**9, 2600)
    python, numpy = random.Random(5), np.random.RandomState(5)
    numbers = numpy.randint(0, n, count).tolist() if of_numpy else [python.randrange(n) for _ in range(count)]
    generator = recovered(stream_of(numbers[10:], bounded=n), [Redrawn()], numbers[:10])
    assert len(generator.parameters["state"]) == 624


def test_other_numbers_are_not_taken_for_drawn_ones():
    chance = random.SystemRandom()
    stream = stream_of([chance.randrange(10**9) for _ in range(3000)], bounded=10**9)
    assert not list(Redrawn().recover(stream, Deadline(60)))
    assert Redrawn().needs(stream_of([1, 2, 3], bounded=6)) is None


def test_rs_sample():
    """Rscript -e 'set.seed(42); cat(sample(0:255, 4))' with replacement, R 4.2.2; the first words are
    runif's after set.seed(42), times 2^32.
    """
    words = [round(u * 2**32) for u in (0.91480604349635541, 0.93707541329786181, 0.28613953478634357)]
    (layout,) = (one.layout for one in readings(Twister(MT19937), stream_of([255], 8)) if "R's" in one.about)
    assert [layout.joined((word,)) for word in words] == [48, 228, 64]


@pytest.mark.slow
def test_secure_numbers_are_refused():
    chance = random.SystemRandom()
    for bits in (8, 32):
        stream = stream_of([chance.getrandbits(bits) for _ in range(3000)], bits)
        for family in (*SMALL, Xorwows()):
            needed = family.needs(stream)
            if needed is not None and needed <= len(stream):
                assert not list(family.recover(stream.head(needed), Deadline(60)))
    stream = stream_of([chance.getrandbits(12) for _ in range(4000)], 12)
    (family,) = of(MT19937, 0)
    assert not list(family.recover(stream.head(family.needs(stream)), Deadline(60)))


def test_dense_equations_stop_at_the_deadline():
    stream = stream_of([7, 0, 1] * 9000, 3)
    with pytest.raises(OutOfTime):
        list(KnownBits(Twister(MT19937_64), "x", "x", 0, True).recover(stream, Deadline(0.2)))


def test_too_few_outputs():
    stream = stream_of([1, 2, 3], 8)
    (family,) = of(MT19937, 0)
    assert family.needs(stream) > 2500
    assert small("xorshift128")[0].needs(stream) > 15
    assert XORSHIFT128 in SMALL_ENGINES
    assert LARGEST.fraction(2**32 - 1) == 1.0
