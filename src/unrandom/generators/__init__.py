"""Which numbers are to be predicted? Generators of every family as they step, and the periods and digits of LCGs.

Linear congruential generators:

- `lcg`             x[t+1] = (a x[t] + c) mod m, exactly and fast
- `full_period`     which (a, c) reach every residue (Hull–Dobell)
- `primitive_roots` which multipliers give a prime modulus its longest sequences
- `period`          how soon a sequence repeats, in closed form
- `residues`        a number as its digits modulo the prime powers of m
- `spectral`        how coarse a lattice the outputs lie on
- `known`           the generators people use, by name
- `windows`         which bits of a state a program shows
- `java`            java.util.Random where an output takes two states

Others:

- `stepping`        what they have in common, and sequences of many of them side by side
- `words`           shifts and rotations of words, and how they are undone
- `xorshift`        Marsaglia's, of one word and of several
- `xoshiro`         xorshift128+, xoroshiro, xoshiro and their output functions
- `v8`              Math.random() of V8, in blocks
- `splitmix`        SplitMix64
- `mersenne`        MT19937 and MT19937-64
- `shift_register`  linear recurrences modulo 2, one for each bit
- `lagged`          lagged Fibonacci: sums and differences of two earlier numbers
- `carry`           the same with a carry
"""
