"""Can a stream of numbers be predicted? Families of generators try to recover its state; predictions are the proof.

- `reading`   reads a file of numbers into a `Stream`
- `tables`    finds the numeric column of a table
- `parsing`   parses text into numbers, all of one kind
- `forms`     detects the number format, width and precision
- `stream`    the outputs, their format, and the integers that may lie behind fractions
- `family`    interface of a family of generators: outputs needed, and recovery of a generator
- `families`  one module per family; generators come from `generators`, mathematics from `predictors` (lattices, linear
  algebra modulo 2, minors)
- `recovery`  recovery methods shared by several families
- `search`    tries the families from cheap to expensive within a time limit; a candidate must predict held-back outputs
- `verdict`   the result, as text and as JSON
- `notation`  formats parameters for people
"""
