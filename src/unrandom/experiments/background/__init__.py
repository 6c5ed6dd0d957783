"""What do an LCG's digits and tokens look like? Two experiments that illustrate them, without models or claims."""
