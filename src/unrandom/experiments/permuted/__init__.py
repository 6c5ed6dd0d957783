"""Tests whether permuted congruential generators are learned as LCGs are, beside the exact posterior."""
