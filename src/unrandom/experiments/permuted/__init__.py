"""Are permuted congruential generators learned as LCGs are, and how far is that from what is possible?"""
