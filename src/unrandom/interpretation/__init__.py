"""Analyses of a trained model's weights and activations, as arrays and dataclasses."""

from unrandom.interpretation.activation_patching import patch_heads, patch_positions
from unrandom.interpretation.adaptivity import Adaptivity, adaptivity, attention_late
from unrandom.interpretation.attention import attention_by_distance, lookback_shares, strongest_distances
from unrandom.interpretation.damage import Damage, digit_damage
from unrandom.interpretation.distances import common_divisor, strongest_key_distances
from unrandom.interpretation.embedding import (
    additive_variance,
    class_variance,
    cosine_by_shared_digits,
    embedding_table,
    order_along_component,
    principal_components,
    residue_variance,
    token_vectors,
)
from unrandom.interpretation.head_residues import ResidueScores, residue_scores
from unrandom.interpretation.heads import head_outputs, head_plane
from unrandom.interpretation.lines import attention_by_lookback, without_lookbacks
from unrandom.interpretation.lookback import keep_weights, lookback_ablation
from unrandom.interpretation.modulus_estimate import modulus_estimates, number_similarity, size_rank_correlation
from unrandom.interpretation.neurons import (
    accuracy_as_neurons_are_added,
    best_first_order,
    dominant_periods,
    neuron_contribution,
    neuron_responses,
    peaks_beyond_chance,
    random_order,
)
from unrandom.interpretation.patching import overwrite, patch_all, patch_parameters
from unrandom.interpretation.probes import linear_probe, probe_stream
from unrandom.interpretation.pruning import Replacement, mean_head_values, prune_heads
from unrandom.interpretation.residual_stream import direct_logit_attribution, logit_lens, stream_taps
