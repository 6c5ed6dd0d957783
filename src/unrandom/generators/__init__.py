"""Linear congruential generators, their number theory, and two generators derived from them.

- `lcg`             x[t+1] = (a x[t] + c) mod m, exactly and fast
- `full_period`     which (a, c) reach every residue (Hull–Dobell)
- `primitive_roots` which multipliers have the longest period for a prime modulus
- `period`          the period of a sequence, in closed form
- `stride`          the stride of a sequence whose low digits repeat
- `residues`        the digits of a number modulo the prime powers of m
- `spectral`        the spectral test: how coarse the lattice of the outputs is
- `known`           LCGs in use, by name
- `windows`         the bits of a state that a program shows
- `pcg`             permuted LCGs of any width
- `speck`           the block cipher Speck with any number of rounds
"""
