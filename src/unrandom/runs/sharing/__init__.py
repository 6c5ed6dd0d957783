"""How do runs reach other people and tools? `archive`, `pretrained`, `exchange` with its model card, `curves`."""
