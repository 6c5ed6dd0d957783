"""Reads the numbers in any text or file. This room knows no generator.

- `options`     what a user may state, and in which ranges
- `contents`    finds out what a file is, and reads the numbers in it
- `sequences`   finds several of them in a file, for models to continue
- `texts`       finds the numbers in text as programs print them
- `tables`      finds the columns of numbers in a table; `frames` leaves out the frame drawn around one
- `logs`        finds numbers in a column, behind a key, or by a regular expression
- `documents`   finds the numbers in JSON
- `pasted`      finds them among other text: `assignments`, the lists of a program; `octets`, the bytes of a hexdump;
                `shapes`, what varies in lines
- `tokens`      what these find: rows of tokens
- `parsing`     parses tokens into numbers, all of one kind and notation
- `fitting`     infers the notation, other than decimal, of tokens
- `numerals`    parses and writes a number in each notation; `orders`, the words that stand for numbers
- `alphabets`   the alphabets from which characters may have been drawn
- `radix`       the fractions that JavaScript prints in other bases than ten
- `bounds`      the fractions between two columns; `formulas`, those behind a formula
- `values`      the numbers in a list or an array of Python
"""
