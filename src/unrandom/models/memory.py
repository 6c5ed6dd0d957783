"""How much memory does a training step take at its highest? What its parts keep, and the moments of most gradients."""

from collections.abc import Iterable
from dataclasses import dataclass

from unrandom.models.config import TransformerConfig
from unrandom.models.costs import (
    AttentionCosts,
    Forward,
    LayerNormCosts,
    MLPCosts,
    PartCosts,
    UnembeddingCosts,
    block_parts,
)
from unrandom.models.counts import parameter_count


@dataclass(frozen=True)
class TrainingMemory:
    """Bytes of a training step at its highest, by what they are for."""

    weights: int
    gradients: int
    optimizer: int
    activations: int  # kept by the forward pass for the backward pass of one micro-batch
    working: int  # more than that, for a moment, in the backward pass

    @property
    def total(self) -> int:
        return self.weights + self.gradients + self.optimizer + self.activations + self.working


@dataclass(frozen=True)
class _MicroBatch:
    """What parts of a model take for ``rows`` sequences that are run at once, in bytes."""

    config: TransformerConfig
    forward: Forward
    rows: int

    def saved_tensors(self, parts: Iterable[type[PartCosts]]) -> int:
        """Tensors that parts keep for the backward pass."""
        return self.rows * sum(row.bytes for part in parts for row in part.saved_tensors(self.config, self.forward))

    def copies(self, parts: Iterable[type[PartCosts]]) -> int:
        """Copies of the weights that their products read."""
        return self.forward.copied * sum(part.weights_read(self.config) for part in parts)

    def gradients(self, part: type[PartCosts]) -> int:
        """The gradients that a part makes at its highest."""
        return self.rows * part.gradient_bytes(self.config, self.forward)


def training_memory(
    config: TransformerConfig,
    *,
    sequences: int,
    precision: str,
    attention: str,
    optimizer: str,
    micro_batches: int = 1,
    recompute: bool = False,
) -> TrainingMemory:
    """What a step of ``sequences`` full contexts takes, cut into ``micro_batches``.

    ``precision`` is fp32 or bf16, ``attention`` explicit or fused, ``optimizer`` adamw or muon. Weights, gradients,
    optimiser and the residual stream are in fp32 always; bf16 is what the matrix products read.
    """
    batch = _MicroBatch(config, Forward(precision, attention), -(-sequences // micro_batches))
    inside, top = block_parts(config), (LayerNormCosts, UnembeddingCosts)
    block = batch.saved_tensors(inside) + batch.copies(inside)
    stream = 4 * batch.rows * config.context * config.d_model  # the residual stream, or its gradient
    of_blocks, of_top = config.depth * (stream if recompute else block), batch.saved_tensors(top) + batch.copies(top)
    # The backward pass frees what it has used. When it reaches the last block, nothing of the top is left; a block of
    # which only the input was kept has run again. In its attention, what the MLP and W_O read is gone as well.
    at_block = of_blocks + (block - stream if recompute else 0) + stream
    read_by_W_O = batch.rows * batch.forward.read * config.context * config.d_model
    highest = max(
        of_blocks + of_top + batch.gradients(UnembeddingCosts),
        at_block + batch.gradients(MLPCosts),
        at_block - batch.saved_tensors((LayerNormCosts, MLPCosts)) - read_by_W_O + batch.gradients(AttentionCosts),
    )
    parameters = parameter_count(config)
    momenta = 2 * parameters  # of AdamW two a parameter, of Muon one
    if optimizer == "muon":
        momenta -= config.depth * sum(part.matrix_count(config) for part in inside)
    return TrainingMemory(
        weights=4 * parameters,
        gradients=4 * parameters,
        optimizer=4 * momenta,
        activations=of_blocks + of_top,
        working=highest - of_blocks - of_top,
    )
