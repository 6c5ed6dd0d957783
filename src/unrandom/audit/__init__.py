"""Can a stream of numbers be predicted, by what, from how many outputs? And is that proven?

- `reading`   a file of numbers, as programs print them, becomes a `Stream`
- `stream`    the outputs, how they are written, and the whole numbers that may lie behind fractions
- `family`    what a family of generators offers: outputs needed, and the recovery of a generator
- `families`  a file for each; the mathematics is that of `predictors` (lattices, bits modulo 2, minors)
- `search`    the families from cheap to dear, in a given time; only what predicts held-back outputs counts
- `verdict`   what was found, in words and as a tree
"""
