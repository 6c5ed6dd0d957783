"""The paper's unseen-modulus half."""
