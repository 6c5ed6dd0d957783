"""What does all else stand on? Configuration, arithmetic, seeds, files and run folders; it imports no torch."""
