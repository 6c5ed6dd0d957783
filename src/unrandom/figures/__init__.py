"""Measurements become a description of a figure, which is drawn to a file or for an HTML page.

Each module for one kind of figure (`staircase`, `digits`, `training`, …) turns a part of a run's measurements, given as
lists and dictionaries, into a `description`; `files` and `pages` draw any description. Drawing never needs a model.
"""
