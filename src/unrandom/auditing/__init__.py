"""Can a stream of numbers be predicted, by what, from how many outputs? And is that proven?

- `reading`   a file of numbers, as programs print them, becomes a `Stream`
- `tables`    of a table the column that holds the numbers
- `parsing`   words become numbers, all of one kind
- `forms`     how the numbers are written, how wide or how exact they are
- `stream`    the outputs, how they are written, and the whole numbers that may lie behind fractions
- `family`    what a family of generators offers: outputs needed, and the recovery of a generator
- `families`  a file for each; the generators are those of `generators`, the mathematics is that of `predictors`
  (lattices, bits modulo 2, minors)
- `recovery`  what several families recover in one way
- `search`    the families from cheap to dear, in a given time; only what predicts held-back outputs counts
- `verdict`   what was found, in words and as a tree
- `notation`  parameters, written for people
"""
