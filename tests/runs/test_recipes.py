"""Every recipe is a complete configuration, at the paper's settings where it is the paper's, with an id of its own."""

import json
from pathlib import Path

import pytest

from unrandom.core.errors import UserError
from unrandom.models import parameter_count
from unrandom.runs.recipes import RECIPES, recipe
from unrandom.runs.spec import RunSpec
from unrandom.training import RunConfig

ROOT = Path(__file__).parents[2]
IDS = json.loads((ROOT / "tests" / "golden" / "recipe_ids.json").read_text())


@pytest.mark.parametrize("name", RECIPES)
def test_the_id_of_a_recipe_changes_on_purpose_alone(name):
    """A new id leaves the runs of the old one behind: CHANGELOG says so, and then the golden file is changed."""
    assert recipe(name).build().digest() == IDS[name]


def test_every_run_in_results_keeps_its_id():
    published = {}
    for made in ROOT.glob("results/*/*/made.json"):
        published |= json.loads(made.read_text())["configurations"]
    for manifest in ROOT.glob("results/*/weights/*/manifest.json"):
        published[manifest.parent.name] = json.loads(manifest.read_text())["config"]
    assert len(published) > 100
    for run, tree in published.items():
        assert run.endswith("-" + RunConfig.parse(tree).digest()), run


def test_by_values_the_unseen_modulus_runs_are_those_of_before():
    for name, digest in (("um-128", "aa3d08cc"), ("um-2048", "fa6bdf79")):
        assert recipe(name).build().override(["data.hold_out=values"]).digest() == digest


def test_a_run_and_the_one_that_it_starts_from_keep_the_same_seed():
    grown = recipe("um-108-wide").build()
    assert grown.start.config == recipe("um-108").build()
    twice = grown.replace(start=grown.start.replace(config=grown))
    for other in (twice.replace(seed=2), twice.override(["seed=2"]), twice.replace(steps=7).replace(seed=2)):
        ancestors = RunSpec("um-108-wide", other).ancestors()
        assert [each.config.seed for each in (*ancestors, RunSpec("um-108-wide", other))] == [2, 2, 2]
        assert ancestors[0].config == recipe("um-108").build().replace(seed=2)
    split = grown.replace(data_seed=3)
    assert (split.start.config.seed, split.start.config.data_seed) == (0, 3)
    apart = grown.replace(start=grown.start.replace(config=grown.start.config.replace(seed=5)))
    assert apart.replace(seed=1).start.config.seed == 5
    for given in (grown.replace(seed=2, start=grown.start), grown.override(["seed=2", "start.config.seed=0"])):
        assert (given.seed, given.start.config.seed) == (2, 0)


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_builds_a_configuration_whose_split_can_be_made(name):
    config = recipe(name).build()
    assert type(config).parse(config.to_json()) == config
    assert config.data.split(config.seed).parts


@pytest.mark.parametrize("exponent", range(16, 33, 4))
def test_base_256_reaches_from_2_16_to_2_32(exponent):
    config = recipe("fm-base256").build().override([f"data.modulus=2^{exponent}"])
    assert config.data.context_tokens == 512 * -(-exponent // 8) - 1
    assert config.data.split(0).held_out[0].multipliers.max() < 2**exponent


def test_the_paper_s_unseen_modulus_scaling_model_has_about_76_million_parameters():
    assert parameter_count(recipe("um-base256").build().transformer) == pytest.approx(76e6, rel=0.01)


def test_an_unknown_recipe_names_the_near_misses():
    with pytest.raises(UserError, match="no recipe is called 'fm256'; near misses: fm-256"):
        recipe("fm256")
