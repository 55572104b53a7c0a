"""How long the server waits for a request, and how much of one it takes: no visitor can hold up the others.

A connection on which no whole request head has come after `HEAD_S` seconds is closed, one whose head is beyond
`HEAD_LIMIT` too. A body has `BODY_S` seconds; how large it may be, whoever reads it says (`limen.web.calls`), and what
nobody reads ends at `MESSAGE_LIMIT`. All that has come of requests that are not whole has a `Room` in common. Who
sends `PIPELINED` requests more without waiting for an answer, or leaves an answer unread for `UNREAD_S` seconds, is
hung up on.

Trailers, and bodies of requests that would rather speak another protocol, are refused: nothing here needs them, and
the parser keeps the one and misreads the other.
"""

import asyncio
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from starlette.types import ASGIApp
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from limen.web.headers import EVERYWHERE
from limen.web.problems import problem
from limen.web.whole_answers import WholeAnswer

HEAD_S = 10.0
HEAD_LIMIT = 32 * 1024
HEADERS = 100
BODY_S = 20.0
MESSAGE_LIMIT = 400 * 1024
UNREAD_S = 30.0
PIPELINED = 16
ROOM = 64 * 1024 * 1024

_HEAD, _BODY = "head", "body"
_NONE: Mapping[str, str] = MappingProxyType({})


class Room:
    """The memory of a process for requests that have not come whole, in bytes; who has held any longest goes first."""

    def __init__(self, limit: int = ROOM) -> None:
        self.held = 0
        self._limit = limit
        self._holders: dict[Patient, int] = {}

    def take(self, holder: "Patient", size: int) -> None:
        """Hold so many bytes more for a connection; refuse the requests that have been under way longest for it."""
        self._holders[holder] = self._holders.get(holder, 0) + size
        self.held += size
        while self.held > self._limit:
            longest = next(iter(self._holders))
            self.let_go(longest)
            longest.refuse_for_room()

    def let_go(self, holder: "Patient") -> None:
        """Give back all that is held for a connection."""
        self.held -= self._holders.pop(holder, 0)


class Patient(HttpToolsProtocol):
    """HTTP with bounds. What cannot be read is answered as any other problem is, with the security headers."""

    _bound: asyncio.TimerHandle | None = None
    _unread: asyncio.TimerHandle | None = None
    _waits_for: str | None = None
    _message_bytes = 0
    _in_trailers = False
    _deaf = False  # whether all that comes after the request under way is left unread
    _running: RequestResponseCycle | None = None  # the request that is being answered; `cycle` is the last one read

    def __init__(self, *arguments: Any, room: Room, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._room = room

    def connection_made(self, transport: Any) -> None:
        """Begin to wait."""
        super().connection_made(transport)
        self._waits_for = _HEAD
        self._bound = self.loop.call_later(HEAD_S, self._too_slow)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting, and tell whoever is answering that nobody listens."""
        self._stop_waiting()
        self._room.let_go(self)
        self._has_read()
        self._unset_keepalive_if_required()
        self.pipeline.clear()
        if self._running is not None and not self._running.response_complete:
            self._running.disconnected = True
            self._running.message_event.set()
        super().connection_lost(exc)

    def eof_received(self) -> bool:  # type: ignore[override]
        """Answer what has come before closing, when the other side only says that it will send no more."""
        if not self._answering() or self._reads_running():
            self._close()
            return False
        self._end_after_answer()
        return True

    def data_received(self, data: bytes) -> None:
        """Take what came, unless it is too much of a request; begin to wait for what is missing."""
        if self._deaf:
            return
        if self._waits_for is not None:
            self._message_bytes += len(data)
            if self._waits_for is _HEAD and self._message_bytes > HEAD_LIMIT + len(data):
                self._refuse(431, "too-large", "The head of the request is too large.")
                return
            if self._message_bytes > MESSAGE_LIMIT + len(data):
                self._refuse(413, "too-large", "The request is too large.")
                return
        super().data_received(data)
        if self._waits_for is not None:  # most requests come whole and need neither a timer nor room
            self._wait(len(data))
        elif self.timeout_keep_alive_task is None and not self._answering() and not self.transport.is_closing():
            # an empty line, which is no request, has ended the wait for one
            self.timeout_keep_alive_task = self.loop.call_later(
                self.timeout_keep_alive, self.timeout_keep_alive_handler
            )

    def on_message_begin(self) -> None:
        """Wait for the head of another request on the same connection, unless too many wait for their answer."""
        if len(self.pipeline) >= PIPELINED:
            raise OverflowError("more requests than anyone sends without waiting for an answer")
        super().on_message_begin()
        self._in_trailers = False
        if self._waits_for is None:
            self._waits_for = _HEAD

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header, as uvicorn does it; neither one of very many, nor one behind the body."""
        headers = self.headers
        if self._in_trailers or len(headers) >= HEADERS:
            raise OverflowError("more headers than there can be")
        name = name.lower()
        if name == b"expect" and value.lower() == b"100-continue":
            self.expect_100_continue = True
        headers.append((name, value))

    def on_headers_complete(self) -> None:
        """Wait for the body."""
        upgrade = self.parser.should_upgrade()
        if upgrade and any(name in (b"content-length", b"transfer-encoding") for name, _ in self.headers):
            raise ValueError("a body that is said to belong to another protocol")
        self._stop_waiting()
        super().on_headers_complete()  # from here on the last request is this one
        self._waits_for = _BODY
        self._in_trailers = True
        # before the request is begun, which is in the loop's next turn
        self.cycle.send = WholeAnswer(self.cycle)  # type: ignore[assignment,method-assign]
        if upgrade:  # answered as if it had not been asked for, but what follows may be in that protocol
            self.cycle.keep_alive = False
            self._deaf = True

    def on_message_complete(self) -> None:
        """Wait for nothing more."""
        self._stop_waiting()
        self._room.let_go(self)
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """Begin with the next request, or close; what is not read then has its time too."""
        super().on_response_complete()
        if self.transport.is_closing():
            self._give_up_on_the_unread()

    def pause_writing(self) -> None:
        """Wait for the other side to read."""
        super().pause_writing()
        if self._unread is None:
            self._unread = self.loop.call_later(UNREAD_S, self.transport.abort)

    def resume_writing(self) -> None:
        """Go on: the other side has read."""
        if not self.transport.is_closing():
            self._has_read()
        super().resume_writing()

    def timeout_keep_alive_handler(self) -> None:
        """Hang up when nothing more was asked for. What the other side has not read by now it never will."""
        if self.transport.get_write_buffer_size():
            self.transport.abort()
        else:
            super().timeout_keep_alive_handler()

    def shutdown(self) -> None:
        """Close at the end of the server; nobody is waited for who does not read."""
        super().shutdown()
        if self.transport.is_closing() and self.transport.get_write_buffer_size():
            self.transport.abort()

    def send_400_response(self, msg: str) -> None:
        """Answer what is no HTTP."""
        self._refuse(400, "bad-request", msg)

    def refuse_for_room(self) -> None:
        """Give up a request that has been under way for long, so that there is room for others."""
        self._refuse(503, "unavailable", "Too much is under way. Please try again.", {"Retry-After": "1"})

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: ASGIApp) -> None:  # type: ignore[override]
        self._running = cycle
        super()._start_asgi_task(cycle, app)  # type: ignore[arg-type] # uvicorn's types of messages are narrower

    def _unsupported_upgrade_warning(self) -> None:
        """Say nothing: whoever likes could fill the log with it."""

    def _answering(self) -> bool:
        return self._running is not None and not self._running.response_complete

    def _reads_running(self) -> bool:
        """Tell whether what is being read is the body of the request that is being answered."""
        return self._waits_for is _BODY and self._running is not None and self.cycle is self._running

    def _wait(self, size: int) -> None:
        if self._bound is None:
            self._bound = self.loop.call_later(HEAD_S if self._waits_for is _HEAD else BODY_S, self._too_slow)
        if self._waits_for is _HEAD or not self.cycle.response_complete:  # the rest of an answered one is not kept
            self._room.take(self, size)

    def _stop_waiting(self) -> None:
        self._waits_for = None
        self._message_bytes = 0
        if self._bound is not None:
            self._bound.cancel()
            self._bound = None

    def _has_read(self) -> None:
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None

    def _too_slow(self) -> None:
        self._bound = None
        if self._waits_for is _BODY:
            self._refuse(408, "too-slow", f"A body comes within {BODY_S:g} s.")
        elif self._answering():
            self._end_after_answer()
        else:
            self._close()

    def _refuse(self, status: int, kind: str, detail: str, headers: Mapping[str, str] = _NONE) -> None:
        """Answer what is wrong with the request that is being read, where that has no answer yet, and close.

        A request before it that is still being answered gets its own answer first, and is the last.
        """
        about_running = self._reads_running()
        self._stop_waiting()
        self._room.let_go(self)
        if self.transport.is_closing():
            self._give_up_on_the_unread()
            return
        if self._answering() and not about_running:
            self._end_after_answer()
            return
        if not about_running or not self.cycle.response_started:
            answer = problem(status, kind, detail, {**EVERYWHERE, **headers, "Connection": "close"})
            head = [f"HTTP/1.1 {status} {kind}".encode(), *(name + b": " + value for name, value in answer.raw_headers)]
            self.transport.write(b"\r\n".join(head) + b"\r\n\r\n" + bytes(answer.body))
        self._close()

    def _end_after_answer(self) -> None:
        """Answer the requests that have come whole, and read nothing more."""
        self._stop_waiting()
        self._room.let_go(self)
        self._deaf = True
        if self.pipeline and self.pipeline[0][0].more_body:  # the last one, of which the rest will not come
            self.pipeline.popleft()
        last = self.pipeline[0][0] if self.pipeline else self._running
        if last is not None:
            last.keep_alive = False

    def _close(self) -> None:
        self.transport.close()
        self._give_up_on_the_unread()

    def _give_up_on_the_unread(self) -> None:
        """See that a closed connection ends although the other side does not read what is left."""
        if self._unread is None and self.transport.is_closing() and self.transport.get_write_buffer_size():
            self._unread = self.loop.call_later(UNREAD_S, self.transport.abort)
