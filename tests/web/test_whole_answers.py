"""Answers written in one piece are, byte for byte, what uvicorn would have written."""

import gc
import json
import re
import socket

import pytest
from starlette.types import Message
from uvicorn.protocols.http.httptools_impl import RequestResponseCycle

from limen.web.whole_answers import WholeAnswer
from serving import serving
from studies import an_answer


def conversation(*, whole: bool, monkeypatch: pytest.MonkeyPatch) -> tuple[bytes, int]:
    """Send many kinds of requests on one line; give all that came back, and how many answers were one piece."""
    pieces = []
    finish = WholeAnswer._finish

    def counted(self: WholeAnswer, content: bytes) -> None:
        pieces.append(content)
        finish(self, content)

    async def uvicorns_own(self: WholeAnswer, message: Message) -> None:
        await self._send(message)

    with monkeypatch.context() as patch:
        patch.setattr(WholeAnswer, "_finish", counted)
        if not whole:
            patch.setattr(WholeAnswer, "__call__", uvicorns_own)
        with serving() as served:
            token = served.begin()
            pieces.clear()
            body = json.dumps(an_answer()).encode()
            asked = [
                _request("PUT", f"/api/sessions/{token}/practice/1", body),
                _request("PUT", f"/api/sessions/{token}/practice/1", body),
                _request("PUT", f"/api/sessions/{token}/trials/5", body),
                _request("PUT", f"/api/sessions/{token}/trials/5", b"{"),
                _request("GET", f"/api/sessions/{token}?tab=tab-1"),
                _request("HEAD", f"/api/sessions/{token}?tab=tab-1"),
                _request("POST", "/api/counts", b'{"what":"landed"}'),  # 204, without a body
                _request("GET", "/nothing/here"),
                _request("GET", "/healthz"),
                _request("PUT", f"/api/sessions/{token}/practice/2", body, b"Connection: close\r\n"),
            ]
            address = (served.client.base_url.host, served.client.base_url.port or 80)
            with socket.create_connection(address, timeout=20) as line:
                line.sendall(b"".join(asked))  # all at once: each waits for the answer before it
                heard = b"".join(iter(lambda: line.recv(65536), b""))
    return re.sub(rb"\r\ndate: [^\r]+", b"\r\ndate: then", heard), len(pieces)


def _request(method: str, path: str, body: bytes = b"", more: bytes = b"") -> bytes:
    head = f"{method} {path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n".encode()
    size = f"Content-Length: {len(body)}\r\n".encode() if body else b""
    return head + size + more + b"\r\n" + body


def test_they_are_what_uvicorn_would_have_written(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, in_one_piece = conversation(whole=True, monkeypatch=monkeypatch)
    theirs, none = conversation(whole=False, monkeypatch=monkeypatch)
    assert ours == theirs
    assert ours.count(b"HTTP/1.1 ") == ours.count(b"date: then") == 10
    assert in_one_piece >= 6
    assert none == 0


def test_a_request_leaves_nothing_to_the_collector() -> None:
    with serving() as served:
        token = served.begin()
        served.practice(token)
        gc.collect()
        gc.disable()
        gc.set_debug(gc.DEBUG_SAVEALL)
        try:
            served.answer(token, 1, 10)
            served.client.get("/nothing/here")
            gc.collect()
            left = [one for one in gc.garbage if isinstance(one, WholeAnswer | RequestResponseCycle)]
        finally:
            gc.set_debug(0)
            gc.garbage.clear()
            gc.enable()
    assert left == []
