"""The paper's section on scaling up the modulus, and what gets there with less."""
