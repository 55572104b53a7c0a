"""A small HTTP/1.1 client for load: raw connections, requests made as bytes beforehand, little CPU of its own.

It does not stand in for a browser. It reads a status, Content-Length and the body, and nothing else, so that on a
machine of two cores the server gets most of the time.
"""

import asyncio
import json
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

_END = b"\r\n\r\n"


def request_bytes(
    method: str, path: str, host: str, body: bytes = b"", headers: Mapping[str, str] | None = None
) -> bytes:
    """Give a whole request."""
    lines = [f"{method} {path} HTTP/1.1", f"Host: {host}"]
    lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
    if body or method != "GET":
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join(lines).encode() + _END + body


def json_request(method: str, path: str, host: str, message: Any, headers: Mapping[str, str] | None = None) -> bytes:
    """Give a whole request with a JSON body."""
    content = json.dumps(message, separators=(",", ":")).encode()
    return request_bytes(method, path, host, content, {"Content-Type": "application/json", **(headers or {})})


@dataclass(slots=True)
class Answer:
    """What came back."""

    status: int
    headers: bytes
    body: bytes


class Line(asyncio.Protocol):
    """One connection; one request at a time."""

    def __init__(self) -> None:
        self._transport: asyncio.Transport | None = None
        self._buffer = bytearray()
        self._waiting: asyncio.Future[Answer] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the way to send by."""
        self._transport = cast("asyncio.Transport", transport)

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell who waits."""
        self._transport = None
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_exception(exc or ConnectionResetError("closed"))

    def data_received(self, data: bytes) -> None:
        """Put an answer together."""
        self._buffer += data
        end = self._buffer.find(_END)
        if end < 0:
            return
        head = bytes(self._buffer[:end])
        size = _body_size(head, self._buffer, end)
        if size is None or len(self._buffer) < end + 4 + size:
            return
        body = bytes(self._buffer[end + 4 : end + 4 + size])
        del self._buffer[: end + 4 + size]
        if b"\r\nconnection: close" in head.lower():
            self.close()
        waiting, self._waiting = self._waiting, None
        if waiting is not None and not waiting.done():
            waiting.set_result(Answer(int(head[9:12]), head, body))

    async def ask(self, request: bytes) -> Answer:
        """Send a request and wait for its answer."""
        if self._transport is None:
            raise ConnectionResetError("not connected")
        self._waiting = asyncio.get_running_loop().create_future()
        self._transport.write(request)
        return await self._waiting

    @property
    def open(self) -> bool:
        """Whether another request can be sent on it."""
        return self._transport is not None

    def close(self) -> None:
        """Hang up."""
        transport, self._transport = self._transport, None
        if transport is not None:
            transport.close()


def _body_size(head: bytes, buffer: bytearray, end: int) -> int | None:
    """Give the size of the body as it stands in the buffer; None while that is not known."""
    lower = head.lower()
    at = lower.find(b"\r\ncontent-length:")
    if at >= 0:
        return int(lower[at + 17 :].split(b"\r\n", 1)[0])
    if b"transfer-encoding: chunked" in lower:
        last = buffer.find(b"0\r\n\r\n", end + 4)
        return None if last < 0 else last + 5 - (end + 4)
    return 0


async def connect(host: str, port: int) -> Line:
    """Open a connection."""
    _, line = await asyncio.get_running_loop().create_connection(Line, host, port)
    return line


@dataclass(slots=True)
class Tally:
    """What came of a run: when each good answer came, how long it took, and what else came."""

    done: list[tuple[float, float]] = field(default_factory=list)  # when, and seconds it took
    errors: dict[str, int] = field(default_factory=dict)

    def note(self, began: float, status: int, good: Callable[[int], bool]) -> None:
        """Count an answer."""
        now = time.perf_counter()
        if good(status):
            self.done.append((now, now - began))
        else:
            self.blame(str(status))

    def blame(self, what: str) -> None:
        """Count what went wrong."""
        self.errors[what] = self.errors.get(what, 0) + 1

    def rate(self, since: float) -> float:
        """Give good answers a second, from a moment to the last of them."""
        return len(self.done) / (max(at for at, _ in self.done) - since)

    def quantile(self, share: float) -> float:
        """Give the time that this share of the answers took at most, in seconds."""
        times = sorted(took for _, took in self.done)
        return times[min(len(times) - 1, int(share * len(times)))] if times else float("nan")


async def saturate(
    host: str, port: int, scripts: deque[Iterator[bytes]], *, connections: int, seconds: float
) -> tuple[Tally, float]:
    """Send the requests of the scripts as fast as they are answered; a script's requests go one after another."""
    tally = Tally()
    began = time.perf_counter()
    until = began + seconds

    async def work() -> None:
        line = await connect(host, port)
        script: Iterator[bytes] | None = None
        try:
            while time.perf_counter() < until:
                request = next(script, None) if script is not None else None
                if request is None:
                    if not scripts:
                        return
                    script = scripts.popleft()
                    continue
                sent = time.perf_counter()
                try:
                    if not line.open:  # a server that closes after every answer has its visitors connect again
                        line = await connect(host, port)
                    answer = await line.ask(request)
                except ConnectionError as problem:
                    tally.blame(type(problem).__name__)
                    continue
                tally.note(sent, answer.status, lambda status: 200 <= status < 400)
        finally:
            line.close()

    await asyncio.gather(*(work() for _ in range(connections)))
    return tally, began


async def pace(host: str, port: int, scripts: list[Iterator[bytes]], *, every_s: float, seconds: float) -> Tally:
    """Let each script send a request every so many seconds, spread evenly; a late answer delays only its own."""
    tally = Tally()
    began = time.perf_counter()
    until = began + seconds

    async def work(script: Iterator[bytes], offset: float) -> None:
        await asyncio.sleep(offset)
        line = await connect(host, port)
        try:
            for n, request in enumerate(script):
                due = began + offset + n * every_s
                if due >= until:
                    return
                await asyncio.sleep(max(0.0, due - time.perf_counter()))
                sent = time.perf_counter()
                try:
                    tally.note(sent, (await line.ask(request)).status, lambda status: 200 <= status < 400)
                except ConnectionError as problem:
                    tally.blame(type(problem).__name__)
                    line = await connect(host, port)
        finally:
            line.close()

    await asyncio.gather(*(work(script, every_s * n / len(scripts)) for n, script in enumerate(scripts)))
    return tally
