"""Makes a finished run of a configuration, and many of a grid: recipes, plans, workers and engines."""
