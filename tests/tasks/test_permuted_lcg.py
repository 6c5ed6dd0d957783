"""Permuted generators are those that are published, what is held out is unseen, and the ceiling is exact."""

from collections import Counter
from itertools import product
from typing import get_args

import numpy as np
import pytest

from unrandom.core.errors import UserError
from unrandom.core.seeds import stream
from unrandom.generators import pcg
from unrandom.generators.lcg import LCG
from unrandom.tasks import Phase, make_predictors
from unrandom.tasks.permuted_lcg import OUTPUTS, VARIANTS, PermutedLCG, Variant

SMALL = {"context": 12, "mode": "streaming", "n_sequences": None, "n_test_a": 2, "n_test_c": 4}
MULTIPLIERS = {16: 12829, 32: 747796405, 64: 6364136223846793005}  # of the C library, by the width of the state

# The first outputs of the C library's demonstrations (pcg-c, test-low, and pcg32-demo): seed 42, stream 54.
PUBLISHED = {
    ("xsh-rr", 16, 8): [0xF5, 0x8A, 0x7F, 0xCB, 0xED, 0xFE],
    ("xsh-rs", 16, 8): [0x74, 0x4D, 0xC7, 0x64, 0xAF, 0xC0],
    ("xsh-rr", 32, 16): [0x0A76, 0x61E2, 0x8B45, 0xDACF, 0x2B23, 0x9447],
    ("xsh-rs", 32, 16): [0xA6DD, 0x8854, 0x5BB1, 0xADE3, 0x6590, 0x8921],
    ("xsh-rr", 64, 32): [0xA15C02B7, 0x7B47F409, 0xBA1D3330, 0x83D2F293, 0xBFA4784B, 0xCBED606E],
    ("xsh-rs", 64, 32): [0x5C1B65C0, 0x8FFCEB31, 0xCCCAD075, 0xB83CDFC6, 0x5DFCE9CA, 0xC0D524EC],
    ("xsl-rr", 64, 32): [0x068F20A8, 0xED610A2E, 0x3911C946, 0xD94C9C1C, 0x0D4B401A, 0x92EE3D83],
}


@pytest.mark.parametrize(("variant", "state", "word"), PUBLISHED)
def test_the_published_outputs_of_the_c_library(variant, state, word):
    m, a, c = 1 << state, MULTIPLIERS[state], 54 << 1 | 1
    lcg = LCG(m, a, c % m)
    x = lcg((lcg(0) + 42) % m)
    orbit = lcg.orbit(x, 6)
    assert [OUTPUTS[variant](each, state, word) for each in orbit] == PUBLISHED[variant, state, word]
    states = np.array(orbit, dtype=np.uint64)
    assert OUTPUTS[variant](states, state, word).tolist() == PUBLISHED[variant, state, word]


def test_numpys_pcg64_is_xsl_rr_with_a_state_of_128_bits():
    generator = np.random.PCG64(5)
    state = generator.state["state"]
    lcg = LCG(2**128, 0x2360ED051FC65DA44385DF649FCCF645, state["inc"])
    orbit = lcg.orbit(state["state"], 6)[1:]
    assert [pcg.halves_rotation(x, 128, 64) for x in orbit] == generator.random_raw(5).tolist()


def by_definition(variant: str, x: int, state: int, word: int) -> int:
    """An output by its definition, on strings of bits: the highest comes first."""
    bits = f"{x:0{state}b}"

    def rotated(window: str, places: int) -> str:
        return window[len(window) - places :] + window[: len(window) - places]

    def folded(by: int) -> str:
        return f"{x ^ x >> by:0{state}b}"

    turn = min(word.bit_length() - 1, state - word)
    shift = sum(state - word >= spare for spare in (2, 6, 19, 36, 69))
    places = int(bits[:shift] or "0", 2)
    if variant == "lcg":
        found = bits
    elif variant == "tlcg":
        found = bits[:word]
    elif variant == "rs":
        found = bits[shift + places :][:word]
    elif variant == "rr":
        found = rotated(bits[turn : turn + word], int(bits[:turn], 2))
    elif variant == "xsh-rs":
        begin = shift + 2**shift - 1 - places
        found = folded(shift + (word + 2**shift - 1) // 2)[begin:][:word]
    elif variant == "xsh-rr":
        found = rotated(folded((turn + word) // 2)[turn : turn + word], int(bits[:turn], 2))
    else:
        found = rotated(folded(state // 2)[-word:], int(bits[:turn], 2))
    return int(found, 2)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize(("state", "word"), [(5, 2), (6, 3), (8, 4), (9, 4), (10, 5), (12, 6), (12, 5)])
def test_every_state_by_the_definition(variant, state, word):
    task = PermutedLCG(variants=(variant,), state_bits=state, word_bits=word, **SMALL)
    states = np.arange(task.modulus, dtype=np.uint64)
    wanted = [by_definition(variant, x, state, word) for x in range(task.modulus)]
    assert task.shown(variant, states).tolist() == wanted
    assert [task.shown(variant, x) for x in range(task.modulus)] == wanted


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("state", [6, 16, 63, 64])
@pytest.mark.parametrize("bits", [None, 1, 3])
def test_numbers_are_what_is_shown_of_an_lcg_of_full_period(variant, state, bits):
    settings = {**SMALL, **({"base": 16} if state > 16 and bits is None else {})}
    task = PermutedLCG(variants=(variant,), state_bits=state, bits=bits, **settings)
    drawn = task.draw(stream(0, "draw"), 20)
    numbers = drawn.numbers(13)
    for row in range(20):
        lcg = LCG(task.modulus, int(drawn.a[row]), int(drawn.c[row]))
        assert lcg.has_full_period
        orbit = lcg.orbit(int(drawn.x0[row]), 13)
        word = state if variant == "lcg" else state // 2
        assert numbers[row].tolist() == [
            by_definition(variant, x, state, word) >> (word - (bits or word)) for x in orbit
        ]


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_period_is_that_of_the_state_and_no_divisor_of_it(variant):
    task = PermutedLCG(variants=(variant,), state_bits=8, **SMALL)
    drawn = task.draw(stream(1, "draw"), 30)
    assert drawn.labels["period"].tolist() == [256] * 30
    numbers = drawn.numbers(2 * 256)
    assert (numbers[:, :256] == numbers[:, 256:]).all()
    assert (numbers[:, :256] != numbers[:, 128:384]).any(axis=1).all()


def test_labels_and_groups():
    task = PermutedLCG(variants=("rr", "tlcg"), state_bits=8, **SMALL)
    drawn = task.draw(stream(0, "draw"), 64)
    labels = drawn.labels
    assert Counter(labels["variant"].tolist()) == {"rr": 32, "tlcg": 32}
    twos = [int(a - 1) & -int(a - 1) for a in labels["a"].tolist()]
    assert [2**v for v in labels["v_2(a - 1)"].tolist()] == [float(two or np.inf) for two in twos]
    by_variant, by_valuation = drawn.groupings()
    assert {name: rows.sum() for name, rows in by_variant.rows()} == {"tlcg": 32, "rr": 32}
    assert by_valuation.names[0] == "2"
    assert drawn.text(0).startswith(labels["variant"][0])


@pytest.mark.parametrize("hold_out", ["values", "pairs"])
@pytest.mark.parametrize("trained", [None, 6])
def test_training_has_nothing_that_is_held_out(hold_out, trained):
    task = PermutedLCG(state_bits=8, hold_out=hold_out, n_a=trained, n_c=trained, **SMALL)
    split = task.split(3)
    training, test = split.draw_training(stream(0, "train"), 4000), split.test("test", 64).parameters
    held = [np.isin(training.labels[name], split.held[name]) for name in ("a", "c")]
    assert not (held[0] & held[1]).any()
    if hold_out == "values":
        assert not (held[0] | held[1]).any()
    elif trained is None:
        assert held[0].any()
        assert held[1].any()
    if trained is not None:
        assert len(np.unique(training.a)) <= trained
        assert len(np.unique(training.c)) <= trained
    assert np.isin(test.a, split.held["a"]).all()
    assert np.isin(test.c, split.held["c"]).all()
    split.check(training)
    with pytest.raises(RuntimeError, match="overlap"):
        split.check(test)


def test_a_tag_names_the_variant_and_comes_first():
    task = PermutedLCG(variants=("rr", "tlcg", "rs"), state_bits=8, tagged=True, **SMALL)
    drawn = task.draw(stream(0, "draw"), 30)
    untagged = PermutedLCG(variants=("rr", "tlcg", "rs"), state_bits=8, **SMALL).draw(stream(0, "draw"), 30)
    numbers = drawn.numbers(13)
    tags = {"rr": 16, "tlcg": 17, "rs": 18}
    assert numbers[:, 0].tolist() == [tags[variant] for variant in drawn.labels["variant"]]
    assert np.array_equal(numbers[:, 1:], untagged.numbers(12))
    assert task.vocabulary == 19
    smaller = task.in_phase(Phase(modulus=2**6))
    assert smaller.draw(stream(0, "draw"), 30).numbers(2)[:, 0].tolist() == numbers[:, 0].tolist()


def test_easier_sequences_are_of_a_smaller_state():
    task = PermutedLCG(state_bits=8, curriculum=(Phase(modulus=2**6, share=0.5, decay="cosine", steps=10),), **SMALL)
    split = task.split(0)
    ((share, easier),) = split.curriculum()
    assert [round(share(step), 3) for step in (0, 5, 10, 11)] == [0.5, 0.25, 0, 0]
    drawn = easier.draw_training(stream(0, "draw"), 500)
    assert int(drawn.numbers(13).max()) < 8
    assert not np.isin(drawn.a, split.held["a"]).any()


def test_a_larger_state_may_start_from_a_smaller_one():
    """Values that are too large for the smaller one, and those that it held out, are unseen."""
    small, large = (PermutedLCG(state_bits=bits, **{**SMALL, "n_test_a": 8}).split(0) for bits in (8, 10))
    left = large.unseen_by(small)
    for name, values in left.held.items():
        assert all(value >= 256 or value in small.held[name] for value in values.tolist())
    assert set(left.held["a"].tolist()) == {
        a for a in large.held["a"].tolist() if a >= 256 or a in small.held["a"].tolist()
    }


@pytest.mark.parametrize("variants", [("tlcg",), ("xsh-rr",), ("rs", "xsl-rr")])
@pytest.mark.parametrize("bits", [None, 1])
def test_the_posterior_is_exact(variants, bits):
    """Against every state, multiplier and increment of a state of five bits, counted one by one."""
    task = PermutedLCG(variants=variants, state_bits=5, bits=bits, **{**SMALL, "context": 7})
    (bayes,) = make_predictors(["bayes"], task)
    sequences = task.draw(stream(0, "draw"), 6).numbers(8)
    found = bayes.predict(sequences)
    every = [
        [task.shown(variant, x) for x in LCG(32, a, c).orbit(x0, 8)]
        for variant, a, c, x0 in product(variants, range(1, 32, 4), range(1, 32, 2), range(32))
    ]
    for row, sequence in enumerate(sequences.tolist()):
        for t in range(1, 8):
            counts = Counter(other[t] for other in every if other[:t] == sequence[:t])
            most = max(counts.values())
            assert found.numbers[row, t - 1] == min(number for number, count in counts.items() if count == most)
            assert found.truth_probability[row, t - 1] == pytest.approx(counts[sequence[t]] / sum(counts.values()))


def test_pairs_that_a_parent_held_out_are_no_unseen_values():
    by_pairs, by_values = (
        PermutedLCG(state_bits=8, hold_out=rule, **{**SMALL, "n_test_a": 4}).split(0) for rule in ("pairs", "values")
    )
    assert {name: len(values) for name, values in by_pairs.unseen_by(by_pairs).held.items()} == {"a": 4, "c": 4}
    assert {name: len(values) for name, values in by_pairs.unseen_by(by_values).held.items()} == {"a": 4, "c": 4}
    with pytest.raises(UserError, match="may have seen every value"):
        by_values.unseen_by(by_pairs)


def test_the_names_of_variants_are_complete():
    assert set(get_args(Variant)) == set(OUTPUTS) == {*PermutedLCG.partial, "lcg"}
    assert {PermutedLCG.plain, *PermutedLCG.rotating} < set(PermutedLCG.partial)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"state_bits": 4, "word_bits": 3, "variants": ("rs",)}, "rs needs a state of 5 bits or more"),
        ({"state_bits": 8, "word_bits": 8}, "xsl-rr needs a state of 9 bits or more"),
        ({"state_bits": 8, "word_bits": 1}, "xsl-rr needs words of 2 bits or more"),
        ({"state_bits": 8, "word_bits": 9}, "word_bits=9 is wider than the state of 8 bits"),
        ({"state_bits": 8, "bits": 5}, "bits=5 are to be shown, but a word has 4"),
        ({"variants": ("rr", "rr")}, "names a variant twice"),
        ({"variants": ("pcg32",)}, "variants"),
        ({"tag_from": 20}, "tag_from is the number of the first tag: set tagged=true"),
        ({"tagged": True, "tag_from": 15}, "tags begin at 16 or later"),
        ({"tagged": True, "base": 16, "digits": 1}, "less than the 2 that a number can have"),
        ({"curriculum": (Phase(modulus=100),)}, "100 is not a power of two from 16 to 128"),
        ({"curriculum": (Phase(modulus=256),)}, "256 is not a power of two from 16 to 128"),
        ({"state_bits": 64}, "set data.base"),
        (
            {"variants": ("lcg",), "state_bits": 64, "tagged": True, "base": 256},
            "leave no room: numbers are below 2^64",
        ),
        ({"state_bits": 3}, "state_bits"),
    ],
)
def test_bad_settings_are_one_line(settings, said):
    with pytest.raises(UserError) as raised:
        PermutedLCG().replace(**settings)
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)


def test_too_few_multipliers_are_one_line():
    with pytest.raises(UserError, match="modulus 16 has 4 full-period multipliers; 16 were requested"):
        PermutedLCG(state_bits=4).split(0)
