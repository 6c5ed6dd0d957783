"""Audits of streams of numbers: families of generators try to recover the state, and right predictions are the proof.

- `audit`     all of this in one call
- `reading`   numbers in any text or file; knows no generator
- `forms`     what a generator may have made of these numbers, and what a program may have printed of that
- `layouts`   how programs make numbers from the words of their generators
- `family`    interface of a family of generators: outputs needed, and recovery of a generator
- `families`  one module per family; their simulators are in `generators`, their mathematics in `algebra`
- `proof`     the arithmetic of proofs
- `findings`  what a search finds, proven or not
- `search`    tries the families from cheap to expensive within a time limit; a candidate must predict held-back outputs
- `seeds`     tries the seeds of programs one by one
- `breaks`    follows a generator beyond a break
- `conclusion` draws the verdict from a search
- `verdict`   the result, as text and as JSON
- `notation`  formats parameters for people
- `benchmark` measures audits of the streams of known programs
"""
