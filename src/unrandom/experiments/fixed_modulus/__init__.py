"""Can a model predict unseen (a, c) of the modulus that it was trained on? The paper's fixed-modulus experiments."""
