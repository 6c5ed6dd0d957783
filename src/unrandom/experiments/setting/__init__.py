"""Setting the scene: figures about the sequences and their tokens, which need no model."""
