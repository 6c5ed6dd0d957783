"""Closes connections on which a request takes more than some seconds to arrive, so that they do not add up."""

from typing import Any

from unrandom.app.limits import REQUEST_SECONDS


def with_timeout(protocol: type[Any]) -> type[Any]:
    """A protocol of uvicorn that closes a connection if a request has not arrived whole in time."""

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
