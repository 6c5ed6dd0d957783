"""What do all other packages build on? Configuration, arithmetic, seeds, files and run folders, without torch."""
