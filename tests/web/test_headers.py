"""Security headers on every answer; writes from the site's own pages only; told when the store cannot write."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future
from typing import TypeVar

import pytest

from limen.core.sessions import Mode
from limen.errors import StoreBusyError, StoreUnavailableError
from limen.web.server import listen
from limen.workflow.ports import Reading, Writing
from memory_store import MemoryStore
from serving import RESEARCHER, Served, serving
from studies import an_answer, an_application

T = TypeVar("T")


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    with serving() as running:
        yield running


def test_every_answer_carries_the_security_headers(served: Served) -> None:
    token = served.finish()
    client = served.client
    client.get(f"/api/sessions/{token}?tab=t")
    for path in ("/", "/preview", "/nothing", "/healthz", "/readyz", "/withdraw/x", f"/status/{RESEARCHER}", "/api"):
        client.get(path)
    client.delete("/")
    client.post("/api/sessions", json={})
    client.put("/api/sessions/x/trials/1", content=b" " * 300_000, headers={"Content-Type": "application/json"})
    client.post("/api/counts", json={"what": "landed"}, headers={"Origin": "https://elsewhere.example"})
    for answer in served.heard:
        headers = answer.headers
        assert "default-src 'none'" in headers["content-security-policy"], answer.url
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
        assert headers["referrer-policy"] == "same-origin"
        assert headers["cross-origin-resource-policy"] == "same-origin"
        assert headers["cache-control"] == "no-store"
        assert not {"set-cookie", "server", "access-control-allow-origin"} & set(headers)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 204),
        ({"Sec-Fetch-Site": "same-origin"}, 204),
        ({"Sec-Fetch-Site": "none"}, 204),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Origin": "https://elsewhere.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://[broken"}, 403),
        ({"Origin": "https://study.example", "Host": "study.example"}, 204),
        ({"Origin": "https://study.example", "Host": "inside:8000", "Sec-Fetch-Site": "same-origin"}, 204),
    ],
)
def test_only_the_sites_own_pages_may_write(served: Served, headers: dict[str, str], status: int) -> None:
    answer = served.client.post("/api/counts", json={"what": "landed"}, headers=headers)
    assert answer.status_code == status
    assert served.client.get("/", headers=headers).status_code == 200


class FailingStore(MemoryStore):
    """A store whose writer can be taken away."""

    problem: StoreUnavailableError | None = None

    def submit(self, work: Callable[[Writing], T], key: str = "") -> Future[T]:
        if self.problem is not None:
            raise self.problem
        return super().submit(work, key)

    def read(self, ask: Callable[[Reading], T]) -> T:
        if self.problem is not None and not isinstance(self.problem, StoreBusyError):
            raise self.problem
        return super().read(ask)

    def healthy(self) -> bool:
        return self.problem is None


@pytest.mark.parametrize("problem", [StoreBusyError("full"), StoreUnavailableError("gone")])
def test_while_the_store_cannot_write_the_page_is_told_when_to_try_again(problem: StoreUnavailableError) -> None:
    store = FailingStore()
    with serving(store=store) as served:
        token = served.begin()
        served.practice(token)
        assert served.client.get("/healthz").json() == {"status": "ok"}
        assert served.client.get("/readyz").status_code == 200
        store.problem = problem
        for answer in (
            served.put(token, "trials/1", an_answer()),
            served.client.post("/api/sessions", json=an_application(served.study)),
            served.client.post("/api/counts", json={"what": "landed"}),
        ):
            assert answer.status_code == 503
            assert int(answer.headers["retry-after"]) >= 1
            assert answer.json()["type"] == "about:blank#unavailable"
            assert "gone" not in answer.text
        assert served.client.get("/healthz").status_code == 503
        assert served.client.get("/readyz").status_code == 503
        store.problem = None
        assert served.put(token, "trials/1", an_answer()).status_code == 201
        assert [s.answered for s in store.read(lambda reading: reading.sessions(Mode.LIVE))] == [1]


def test_an_error_of_our_own_tells_nothing_and_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    class BrokenStore(MemoryStore):
        def submit(self, work: Callable[[Writing], T], key: str = "") -> Future[T]:
            raise ZeroDivisionError("secret detail")

    with serving(store=BrokenStore()) as served:
        answer = served.client.post("/api/counts", json={"what": "landed"})
    assert (answer.status_code, answer.json()["type"]) == (500, "about:blank#error")
    assert "secret detail" not in answer.text
    assert "secret detail" in caplog.text


def test_small_answers_are_not_held_back() -> None:
    import socket

    with listen("127.0.0.1", 0) as sock:
        assert sock.proto == socket.IPPROTO_TCP  # asyncio sets TCP_NODELAY for these only
