"""Each part of the model initialises its parameters from the seed, and declares their shapes and its costs."""

import pytest
import torch
from torch import nn

from unrandom.models import Transformer, TransformerConfig, costs, transformer
from unrandom.models.attention import KeyValueShift
from unrandom.models.part import Part, fill_normal
from unrandom.models.positions import PositionTable
from unrandom.models.transformer import MLP

CONFIGS = [
    TransformerConfig(
        depth=2,
        n_heads=2,
        d_model=8,
        positions=positions,
        tied=tied,
        bias=bias,
        kv_shift=kv_shift,
        number_rotation=bias and positions == "abacus",
        vocab_size=7,
        context=6,
        digits=2,
    )
    for positions, tied, kv_shift, bias in [
        ("learned", True, False, False),
        ("abacus", False, True, False),
        ("rotary", True, True, True),
        ("abacus", True, False, True),
    ]
]


@pytest.fixture(params=CONFIGS, ids=lambda config: f"{config.positions}{'-bias' * config.bias}")
def config(request):
    return request.param


@pytest.mark.parametrize("positions", ["learned", "abacus"])
def test_waves_move_on_by_the_same_map_everywhere(positions):
    table = Transformer(CONFIGS[0].replace(positions=positions, d_model=64, context=90, digits=1)).pos_embed
    assert isinstance(table, PositionTable)
    vectors = table.get_parameter(table.places).detach()
    before = vectors.clone()
    table.fill_with_waves(torch.Generator().manual_seed(1))
    assert not torch.equal(before, vectors)
    assert float(vectors.std()) == pytest.approx(0.02)
    assert torch.linalg.matrix_rank(vectors.double(), rtol=1e-5) == 13  # periods 2 to 128
    for r in (1, 5, 32):
        move = torch.linalg.lstsq(vectors[:40].double(), vectors[r : 40 + r].double(), driver="gelsd").solution
        torch.testing.assert_close(vectors[40:-r].double() @ move, vectors[40 + r :].double(), atol=1e-3, rtol=0)


def parts_of(model):
    return {name: module for name, module in model.named_modules() if isinstance(module, Part)}


def owned_by(name, parts, model):
    """The shapes of a part's own parameters, without nested parts; a shared parameter belongs to its first owner."""
    inside = [f"{other}." for other in parts if other.startswith(f"{name}.")]
    full = {key: tuple(p.shape) for key, p in model.named_parameters() if key.startswith(f"{name}.")}
    return {
        key.removeprefix(f"{name}."): shape
        for key, shape in full.items()
        if not any(key.startswith(other) for other in inside)
    }


def test_every_part_states_the_shapes_of_its_parameters(config):
    model = Transformer(config)
    parts = parts_of(model)
    for name, part in parts.items():
        shapes = owned_by(name, parts, model)
        assert part.shapes(config) == shapes, name
        assert type(part).parameter_count(config) == sum(torch.Size(shape).numel() for shape in shapes.values())


def test_the_parts_that_are_counted_are_those_of_the_model(config):
    def kinds(parts):
        return sorted(
            next(base.__name__ for base in type(part).__mro__ if base.__module__ == costs.__name__) for part in parts
        )

    parts = parts_of(Transformer(config))
    in_blocks = [part for name, part in parts.items() if name.startswith("blocks.")]
    outside = [part for name, part in parts.items() if not name.startswith("blocks.")]
    assert kinds(in_blocks) == sorted(part.__name__ for part in costs.block_parts(config) * config.depth)
    assert kinds(outside) == sorted(part.__name__ for part in costs.outer_parts(config))


def test_every_parameter_is_a_function_of_the_seed(config):
    torch.manual_seed(0)
    one = Transformer(config, seed=3)
    torch.manual_seed(1)
    same, other = Transformer(config, seed=3), Transformer(config, seed=4)
    for name, parameter in one.named_parameters():
        assert torch.equal(parameter, same.get_parameter(name)), name
        if parameter.dim() > 1:
            assert not torch.equal(parameter, other.get_parameter(name)), name


class WithConvolution(MLP):
    """An MLP that does not initialise its weights."""

    def __init__(self, config):
        super().__init__(config)
        self.convolution = nn.Conv1d(config.d_model, config.d_model, 3)


class WithFilledConvolution(WithConvolution):
    def initialise(self, generator):
        super().initialise(generator)
        for parameter in self.convolution.parameters():
            fill_normal(parameter, generator)


def test_a_parameter_that_no_part_initialises_is_an_error_that_names_it(monkeypatch):
    monkeypatch.setattr(transformer, "MLP", WithConvolution)
    with pytest.raises(AssertionError, match=r"no part initialises blocks\.0\.mlp\.convolution\.weight, .*bias"):
        Transformer(CONFIGS[0])
    monkeypatch.setattr(transformer, "MLP", WithFilledConvolution)
    one, same = Transformer(CONFIGS[0], seed=1), Transformer(CONFIGS[0], seed=1)
    assert torch.equal(one.blocks[1].mlp.convolution.weight, same.blocks[1].mlp.convolution.weight)


def test_a_part_that_forgets_to_initialise_is_an_error(monkeypatch):
    monkeypatch.delattr(KeyValueShift, "initialise")
    with pytest.raises(NotImplementedError):
        Transformer(CONFIGS[1])


def test_what_muon_updates_is_what_the_parts_name_and_count(config):
    model = Transformer(config)
    matrices = model.matrices()
    assert all(parameter.dim() == 2 for parameter in matrices)
    counted = config.depth * sum(part.matrix_count(config) for part in costs.block_parts(config))
    assert counted == sum(parameter.numel() for parameter in matrices) == 2 * 12 * 8**2
