"""Shares runs with people and tools: `archive`, `pretrained`, `exchange` with its model card, `curves`."""
