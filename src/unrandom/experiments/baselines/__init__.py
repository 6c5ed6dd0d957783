"""How do models compare with predictors that are not trained? Experiments beyond the paper."""
