"""Half-open connections, slow clients, bodies cut off: nobody who behaves notices, and a stop takes ten seconds."""

import asyncio
import json
import os
import signal
import socket
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

import httpx
import pytest

from commands import begin
from faults.lines import a_line, everything, served_alone
from faults.nursery import Nursery, Nursling
from faults.scale import HALF_OPEN, noted
from limen.core.sessions import Mode
from limen.storage.store import read_store
from limen.web import patience
from postgres import free_port
from serving import serving
from studies import an_answer


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


def test_requests_that_stop_midway_share_bounded_room_and_keep_nobody_out(study: Path, nursery: Nursery) -> None:
    """Without a bound in common so many bodies and heads would take 500 MB, and ten times as many 5 GB."""
    server = nursery.start(study, port=free_port())
    server.wait_until_up()
    address = "PUT /api/sessions/AAAAAAAAAAAAAAAAAAAAAA/trials/1 HTTP/1.1\r\nHost: x\r\n"
    body = f"{address}Content-Type: application/json\r\nContent-Length: 262000\r\n\r\n".encode() + b" " * 261_000
    head = f"{address}X-Long: ".encode() + b"x" * 30_000
    before, refused = memory_mb(server), 0
    lines = []
    try:
        for n in range(1_700):
            line = socket.create_connection(("127.0.0.1", server.port), timeout=20)
            lines.append(line)
            with suppress(OSError):  # who is refused is hung up on
                line.sendall(body if n % 2 else head)
        with httpx.Client(base_url=f"http://127.0.0.1:{server.port}", timeout=20) as client:
            token = begin(client)
            assert client.put(f"/api/sessions/{token}/practice/1", json=an_answer()).status_code == 201
        assert memory_mb(server) - before < 2.5 * patience.ROOM / 1e6  # what the allocator keeps besides
        for line in lines:
            line.setblocking(False)
            with suppress(OSError):
                refused += line.recv(65536).startswith(b"HTTP/1.1 503")
    finally:
        for line in lines:
            line.close()
    assert refused > 100
    assert server.end(signal.SIGTERM) < 10


def test_room_is_given_back_however_a_request_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    rooms: list[patience.Room] = []

    def a_small_room() -> patience.Room:
        rooms.append(patience.Room(100_000))
        return rooms[-1]

    monkeypatch.setattr("limen.web.server.Room", a_small_room)
    body = json.dumps(an_answer()).encode()
    with serving() as served:
        (room,) = rooms
        token = served.begin()
        address = f"PUT /api/sessions/{token}/practice/1 HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
        head, long = (f"{address}Content-Length: {size}\r\n\r\n".encode() for size in (len(body), 200_000))

        def held(expected: int) -> bool:
            until = time.monotonic() + 5
            while room.held != expected and time.monotonic() < until:
                time.sleep(0.01)
            return room.held == expected

        with a_line(served) as line:
            line.sendall(head + body[:50])
            assert held(len(head) + 50)
            line.sendall(body[50:])
            assert line.recv(65536).startswith(b"HTTP/1.1 201")
            assert held(0)
            line.sendall(head[:20])
            assert held(20)
        assert held(0)
        with a_line(served) as line, a_line(served) as another:
            line.sendall(long + b" " * 90_000)
            assert held(len(long) + 90_000)
            another.sendall(head + body[:50])  # it is the one that has been under way longest that goes
            time.sleep(0.05)
            another.sendall(body[50:])
            assert another.recv(65536).startswith(b"HTTP/1.1 200")
            assert held(len(long) + 90_000)
            another.sendall(long + b" " * 20_000)
            answer = everything(line)
            assert answer.startswith(b"HTTP/1.1 503")
            assert b"retry-after: 1\r\n" in answer.lower()
            assert held(len(long) + 20_000)
        assert held(0)
        assert served.put(token, "practice/2", an_answer()).status_code == 201


def test_who_asks_on_without_waiting_for_answers_is_hung_up_on(study: Path, nursery: Nursery) -> None:
    server = nursery.start(study, port=free_port())
    server.wait_until_up()
    before = memory_mb(server)
    lines = []
    try:
        for _ in range(200):
            line = socket.create_connection(("127.0.0.1", server.port), timeout=20)
            lines.append(line)
            with suppress(OSError):
                line.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n" * 2000)
        with httpx.Client(base_url=f"http://127.0.0.1:{server.port}", timeout=5) as client:
            assert client.get("/healthz").status_code == 200
        assert memory_mb(server) - before < 100
    finally:
        for line in lines:
            line.close()
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as line:  # a few at once are answered in turn
        line.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n" * (patience.PIPELINED - 1))
        line.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        assert everything(line).count(b"HTTP/1.1 200") == patience.PIPELINED
    assert server.end(signal.SIGTERM) < 10


@pytest.mark.parametrize("size", [60_000, 20_000_000], ids=["kept for the next request", "while it is written"])
def test_who_leaves_an_answer_unread_is_let_go(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(patience, "UNREAD_S", 0.3)
    heads = [(b"content-length", b"%d" % size)]

    async def app(_scope: object, _receive: object, send: Callable[[dict[str, object]], Awaitable[None]]) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": heads})
        await send({"type": "http.response.body", "body": b"x" * size})

    with served_alone(app) as (server, line):
        line.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        time.sleep(2.5)
        got = 0
        with suppress(ConnectionResetError):
            while part := line.recv(1 << 20):
                got += len(part)
        assert 0 <= got < size
        assert not server.server_state.connections


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
