"""How programs make numbers of the words of their generators.

- `layout`          how the parts of words are joined to a number
- `linear_engines`  generators linear modulo 2, and the linear forms of their words
- `readings`        which bits of the words of an engine a stream shows
"""
