"""Setting the scene: what an LCG's digits and their tokens look like."""
