"""What does the app look like? Four tabs: Play, Audit, Results, Runs; each button calls a function of its module."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import gradio as gr

from unrandom.app import audits, play, results, training
from unrandom.app.limits import (
    ANSWERS_AT_ONCE,
    AUDIT_SECONDS,
    AUDITS_AT_ONCE,
    GUESSES_SHOWN,
    MAX_CHARACTERS,
    MAX_DIGITS,
    MAX_FILE,
    MAX_WAITING,
    MORE_SECONDS,
    TOKENS_SHOWN,
)

POLL_SECONDS = 3.0
HOW = [("m, a, c and x0", "lcg"), ("numbers that I type", "numbers")]  # how a sequence is given


def make_app(runs: Path, saved: Path, demo_settings: Sequence[str] = ()) -> tuple[gr.Blocks, training.Demo]:
    """The app on a folder of runs and a folder of saved results, and the demo that its visitors can start."""
    demo = training.Demo(runs, demo_settings)
    with gr.Blocks(title="Unrandom", analytics_enabled=False, delete_cache=(600, 600)) as app:
        gr.Markdown("# Unrandom\nCan a Transformer predict pseudo-random numbers, and can anyone predict yours?")
        with gr.Tabs() as tabs:
            with gr.Tab("Play", id="play"):
                _play(app)
            with gr.Tab("Audit", id="audit"):
                _audit()
            with gr.Tab("Results", id="results") as tab:
                _results(tab, saved)
            with gr.Tab("Runs", id="runs"):
                timer = _runs(app, runs, demo)

        def watched(tab: gr.SelectData) -> Any:
            return gr.Timer(active=tab.value == "Runs")

        tabs.select(watched, None, timer, api_visibility="private", show_progress="hidden")
    app.queue(max_size=MAX_WAITING, default_concurrency_limit=ANSWERS_AT_ONCE)
    return app, demo


def _play(app: gr.Blocks) -> None:
    gr.Markdown(
        "A model reads the beginning of a sequence x → (a x + c) mod m and guesses each next number. It was never told "
        "a and c; `um-144` was never trained on the moduli 96, 108 and 144."
    )
    with gr.Row():
        with gr.Column(scale=1, min_width=280):
            choices = play.models()
            first = "fm-256" if "fm-256" in choices else choices[0]
            model = gr.Dropdown(choices, value=first, label="model")
            how = gr.Radio(HOW, value="lcg", label="the sequence is given by")
            with gr.Group() as by_lcg:
                m = gr.Textbox("256", label="modulus m", max_length=MAX_DIGITS)
                a = gr.Textbox("5", label="multiplier a", max_length=MAX_DIGITS)
                c = gr.Textbox("3", label="increment c", max_length=MAX_DIGITS)
                x0 = gr.Textbox("1", label="first number x0", max_length=MAX_DIGITS)
                seen = gr.Slider(1, 64, value=40, step=1, label="numbers shown to the model")
            typed = gr.Textbox(label="numbers, as they were printed", lines=5, max_length=MAX_CHARACTERS, visible=False)
            # Programs can ask for heads of another model than the page shows at first.
            head = gr.Dropdown(play.heads(first), value="layer 0 head 0", label="attention of", allow_custom_value=True)
            button = gr.Button("Guess", variant="primary")
        with gr.Column(scale=2, min_width=280):
            said = gr.HTML()
            with gr.Column() as pictures:
                gr.Markdown(f"### The last {GUESSES_SHOWN} guesses, the newest first")
                guesses = gr.HTML()
                gr.Markdown("### Accuracy by how many numbers were seen, over held-out sequences")
                staircase = gr.Plot(show_label=False)
                gr.Markdown(f"### Where the head looks in this sequence (in its first {TOKENS_SHOWN} tokens)")
                attention = gr.Plot(show_label=False)

    def shown(way: str) -> tuple[Any, Any]:
        return gr.Group(visible=way == "lcg"), gr.Textbox(visible=way == "numbers")

    def of_model(name: Any) -> tuple[Any, Any, Any]:
        name = name if name in choices else first  # programs can send others
        context = play.loaded(name).config.data.context
        heads = gr.Dropdown(play.heads(name), value="layer 0 head 0")
        return heads, gr.Textbox(str(play.largest_tested(name))), gr.Slider(maximum=context, value=min(40, context))

    how.change(shown, how, [by_lcg, typed], api_visibility="private")
    model.change(of_model, model, [head, m, seen], api_visibility="private")
    asked, answer = [model, how, m, a, c, x0, seen, typed, head], [said, guesses, staircase, attention]
    without_mistakes: Any = {  # a mistake has no pictures
        "fn": lambda table: gr.Column(visible=bool(table)),
        "inputs": guesses,
        "outputs": pictures,
        "show_progress": "hidden",
        "api_visibility": "private",
    }
    ways = [button.click, *(box.submit for box in (m, a, c, x0))]
    gr.on(ways, play.play, asked, answer, api_name="play").then(**without_mistakes)
    app.load(play.play, asked, answer, api_visibility="private").then(**without_mistakes)


def _audit() -> None:
    gr.Markdown(
        "Paste the outputs of a program in their order, or choose a file. The answer says whether they determine the "
        f"next ones, with a proof. Up to {MAX_CHARACTERS:,} characters or {MAX_FILE // 2**20} MiB, searched for "
        f"{AUDIT_SECONDS} seconds. Nothing leaves this computer."
    )
    with gr.Row():
        with gr.Column(scale=1, min_width=280):
            text = gr.Textbox(label="outputs", lines=12, max_lines=12, max_length=MAX_CHARACTERS)
            file = gr.File(label="or a file", type="filepath", height=140)
            button = gr.Button("Audit", variant="primary")
        with gr.Column(scale=1, min_width=280):
            verdict = gr.HTML()
            more = gr.Button(f"Go on for {MORE_SECONDS // 60} minutes", visible=False)
    shared: dict[str, Any] = {"concurrency_limit": AUDITS_AT_ONCE, "concurrency_id": "audit"}
    private: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}
    button.click(audits.audit, [text, file], verdict, api_name="audit", **shared).then(
        lambda answer: gr.update(visible=audits.UNFINISHED in answer), verdict, more, **private
    )
    more.click(audits.go_on, [text, file], verdict, api_name="go_on", **shared).then(
        lambda: gr.update(visible=False), None, more, **private
    )


def _results(tab: gr.Tab, saved: Path) -> None:
    gr.Markdown("Each claim is a sentence with a measured number, a threshold and a verdict.")
    with gr.Row():
        scale = gr.Dropdown(list(results.SHOWN_SCALES), value="laptop", label="scale", min_width=140)
        origin = gr.Radio(
            [("all", "all"), ("of the paper", "paper"), ("beyond the paper", "beyond")], value="all", label="claims"
        )
        words = gr.Textbox(label="with the words", max_length=results.MAX_WORDS, min_width=200)
    verdicts = gr.CheckboxGroup(results.verdict_names(), value=results.verdict_names(), label="verdicts")
    button = gr.Button("Show", variant="primary")
    listed = gr.HTML()
    found = partial(results.claims, saved)
    gr.on([button.click, words.submit], found, [scale, verdicts, origin, words], listed, api_name="claims")
    tab.select(found, [scale, verdicts, origin, words], listed, api_visibility="private")


def _runs(app: gr.Blocks, runs: Path, demo: training.Demo) -> gr.Timer:
    gr.Markdown(
        "The curves of a run as it trains. The demo trains the smallest model in about a minute; a seed that was "
        "trained before is not trained again."
    )
    with gr.Row():
        # Runs are made while the app is open, so that the choices of the moment are not all that can be asked for.
        name = gr.Dropdown([], label="run", scale=2, min_width=240, allow_custom_value=True)
        seed = gr.Textbox("0", label="seed of the demo", max_length=10, min_width=240)
    with gr.Row():
        start = gr.Button("Start demo", variant="primary", min_width=120)
        stop = gr.Button("Stop demo", min_width=120)
        refresh = gr.Button("Look for runs", min_width=120)
    said = gr.HTML()
    state = gr.HTML()
    accuracy, loss = (gr.Plot(show_label=False, visible=False) for _ in range(2))
    timer = gr.Timer(POLL_SECONDS, active=False)

    def drawn(name: Any) -> tuple[str, Any, Any]:
        said, *figures = training.curves(runs, demo, name or None)
        first, second = (gr.Plot(figure, visible=figure is not None) for figure in figures)
        return said, first, second

    def listed(current: Any) -> Any:
        names = training.run_names(runs)
        return gr.Dropdown(names, value=current if current in names else names[0] if names else None)

    def demo_first() -> Any:
        names = training.run_names(runs)
        return gr.Dropdown(list(dict.fromkeys([*filter(None, [demo.name]), *names])), value=demo.name)

    app.load(listed, name, name, api_visibility="private")
    refresh.click(listed, name, name, api_visibility="private")
    started = gr.on([start.click, seed.submit], demo.start, seed, said, api_name="start")
    started.then(demo_first, None, name, api_visibility="private")
    stop.click(demo.stop, None, said, api_name="stop")
    timer.tick(drawn, name, [state, accuracy, loss], show_progress="hidden", api_visibility="private")
    name.change(drawn, name, [state, accuracy, loss], api_name="curves")
    return timer
