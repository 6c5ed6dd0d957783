"""A report is files in the run folder, drawn from saved measurements."""

import json
import shutil

import pytest

from unrandom.report import report_run
from unrandom.runs.run import Run


def test_a_report_leaves_measurements_figures_and_a_page(finished_run, tmp_path):
    run = Run.open(shutil.copytree(finished_run.folder.path, tmp_path / finished_run.id))
    measurements, page = report_run(run)
    assert json.loads((run.folder.path / "measurements.json").read_text()) == measurements
    drawn = {path.name for path in (run.folder.path / "figures").iterdir()}
    assert {"staircase.png", "training.png", "digits-64.png", "attention-layer0-head1.png", "embedding.png"} <= drawn
    assert page == run.folder.path / "report.html"
    assert run.id in page.read_text()


@pytest.mark.slow
def test_a_run_without_metrics_can_be_reported(finished_run, tmp_path):
    run = Run.open(shutil.copytree(finished_run.folder.path, tmp_path / finished_run.id))
    run.folder.metrics.unlink()
    run.folder.result.unlink()
    _, page = report_run(run)
    assert page.is_file()
