"""The interpretations of a list of printed numbers as outputs of a generator.

- `assumed`         what a user knows of them
- `interpretations` lists them: numbers in a range; `words`, parts of numbers; `characters`, draws of characters and
                    cards; `decimals`, fractions
- `ranges`          the ranges with round ends that numbers may have been drawn from
- `normals`         the interpretations as normal deviates; `factors`, the constants of R's
- `layers`          turn the numbers of an interpretation back into those that were printed
- `stream`          the outputs and their information; `form`, how they were printed
- `scales`          the integers that may lie behind fractions
- `evenness`        whether numbers are drawn evenly, and from which range
"""
