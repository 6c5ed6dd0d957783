"""Serves the app by Gradio on 127.0.0.1, without sharing, analytics, or anything from other hosts."""

import atexit
import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

from unrandom.app.children import end_all
from unrandom.app.limits import MAX_FILE, SESSIONS_KEPT
from unrandom.app.uploads import upload_folder
from unrandom.core.errors import UserError
from unrandom.core.files import resolved

HOST = "127.0.0.1"
PORTS = range(7860, 7960)  # tried if none is given
STYLE = Path(__file__).with_name("style.css")
FONT = ("system-ui", "-apple-system", "Segoe UI", "Roboto", "Liberation Sans", "Arial", "sans-serif")
MONO = ("ui-monospace", "Consolas", "Liberation Mono", "monospace")
SECONDS_TO_END = 3.0  # for what the server and the demo still do
SECONDS_OF_THREADS = 1.0
ENVIRONMENT = {
    "GRADIO_ANALYTICS_ENABLED": "False",
    "GRADIO_ANALYTICS_MAX_EVENTS": str(SESSIONS_KEPT),  # it keeps their times
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "HF_HUB_OFFLINE": "1",
}


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
    with ExitStack() as made:
        address = _launched(runs, results, port, open_browser, demo_settings, made)
        if not wait:
            ready(address)
            return made.pop_all().close
        for number in (signal.SIGTERM, signal.SIGINT):
            if signal.getsignal(number) is not signal.SIG_IGN:  # as in the background
                signal.signal(number, signal.default_int_handler)
        with suppress(KeyboardInterrupt):
            ready(address)
            while True:
                time.sleep(3600)
    return made.close


def _launched(
    runs: Path, results: Path, port: int | None, open_browser: bool, demo_settings: Sequence[str], made: ExitStack
) -> str:
    """The address of the app, which now runs in threads; ``made`` ends what was made for it."""
    _prepare_environment(str(made.enter_context(upload_folder())))
    import gradio as gr

    from unrandom.app.connections import with_timeout
    from unrandom.app.gate import shields
    from unrandom.app.page import make_app

    app, demo = make_app(resolved(runs), resolved(results), demo_settings)
    closing = threading.Thread(target=app.close, kwargs={"verbose": False}, daemon=True)
    made.callback(closing.join, SECONDS_TO_END)
    made.callback(end_all)
    made.callback(demo.end, SECONDS_TO_END / 2)
    made.callback(closing.start)  # first, while the others end
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
            state_session_capacity=SESSIONS_KEPT,
            footer_links=[],
            app_kwargs={"middleware": shields(resolved(results))},
            theme=gr.themes.Default(font=FONT, font_mono=MONO),
            css_paths=[STYLE],
        )
    except OSError:
        which = f"the ports {PORTS[0]} to {PORTS[-1]}" if port is None else f"the port {port}"
        raise UserError(f"{which} cannot be used: taken, or not permitted; choose another with --port") from None
    settings: Any = app.server.config  # read by uvicorn at each connection, and when it ends
    settings.http_protocol_class = with_timeout(settings.http_protocol_class)
    settings.timeout_graceful_shutdown = 1
    made.callback(logging.getLogger("uvicorn.error").setLevel, logging.CRITICAL)  # it reports what is then cut off
    return str(address)


def leave_answers() -> None:
    """Let this process end with status 0 when its program does, without its threads, which may compute answers still.

    Python would wait for some threads, and the others fail while it exits. What else is registered with `atexit` is not
    called, so that this is for a program that does nothing but serve.
    """

    def leave() -> None:
        if sys.stdout is not None:
            with suppress(OSError, ValueError):  # no one reads it any more
                sys.stdout.flush()
        os._exit(0)

    def leave_late() -> None:
        threading.main_thread().join()
        time.sleep(SECONDS_OF_THREADS)
        leave()

    threading.Thread(target=leave_late, daemon=True).start()
    atexit.register(leave)


def _prepare_environment(uploads: str) -> None:
    """Sets what Gradio reads from variables only, and removes variables that could open the app to others."""
    for name in [name for name in os.environ if name.startswith("GRADIO_")]:
        del os.environ[name]
    os.environ.update(ENVIRONMENT)
    os.environ["GRADIO_TEMP_DIR"] = os.environ["GRADIO_EXAMPLES_CACHE"] = uploads
    for name in ("no_proxy", "NO_PROXY"):  # Gradio calls its own address, which no proxy can reach
        os.environ[name] = ",".join(filter(None, (os.environ.get(name), HOST)))
