"""Every recipe is a complete configuration, at the paper's settings where it is the paper's."""

import pytest

from unrandom.core.errors import UserError
from unrandom.data import make_split
from unrandom.experiments.recipes import RECIPES, recipe
from unrandom.models import parameter_count


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_builds_a_configuration_whose_split_can_be_made(name):
    config = recipe(name).build()
    assert type(config).parse(config.tree()) == config
    assert make_split(config.data, config.seed).held_out


@pytest.mark.parametrize("exponent", range(16, 33, 4))
def test_base_256_reaches_from_2_16_to_2_32(exponent):
    config = recipe("fm-base256").build().override([f"data.modulus=2^{exponent}"])
    assert config.data.context_tokens == 512 * -(-exponent // 8) - 1
    assert make_split(config.data, 0).held_out[0].multipliers.max() < 2**exponent


def test_the_paper_s_unseen_modulus_scaling_model_has_about_76_million_parameters():
    assert parameter_count(recipe("um-base256").build().transformer) == pytest.approx(76e6, rel=0.01)


def test_an_unknown_recipe_names_the_near_misses():
    with pytest.raises(UserError, match="no recipe is called 'fm256'; near misses: fm-256"):
        recipe("fm256")
