"""What is the least compute to a fixed target? Tracks, races of a candidate with a record, and the records."""
