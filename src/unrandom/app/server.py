"""How is the app served? By Gradio on 127.0.0.1, without sharing, analytics, or anything from other hosts."""

import os
import shutil
import signal
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from unrandom.app.limits import MAX_FILE
from unrandom.core.errors import UserError

HOST = "127.0.0.1"
PORTS = range(7860, 7960)  # those that are tried if none is given
STYLE = Path(__file__).with_name("style.css")
FONT = ("system-ui", "-apple-system", "Segoe UI", "Roboto", "Liberation Sans", "Arial", "sans-serif")
MONO = ("ui-monospace", "Consolas", "Liberation Mono", "monospace")
ENVIRONMENT = {"GRADIO_ANALYTICS_ENABLED": "False", "HF_HUB_DISABLE_TELEMETRY": "1", "HF_HUB_OFFLINE": "1"}


def serve(
    runs: Path,
    results: Path,
    *,
    port: int | None,
    open_browser: bool,
    ready: Callable[[str], None],
    wait: bool = True,
    demo_settings: Sequence[str] = (),
) -> Callable[[], None]:
    """Serve the app until interrupted, or, without ``wait``, in the background; returns the function that ends it.

    ``port`` None takes the first free one of `PORTS`. ``ready`` is called with the address. ``demo_settings`` change
    the configuration of the demo, as ``--set`` does. Raises UserError if the port cannot be used.
    """
    uploads = tempfile.mkdtemp(prefix="unrandom-app-")  # of this app alone; Gradio's own folder is that of all apps
    _prepare_environment(uploads)
    import gradio as gr
    from starlette.middleware import Middleware

    from unrandom.app.gate import Gate
    from unrandom.app.page import make_app

    app, demo = make_app(runs.resolve(), results.resolve(), demo_settings)

    def end() -> None:
        demo.end()
        app.close(verbose=False)
        shutil.rmtree(uploads, ignore_errors=True)

    try:
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
            pwa=False,
            mcp_server=False,
            run_history=False,
            enable_monitoring=False,
            footer_links=[],
            app_kwargs={"middleware": [Middleware(Gate)]},
            theme=gr.themes.Default(font=FONT, font_mono=MONO),
            css_paths=[STYLE],
        )
    except OSError:
        end()
        which = f"the ports {PORTS[0]} to {PORTS[-1]}" if port is None else f"the port {port}"
        raise UserError(f"{which} cannot be used: taken, or not permitted; choose another with --port") from None
    if not wait:
        ready(address)
        return end
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        ready(address)
        with suppress(KeyboardInterrupt):
            while True:
                time.sleep(3600)
    finally:
        end()
    return end


def _prepare_environment(uploads: str) -> None:
    """Settings of Gradio that are given by variables only; variables by which the app could be opened are removed."""
    for name in [name for name in os.environ if name.startswith("GRADIO_")]:
        del os.environ[name]
    os.environ.update(ENVIRONMENT)
    os.environ["GRADIO_TEMP_DIR"] = os.environ["GRADIO_EXAMPLES_CACHE"] = uploads
    for name in ("no_proxy", "NO_PROXY"):  # Gradio calls its own address, which no proxy can reach
        os.environ[name] = ",".join(filter(None, (os.environ.get(name), HOST)))
