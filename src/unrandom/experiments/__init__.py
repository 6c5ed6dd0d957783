"""Reproduces the paper's claims: each experiment has its runs, measurement, figures and claims.

There is one module per experiment. ``background``, ``fixed_modulus``, ``unseen_modulus`` and ``scaling`` follow the
paper; ``baselines`` and ``permuted`` go beyond it. ``speedrun`` is the competition for the least training compute.
"""
