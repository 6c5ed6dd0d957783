"""The paper's unseen-modulus experiments: a model predicts sequences of moduli that it was not trained on."""
