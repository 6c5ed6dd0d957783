"""Finds the seed that made the outputs: every seed of a range is tried in every program that could have made them.

- `spans`    which seeds to try: a range, or the times around a date
- `compiled` functions compiled by numba
- `twisters` the first words of Mersenne twisters, for many seeds at once
- `first_words` the same for other generators
- `draws`    how the methods of programs make outputs of words, and for which seeds these are the given ones
- `screens`  which seeds may make the first output, by a fast comparison
- `methods`  how programs make numbers of words: the constants of draws
- `programs` the table of programs: how each seeds which generator, and what its methods are
- `ziggurat` the tables of numpy's ziggurat
- `trials`   what is compared with the outputs of a seeded program
- `samples`  the places of numbers that were drawn without replacement
- `choice`   which trials there are for a stream
- `likely`   the seeds that are tried unasked
- `scan`     tries the seeds of a range in several threads
- `by_trial` tries seeds for the interpretations of a stream, and judges what matches
"""
