"""Compares models with predictors that are not trained, beyond the paper."""
