"""Which numbers are to be predicted? Linear congruential generators, their periods, digits and quality.

- `lcg`          x[t+1] = (a x[t] + c) mod m, exactly and fast
- `full_period`  which (a, c) reach every residue (Hull–Dobell)
- `period`       how soon a sequence repeats, in closed form
- `residues`     a number as its digits modulo the prime powers of m
- `spectral`     how coarse a lattice the outputs lie on
- `known`        the generators people use, by name
"""
