"""Which claims of the paper are reproduced? One module per experiment: its runs, measurement, figures and claims.

``background``, ``fixed_modulus``, ``unseen_modulus`` and ``scaling`` follow the paper; ``baselines`` goes beyond it.
``speedrun`` is the competition for the least training compute.
"""
