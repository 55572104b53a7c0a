"""Raw lines to a server, for what no client library would send."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn

from limen.web.server import configured, listen
from serving import Served


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


@contextmanager
def served_alone(app: Any) -> Iterator[tuple[uvicorn.Server, socket.socket]]:
    """Serve an application with little on the way, and connections kept for a second; give a line to it."""
    config = configured(app)
    config.timeout_keep_alive = 1
    server = uvicorn.Server(config)
    with listen("127.0.0.1", 0) as sock, socket.socket() as line:
        for buffer, end in ((socket.SO_SNDBUF, sock), (socket.SO_RCVBUF, line)):
            end.setsockopt(socket.SOL_SOCKET, buffer, 4096)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [sock]})
        thread.start()
        try:
            line.settimeout(20)
            line.connect(sock.getsockname())
            yield server, line
        finally:
            server.should_exit = True
            thread.join(10)
