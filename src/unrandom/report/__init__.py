"""Shows a run's measurements, and verdicts on claims, as self-contained HTML or Markdown pages."""

from unrandom.report.run import report_run
