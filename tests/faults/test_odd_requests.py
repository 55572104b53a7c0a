"""What is no plain request: trailers, too much of everything, other protocols, lines that break in the middle."""

import asyncio
import json
import socket
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress

import pytest

from faults.lines import a_line, everything, served_alone
from limen.core.sessions import Mode
from limen.web import patience
from serving import Served, serving
from studies import an_answer


def answer_to(served: Served, *parts: bytes, pause_s: float = 0.05, end: bool = False) -> bytes:
    """Send parts one after another, and give all that came back until the other side hung up."""
    with a_line(served) as line:
        for part in parts:
            with suppress(OSError):  # who is refused is hung up on
                line.sendall(part)
            time.sleep(pause_s)
        if end:
            line.shutdown(socket.SHUT_WR)
        got = b""
        with suppress(ConnectionResetError):
            got = everything(line)
        return got


def a_write(token: str, what: str = "practice/1", *more: str, body: bytes | None = None) -> bytes:
    """Build a whole request that stores an answer."""
    content = json.dumps(an_answer()).encode() if body is None else body
    lines = [f"PUT /api/sessions/{token}/{what} HTTP/1.1", "Host: x", "Content-Type: application/json", *more]
    if not any(line.startswith("Transfer-Encoding") for line in more):
        lines.append(f"Content-Length: {len(content)}")
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + content


def practiced(served: Served) -> list[int]:
    return [session.practiced for session in served.store.read(lambda reading: reading.sessions(Mode.LIVE))]


def test_trailers_are_refused_before_they_can_grow() -> None:
    with serving() as served:
        chunked = a_write("A" * 22, "trials/1", "Transfer-Encoding: chunked", body=b"1\r\n{\r\n0\r\n")
        answer = answer_to(served, chunked, b"X-T: y\r\n" * 1000)
        assert answer.startswith(b"HTTP/1.1 400")
        began = time.monotonic()
        answer_to(served, chunked + b"X-T: ", *[b"y" * 65536] * 20, pause_s=0)
        assert time.monotonic() - began < 5, "so much of one message is not even read"
        assert served.client.get("/healthz").status_code == 200


def test_very_many_headers_are_refused() -> None:
    with serving() as served:
        many = b"".join(b"x%d: y\r\n" % n for n in range(patience.HEADERS + 1))
        assert answer_to(served, b"GET /healthz HTTP/1.1\r\nHost: x\r\n" + many + b"\r\n").startswith(b"HTTP/1.1 400")


def test_a_body_that_nobody_reads_ends_early() -> None:
    with serving() as served:
        sent = b"GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999\r\n\r\n"
        answer = answer_to(served, sent, *[b"x" * 65536] * 12)
        assert answer.startswith(b"HTTP/1.1 200")
        assert answer.count(b"HTTP/1.1") == 1, "it has its answer, and gets no other"


def test_who_asks_for_one_connection_more_and_does_not_read_is_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "UNREAD_S", 0.3)
    size = 60_000

    async def app(_scope: object, _receive: object, send: Callable[[dict[str, object]], Awaitable[None]]) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"%d" % size)]})
        await send({"type": "http.response.body", "body": b"x" * size})

    with served_alone(app) as (server, line):
        line.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        time.sleep(1.5)
        assert not server.server_state.connections


def test_an_empty_line_does_not_keep_a_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    async def app(_scope: object, _receive: object, send: Callable[[dict[str, object]], Awaitable[None]]) -> None:
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    with served_alone(app) as (_, line):
        line.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert line.recv(65536).startswith(b"HTTP/1.1 204")
        line.sendall(b"\r\n")
        assert everything(line) == b"", "the wait for another request goes on and ends"


@pytest.mark.parametrize(
    "garbage",
    [
        b"\x00\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 200 + b"\r\n",
        b"GET http://[ HTTP/1.1\r\nHost: x\r\n\r\n",
        b"CONNECT a:443 HTTP/1.1\r\nHost: x\r\n\r\n",
    ],
)
def test_what_follows_a_request_does_not_take_its_answer(garbage: bytes) -> None:
    with serving() as served:
        token = served.begin()
        answer = answer_to(served, a_write(token) + garbage)
        assert answer.startswith(b"HTTP/1.1 201")
        assert practiced(served) == [1]


def test_a_wrong_address_is_told_on_a_line_that_was_good_before() -> None:
    with serving() as served, a_line(served) as line:
        line.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        assert line.recv(65536).startswith(b"HTTP/1.1 200")
        line.sendall(b"CONNECT a:443 HTTP/1.1\r\nHost: x\r\n\r\n")
        assert everything(line).startswith(b"HTTP/1.1 400")


def test_a_head_that_stops_behind_a_slow_answer_does_not_cut_it_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "HEAD_S", 0.3)

    async def app(_scope: object, _receive: object, send: Callable[[dict[str, object]], Awaitable[None]]) -> None:
        await asyncio.sleep(0.8)
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"4")]})
        await send({"type": "http.response.body", "body": b"slow"})

    with served_alone(app) as (_, line):
        line.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\nGET /hea")
        assert everything(line).endswith(b"slow")


def test_who_sends_no_more_gets_the_answer_all_the_same() -> None:
    with serving() as served:
        token = served.begin()
        several = a_write(token) + a_write(token, "practice/2") + a_write(token, "trials/1")
        answers = answer_to(served, several + b"\x00\r\n\r\n", pause_s=0)
        assert answers.count(b"HTTP/1.1 201") == answers.count(b"HTTP/1.1") == 3, "all that came whole is answered"
        token = served.begin()
        answers = answer_to(served, a_write(token) + a_write(token, "practice/2")[:-9], pause_s=0, end=True)
        assert answers.count(b"HTTP/1.1 201") == answers.count(b"HTTP/1.1") == 1
        token = served.begin()
        assert answer_to(served, a_write(token), pause_s=0, end=True).startswith(b"HTTP/1.1 201")
        assert answer_to(served, b"GET /hea", end=True) == b""


@pytest.mark.parametrize("protocol", ["h2c", "websocket"])
def test_another_protocol_is_not_spoken_and_smuggles_nothing(protocol: str) -> None:
    with serving() as served:
        upgrade = f"Connection: Upgrade\r\nUpgrade: {protocol}\r\n".encode()
        get = b"GET /healthz HTTP/1.1\r\nHost: x\r\n"
        answer = answer_to(served, get + upgrade + b"\r\n", get + b"\r\n")
        assert answer.startswith(b"HTTP/1.1 200")
        assert answer.count(b"HTTP/1.1") == 1
        token = served.begin()
        answer = answer_to(served, a_write(token, "practice/1", f"Connection: Upgrade\r\nUpgrade: {protocol}"))
        assert answer.startswith(b"HTTP/1.1 400")
        assert answer.count(b"HTTP/1.1") == 1
        assert practiced(served) == [0]


def test_who_vanishes_while_many_answers_are_due_leaves_no_trace_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    with serving() as served, caplog.at_level("ERROR"):
        for _ in range(20):
            with a_line(served) as line:
                line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                line.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n" * patience.PIPELINED)
                time.sleep(0.01)
        time.sleep(0.3)
        assert served.client.get("/healthz").status_code == 200
    assert [record.getMessage() for record in caplog.records if record.levelname == "ERROR"] == []
