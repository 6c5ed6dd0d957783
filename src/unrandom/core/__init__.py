"""What all packages build on: configuration, arithmetic, seeds, files and run folders; no torch."""
