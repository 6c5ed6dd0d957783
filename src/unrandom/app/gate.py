"""Lets in only requests of this page, and of programs, to the addresses that the page uses.

The pictures of the results are answered here (`pictures`), as Gradio serves no files of ours.

Gradio has more addresses than the page uses: some serve files, some speak with other hosts. And a site that a visitor
has open could send what it gets no answer to, which the browser says by the headers Origin and Sec-Fetch-Site. Such a
request is refused before its body is read. Starlette limits the size of bodies, and refuses a site that calls this
computer by a name of its own (DNS rebinding).
"""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from starlette.middleware import Middleware
from starlette.middleware.body_limit import RequestBodyLimitMiddleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from unrandom.app.limits import MAX_REQUEST
from unrandom.app.pictures import ADDRESS, PATH, picture

HOSTS = ["127.0.0.1", "localhost"]
ADDRESSES = re.compile(
    r"/|/(config|theme\.css|favicon\.ico|manifest\.json|robots\.txt)|/(assets|static|svelte)/.*|"
    r"/gradio_api/(info|app_id|startup-events|upload|upload_progress|cancel|reset|queue/(join|data)|"
    r"heartbeat/\w+|call/(v2/)?\w+(/\w+)?)/?|" + ADDRESS.pattern
)
Refusal = tuple[str, int]  # a sentence and a status of HTTP
NOTHING: Refusal = ("There is nothing at this address.", 404)
KEPT = {"cache-control": "private, max-age=60", "x-content-type-options": "nosniff"}
"""The headers of a picture, which the browser keeps for a minute."""


def shields(results: Path) -> list[Middleware]:
    """The layers around Gradio's application, the outermost first."""
    return [
        Middleware(TrustedHostMiddleware, allowed_hosts=HOSTS),
        Middleware(RequestBodyLimitMiddleware, max_body_size=MAX_REQUEST),
        Middleware(Gate, results=results),
    ]


class Gate:
    """A layer around Gradio's application, which refuses the other requests by one sentence, and answers pictures."""

    def __init__(self, app: ASGIApp, results: Path) -> None:
        self.app, self.results = app, results

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":  # the page has none
            await send({"type": "websocket.close"})
            return
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        with suppress(ClientDisconnect):  # not a fault of the program
            await self._answer(Request(scope, receive), scope, receive, send)

    async def _answer(self, request: Request, scope: Scope, receive: Receive, send: Send) -> None:
        refused, has_files = _refused(request), _has_files(request)
        body = b"" if refused or has_files else await request.body()
        if refused := refused or _refused_body(body):
            await PlainTextResponse(*refused)(scope, receive, send)
            return
        if scope["path"].startswith(PATH):
            await self._picture(request)(scope, receive, send)
            return
        if has_files:  # not held back: Gradio follows how they arrive, and limits each
            await self.app(scope, receive, send)
            return
        first: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def again() -> Message:
            return first.pop() if first else await receive()

        await self.app(scope, again, send)

    def _picture(self, request: Request) -> Response:
        content = picture(self.results, request.scope["path"]) if request.method == "GET" else None
        if content is None:
            return PlainTextResponse(*NOTHING)
        return Response(content, headers=KEPT, media_type="image/png")


def _refused(request: Request) -> Refusal | None:
    if _of_another_site(request):
        return "This app answers its own page only, not other sites.", 403
    if not ADDRESSES.fullmatch(request.scope["path"]):
        return NOTHING
    return None


def _of_another_site(request: Request) -> bool:
    """Whether the browser says that another site's page sends this (not that a link to this one was followed)."""
    if request.method == "GET" and request.scope["path"] == "/":
        return False
    said, own = request.headers.get("sec-fetch-site", "none"), f"http://{request.headers['host']}"
    return said not in ("none", "same-origin") or request.headers.get("origin", own) != own


def _has_files(request: Request) -> bool:
    return request.headers.get("content-type", "").startswith("multipart/")


def _refused_body(body: bytes) -> Refusal | None:
    if not body:
        return None
    try:
        values = list(_inside(json.loads(body, parse_constant=_no_number)))
    except (ValueError, RecursionError):
        return "This is not JSON, or it is nested too deeply.", 400
    # Gradio would fetch a file whose path is the address of another host.
    if any(isinstance(value, dict) and "://" in str(value.get("path")) for value in values):
        return "Files of other hosts are not read.", 403
    return None


def _inside(value: Any) -> Iterator[Any]:
    """A JSON value and all values within it."""
    waiting = [value]
    while waiting:
        value = waiting.pop()
        yield value
        waiting += value.values() if isinstance(value, dict) else value if isinstance(value, list) else []


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON number")
