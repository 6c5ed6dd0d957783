"""How are the measurements of a run, and the verdicts on claims, shown? As self-contained HTML or Markdown pages."""

from unrandom.report.run import report_run
