"""How little training compute reaches a fixed target? Tracks, races of a candidate against a record, and records."""
