"""What may the numbers be that were printed? The interpretations of a list of numbers as outputs of a generator.

- `assumed`         what a user knows of them
- `interpretations` lists them: words, ranges, shuffles; `decimals`, fractions
- `ranges`          the ranges with round ends that numbers may have been drawn from
- `normals`         the interpretations as normal deviates; `factors`, the constants of R's
- `layers`          turn the numbers of an interpretation back into those that were printed
- `stream`          the outputs, their format, and the integers that may lie behind fractions
"""
