"""The widgets of the Audit tab: examples to click, a box, a file and options; the verdict."""

from functools import partial
from typing import Any

import gradio as gr

from unrandom.app import audits
from unrandom.app.examples import EXAMPLES, example
from unrandom.app.limits import (
    AUDIT_SECONDS,
    AUDITS_AT_ONCE,
    MAX_CHARACTERS,
    MAX_FILE,
    MAX_SECONDS,
    MAX_WORDS,
)
from unrandom.auditing.reading.options import options


def audit_tab() -> None:
    gr.Markdown(
        "Paste the outputs of a program in their order, choose a file, or try an example. The answer says whether they "
        f"determine the next ones, with a proof. Up to {MAX_CHARACTERS:,} characters or {MAX_FILE // 2**20} MiB. "
        "Nothing leaves this computer."
    )
    with gr.Row(elem_classes="examples"):
        tried = {name: gr.Button(name, size="sm", min_width=160) for name in EXAMPLES}
    with gr.Row():
        with gr.Column(scale=1, min_width=280):
            text = gr.Textbox(label="outputs", lines=12, max_lines=12, max_length=MAX_CHARACTERS)
            file = gr.File(label="or a file", type="filepath", height=140)
            with gr.Accordion("Options", open=False):
                about = {one.name: f"{one.name}: {one.metadata['help']}" for one in options()}
                column = gr.Textbox(label=about["column"], max_length=MAX_WORDS)
                regex = gr.Textbox(label=about["regex"], max_length=MAX_WORDS)
                notation = gr.Dropdown(list(audits.NOTATION_NAMES), value=audits.INFERRED, label="notation")
                alphabet = gr.Textbox(label=about["alphabet"], max_length=MAX_WORDS)
                seconds = gr.Slider(1, MAX_SECONDS, value=AUDIT_SECONDS, step=1, label="seconds of search")
            button = gr.Button("Audit", variant="primary")
        with gr.Column(scale=1, min_width=280):
            verdict = gr.HTML()
            more = gr.Button(f"Search for {MAX_SECONDS // 60} minutes", visible=False)
    shared: dict[str, Any] = {"concurrency_limit": AUDITS_AT_ONCE, "concurrency_id": "audit"}
    private: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}
    for name, each in tried.items():
        each.click(partial(_filled, name), None, [text, file], **private)
    given = [text, file, column, regex, notation, alphabet]
    button.click(audits.audit, [*given, seconds], verdict, api_name="audit", **shared).then(
        lambda answer, spent: gr.update(visible=audits.UNFINISHED in answer and spent < MAX_SECONDS),
        [verdict, seconds],
        more,
        **private,
    )
    more.click(audits.audit, [*given, gr.State(MAX_SECONDS)], verdict, api_name="search_longer", **shared).then(
        lambda: gr.update(visible=False), None, more, **private
    )


def _filled(name: str) -> tuple[str, None]:
    """An example in the box, and no file, which would be read before it."""
    return example(name), None
