"""The server process: one socket, no access log, a clean end."""

import gc
import logging
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import uvicorn
from starlette.types import ASGIApp

from limen.errors import InputError, StoreUnavailableError
from limen.web.metrics import Metrics
from limen.web.patience import Patient, Room
from limen.workflow.ports import Store

log = logging.getLogger(__name__)

DRAIN_S = 5
"""How long requests under way may take once the server is told to stop."""

_BACKLOG = 2048
_COLLECT_AFTER = 10_000  # objects made and not freed; Python's own bound is 700


def listen(host: str, port: int, *, shared: bool = False) -> socket.socket:
    """Give a socket that listens there; port 0 takes a free one. Shared ones listen at one port, and share the work."""
    try:
        family, *_ = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        # named as TCP, since asyncio turns the delay of small packets off only for what is: 40 ms an answer
        sock = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        if sys.platform != "win32":
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if shared:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        sock.bind((host, port))
        sock.listen(_BACKLOG)
        return sock
    except OSError as problem:
        raise InputError(f"{host}:{port}: cannot listen there ({problem.strerror}); choose another --port") from problem


def run(
    app: ASGIApp, sock: socket.socket, store: Store, metrics: Metrics | None = None, *, parent: int | None = None
) -> None:
    """Answer requests until SIGTERM or Ctrl-C; then finish what was begun, within `DRAIN_S` seconds.

    With `parent`, the process that started this one, also when that one is gone: nobody else could stop this one then.
    Addresses and browsers of participants are neither logged nor kept. Raises StoreUnavailableError when the store's
    writer ended for good: a process that can only refuse should make room for one that can do more.
    """
    _allow_many_connections()
    _collect_less()
    with _ended_by_signals():
        _Server(configured(app), store, metrics, parent).run(sockets=[sock])
    _raise_if_ended(store)


def run_alone(app: ASGIApp, sock: socket.socket) -> None:
    """Answer requests of an application that has no store, until SIGTERM or Ctrl-C."""
    with _ended_by_signals():
        uvicorn.Server(configured(app)).run(sockets=[sock])


@contextmanager
def running(app: ASGIApp, sock: socket.socket, store: Store) -> Iterator[None]:
    """Answer requests in a thread while something else goes on; then finish what was begun, as `run` does."""
    server = _Server(configured(app), store)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [sock]}, name="limen-server", daemon=True)
    thread.start()
    try:
        while not server.started and thread.is_alive():
            time.sleep(0.005)
        yield
    finally:
        server.should_exit = True
        thread.join(DRAIN_S + 1)
    _raise_if_ended(store)


def configured(app: ASGIApp) -> uvicorn.Config:
    """Give the settings: nothing of participants is logged, nobody is waited for without end."""
    return uvicorn.Config(
        app,
        http=partial(Patient, room=Room()),  # type: ignore[arg-type] # called as a class is
        access_log=False,
        log_config=None,
        log_level="warning",
        server_header=False,
        proxy_headers=False,
        lifespan="off",
        timeout_graceful_shutdown=DRAIN_S,
        timeout_keep_alive=65,
        ws="none",
    )


def _allow_many_connections() -> None:
    """Take as many connections as the system lets this process have; half-open ones cost no more than a file."""
    if sys.platform != "win32":
        import resource  # noqa: PLC0415 - there is none on Windows

        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def _collect_less() -> None:
    """Keep the collector from walking through all that was imported, again and again: a third of a request's CPU."""
    gc.freeze()
    gc.enable()
    gc.set_threshold(_COLLECT_AFTER, 10, 10)


def _raise_if_ended(store: Store) -> None:
    reason = store.ended()
    if reason is not None:
        raise StoreUnavailableError(f"{reason}; the log says more; start the server again")


class _Server(uvicorn.Server):
    """A server that stops when its store has ended, and tells how its store does while it has not."""

    def __init__(
        self, config: uvicorn.Config, store: Store, metrics: Metrics | None = None, parent: int | None = None
    ) -> None:
        super().__init__(config)
        self._store = store
        self._metrics = metrics
        self._parent = parent

    async def on_tick(self, counter: int) -> bool:
        if self._metrics is not None:
            self._metrics.note_store(self._store.healthy(), self._store.load())
        if self._parent is not None and os.getppid() != self._parent:
            log.error("the process that started this one is gone; this one ends too")
            return True
        return self._store.ended() is not None or await super().on_tick(counter)


@contextmanager
def _ended_by_signals() -> Iterator[None]:
    """Keep uvicorn from ending the process by the signal that it was asked to stop with: there is more to close."""
    before = {number: signal.signal(number, lambda *_: None) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
