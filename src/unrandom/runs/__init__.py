"""How does a configuration become a finished run, and a grid many runs? By recipes, plans, workers and engines."""
