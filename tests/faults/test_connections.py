"""Half-open connections, slow clients, bodies cut off: nobody who behaves notices, and a stop takes ten seconds."""

import asyncio
import json
import os
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx
import pytest

from commands import begin
from faults.nursery import Nursery, Nursling
from faults.scale import HALF_OPEN, noted
from limen.core.sessions import Mode
from limen.storage.store import read_store
from limen.web import patience
from postgres import free_port
from serving import Served, serving
from studies import an_answer


@contextmanager
def a_line(served: Served) -> Iterator[socket.socket]:
    with socket.create_connection((served.client.base_url.host, served.client.base_url.port or 80), timeout=20) as line:
        yield line


def everything(line: socket.socket) -> bytes:
    """Read until the other side hangs up."""
    parts = []
    while part := line.recv(65536):
        parts.append(part)
    return b"".join(parts)


def memory_mb(server: Nursling) -> float:
    pages = int(Path(f"/proc/{server.pid}/statm").read_text().split()[1])
    return pages * 4096 / 1e6


def test_half_open_connections_keep_nobody_out(study: Path, nursery: Nursery) -> None:
    server = nursery.start(study, port=free_port())
    server.wait_until_up()
    before = memory_mb(server)

    async def hold(heads: tuple[bytes, ...]) -> list[asyncio.StreamWriter]:
        writers = []
        for n in range(HALF_OPEN):
            _, writer = await asyncio.open_connection("127.0.0.1", server.port)
            writer.write(heads[n % len(heads)])
            writers.append(writer)
        return writers

    async def main() -> float:
        heads = (b"", b"PUT /api/sess", b"GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ", b"\x16\x03\x01")
        writers = await hold(heads)
        try:
            return await asyncio.to_thread(asked)
        finally:
            for writer in writers:
                writer.close()
            await asyncio.sleep(0.05)

    def asked() -> float:
        began = time.monotonic()
        with httpx.Client(base_url=f"http://127.0.0.1:{server.port}", timeout=20) as client:
            token = begin(client)
            assert client.put(f"/api/sessions/{token}/practice/1", json=an_answer()).status_code == 201
        return time.monotonic() - began

    with noted("half-open connections") as figures:
        took = asyncio.run(main())
        grown = memory_mb(server) - before
        assert took < 10
        assert grown < 20 + HALF_OPEN * 0.02
        assert server.end(signal.SIGTERM) < 10
        figures |= {"connections": HALF_OPEN, "two_writes_beside_them_s": round(took, 3), "memory_mb": round(grown, 1)}


def test_who_never_ends_the_head_of_a_request_is_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "HEAD_S", 0.3)
    with serving() as served:
        with a_line(served) as line:
            line.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n")
            assert everything(line) == b""
        with a_line(served) as line:  # a second request on a line that was good before
            line.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
            assert line.recv(65536).startswith(b"HTTP/1.1 200")
            line.sendall(b"GET /hea")
            assert everything(line) == b""
        with a_line(served) as line:  # who waits between requests is not
            line.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
            assert line.recv(65536).startswith(b"HTTP/1.1 200")
            time.sleep(0.5)
            line.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
            assert line.recv(65536).startswith(b"HTTP/1.1 200")


def test_a_body_that_comes_too_slowly_is_refused_and_stores_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "BODY_S", 0.3)
    with serving() as served:
        token = served.begin()
        body = json.dumps(an_answer()).encode()
        head = f"PUT /api/sessions/{token}/practice/1 HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
        with a_line(served) as line:
            line.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body[:-1])
            answer = everything(line)
        assert answer.startswith(b"HTTP/1.1 408")
        assert b"x-content-type-options: nosniff" in answer.lower()
        assert [s.practiced for s in served.store.read(lambda reading: reading.sessions(Mode.LIVE))] == [0]


def test_a_head_without_end_is_refused() -> None:
    with serving() as served, a_line(served) as line:
        line.sendall(b"GET / HTTP/1.1\r\n")
        answer = b""
        with suppress(OSError):
            for n in range(100_000):
                line.sendall(f"X-{n}: {'y' * 1000}\r\n".encode())
        with suppress(OSError):  # reset, since we still sent
            answer = everything(line)
        assert n < 5_000
        assert answer == b"" or answer.startswith(b"HTTP/1.1 431")
        assert served.client.get("/healthz").status_code == 200


@pytest.mark.parametrize(
    "garbage",
    [b"\x00" * 100, b"GET\r\n\r\n", b"PUT / HTTP/9.9\r\n\r\n", b"\x16\x03\x01" * 20],
    ids=["zeros", "no address", "no version", "TLS"],
)
def test_what_is_no_http_is_answered_as_a_problem_with_the_security_headers(garbage: bytes) -> None:
    with serving() as served, a_line(served) as line:
        line.sendall(garbage)
        answer = everything(line)
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400")
    for header in (
        b"content-security-policy: default-src 'none'",
        b"x-frame-options: deny",
        b"cache-control: no-store",
    ):
        assert header in head.lower()
    assert json.loads(body)["status"] == 400


def test_a_stop_drains_what_is_under_way_and_takes_ten_seconds_at_most(study: Path, nursery: Nursery) -> None:
    server = nursery.start(study, port=free_port())
    server.wait_until_up()
    with httpx.Client(base_url=f"http://127.0.0.1:{server.port}", timeout=20) as client:
        token = begin(client)
    body = json.dumps(an_answer()).encode()
    head = (
        f"PUT /api/sessions/{token}/practice/1 HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    ).encode()
    with (
        socket.create_connection(("127.0.0.1", server.port), timeout=20) as under_way,
        socket.create_connection(("127.0.0.1", server.port), timeout=20) as stuck,
    ):
        under_way.sendall(head + body[:10])
        stuck.sendall(head + body[:10])
        time.sleep(0.3)
        os.kill(server.pid, signal.SIGTERM)
        time.sleep(0.3)
        under_way.sendall(body[10:])
        assert under_way.recv(65536).startswith(b"HTTP/1.1 201")
        began = time.monotonic()
        while server.alive():
            assert time.monotonic() - began < 10
            time.sleep(0.01)
    assert "every answer that was acknowledged is stored" in server.said()
    found = read_store(f"sqlite:///{study / 'answers.sqlite'}", lambda reading: reading.sessions(Mode.LIVE))
    assert found is not None
    assert [session.practiced for session in found] == [1]
