"""A rater's line: patient with a server that is busy, plain about one that refuses or is not there."""

import asyncio
from collections.abc import Callable

import httpx
import pytest

from limen.errors import DataError, InputError, NotReadyError
from limen.raters.line import MOST_TRIES, Line, Server, answers, open_line
from limen.raters.traffic import Traffic

Answer = Callable[[httpx.Request], httpx.Response]


def ask(answer: Answer) -> tuple[Line, list[float], httpx.Response | Exception]:
    """Ask once on a line to a server that answers so; pauses are noted in place of being made."""
    pauses: list[float] = []

    async def pause(seconds: float) -> None:
        pauses.append(seconds)

    async def run() -> tuple[Line, httpx.Response | Exception]:
        async with httpx.AsyncClient(transport=httpx.MockTransport(answer), base_url="http://survey") as client:
            line = Line(client=client, url="http://survey", pause=pause)
            try:
                return line, await line.ask("PUT", "/x", {})
            except (DataError, NotReadyError) as problem:
                return line, problem

    line, result = asyncio.run(run())
    return line, pauses, result


def test_what_is_answered_with_503_is_sent_again_after_the_pause_asked_for() -> None:
    left = [httpx.Response(503, headers={"Retry-After": "2"}), httpx.Response(503), httpx.Response(200, text="ok")]
    line, pauses, result = ask(lambda _request: left.pop(0))
    assert isinstance(result, httpx.Response)
    assert result.text == "ok"
    assert pauses == [2.0, 0.5]
    assert (line.traffic.retries, line.traffic.errors, len(line.traffic.times_ms)) == (2, 0, 3)


def test_patience_ends_in_one_line() -> None:
    line, pauses, result = ask(lambda _request: httpx.Response(503))
    assert isinstance(result, NotReadyError)
    assert len(pauses) == MOST_TRIES - 1
    assert (line.traffic.retries, line.traffic.errors) == (MOST_TRIES - 1, 1)
    assert "\n" not in str(result)


def test_a_refusal_is_not_repeated_and_told_in_the_servers_words() -> None:
    problem = {"type": "about:blank#held-elsewhere", "detail": "Another tab holds the session."}
    line, pauses, result = ask(lambda _request: httpx.Response(409, json=problem))
    assert isinstance(result, DataError)
    assert "409: Another tab holds the session." in str(result)
    assert (pauses, line.traffic.errors) == ([], 1)


def test_a_server_that_is_not_there_is_told_at_once() -> None:
    def gone(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused", request=request)

    _, pauses, result = ask(gone)
    assert isinstance(result, NotReadyError)
    assert pauses == []
    assert "limen serve" in str(result)
    assert not answers("http://127.0.0.1:1")


@pytest.mark.parametrize("url", ["", "nonsense", "ftp://x", "http://", "http://[::1"])
def test_what_is_no_address_is_refused(url: str) -> None:
    async def run() -> None:
        async with open_line(Server(url=url, secret="s"), connections=1):
            pass

    with pytest.raises(InputError, match="is no address"):
        asyncio.run(run())


def test_the_numbers_of_the_line_are_quantiles_of_what_was_answered() -> None:
    traffic = Traffic(times_ms=[float(ms) for ms in range(100, 0, -1)], retries=3, errors=1)
    summary = traffic.summary(wall_s=2.0)
    assert (summary.requests, summary.p50_ms, summary.p99_ms) == (100, 50.0, 99.0)
    assert "100 requests in 2.0 s; half answered within" in summary.sentence()
    assert "3 tried again, 1 failed" in summary.sentence()
    assert Traffic().summary(0.0).sentence() == "no request was sent"
