"""The paper's fixed-modulus experiments: a model predicts unseen (a, c) of the modulus that it was trained on."""
