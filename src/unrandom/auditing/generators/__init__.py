"""Simulators of the generators that programs use, with the inverses that recover their states.

- `stepping`            their common interface, and sequences of many generators in parallel
- `shifts`              shifts and rotations of words, and their inverses
- `linear_words`        words whose bits are linear forms modulo 2 in unknown bits
- `xorshift`            Marsaglia's generators with one or several words of state
- `xoshiro`             xorshift128+, xoroshiro, xoshiro and their output functions
- `v8`                  Math.random() of V8, which makes numbers in blocks
- `splitmix`            SplitMix64
- `mersenne`            MT19937 and MT19937-64
- `sfmt`                the SIMD-oriented fast Mersenne twister
- `tiny_twister`        TinyMT32 and TinyMT64
- `tausworthe`          combined Tausworthe generators: taus88, LFSR113, LuaJIT's
- `well`                WELL generators
- `shift_register`      linear recurrences modulo 2, one per bit
- `lagged`              lagged Fibonacci: sums or differences of two earlier numbers
- `carry`               lagged Fibonacci with a carry
- `multiply_with_carry` products with a carry
- `ranlux`              lagged Fibonacci with a carry, most outputs discarded
- `taocp`               Knuth's ran_array
- `quadratic`           quadratic and inversive congruential generators
- `combined`            sums of several congruential generators
- `bays_durham`         a generator whose outputs are shuffled in a table
- `small`               generators with states small enough to try them all
- `java`                methods of java.util.Random that use two states per output
- `go`                  Go's additive generator
"""
