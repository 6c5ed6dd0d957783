"""How does a table become a picture? A description is made of it, and drawn to a file or for a page.

Each module about one question (`staircase`, `digits`, `training`, …) turns a part of a run's measurements, as plain
lists and dictionaries, into a `description`; `files` and `pages` draw any of them. Drawing never needs a model.
"""
