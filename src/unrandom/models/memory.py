"""The peak memory of a training step: the tensors saved by its parts, and the largest set of gradients."""

from collections.abc import Iterable
from dataclasses import dataclass

from unrandom.models.config import TransformerConfig
from unrandom.models.costs import (
    AttentionCosts,
    ForwardPass,
    LayerNormCosts,
    MLPCosts,
    PartCosts,
    UnembeddingCosts,
    block_parts,
)
from unrandom.models.counts import parameter_count


@dataclass(frozen=True)
class TrainingMemory:
    """Peak bytes of a training step, by purpose."""

    weights: int
    gradients: int
    optimizer: int
    activations: int  # saved by the forward pass of one micro-batch for the backward pass
    working: int  # further bytes at the peak of the backward pass

    @property
    def total(self) -> int:
        return self.weights + self.gradients + self.optimizer + self.activations + self.working


@dataclass(frozen=True)
class _MicroBatch:
    """Bytes that parts of a model take for a micro-batch of ``rows`` sequences."""

    config: TransformerConfig
    forward: ForwardPass
    rows: int

    def saved_tensors(self, parts: Iterable[type[PartCosts]]) -> int:
        """Bytes of the tensors that the parts save for the backward pass."""
        tensors = (tensor for part in parts for tensor in part.saved_tensors(self.config, self.forward))
        return self.rows * sum(tensor.bytes for tensor in tensors)

    def copies(self, parts: Iterable[type[PartCosts]]) -> int:
        """Bytes of the bf16 copies of weights in matrix products."""
        return self.forward.copy_bytes * sum(part.weights_read(self.config) for part in parts)

    def gradients(self, part: type[PartCosts]) -> int:
        """Peak bytes of gradients inside a part."""
        return self.rows * part.gradient_bytes(self.config, self.forward)


def training_memory(
    config: TransformerConfig,
    *,
    sequences: int,
    precision: str,
    attention: str,
    moments: int,
    matrix_moments: int,
    micro_batches: int = 1,
    recompute: bool = False,
) -> TrainingMemory:
    """Memory of a training step on ``sequences`` sequences of full context length, split into ``micro_batches``.

    ``precision`` is fp32 or bf16, ``attention`` explicit, fused or blockwise. The optimiser keeps ``matrix_moments``
    numbers for each parameter in the matrices inside the blocks, and ``moments`` for each other one. Weights,
    gradients, optimiser state and the residual stream are always in fp32; bf16 applies to the operands of matrix
    products.
    """
    batch = _MicroBatch(config, ForwardPass(precision, attention), -(-sequences // micro_batches))
    in_block, top = block_parts(config), (LayerNormCosts, UnembeddingCosts)
    block = batch.saved_tensors(in_block) + batch.copies(in_block)
    stream = 4 * batch.rows * config.context * config.d_model  # the residual stream, or its gradient
    blocks_saved, top_saved = (
        config.depth * (stream if recompute else block),
        batch.saved_tensors(top) + batch.copies(top),
    )
    # The backward pass frees tensors after use. When it reaches the last block, the top's are freed, and the
    # block has been recomputed if only its input was saved. In its attention, the inputs of the MLP and of W_O are
    # freed.
    at_block = blocks_saved + (block - stream if recompute else 0) + stream
    W_O_input = batch.rows * batch.forward.operand_bytes * config.context * config.d_model
    peak = max(
        blocks_saved + top_saved + batch.gradients(UnembeddingCosts),
        at_block + batch.gradients(MLPCosts),
        at_block - batch.saved_tensors((LayerNormCosts, MLPCosts)) - W_O_input + batch.gradients(AttentionCosts),
    )
    parameters = parameter_count(config)
    in_matrices = config.depth * sum(part.matrix_count(config) for part in in_block)
    return TrainingMemory(
        weights=4 * parameters,
        gradients=4 * parameters,
        optimizer=4 * (matrix_moments * in_matrices + moments * (parameters - in_matrices)),
        activations=blocks_saved + top_saved,
        working=peak - blocks_saved - top_saved,
    )
