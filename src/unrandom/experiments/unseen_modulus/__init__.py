"""Can a model predict sequences of moduli that it was not trained on? The paper's unseen-modulus experiments."""
