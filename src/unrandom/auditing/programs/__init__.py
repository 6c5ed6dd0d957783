"""How do programs make numbers of the words of their generators?

- `engines`  generators linear modulo 2, and the linear forms of their words
- `layouts`  how programs make outputs of words, and which bits these show
"""
