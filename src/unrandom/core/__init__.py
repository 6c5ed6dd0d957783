"""The ground floor: configuration, seeds, files and run folders. It imports no torch."""
