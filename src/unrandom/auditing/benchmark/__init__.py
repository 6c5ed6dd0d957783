"""Measures what audits need to find known programs, and how often they find something in unpredictable numbers.

- `audits`          outputs, seconds and memory that audits need, beside other programs (`peers`)
- `rows`            the programs whose streams are audited
- `printed`         how these programs' numbers are made
- `false_positives` audits of unpredictable numbers
"""
