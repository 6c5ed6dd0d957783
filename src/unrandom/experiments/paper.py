"""What do the paper's figures show? A descriptive title for each label that an experiment reproduces."""

BEYOND = "beyond the paper"

FIGURES: dict[str, str] = {
    "fig:phase_diagrams": "accuracy by depth and number of heads, unseen modulus",
    "fig:training": "accuracy by training step, fixed and unseen modulus",
    "fig:digit_wise_sequences": "periods of the bits of a sequence",
    "eq:lcg_r": "the r-step recurrence",
    "eq:period_m_composite": "periods of digits modulo a composite number",
    "fig:acc_vs_token": "accuracy by position and by digit, m = 2048",
    "fig:fixed_p_embedding_pca": "embedding of a fixed modulus, m = 2048",
    "fig:digits_topk": "digits that survive with one or two attention lines",
    "fig:fixed_p_attn_mlp": "attention, neurons and their sum, m = 2048",
    "fig:multip_pca_embd": "embedding of unseen moduli",
    "fig:multip_prune": "first-layer heads and the digits lost without them",
    "fig:multip_cosine": "the head that estimates the modulus",
    "fig:byte-tok-vis": "base-b tokens and abacus positions",
    "fig:fixp_scale": "context needed by fixed modulus, up to 2^32",
    "fig:um_scaling": "context needed by unseen modulus, up to 2^16",
    "fig:dataset-composition": "accuracy by composition of the training set",
    "fig:hparams-shrink-appendix": "accuracy by learning rate and weight decay",
    "figapp:accuracy_vs_step_m=2048": "accuracy and loss by step, m = 2048",
    "figapp:accuracy_vs_step_m=7776": "accuracy and loss by step, m = 7776",
    "fig:prime_modulus": "a prime fixed modulus beside a power of two",
    "fig:um_prime_modulus": "unseen primes beside a power of two",
    "fig:critical-depth-appendix": "accuracy by depth and width",
    "fig:train-interp-appendix": "training on short or long periods alone",
    "figapp:accuracy_vs_token_ac_m=2048": "accuracy by position for single (a, c)",
    "figapp:accuracy_m=2048_h1": "accuracy as the product of its digits, m = 2048",
    "figapp:accuracy_m=7776": "accuracy by position and by digit, m = 7776",
    "figapp:embedding_m=512": "embedding, m = 512",
    "figapp:embedding_m=7776": "embedding, m = 7776",
    "figapp:embedding_m=1800": "embedding, m = 1800",
    "fig:pca_appendix": "first-layer heads at other positions and moduli",
    "fig:prune_appendix_2048": "digits lost without a head, m = 2048",
    "fig:prune_appendix_2352": "digits lost without a head, m = 2352",
    "fig:patch_appendix": "patching other heads",
    "appendix:estimate": "error of the estimated modulus",
    "fig:attn_stats": "look-back distances of a head of a later layer",
    "appendix:seeds_20": "seeds of model and data, m = 2^20",
    "appendix:same_ds": "seeds of model and data, m = 2^32",
    "fig:med_fixp_appendix": "median context needed by fixed modulus",
    "fig:acc_um_appendix": "accuracy by position of unseen moduli in two bases",
}


def figure_title(label: str) -> str:
    """Return the title of a label of the paper, or BEYOND for an empty label."""
    return FIGURES[label] if label else BEYOND
