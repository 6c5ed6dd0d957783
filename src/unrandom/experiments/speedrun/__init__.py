"""Races configurations for the least training compute to a fixed target: the track, a race, and the saved records."""
