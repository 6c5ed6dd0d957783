"""A configuration is closed, typed, hashed canonically, and overridden by dotted keys."""

import pytest

from unrandom.core.errors import UserError
from unrandom.training import RunConfig


def test_the_tree_is_an_exact_inverse_of_parse(tiny):
    assert RunConfig.parse(tiny.to_json()) == tiny


def test_equal_configurations_have_equal_digests_and_different_ones_do_not(tiny):
    assert tiny.digest() == RunConfig.parse(tiny.to_json()).digest()
    assert tiny.digest() != tiny.override(["seed=1"]).digest()
    assert len(tiny.digest()) == 8
    assert int(tiny.digest(), 16) >= 0


def test_how_a_run_is_computed_is_no_part_of_its_name(tiny):
    assert tiny.override(["micro_batches=4", "recompute=true"]).digest() == tiny.digest()
    assert tiny.override(["data_seed=0"]).digest() != tiny.digest()


def test_overrides_change_what_they_name_and_nothing_else(tiny):
    changed = tiny.override(["model.depth=3", "data.base=16", "data.modulus=2^16", "optimizer.name=adamw"])
    assert (changed.model.depth, changed.data.modulus, changed.optimizer.name) == (3, 65536, "adamw")
    assert changed.override(["model.depth=1", "data.base=none", "data.modulus=64", "optimizer.name=muon"]) == tiny


def test_a_list_is_given_with_commas_or_as_one_value(tiny, um_data):
    run = tiny.replace(data=um_data)
    assert run.override(["data.test_moduli=30,40"]).data.test_moduli == (30, 40)
    assert run.override(["data.test_moduli=30"]).data.test_moduli == (30,)


@pytest.mark.parametrize(
    ("assignment", "said"),
    [
        ("model.dept=2", "near misses: model.depth"),
        ("depth=2", "model.depth"),
        ("modulus=3", "data.modulus"),
        ("model=2", "unknown key 'model'"),
        ("model.depth", "key=value"),
        ("model.depth=two", "model.depth='two'"),
        ("model.depth=1.5", "model.depth=1.5"),
        ("model.depth=0", "greater than or equal to 1"),
        ("batch_size=true", "batch_size=True"),
        ("model.d_model=17", "d_model=17 must be a multiple of n_heads=2"),
        ("model.activation=tanh", "'relu' or 'gelu'"),
        ("data.modulus=0", "data.modulus=0"),
        ("data.modulus=1", "data.modulus=1"),
        ("data.modulus=-7", "data.modulus=-7"),
        ("data.modulus=2^65", "data.modulus=36893488147419103232"),
        ("data.modulus=9^999", "larger than 2^128"),
        ("data.modulus=2^32", "set data.base"),
        ("optimizer.lr=-1", "optimizer.lr=-1"),
        ("optimizer.lr=nan", "optimizer.lr"),
        ("data.full_period_share=1.5", "data.full_period_share=1.5"),
        ("data.mode=fresh", "'fixed' or 'streaming'"),
        ("data.test_moduli=3", "unknown key"),
    ],
)
def test_what_does_not_fit_is_said_in_one_line(tiny, assignment, said):
    with pytest.raises(UserError) as caught:
        tiny.override([assignment])
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_unknown_key_in_a_file_is_named_with_its_near_misses(tiny):
    tree = tiny.to_json()
    tree["model"]["n_head"] = 2
    with pytest.raises(UserError, match=r"model\.n_head.*near misses.*model\.n_heads"):
        RunConfig.parse(tree)


def test_the_value_at_a_dotted_key(tiny):
    assert tiny.at("model.depth") == 1
    assert tiny.at("data.modulus") == 64
    with pytest.raises(KeyError):
        tiny.at("model.dept")
