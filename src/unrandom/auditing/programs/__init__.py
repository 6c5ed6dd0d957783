"""How do programs make numbers of the words of their generators?

- `words`     the layouts by which programs make numbers of words
- `engines`   generators linear modulo 2, and the linear forms of their words
- `readings`  which bits of the words of an engine a stream shows
"""
