"""Linear, multiple recursive, quadratic and combined congruential generators, and parts of their states."""
