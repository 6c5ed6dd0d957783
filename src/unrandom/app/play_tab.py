"""The widgets of the Play tab: a model, a sequence and a head to choose; the guesses, and pictures of them."""

from functools import partial
from pathlib import Path
from typing import Any

import gradio as gr

from unrandom.app.heads import first_head, head_names
from unrandom.app.limits import GRID_TOKENS, GUESSES_SHOWN, MAX_CHARACTERS, MAX_DIGITS, TOKENS_SHOWN
from unrandom.app.models import FIRST, loaded, model_choices, model_names
from unrandom.app.play import play
from unrandom.core.errors import UserError

HOW = [("m, a, c and x0", "lcg"), ("numbers that I type", "numbers")]  # how a sequence is given
SHOWN = 40  # numbers of a sequence at first


def play_tab(app: gr.Blocks, runs: Path) -> None:
    choices = model_choices(runs)
    names = [name for _, name in choices]
    first = FIRST if FIRST in names else names[0]
    gr.Markdown(
        "A model reads the beginning of a sequence x → (a x + c) mod m and guesses each next number. It was never told "
        "a and c. Runs of your own follow the models of the package in the list."
    )
    with gr.Row():
        with gr.Column(scale=1, min_width=280):
            # Runs and heads of other models than the first can be asked for, which are not choices at the beginning.
            model = gr.Dropdown(choices, value=first, label="model", allow_custom_value=True)
            how = gr.Radio(HOW, value="lcg", label="the sequence is given by")
            with gr.Group() as by_lcg:
                m = gr.Textbox("256", label="modulus m", max_length=MAX_DIGITS)
                a = gr.Textbox("5", label="multiplier a", max_length=MAX_DIGITS)
                c = gr.Textbox("3", label="increment c", max_length=MAX_DIGITS)
                x0 = gr.Textbox("1", label="first number x0", max_length=MAX_DIGITS)
                seen = gr.Slider(1, 64, value=SHOWN, step=1, label="numbers shown to the model")
            typed = gr.Textbox(label="numbers, as they were printed", lines=5, max_length=MAX_CHARACTERS, visible=False)
            heads = head_names(loaded(first, runs).run)
            head = gr.Dropdown(
                heads, value=first_head(loaded(first, runs)), label="attention of", allow_custom_value=True
            )
            button = gr.Button("Guess", variant="primary")
        with gr.Column(scale=2, min_width=280):
            said = gr.HTML()
            with gr.Column() as pictures:
                gr.Markdown(f"### The last {GUESSES_SHOWN} guesses, the newest first")
                guesses = gr.HTML()
                gr.Markdown("### Accuracy by how many numbers were seen, over held-out sequences")
                staircase = gr.Plot(show_label=False)
                with gr.Column(visible=False) as all_heads:
                    gr.Markdown(f"### All heads, on the first {GRID_TOKENS} tokens of this sequence: point at them")
                    grid = gr.Plot(show_label=False)
                gr.Markdown(f"### Where the head looks in this sequence (in its first {TOKENS_SHOWN} tokens)")
                line = gr.HTML()
                attention = gr.Plot(show_label=False)

    def shown(way: str) -> tuple[Any, Any]:
        return gr.Group(visible=way == "lcg"), gr.Textbox(visible=way == "numbers")

    def of_model(name: Any) -> tuple[Any, Any, Any]:
        try:
            chosen = loaded(name if name in model_names(runs) else first, runs)  # programs can send others
        except UserError:  # the button says what is wrong
            return gr.skip(), gr.skip(), gr.skip()
        context = chosen.run.config.data.context
        heads = gr.Dropdown(head_names(chosen.run), value=first_head(chosen))
        return heads, gr.Textbox(str(chosen.largest_tested)), gr.Slider(maximum=context, value=min(SHOWN, context))

    how.change(shown, how, [by_lcg, typed], api_visibility="private")
    asked, answer = [model, how, m, a, c, x0, seen, typed, head], [said, guesses, staircase, grid, line, attention]
    without_mistakes: Any = {  # a mistake has no pictures, and a single head no grid
        "fn": lambda table, grid: (gr.Column(visible=bool(table)), gr.Column(visible=grid is not None)),
        "inputs": [guesses, grid],
        "outputs": [pictures, all_heads],
        "show_progress": "hidden",
        "api_visibility": "private",
    }
    ways = [button.click, *(box.submit for box in (m, a, c, x0))]
    guessed = partial(play, runs)
    gr.on(ways, guessed, asked, answer, api_name="play").then(**without_mistakes)
    chosen = model.change(of_model, model, [head, m, seen], api_visibility="private")
    chosen.then(guessed, asked, answer, api_visibility="private").then(**without_mistakes)
    app.load(guessed, asked, answer, api_visibility="private").then(**without_mistakes)
    app.load(lambda: gr.Dropdown(model_choices(runs)), None, model, api_visibility="private")
