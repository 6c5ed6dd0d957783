"""How is the app served? By Gradio on 127.0.0.1, without sharing, analytics, or anything from other hosts."""

import os
from collections.abc import Callable
from pathlib import Path

from unrandom.app.limits import MAX_FILE

HOST = "127.0.0.1"
STYLE = Path(__file__).with_name("style.css")
FONT = ("system-ui", "-apple-system", "Segoe UI", "Roboto", "Liberation Sans", "Arial", "sans-serif")
MONO = ("ui-monospace", "Consolas", "Liberation Mono", "monospace")
ENVIRONMENT = {"GRADIO_ANALYTICS_ENABLED": "False", "HF_HUB_DISABLE_TELEMETRY": "1", "HF_HUB_OFFLINE": "1"}
IGNORED = ("GRADIO_ALLOWED_PATHS", "GRADIO_SHARE", "GRADIO_SERVER_NAME", "GRADIO_ROOT_PATH")
"""Variables by which the environment could open the app to others, or the files of this computer to visitors."""


def serve(
    runs: Path, results: Path, *, port: int | None, open_browser: bool, ready: Callable[[str], None], wait: bool = True
) -> Callable[[], None]:
    """Serve the app until interrupted, or, without ``wait``, in the background; returns the function that ends it.

    ``port`` None takes the first free one from 7860 on. ``ready`` is called with the address. Raises OSError if the
    port is taken.
    """
    os.environ.update(ENVIRONMENT)
    for name in IGNORED:
        os.environ.pop(name, None)
    import gradio as gr

    from unrandom.app.page import make_app

    app, demo = make_app(runs.resolve(), results.resolve())
    theme = gr.themes.Default(font=FONT, font_mono=MONO)
    _, address, _ = app.launch(
        server_name=HOST,
        server_port=port,
        share=False,
        inbrowser=open_browser,
        quiet=True,
        prevent_thread_lock=True,
        show_error=False,
        max_file_size=MAX_FILE,
        ssr_mode=False,
        footer_links=[],
        theme=theme,
        css_paths=[STYLE],
    )

    def end() -> None:
        demo.end()
        app.close(verbose=False)

    ready(address)
    if wait:
        try:
            app.block_thread()
        finally:
            end()
    return end
