"""Easier sequences come in the stated share, for the stated steps, and never hold what is kept for testing."""

import numpy as np
import pytest

from unrandom.core.errors import UserError
from unrandom.core.seeds import stream
from unrandom.runs.run import split_of
from unrandom.tasks import CurriculumBatches, FixedModulus, Phase, UnseenModulus, make_batches
from unrandom.tasks.permuted_lcg import PermutedLCG
from unrandom.tasks.quadratic import Quadratic
from unrandom.tasks.reduced_speck import ReducedSpeck
from unrandom.tasks.truncated_lcg import TruncatedLCG
from unrandom.training import RunConfig

FM = FixedModulus(modulus=256, context=12, mode="streaming", n_sequences=None, n_test_a=4, n_test_c=8)
UM = UnseenModulus(test_moduli=(50, 64), context=12, mode="streaming", n_sequences=None, n_test_a=3, n_test_c=3)


@pytest.mark.parametrize(
    ("phase", "shares"),
    [
        (Phase(modulus=16, share=0.5), {0: 0.5, 1000: 0.5}),
        (Phase(modulus=16, begin=10, steps=5), {9: 0, 10: 1, 14: 1, 15: 0}),
        (Phase(modulus=16, share=0.8, decay="linear", begin=2, steps=4), {1: 0, 2: 0.8, 4: 0.4, 6: 0, 7: 0}),
        (Phase(modulus=16, share=0.8, decay="exponential", steps=4), {0: 0.8, 4: 0.4, 8: 0.2, 40: 0.8 / 1024}),
    ],
)
def test_the_share_follows_its_schedule(phase, shares):
    assert {step: phase.share_at(step) for step in shares} == pytest.approx(shares)


def with_phases(data, *phases, **changes):
    return data.replace(**{"curriculum": phases, **changes})


@pytest.mark.parametrize("mode", ["streaming", "fixed"])
def test_a_batch_holds_the_stated_share_of_easier_sequences_on_average(mode):
    data = with_phases(FM, Phase(modulus=16, share=0.3), mode=mode, n_sequences=100 if mode == "fixed" else None)
    batches = make_batches(data.split(0), 8)
    easier = [(batches.tokens(step) < 16).all(axis=1).sum() for step in range(200)]
    assert set(easier) == {2, 3}
    assert np.mean(easier) == pytest.approx(2.4, abs=0.15)


def test_the_ranks_share_the_rows_of_the_one_batch():
    data = with_phases(FM, Phase(modulus=16, share=0.4), Phase(modulus=64, share=0.4))
    batches = make_batches(data.split(0), 12)
    whole = batches.tokens(5)
    for rank in range(3):
        assert np.array_equal(batches.tokens(5, rank, 3), whole[rank::3])


@pytest.mark.parametrize("data", [FM, UM])
def test_easier_sequences_are_of_training_alone_and_up_to_the_phase_s_modulus(data):
    split = with_phases(data, Phase(modulus=40 if data is UM else 32)).split(1)
    batches = make_batches(split, 256)
    assert isinstance(batches, CurriculumBatches)
    (drawn,) = batches.easier(0)
    split.check(drawn)
    moduli = {drawn.modulus(row) for row in range(len(drawn))}
    assert moduli == ({32} if data is FM else set(range(12, 41)))


def test_the_seed_of_the_data_fixes_the_split_and_the_set_and_not_the_order(tiny):
    tree = tiny.to_json()
    tree["data"].update(mode="fixed", n_sequences=64)
    one = RunConfig.parse({**tree, "seed": 1, "data_seed": 7})
    two = RunConfig.parse({**tree, "seed": 2, "data_seed": 7})
    splits = [config.data.split(config.split_seed) for config in (one, two)]
    assert splits[0].manifest() == splits[1].manifest()
    first, second = (make_batches(split, 16, seed) for split, seed in zip(splits, (1, 2), strict=True))
    assert np.array_equal(first.set_tokens, second.set_tokens)
    assert not np.array_equal(first.tokens(0), second.tokens(0))


def test_named_multipliers_are_kept_out_of_training_and_tested_apart():
    data = FM.replace(extra_test_multipliers=(5, 77))
    split = data.split(0)
    named = split.with_extra_multipliers().test(256, 64).parameters
    assert set(named.a.tolist()) == {5, 77}
    assert not set(split.test(256, 64).parameters.a.tolist()) & {5, 77}
    trained = np.concatenate([make_batches(split, 512).probe(2000).a])
    assert not set(trained.tolist()) & {5, 77}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ('data.curriculum=[{"modulus": 512}]', "512 is larger than the largest of the run"),
        ('data.curriculum=[{"modulus": 16, "share": 0.7}, {"modulus": 32, "share": 0.5}]', "add up to 1.2 at step 0"),
        ('data.curriculum=[{"modulus": 16, "decay": "linear"}]', "decay=linear needs steps"),
        ('data.curriculum=[{"modulus": 16, "shares": 1}]', "unknown key"),
        ("data.extra_test_multipliers=300", "300 is not below the modulus"),
        ("data_seed=-1", "data_seed=-1"),
    ],
)
def test_what_does_not_fit_is_said_in_one_line(tiny, change, said):
    with pytest.raises(UserError, match=said):
        tiny.override([change])


def test_a_named_multiplier_without_full_period_is_refused():
    with pytest.raises(UserError, match="extra test multiplier 6 has no full period modulo 256"):
        FM.replace(extra_test_multipliers=(6,)).split(0)


def test_a_grown_run_is_tested_only_on_what_the_smaller_one_could_not_see():
    large = FM.replace(n_test_a=16, n_test_c=32, extra_test_multipliers=(5, 77))
    split, earlier = large.split(0), FM.replace(modulus=64).split(0)
    kept = split.unseen_by(earlier)
    for values, before, held_out in (
        (kept.held_out[0].multipliers, split.held_out[0].multipliers, earlier.withheld.a),
        (kept.held_out[0].increments, split.held_out[0].increments, earlier.withheld.c),
    ):
        assert set(values) == {v for v in before if v >= 64 or v in held_out}
        assert 0 < len(values) < len(before)
    assert kept.extra_multipliers == (77,)
    seen = UM.replace(test_moduli=(40,), max_modulus=76)
    phase = FM.replace(curriculum=(Phase(modulus=64),))
    for other, modulus in ((seen, 50), (FM.replace(modulus=50, n_test_a=1), 50), (phase, 64)):
        with pytest.raises(UserError, match=f"trained on modulus {modulus}"):
            UM.split(0).unseen_by(other.split(0))


def test_a_grown_run_by_pairs_is_tested_on_no_pair_that_the_smaller_one_could_see():
    config = {"context": 8, "mode": "streaming", "n_sequences": None, "n_test_a": 8, "n_test_c": 8}
    for rule in ("pairs", "values"):
        small = UnseenModulus(test_moduli=(25, 32), min_modulus=8, max_modulus=40, hold_out=rule, **config)
        large = UnseenModulus(test_moduli=(64, 81), min_modulus=8, max_modulus=100, hold_out="pairs", **config)
        split, earlier = large.split(0), small.split(0)
        kept = split.unseen_by(earlier)
        seen = earlier.draws.draw(stream(0, "draws"), 30_000)
        for part, before in zip(kept.held_out, split.held_out, strict=True):
            assert not part.has(seen.a, seen.c).any()
            assert set(part.multipliers) <= set(before.multipliers)
            assert 0 < len(part.multipliers) * len(part.increments) < 64
    same = large.replace(max_modulus=120).split(0)  # the very pairs that the other holds out
    assert same.unseen_by(split).manifest()["test"] == same.manifest()["test"]


def test_a_grown_prime_is_tested_on_counting_only_where_the_smaller_run_could_not_see_it():
    config = {"context": 8, "mode": "streaming", "n_sequences": None, "n_test_a": 6, "n_test_c": 8, "min_modulus": 8}
    config |= {"test_multipliers": "primitive-root", "hold_out": "pairs"}
    for seed in range(4):
        earlier = UnseenModulus(test_moduli=(32,), max_modulus=40, **config).split(seed)
        split = UnseenModulus(test_moduli=(61, 64), max_modulus=80, **config).split(seed)
        kept = split.unseen_by(earlier)
        seen = earlier.draws.draw(stream(seed, "draws"), 30_000)
        for part in (*kept.held_out, *kept.counting().held_out):
            assert not part.has(seen.a, seen.c).any()
        whole, left = (each.counting().held_out[0].increments for each in (split, kept))
        assert set(left.tolist()) == {c for c in whole.tolist() if c >= 40}
    assert split.task.split(0).unseen_by(split.task.split(0)).counting().held_out[0].pairs == 8


def test_a_run_of_the_third_generation_is_tested_on_nothing_that_the_second_saw(tiny):
    """The second generation holds out less than it would alone, as the first had seen some of it."""
    common = {"context": 8, "mode": "streaming", "n_sequences": None, "n_test_a": 8, "n_test_c": 8, "min_modulus": 8}
    trimmed = 0
    for seed in range(6):
        configs = []
        for moduli, largest, rule in (((25, 32), 40, "values"), ((49, 64), 80, "values"), ((81, 96), 120, "pairs")):
            data = UnseenModulus(test_moduli=moduli, max_modulus=largest, hold_out=rule, **common)
            start = {"recipe": "before", "config": configs[-1].to_json()} if configs else None
            tree = {**tiny.to_json(), "data": data.to_json(), "seed": seed, "start": start}
            configs.append(RunConfig.parse(tree))
        splits = [split_of(config) for config in configs]
        for split in splits[:2]:
            drawn = split.draws.draw(stream(seed, "draws"), 20_000)
            assert not any(part.has(drawn.a, drawn.c).any() for part in splits[2].held_out)
        trimmed += len(splits[1].withheld.a) < len(configs[1].data.split(seed).withheld.a)
    assert trimmed


def test_a_phase_by_pairs_holds_out_the_same_pairs():
    for config in (FM, UM):
        by_pairs = config.replace(hold_out="pairs")
        split = by_pairs.split(0)
        easier = split.in_phase(Phase(modulus=40))
        drawn = easier.draws.draw(stream(0, "draws"), 20_000)
        assert not split.withheld.rows(drawn.a, drawn.c).any()
        assert np.isin(drawn.a, split.withheld.a).any()


def test_a_phase_that_cannot_be_drawn_is_said_at_once():
    data = with_phases(FM, Phase(modulus=16, begin=500), min_period=100)
    with pytest.raises(UserError, match="found no training parameters"):
        make_batches(data.split(0), 8)


@pytest.mark.parametrize(
    ("task", "modulus", "largest"),
    [
        (Quadratic(modulus=64, context=12, n_test_a=4, n_test_c=4), 32, 31),
        (TruncatedLCG(modulus=2**10, low=4, bits=6, context=12), 2**8, 63),
        (PermutedLCG(state_bits=10, context=12), 2**8, 15),
    ],
)
def test_every_task_of_words_or_residues_has_easier_sequences(task, modulus, largest):
    """They are those of the same task with fewer states, and have nothing that is held out."""
    phase = Phase(modulus=modulus, share=0.5, decay="cosine", steps=10)
    split = task.replace(mode="streaming", n_sequences=None, curriculum=(phase,)).split(0)
    ((_, easier),) = split.curriculum()
    drawn = easier.draw_training(stream(0, "draw"), 500)
    assert drawn.numbers(13).max() <= largest
    for name, values in split.held.items():
        assert not np.isin(drawn.labels[name], values).any()
    assert make_batches(split, 16).tokens(0).shape == (16, 13)


def test_a_larger_modulus_is_no_easier_one():
    with pytest.raises(UserError, match="modulus 128 is not below 64"):
        Quadratic(modulus=64, n_test_a=4, n_test_c=4).replace(curriculum=(Phase(modulus=128),))


def test_a_task_without_easier_sequences_says_so():
    with pytest.raises(UserError, match="the task reduced-speck has no easier sequences"):
        ReducedSpeck().replace(curriculum=(Phase(modulus=16),))
    with pytest.raises(UserError, match="100 is not a power of two from 64 to 512"):
        TruncatedLCG(modulus=2**10, low=4, bits=6).replace(curriculum=(Phase(modulus=100),))


def test_the_cosine_begins_and_ends_flat():
    phase = Phase(modulus=16, share=0.8, decay="cosine", begin=2, steps=4)
    shares = {1: 0, 2: 0.8, 4: 0.4, 6: 0, 7: 0}
    assert {step: phase.share_at(step) for step in shares} == pytest.approx(shares)
    assert phase.share_at(3) > 0.6
