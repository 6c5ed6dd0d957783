"""Sums of earlier numbers, with or without a carry, and products with one."""
