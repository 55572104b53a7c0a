"""Answers of a few known headers and one body, written in one piece.

uvicorn checks every header of every answer anew and writes head and body apart; that is a tenth of the CPU that an
answer to a trial costs. Ours are known beforehand. Whatever is not known goes uvicorn's own way.
"""

from typing import Any

from starlette.types import Message, Send
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, RequestResponseCycle

from limen.web.headers import RAW

_LINES = {
    (name, value): name + b": " + value + b"\r\n"
    for name, value in [*RAW, (b"content-type", b"application/json"), (b"content-type", b"application/problem+json")]
}


class WholeAnswer:
    """Takes the place of the `send` of one request."""

    __slots__ = ("_cycle", "_head", "_send")

    def __init__(self, cycle: RequestResponseCycle) -> None:
        self._cycle = cycle
        self._send: Send = cycle.send  # type: ignore[assignment] # uvicorn's types of messages are narrower
        self._head: bytes | None = None

    async def __call__(self, message: Message) -> None:
        """Keep the head until the body is there; then write both."""
        cycle = self._cycle
        if self._head is not None:
            head, self._head = self._head, None
            if message["type"] == "http.response.body" and not message.get("more_body", False):
                body = message.get("body", b"")
                if len(body) == cycle.expected_content_length and not cycle.disconnected:
                    cycle.expected_content_length = 0
                    self._finish(head + body)
                    return
            if not cycle.disconnected:
                cycle.transport.write(head)
        elif message["type"] == "http.response.start" and self._may_wait(cycle):
            self._head = self._known_head(message)
            if self._head is not None:
                cycle.response_started = True
                return
        await self._send(message)
        if cycle.response_complete:
            self._leave()

    def _may_wait(self, cycle: Any) -> bool:
        return (
            cycle.keep_alive
            and not cycle.response_started
            and not cycle.disconnected
            and not cycle.waiting_for_100_continue
            and not cycle.flow.write_paused
            and cycle.scope["method"] != "HEAD"
        )

    def _known_head(self, message: Message) -> bytes | None:
        """Give the head, or None when a header is not known or says nothing of the body's size."""
        parts = [STATUS_LINE[message["status"]]]
        for name, value in self._cycle.default_headers:  # the date
            parts += (name, b": ", value, b"\r\n")
        size = None
        for header in message["headers"]:
            line = _LINES.get(header)
            if line is None:
                name, value = header
                if name != b"content-length" or not value.isdigit():
                    return None
                size = int(value)
                line = b"content-length: %d\r\n" % size
            parts.append(line)
        if size is None:
            return None
        self._cycle.expected_content_length = size
        self._cycle.chunked_encoding = False
        parts.append(b"\r\n")
        return b"".join(parts)

    def _finish(self, content: bytes) -> None:
        cycle = self._cycle
        cycle.transport.write(content)
        cycle.response_complete = True
        cycle.message_event.set()
        if not cycle.keep_alive:  # told to stop meanwhile
            cycle.transport.close()
        cycle.on_response()
        self._leave()

    def _leave(self) -> None:
        """Let go of each other, so that what a request used is freed at once and not by the collector."""
        vars(self._cycle).pop("send", None)
