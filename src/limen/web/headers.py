"""What every answer carries, and who may ask: the page's own origin and nobody else's."""

import time
from collections.abc import Callable, Iterable, Sequence
from urllib.parse import urlsplit

from starlette.routing import BaseRoute, Router
from starlette.types import Message, Receive, Scope, Send

from limen.web.problems import answer_to, problem

EVERYWHERE = {
    "Content-Security-Policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Cache-Control": "no-store",
}
RAW = [(name.lower().encode(), value.encode()) for name, value in EVERYWHERE.items()]
_NAMES = frozenset(name for name, _ in RAW)
_READ_ONLY = ("GET", "HEAD", "OPTIONS")

Answered = Callable[[Scope, int, float], None]
"""Told of every answer: the request, the answer's status, and how many seconds it took."""


class Guarded:
    """Routes whose answers all carry the security headers, errors too, and whose writes come from its own pages.

    It stands where Starlette's own application would: that one wraps every request in three layers more.
    """

    def __init__(self, routes: Sequence[BaseRoute], answered: Answered | None = None) -> None:
        self._router = Router(routes, redirect_slashes=False)
        self._answered = answered

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._router(scope, receive, send)
            return
        scope["app"] = self  # so that the router raises what it has no route for
        began = time.perf_counter()
        status = 0

        async def send_guarded(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = message["headers"]
                given = {name for name, _ in headers}
                headers.extend(RAW if given.isdisjoint(_NAMES) else [one for one in RAW if one[0] not in given])
            await send(message)

        try:
            if scope["method"] not in _READ_ONLY and _from_elsewhere(scope["headers"]):
                answer = problem(403, "forbidden", "Only this site's own pages may write here.")
                await answer(scope, receive, send_guarded)
            else:
                await self._router(scope, receive, send_guarded)
        except Exception as error:
            answer = answer_to(error)
            if status == 0:
                await answer(scope, receive, send_guarded)
            if answer.status_code == 500:
                raise  # for the log
        finally:
            if self._answered is not None:
                self._answered(scope, status or 500, time.perf_counter() - began)


def _from_elsewhere(headers: Iterable[tuple[bytes, bytes]]) -> bool:
    """Tell whether a browser says that another site's page sends this. Programs say nothing, and are let in."""
    origin: bytes | None = None
    host = b""
    for name, value in headers:
        if name == b"sec-fetch-site":
            return value not in (b"same-origin", b"none")
        if name == b"origin":
            origin = value
        elif name == b"host":
            host = value
    if origin is None:
        return False
    try:
        return urlsplit(origin).netloc.lower() != host.lower()
    except ValueError:
        return True
