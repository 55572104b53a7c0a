"""A line to the survey's server: asks, waits and asks again as the page does, and counts."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import httpx

from limen.errors import DataError, InputError, NotReadyError
from limen.raters.traffic import Traffic

PATIENCE_S = 20.0  # the page's own
MOST_TRIES = 10
FIRST_PAUSE_S = 0.25
LONGEST_PAUSE_S = 8.0
_NOT_NOW = (408, 429, 502, 503, 504)  # for which the page asks again too


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """Where the survey is, and the researcher's secret that lets simulated raters in."""

    url: str
    secret: str


@dataclass(slots=True)
class Line:
    """Requests to one server. What it answers with 503, or not at all, is sent again after a pause."""

    client: httpx.AsyncClient
    url: str
    traffic: Traffic = field(default_factory=Traffic)
    pause: Callable[[float], Awaitable[None]] = asyncio.sleep

    async def ask(
        self, method: str, path: str, body: object = None, *, meaning: Mapping[int, str] | None = None
    ) -> httpx.Response:
        """Send until there is an answer; raise NotReadyError when patience ends, DataError for a refusal.

        `meaning` says what a status means here, where the server's own words would not help.
        """
        failures = 0
        while True:
            answer, reason = await self._once(method, path, body)
            if answer is not None and answer.status_code not in _NOT_NOW:
                break
            failures += 1
            if failures >= MOST_TRIES or (answer is None and not self.traffic.times_ms):
                self.traffic.errors += 1
                raise NotReadyError(f"{self.url}: {reason}; see that the server is up (`limen serve DIR` starts one)")
            self.traffic.retries += 1
            await self.pause(_pause_s(failures, answer))
        if answer.is_error:
            self.traffic.errors += 1
            told = (meaning or {}).get(answer.status_code) or f"refused what a simulated rater sent ({_told(answer)})"
            raise DataError(f"{self.url}: {told}")
        return answer

    async def _once(self, method: str, path: str, body: object) -> tuple[httpx.Response | None, str]:
        began = time.perf_counter()
        try:
            answer = await self.client.request(method, path, json=body)
        except httpx.TransportError as problem:
            return None, f"does not answer ({type(problem).__name__})"
        self.traffic.times_ms.append((time.perf_counter() - began) * 1000)
        return answer, f"answers {answer.status_code} again and again"


@asynccontextmanager
async def open_line(server: Server, *, connections: int) -> AsyncIterator[Line]:
    """Open a line on which every request speaks for the researcher, in the mode of simulated raters."""
    headers = {"Authorization": f"Bearer {server.secret}", "X-Limen-Mode": "simulated"}
    limits = httpx.Limits(max_connections=connections, max_keepalive_connections=connections)
    try:
        base = httpx.URL(server.url)
        if base.scheme not in ("http", "https") or not base.host:
            raise httpx.InvalidURL("")
    except httpx.InvalidURL as problem:
        raise InputError(f"{server.url}: is no address; write it like http://127.0.0.1:8000") from problem
    async with httpx.AsyncClient(base_url=base, headers=headers, limits=limits, timeout=PATIENCE_S) as client:
        yield Line(client=client, url=server.url)


def answers(url: str) -> bool:
    """Tell whether a survey's server is up at this address."""
    try:
        return httpx.get(f"{url}/healthz", timeout=2.0).json().get("status") in ("ok", "unavailable")
    except (httpx.HTTPError, httpx.InvalidURL, ValueError, AttributeError):
        return False


def _pause_s(failures: int, answer: httpx.Response | None) -> float:
    wanted = "" if answer is None else answer.headers.get("retry-after", "")
    asked = float(wanted) if wanted.isdigit() else 0.0
    return min(LONGEST_PAUSE_S, max(asked, FIRST_PAUSE_S * 2.0 ** (failures - 1)))


def _told(answer: httpx.Response) -> str:
    try:
        problem = answer.json()
    except ValueError:
        return str(answer.status_code)
    detail = problem.get("detail") if isinstance(problem, dict) else None
    return f"{answer.status_code}: {detail}" if detail else str(answer.status_code)
