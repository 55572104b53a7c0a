"""How long the server waits for a request, and how much of one it takes: no visitor can hold up the others.

A connection on which no whole request head has come after `HEAD_S` seconds is closed, one whose head is beyond
`HEAD_LIMIT` too. A body has `BODY_S` seconds; how large it may be, whoever reads it says (`limen.web.calls`).
"""

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from limen.web.headers import EVERYWHERE
from limen.web.problems import problem
from limen.web.whole_answers import WholeAnswer

HEAD_S = 10.0
HEAD_LIMIT = 64 * 1024
BODY_S = 20.0

_HEAD, _BODY = "head", "body"


class Patient(HttpToolsProtocol):
    """HTTP with bounds. What cannot be read is answered as any other problem is, with the security headers."""

    _bound: asyncio.TimerHandle | None = None
    _waits_for: str | None = None
    _head_bytes = 0

    def connection_made(self, transport: Any) -> None:
        """Begin to wait."""
        super().connection_made(transport)
        self._waits_for = _HEAD
        self._bound = self.loop.call_later(HEAD_S, self._too_slow)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take what came, unless it is the endless head of a request; begin to wait for what is missing."""
        if self._waits_for is _HEAD:
            self._head_bytes += len(data)
            if self._head_bytes > HEAD_LIMIT + len(data):
                self._refuse(431, "too-large", "The head of the request is too large.")
                return
        super().data_received(data)
        if self._waits_for is not None and self._bound is None:  # most requests come whole and need no timer
            self._bound = self.loop.call_later(HEAD_S if self._waits_for is _HEAD else BODY_S, self._too_slow)

    def on_message_begin(self) -> None:
        """Wait for the head of another request on the same connection."""
        super().on_message_begin()
        if self._waits_for is None:
            self._waits_for = _HEAD

    def on_headers_complete(self) -> None:
        """Wait for the body."""
        self._stop_waiting()
        self._waits_for = _BODY
        super().on_headers_complete()
        # before the request is begun, which is in the loop's next turn
        self.cycle.send = WholeAnswer(self.cycle)  # type: ignore[assignment,method-assign]

    def on_message_complete(self) -> None:
        """Wait for nothing more."""
        self._stop_waiting()
        super().on_message_complete()

    def send_400_response(self, msg: str) -> None:
        """Answer what is no HTTP."""
        self._refuse(400, "bad-request", msg)

    def _stop_waiting(self) -> None:
        self._waits_for = None
        self._head_bytes = 0
        if self._bound is not None:
            self._bound.cancel()
            self._bound = None

    def _too_slow(self) -> None:
        self._bound = None
        if self.transport.is_closing():
            return
        if self._waits_for is _BODY and not self.cycle.response_started:
            self._refuse(408, "too-slow", f"A body comes within {BODY_S:g} s.")
        elif self._waits_for is _HEAD or self.cycle.response_complete:
            self.transport.close()

    def _refuse(self, status: int, kind: str, detail: str) -> None:
        self._stop_waiting()
        answer = problem(status, kind, detail, {**EVERYWHERE, "Connection": "close"})
        lines = [f"HTTP/1.1 {status} {kind}".encode(), *(name + b": " + value for name, value in answer.raw_headers)]
        self.transport.write(b"\r\n".join(lines) + b"\r\n\r\n" + bytes(answer.body))
        self.transport.close()
