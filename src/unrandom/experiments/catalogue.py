"""Which experiments are there? A table of their names, modules, figures of the paper, and one line about each.

The order is that of the paper. This module does not import torch, so that experiments can be listed quickly;
``registry`` imports the experiments themselves.
"""

from dataclasses import dataclass
from typing import Literal

from unrandom.core.errors import lookup

Section = Literal["background", "fixed modulus", "unseen modulus", "larger moduli", "beyond the paper"]


@dataclass(frozen=True)
class Entry:
    """An experiment: name, module in ``unrandom.experiments``, section of the results, description, paper's figures."""

    name: str
    module: str
    half: Section  # a JSON key of results, too
    about: str
    figures: tuple[str, ...] = ()


def _entries(half: Section, folder: str, *rows: tuple[str, str, str, tuple[str, ...]]) -> tuple[Entry, ...]:
    return tuple(Entry(name, f"{folder}.{module}", half, about, figures) for name, module, about, figures in rows)


CATALOGUE: dict[str, Entry] = {
    entry.name: entry
    for entry in (
        *_entries(
            "background",
            "background",
            (
                "digit-periods",
                "digit_periods",
                "how soon each digit of a sequence repeats",
                ("fig:digit_wise_sequences", "eq:lcg_r", "eq:period_m_composite"),
            ),
            ("tokenization", "tokenization", "base-b tokens and their two abacus indices", ("fig:byte-tok-vis",)),
        ),
        *_entries(
            "fixed modulus",
            "fixed_modulus",
            (
                "fm-grokking",
                "grokking",
                "the order in which short, long and unseen sequences are learned",
                ("fig:training", "figapp:accuracy_vs_step_m=2048", "figapp:accuracy_vs_step_m=7776"),
            ),
            (
                "fm-staircase",
                "staircase",
                "accuracy by position climbs in steps, digit by digit",
                ("fig:acc_vs_token", "figapp:accuracy_m=2048_h1", "figapp:accuracy_m=7776"),
            ),
            (
                "fm-invariance",
                "invariance",
                "whether the curve is the same for every (a, c)",
                ("figapp:accuracy_vs_token_ac_m=2048",),
            ),
            (
                "fm-embedding",
                "embedding",
                "the embedding groups numbers by their digits",
                (
                    "fig:fixed_p_embedding_pca",
                    "figapp:embedding_m=512",
                    "figapp:embedding_m=7776",
                    "figapp:embedding_m=1800",
                ),
            ),
            (
                "fm-attention",
                "attention",
                "the head looks back by the largest power that fits",
                ("fig:fixed_p_attn_mlp",),
            ),
            (
                "fm-lookback-ablation",
                "lookback_ablation",
                "which digits the two strongest attention lines carry",
                ("fig:digits_topk",),
            ),
            (
                "fm-neurons",
                "neurons",
                "neurons respond periodically and add up to the answer",
                ("fig:fixed_p_attn_mlp",),
            ),
            ("fm-primes", "primes", "a prime modulus against a power of two at equal steps", ("fig:prime_modulus",)),
        ),
        *_entries(
            "unseen modulus",
            "unseen_modulus",
            (
                "um-grokking",
                "grokking",
                "unseen moduli are learned with the long-period training sequences",
                ("fig:training",),
            ),
            (
                "um-period-ablation",
                "period_ablation",
                "short periods teach copying, long ones the rule",
                ("fig:train-interp-appendix",),
            ),
            (
                "um-phase-diagram",
                "phase_diagram",
                "how many layers and heads unseen moduli need",
                ("fig:phase_diagrams",),
            ),
            (
                "um-critical-depth",
                "critical_depth",
                "depth against width, each grid point tuned on moduli of its own",
                ("fig:critical-depth-appendix",),
            ),
            (
                "um-hyperparameters",
                "hyperparameters",
                "the area of good learning rates and weight decays, by size of modulus",
                ("fig:hparams-shrink-appendix",),
            ),
            (
                "um-dataset",
                "dataset",
                "how many training moduli, multipliers and increments are needed, and which mix",
                ("fig:dataset-composition",),
            ),
            ("um-primes", "primes", "unseen primes against an unseen power of two", ("fig:um_prime_modulus",)),
            (
                "um-embedding",
                "embedding",
                "one embedding for many moduli: size first, then residues of small primes",
                ("fig:multip_pca_embd",),
            ),
            (
                "um-heads",
                "heads",
                "which residues the first-layer heads pass on",
                ("fig:multip_prune", "fig:pca_appendix"),
            ),
            (
                "um-pruning",
                "pruning",
                "which digits are lost without each head",
                ("fig:multip_prune", "fig:prune_appendix_2048", "fig:prune_appendix_2352"),
            ),
            (
                "um-modulus-estimate",
                "modulus_estimate",
                "a first-layer head passes on the largest number so far",
                ("fig:multip_cosine", "appendix:estimate"),
            ),
            (
                "um-patching",
                "patching",
                "the head whose patching makes the model assume another modulus",
                ("fig:multip_cosine", "fig:patch_appendix"),
            ),
            (
                "um-lookback",
                "lookback",
                "a head of a later layer looks back by a divisor of the unseen modulus",
                ("fig:attn_stats",),
            ),
        ),
        *_entries(
            "larger moduli",
            "scaling",
            (
                "fm-scaling",
                "fixed_modulus",
                "context needed by modulus, and accuracy by quality of the multiplier",
                ("fig:fixp_scale", "fig:med_fixp_appendix"),
            ),
            (
                "fm-seeds",
                "seeds",
                "variation between seeds of the model, and between seeds of the data",
                ("appendix:seeds_20", "appendix:same_ds"),
            ),
            (
                "um-scaling",
                "unseen_modulus",
                "context needed for unseen moduli in two bases",
                ("fig:um_scaling", "fig:acc_um_appendix"),
            ),
        ),
        *_entries(
            "beyond the paper",
            "scaling",
            (
                "fm-what-helps",
                "what_helps",
                "optimiser, curriculum, mix, positions and depth: compute and context needed for 90 %",
                (),
            ),
        ),
        *_entries(
            "beyond the paper",
            "unseen_modulus",
            (
                "um-hold-out",
                "hold_out",
                "what it costs to hold out every value of the test, and not only its pairs",
                (),
            ),
            (
                "um-needed-lookback",
                "needed_lookback",
                "which multipliers of an unseen modulus are predicted, by the look-back that they need",
                (),
            ),
        ),
        *_entries(
            "beyond the paper",
            "baselines",
            (
                "fm-order",
                "order",
                "how many earlier numbers a guess rests on, and which bits are certain with them",
                (),
            ),
            (
                "fm-order-pressure",
                "order_pressure",
                "whether model shape, or a context too short for order 2, leads to a higher order of look-back",
                (),
            ),
        ),
        *_entries(
            "beyond the paper",
            "scaling",
            (
                "hard-multipliers",
                "hard_multipliers",
                "what makes a multiplier hard: the spectral test, or how often p divides a − 1",
                (),
            ),
        ),
        *_entries(
            "beyond the paper",
            "baselines",
            ("ceilings", "ceilings", "the model against copying, look-back, algebra and the exact posterior", ()),
        ),
    )
}


def entry(name: str) -> Entry:
    """Return the catalogue entry called ``name``. Raises UserError, with near misses, if it is missing."""
    return lookup("experiment", name, CATALOGUE)
