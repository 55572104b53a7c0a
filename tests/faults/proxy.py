"""A line that does what lines do: it drops, delays, doubles and reorders requests, tells errors, and breaks off."""

import asyncio
import random
import socket
import struct
import threading
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field

FAULTS = (
    "drop the request",
    "drop the answer",
    "delay",
    "double",
    "reorder",
    "late copy",
    "error before",
    "error after",
    "cut off",
    "reset before",
    "reset after",
)
_STATUSES = (500, 502, 503, 504)


@dataclass
class BadLine:
    """A proxy in a thread, in front of a server; only the interface's requests are harmed."""

    target: int
    share: float  # of the requests that something happens to
    seed: int
    port: int = 0
    happened: Counter[str] = field(default_factory=Counter)
    _loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.new_event_loop)
    _thread: threading.Thread | None = None
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        self._chance = random.Random(self.seed)  # noqa: S311 - faults, not secrets
        self._thread = threading.Thread(target=self._loop.run_until_complete, args=(self._run(),), daemon=True)
        self._stop = asyncio.Event()
        self._thread.start()
        while not self.port:
            time.sleep(0.005)

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        if self._thread is not None:
            self._thread.join(10)
        self._loop.close()

    async def _run(self) -> None:
        server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        await self._stop.wait()
        server.close()
        await asyncio.sleep(0.05)  # so that a line just accepted has its task
        while others := asyncio.all_tasks() - {asyncio.current_task()}:
            for task in others:
                task.cancel()
            await asyncio.gather(*others, return_exceptions=True)
            await asyncio.sleep(0.05)  # so that the lines are closed before the loop is

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._keep(asyncio.current_task())
        try:
            with suppress(OSError, EOFError):
                while request := await _read_message(reader):
                    if not await self._answer(request, writer):
                        break
        finally:
            writer.close()

    async def _answer(self, request: bytes, writer: asyncio.StreamWriter) -> bool:
        """Answer a request, as well as it goes; tell whether the line still stands."""
        harmed = b" /api/" in request.split(b"\r\n", 1)[0] and self._chance.random() < self.share
        fault = self._chance.choice(FAULTS) if harmed else "none"
        self.happened[fault] += 1
        if fault in ("drop the request", "reset before"):
            return self._break(writer, reset=fault == "reset before")
        if fault == "error before":
            return await self._lie(writer)
        if fault in ("delay", "reorder"):  # a long one lets what is sent later overtake it
            await asyncio.sleep(self._chance.uniform(0.02, 0.2) if fault == "delay" else 0.6)
        answer = await self._forward(request)
        if fault == "double":
            answer = await self._forward(request)
        if fault == "late copy":
            self._keep(asyncio.create_task(self._send_late(request)))
        if fault == "error after":
            return await self._lie(writer)
        if fault in ("drop the answer", "reset after"):
            return self._break(writer, reset=fault == "reset after")
        if fault == "cut off":
            writer.write(answer[: -max(1, len(answer) // 3)])
            await writer.drain()
            return self._break(writer, reset=False)
        writer.write(answer)
        await writer.drain()
        return True

    def _keep(self, task: asyncio.Task[None] | None) -> None:
        """Hold a task until it is done: once a client has closed its side, the loop itself knows nothing of it."""
        if task is not None:
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _send_late(self, request: bytes) -> None:
        await asyncio.sleep(self._chance.uniform(0.3, 1.5))
        await self._forward(request)

    async def _forward(self, request: bytes) -> bytes:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.target)
        try:
            writer.write(request)
            await writer.drain()
            return await _read_message(reader)
        finally:
            writer.close()

    async def _lie(self, writer: asyncio.StreamWriter) -> bool:
        status = self._chance.choice(_STATUSES)
        body = b"<html>Bad gateway</html>"
        head = f"HTTP/1.1 {status} No\r\nContent-Type: text/html\r\nContent-Length: {len(body)}\r\n\r\n"
        writer.write(head.encode() + body)
        await writer.drain()
        return True

    def _break(self, writer: asyncio.StreamWriter, *, reset: bool) -> bool:
        if reset:
            line: socket.socket = writer.get_extra_info("socket")
            line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        return False


async def _read_message(reader: asyncio.StreamReader) -> bytes:
    """Give a whole request or answer; nothing when the line is closed."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return b""
    size = next((int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")), 0)
    return head + await reader.readexactly(size)
