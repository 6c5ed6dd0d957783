"""Two experiments that illustrate an LCG's digits and tokens, without models or claims."""
