"""The paper's fixed-modulus half."""
