"""The widgets of the Results tab: filters of claims, and the experiments whose claims are left."""

from functools import partial
from pathlib import Path

import gradio as gr

from unrandom.app import results
from unrandom.app.limits import MAX_WORDS

ORIGINS = [("all", "all"), ("of the paper", "paper"), ("beyond the paper", "beyond")]


def results_tab(tab: gr.Tab, saved: Path) -> None:
    gr.Markdown("Each claim is a sentence with a measured number, a threshold and a verdict.")
    with gr.Row():
        scale = gr.Dropdown(list(results.SHOWN_SCALES), value="laptop", label="scale", min_width=140)
        origin = gr.Radio(ORIGINS, value="all", label="claims")
        words = gr.Textbox(label="with the words", max_length=MAX_WORDS, min_width=200)
    verdicts = gr.CheckboxGroup(results.verdict_names(), value=results.verdict_names(), label="verdicts")
    button = gr.Button("Show", variant="primary")
    listed = gr.HTML()
    found = partial(results.claims, saved)
    gr.on([button.click, words.submit], found, [scale, verdicts, origin, words], listed, api_name="claims")
    tab.select(found, [scale, verdicts, origin, words], listed, api_visibility="private")
