"""Finds the first multiple of a number that lies in a range, modulo another number, by steps of Euclid's algorithm."""


def first_multiple(a: int, m: int, low: int, high: int) -> int | None:
    """The least x >= 0 with low <= a x mod m <= high; None if there is none. 0 <= a < m, and 0 <= low <= high < m."""
    if low == 0:
        return 0
    if a == 0:
        return None
    if 2 * a > m:
        return first_multiple(m - a, m, m - high, m - low)
    x = -(-low // a)
    if a * x <= high:
        return x
    turns = first_multiple(m % a, a, -high % a, -low % a)  # the multiples of m that a x exceeds
    return None if turns is None else -(-(low + m * turns) // a)
