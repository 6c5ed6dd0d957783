"""How is a run, or a set of claims, read? Measurements become one self-contained HTML page."""

from unrandom.report.run import report_run

__all__ = ["report_run"]
