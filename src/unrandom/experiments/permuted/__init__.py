"""Are permuted congruential generators learned as LCGs are, and how far is that from what is possible? The experiments
on the follow-up's generators, beside the exact posterior.
"""
