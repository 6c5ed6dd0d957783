"""Which generators can be simulated? LCGs with their periods and digits, and the families that programs use.

Linear congruential generators:

- `lcg`             x[t+1] = (a x[t] + c) mod m, exactly and fast
- `full_period`     which (a, c) reach every residue (Hull–Dobell)
- `primitive_roots` which multipliers have the longest period for a prime modulus
- `period`          the period of a sequence, in closed form
- `residues`        the digits of a number modulo the prime powers of m
- `spectral`        the spectral test: how coarse the lattice of the outputs is
- `known`           generators in use, by name
- `windows`         the bits of a state that a program shows
- `java`            methods of java.util.Random that use two states per output

Others:

- `stepping`        their common interface, and sequences of many generators in parallel
- `words`           shifts and rotations of words, and their inverses
- `linear_words`    words whose bits are linear forms modulo 2 in unknown bits
- `xorshift`        Marsaglia's generators with one or several words of state
- `xoshiro`         xorshift128+, xoroshiro, xoshiro and their output functions
- `v8`              Math.random() of V8, which makes numbers in blocks
- `splitmix`        SplitMix64
- `mersenne`        MT19937 and MT19937-64
- `sfmt`            the SIMD-oriented fast Mersenne twister
- `tiny_twister`    TinyMT32 and TinyMT64
- `tausworthe`      combined Tausworthe generators: taus88, LFSR113, LuaJIT's
- `well`            WELL generators
- `shift_register`  linear recurrences modulo 2, one per bit
- `lagged`          lagged Fibonacci: sums or differences of two earlier numbers
- `carry`           lagged Fibonacci with a carry
- `quadratic`       quadratic and inversive congruential generators
"""
