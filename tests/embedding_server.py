"""A true embeddings endpoint on this machine, with manners as bad as one likes.

Vectors are made from the text alone, so that a test can say what has to come back. The pages of the documentation are
played against it too.
"""

import hashlib
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

SIZE = 8


@dataclass
class Reply:
    """What the server sends back."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    announced: int | None = None  # a Content-Length that may be a lie


Manner = Callable[[list[str]], Reply | None]
"""Looks at the texts and answers badly; None for a proper answer."""


@dataclass
class EmbeddingServer:
    """What was asked, and how to answer: one manner for each request to come, then properly."""

    address: str = ""
    manners: list[Manner] = field(default_factory=list)
    asked: list[list[str]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    models: list[str] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)

    @property
    def host(self) -> str:
        return urlsplit(self.address).netloc

    @property
    def texts(self) -> list[str]:
        return [text for batch in self.asked for text in batch]

    def answer(self, path: str, key: str | None, request: dict[str, Any]) -> Reply:
        self.paths.append(path)
        self.keys.append(key)
        self.models.append(request["model"])
        texts = list(request["input"])
        self.asked.append(texts)
        manner = self.manners.pop(0) if self.manners else None
        return (manner(texts) if manner else None) or proper(texts)


def vector_of(text: str, size: int = SIZE) -> list[float]:
    """Give a text's vector: numbers between −1 and 1 from its hash."""
    digest = hashlib.sha256(text.encode()).digest()
    return [byte / 127.5 - 1 for byte in (digest * (1 + size // 32))[:size]]


def proper(texts: list[str], **changes: Any) -> Reply:
    data = [{"object": "embedding", "index": k, "embedding": vector_of(text)} for k, text in enumerate(texts)]
    tokens = sum(2 * len(text.split()) for text in texts)
    whole = {"object": "list", "data": data, "model": "m", "usage": {"prompt_tokens": tokens}} | changes
    return Reply(body=json.dumps(whole).encode())


@contextmanager
def an_embedding_server(*manners: Manner) -> Iterator[EmbeddingServer]:
    """Serve on a free port of this machine."""
    state = EmbeddingServer(manners=list(manners))
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(state))
    server.daemon_threads = True
    state.address = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield state
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _handler(state: EmbeddingServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            reply = state.answer(self.path, self.headers.get("Authorization"), request)
            length = len(reply.body) if reply.announced is None else reply.announced
            try:
                self.send_response(reply.status)
                for name, value in reply.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(length))
                self.end_headers()
                self.wfile.write(reply.body)
            except OSError:
                pass  # who asked has gone away
            self.close_connection = length != len(reply.body)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    return Handler
