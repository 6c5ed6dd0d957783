"""Generators that are simple or small enough to be found by trying."""
