"""Puts the tabs Play, Audit, Results and Runs together; the widgets of each have a module (``*_tab``)."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import gradio as gr

from unrandom.app.audit_tab import audit_tab
from unrandom.app.limits import ANSWERS_AT_ONCE, MAX_WAITING
from unrandom.app.play_tab import play_tab
from unrandom.app.results_tab import results_tab
from unrandom.app.runs_tab import runs_tab
from unrandom.app.training import Demo


def make_app(runs: Path, saved: Path, demo_settings: Sequence[str] = ()) -> tuple[gr.Blocks, Demo]:
    """The app on a folder of runs and a folder of saved results, and the demo that its visitors can start."""
    demo = Demo(runs, demo_settings)
    with gr.Blocks(title="Unrandom", analytics_enabled=False, delete_cache=(600, 600)) as app:
        gr.Markdown("# Unrandom\nCan a Transformer predict pseudo-random numbers, and can anyone predict yours?")
        with gr.Tabs() as tabs:
            with gr.Tab("Play", id="play"):
                play_tab(app, runs)
            with gr.Tab("Audit", id="audit"):
                audit_tab()
            with gr.Tab("Results", id="results") as tab:
                results_tab(tab, saved)
            with gr.Tab("Runs", id="runs"):
                timer = runs_tab(app, runs, demo)

        def watched(tab: gr.SelectData) -> Any:
            return gr.Timer(active=tab.value == "Runs")

        tabs.select(watched, None, timer, api_visibility="private", show_progress="hidden")
    app.queue(max_size=MAX_WAITING, default_concurrency_limit=ANSWERS_AT_ONCE)
    return app, demo
