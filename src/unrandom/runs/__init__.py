"""How does a configuration become a finished run, and a grid of settings many? Experiments are above this package."""
