"""Trains runs: one by `execution`, many by a `plan`, `worker` processes and `engines`."""
