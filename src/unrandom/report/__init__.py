"""A run's measurements become one self-contained HTML page."""

from unrandom.report.run import report_run

__all__ = ["report_run"]
