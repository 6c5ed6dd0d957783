"""Can a stream of numbers be predicted? Families of generators try to recover its state; predictions are the proof.

- `reading`   finds out what a file is, and reads the numbers in it
- `sources`   gets its bytes: from a file, a pipe or standard input, before the time is over
- `options`   what a user may state, and in which ranges
- `texts`     finds the numbers in text as programs print them
- `tables`    finds the column of numbers in a table
- `logs`      finds numbers in a column, behind a key, or by a regular expression
- `documents` finds the numbers in JSON
- `tokens`    what these find: rows of tokens
- `parsing`   parses tokens into numbers, all of one kind and notation
- `fitting`   infers the notation, other than decimal, of tokens
- `numerals`  parses and writes a number in each notation
- `forms`     lists the interpretations of the numbers: words, ranges, fractions, shuffles
- `ranges`    the ranges with round ends that numbers may have been drawn from
- `normals`   the interpretations as normal deviates; `factors`, the constants of R's
- `layers`    turn the numbers of an interpretation back into those that were printed
- `stream`    the outputs, their format, and the integers that may lie behind fractions
- `family`    interface of a family of generators: outputs needed, and recovery of a generator
- `families`  one module per family; generators come from `generators`, mathematics from `predictors` (lattices, linear
  algebra modulo 2, minors)
- `engines`   generators linear modulo 2, and the linear forms of their words
- `layouts`   how programs make outputs of words, and which bits these show
- `recovery`  recovery methods shared by several families; `parts`, of LCGs of which parts of the states are shown
- `search`    tries the families from cheap to expensive within a time limit; a candidate must predict held-back outputs
- `breaks`    follows a generator beyond a break
- `seeds`     tries the seeds of programs one by one
- `audit`     all of this in one call
- `verdict`   the result, as text and as JSON
- `notation`  formats parameters for people
"""
