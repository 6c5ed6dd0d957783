"""Measures how the MLP computes the prediction: periodic responses of its neurons to the target, and their votes.

The paper's section "Interpretability: Fixed Modulus", step iii (figure fixed_p_attn_mlp, b to d): a neuron responds
periodically to the target; its vote (contribution to the logits) has the same period; the votes of many neurons add up
at the correct number.

A neuron's contribution is computed from the MLP's output, as in the paper: its column of W_out times its activation,
projected on the unembedding. The skip connection is left out, and the final LayerNorm is not applied.

The query at token position q predicts number q + 1, its target. One token is one number.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from jaxtyping import Bool, Float, Int, Integer

from unrandom.core.errors import UserError
from unrandom.core.seeds import stream
from unrandom.evaluation import Tally
from unrandom.generators.full_period import has_full_period
from unrandom.generators.lcg import lcg_orbits
from unrandom.interpretation.checks import check_numbers
from unrandom.models import Transformer, record

VALUES_AT_ONCE = 2**24  # bound on the activations of one forward pass, and so on its memory
ROUNDING = 1e-5  # a response that varies by less, relative to its largest value, counts as constant (fp32 rounding)
TIE_TOLERANCE = 1e-9  # powers that differ by less, relative to the largest, count as equal


@dataclass(frozen=True)
class Periods:
    """The strongest frequency of each neuron's response to the target, and the share of variance that it explains.

    The power at a frequency includes its negative's, so that powers add up to the variance over targets. All shares
    are 0 to 1: ``peak_share`` is the share of the strongest frequency f, and ``harmonic_share`` of f, 2f, 3f, …
    up to targets / 2 (a flat spectrum gives about 1 / f, which is 1 if f = 1). The null values ``shuffled_*`` are the
    same after one permutation of the targets. A constant response has frequency 0, period NaN, and shares 0.
    """

    targets: int
    alive: Bool[np.ndarray, " neurons"]  # whether the activation is positive for some target
    frequency: Int[np.ndarray, " neurons"]  # cycles over all targets
    peak_share: Float[np.ndarray, " neurons"]
    harmonic_share: Float[np.ndarray, " neurons"]
    shuffled_peak_share: Float[np.ndarray, " neurons"]
    shuffled_harmonic_share: Float[np.ndarray, " neurons"]

    @property
    def period(self) -> Float[np.ndarray, " neurons"]:
        """The period in targets, targets / frequency; NaN for a constant response."""
        return np.where(self.frequency > 0, self.targets / np.maximum(self.frequency, 1), np.nan)

    def to_json(self) -> dict[str, Any]:
        """As JSON values: lists over neurons."""
        shares = ("peak_share", "harmonic_share", "shuffled_peak_share", "shuffled_harmonic_share")
        return {
            "targets": self.targets,
            "alive": self.alive.tolist(),
            "frequency": self.frequency.tolist(),
            "period": [round(self.targets / f, 6) if f else None for f in self.frequency.tolist()],
            **{name: np.round(getattr(self, name), 6).tolist() for name in shares},
        }


class _Peaks(NamedTuple):
    frequency: Int[np.ndarray, " neurons"]
    peak_share: Float[np.ndarray, " neurons"]
    harmonic_share: Float[np.ndarray, " neurons"]


def neuron_responses(
    model: Transformer, m: int, a: int, c: int, position: int, layer: int = 0
) -> Float[np.ndarray, "targets d_mlp"]:
    """Activations at token position ``position`` for all m seeds of x[t+1] = (a x[t] + c) mod m; row y has target y.

    Raises UserError unless (a, c) has full period, m is at most the vocabulary of the model, the position is inside its
    context, the layer exists, and one token is one number.
    """
    if not has_full_period(a, c, m):
        raise UserError(f"a={a}, c={c} do not have full period modulo {m}")
    numbers = lcg_orbits(np.arange(m, dtype=np.uint64), a=a, c=c, m=m, length=position + 2)
    return _activations(model, numbers, position, layer)[np.argsort(numbers[:, -1])]


def dominant_periods(responses: Float[np.ndarray, "targets neurons"], seed: int = 0) -> Periods:
    """The frequency with the largest power in each neuron's response, and its shares; the lowest wins a tie."""
    order = stream(seed, "shuffled targets").permutation(len(responses))
    found, shuffled = _peaks(responses), _peaks(responses[order])
    return Periods(len(responses), responses.max(axis=0) > 0, *found, *shuffled[1:])


def peaks_beyond_chance(
    responses: Float[np.ndarray, "targets neurons"], seed: int = 0, shuffles: int = 100
) -> Float[np.ndarray, " neurons"]:
    """For each neuron, the share of permutations of the targets whose peak share is smaller than the observed one.

    This is a permutation test of periodicity. The null hypothesis is a response independent of the order of the
    targets; under it, the mean is about one half.
    """
    rng, peak = stream(seed, "permuted targets"), _peaks(responses).peak_share
    is_smaller = [peak > _peaks(responses[rng.permutation(len(responses))]).peak_share for _ in range(shuffles)]
    return np.mean(is_smaller, axis=0)


def neuron_contribution(
    model: Transformer, tokens: Integer[np.ndarray, " length"], neuron: int, position: int, layer: int = 0
) -> Float[np.ndarray, " vocab"]:
    """The contribution of one neuron to the logit of each number at token position ``position`` of one sequence.
    Raises UserError for a missing neuron, position or layer, and for several tokens per number."""
    if not 0 <= neuron < model.config.d_mlp:
        raise UserError(f"neuron {neuron} was given; there are neurons 0 to {model.config.d_mlp - 1}")
    activation = _activations(model, tokens[None], position, layer)[0, neuron]
    return _readout(model, layer, np.array([neuron]))[:, 0] * activation


def best_first_order(
    model: Transformer, numbers: Integer[np.ndarray, "sequences length"], position: int, layer: int = 0
) -> Int[np.ndarray, " d_mlp"]:
    """Neurons by their mean contribution to the target's logit minus the mean logit, the largest first.

    Evaluate the order on other sequences than these.
    """
    targets = _targets(numbers, position)
    activations = _activations(model, numbers, position, layer)
    votes = _readout(model, layer, np.arange(model.config.d_mlp))
    gains = activations * (votes[targets] - votes.mean(axis=0))
    return np.argsort(-gains.mean(axis=0), kind="stable")


def random_order(neurons: int, seed: int = 0) -> Int[np.ndarray, " neurons"]:
    """Neurons in a random order."""
    return stream(seed, "order of neurons").permutation(neurons)


def accuracy_as_neurons_are_added(
    model: Transformer,
    numbers: Integer[np.ndarray, "sequences length"],
    position: int,
    order: Integer[np.ndarray, " neurons"],
    counts: Sequence[int],
    layer: int = 0,
) -> Tally:
    """How often the target has the largest sum of contributions of the first ``count`` neurons in ``order``, [counts].

    There is one trial per sequence. Raises ValueError unless the counts ascend within 1 … neurons, and UserError as
    `best_first_order`.
    """
    if sorted(counts) != list(counts) or not all(1 <= count <= len(order) for count in counts):
        raise ValueError(f"counts={list(counts)}: they must ascend, from 1 to the {len(order)} neurons of the order")
    targets = _targets(numbers, position)
    activations = _activations(model, numbers, position, layer)[:, order].astype(np.float64)
    votes = _readout(model, layer, order)
    logits, right, start = np.zeros((len(numbers), len(votes))), [], 0
    for count in counts:
        logits += activations[:, start:count] @ votes[:, start:count].T
        right.append(logits.argmax(axis=1) == targets)
        start = count
    return Tally.of(np.stack(right), axis=1)


@torch.no_grad()
def _activations(
    model: Transformer, numbers: Integer[np.ndarray, "sequences length"], position: int, layer: int
) -> Float[np.ndarray, "sequences d_mlp"]:
    config, tap = model.config, f"blocks.{layer}.mlp.hook_post"
    check_numbers(model, numbers, position)
    tokens = torch.from_numpy(numbers[:, : position + 1].astype(np.int64))
    device = next(model.parameters()).device
    found = []
    for part in tokens.split(max(1, VALUES_AT_ONCE // ((position + 1) * max(config.d_mlp, config.vocab_size)))):
        with record(model, [tap]) as seen:
            model(part.to(device))
        found.append(seen[tap][:, position].cpu())
    return torch.cat(found).numpy()


def _readout(
    model: Transformer, layer: int, neurons: Integer[np.ndarray, " neurons"]
) -> Float[np.ndarray, "vocab neurons"]:
    """The contribution of each neuron to the logit of each number at an activation of 1: its vote."""
    columns, unembed = (
        model.get_parameter(name).detach().double().cpu().numpy()
        for name in (f"blocks.{layer}.mlp.W_out.weight", "unembed.weight")
    )
    return unembed @ columns[:, neurons]


def _targets(numbers: Integer[np.ndarray, "sequences length"], position: int) -> Int[np.ndarray, " sequences"]:
    if not 0 <= position < numbers.shape[1] - 1:
        raise UserError(f"token position {position} of {numbers.shape[1]} numbers was given; none follows it")
    return numbers[:, position + 1].astype(np.int64)


def _peaks(responses: Float[np.ndarray, "targets neurons"]) -> _Peaks:
    values = responses.astype(np.float64)
    centred = values - values.mean(axis=0)
    power = np.abs(np.fft.rfft(centred, axis=0)) ** 2
    power[1 : (len(values) + 1) // 2] *= 2  # add the power of the negative frequencies
    power[0] = 0
    power[:, centred.std(axis=0) <= ROUNDING * np.abs(values).max(axis=0)] = 0
    highest, total = power.max(axis=0), power.sum(axis=0)
    frequency = (power >= (1 - TIE_TOLERANCE) * highest).argmax(axis=0)
    harmonics = np.array([power[f::f, i].sum() if f else 0.0 for i, f in enumerate(frequency.tolist())])
    total = np.where(total > 0, total, 1)
    return _Peaks(frequency, highest / total, harmonics / total)
