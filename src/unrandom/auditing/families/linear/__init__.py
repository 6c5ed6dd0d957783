"""Generators whose state is linear modulo 2: shift registers, Mersenne twisters, xorshifts, and what they show."""
