"""The widgets of the Runs tab: runs to choose, the demo to start and stop, and curves that grow."""

from pathlib import Path
from typing import Any

import gradio as gr

from unrandom.app.curves import curves, run_names
from unrandom.app.limits import RUNS_TOGETHER
from unrandom.app.training import Demo

POLL_SECONDS = 3.0


def runs_tab(app: gr.Blocks, runs: Path, demo: Demo) -> gr.Timer:
    """Add the widgets; returns the timer that draws the curves anew while the tab is looked at."""
    gr.Markdown(
        f"The curves of a run as it trains, or of up to {RUNS_TOGETHER} runs together. The demo trains the smallest "
        "model in about a minute; a seed that was trained before is not trained again."
    )
    with gr.Row():
        # Runs are made while the app is open, so that the choices of the moment are not all that can be asked for.
        names = gr.Dropdown([], label="runs", multiselect=True, scale=2, min_width=240, allow_custom_value=True)
        seed = gr.Textbox("0", label="seed of the demo", max_length=10, min_width=240)
    with gr.Row():
        start = gr.Button("Start demo", variant="primary", min_width=120)
        stop = gr.Button("Stop demo", min_width=120)
        refresh = gr.Button("Look for runs", min_width=120)
    said = gr.HTML()
    state = gr.HTML()
    accuracy, loss = (gr.Plot(show_label=False, visible=False) for _ in range(2))
    timer = gr.Timer(POLL_SECONDS, active=False)

    def drawn(names: Any) -> tuple[str, Any, Any]:
        said, *figures = curves(runs, demo, names or None)
        first, second = (gr.Plot(figure, visible=figure is not None) for figure in figures)
        return said, first, second

    def listed(current: Any) -> Any:
        known = run_names(runs)
        return gr.Dropdown(known, value=[name for name in current or () if name in known] or known[:1])

    def demo_alone() -> Any:
        known = run_names(runs)
        own = [demo.name] if demo.name else []
        return gr.Dropdown(list(dict.fromkeys([*own, *known])), value=own)

    app.load(listed, names, names, api_visibility="private")
    refresh.click(listed, names, names, api_visibility="private")
    started = gr.on([start.click, seed.submit], demo.start, seed, said, api_name="start")
    started.then(demo_alone, None, names, api_visibility="private")
    stop.click(demo.stop, None, said, api_name="stop")
    timer.tick(drawn, names, [state, accuracy, loss], show_progress="hidden", api_visibility="private")
    names.change(drawn, names, [state, accuracy, loss], api_name="curves")
    return timer
