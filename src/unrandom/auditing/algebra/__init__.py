"""The mathematics that recovers hidden states: linear algebra modulo 2, lattices and Fourier analysis.

- `mod_two_dense`       systems of equations modulo 2, as dense rows of bits
- `mod_two_twister`     the equations of Mersenne twisters
- `linear_states`       states of generators linear in their seeds
- `bit_vectors`         words of unknown bits, for a solver
- `dropped_words`       outputs some of which a program dropped
- `overflows`           sums whose overflows are unknown
- `multiply_with_carry` multipliers of products with a carry
- `range_of_multiples`  which ranges have remainders that agree with multiples
- `fourier`             hidden multipliers from Fourier coefficients
- `normal`              the uniform numbers behind normal deviates
"""
