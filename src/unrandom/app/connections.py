"""How long may a request take to arrive? Some seconds: a connection that sends half of one, or none, is then closed.

So connections that are held open (by mistake, or by a program that means harm) do not add up.
"""

from typing import Any

from unrandom.app.limits import REQUEST_SECONDS


def hurried(protocol: type[Any]) -> type[Any]:
    """A protocol of uvicorn that closes a connection on which a request has not arrived whole after some seconds."""

    class Hurried(protocol):
        late: Any = None  # the timer

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._look()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            self._look()

        def connection_lost(self, exc: Exception | None) -> None:
            self._end_timer()
            super().connection_lost(exc)

        def _look(self) -> None:
            """Start the timer at the first part of a request, end it at the last one."""
            if self.cycle is None or self.cycle.response_complete or self.cycle.more_body:
                self.late = self.late or self.loop.call_later(REQUEST_SECONDS, self.transport.abort)
            else:
                self._end_timer()

        def _end_timer(self) -> None:
            if self.late is not None:
                self.late.cancel()
            self.late = None

    return Hurried
