"""What the paper leaves open."""
