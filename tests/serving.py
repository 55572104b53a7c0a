"""The survey behind a real HTTP server, in a thread of the test."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx
import uvicorn

from limen.web.app import create_app
from limen.web.limits import Allowance, Limits
from limen.web.server import configured, listen
from limen.workflow.ports import Clock, Secrets, Store
from limen.workflow.served import ServedStudy
from memory_store import MemoryStore
from studies import STAND_IN_PAGE, CountedSecrets, SteppedClock, a_study, an_answer, an_application

RESEARCHER = "researcher-secret-00001"


@dataclass
class Served:
    """A running survey, and everything it ever sent."""

    study: ServedStudy
    store: Store
    client: httpx.Client
    heard: list[httpx.Response] = field(default_factory=list)

    def begin(self, **changes: Any) -> str:
        mode = changes.pop("mode", "live")
        answer = self.client.post(
            "/api/sessions", json=an_application(self.study, **changes), headers={"X-Limen-Mode": mode}
        )
        assert answer.status_code == 201, answer.text
        return str(answer.json()["token"])

    def put(self, token: str, what: str, body: Any, **options: Any) -> httpx.Response:
        return self.client.put(f"/api/sessions/{token}/{what}", json=body, **options)

    def practice(self, token: str) -> None:
        for n in (1, 2):
            assert self.put(token, f"practice/{n}", an_answer()).status_code == 201

    def answer(self, token: str, first: int, last: int) -> None:
        for n in range(first, last + 1):
            assert self.put(token, f"trials/{n}", an_answer()).status_code == 201

    def finish(self, **changes: Any) -> str:
        """Take the whole survey as the page does it."""
        token = self.begin(**changes)
        self.practice(token)
        painted = {"client_time": "2026-01-05T09:59:00Z", "tab": "tab-1"}
        assert self.put(token, "painted", painted).status_code == 201
        self.answer(token, 1, 23)
        assert self.put(token, "completion", {}).status_code == 200
        return token


@contextmanager
def serving(
    study: ServedStudy | None = None,
    store: Store | None = None,
    *,
    clock: Clock | None = None,
    secrets: Secrets | None = None,
    limits: Limits | None = None,
) -> Iterator[Served]:
    """Serve a study on a free port until the test is done with it."""
    study, store = study or a_study(), store or MemoryStore()
    app = create_app(
        study=study,
        store=store,
        clock=clock or SteppedClock(),
        secrets=secrets or CountedSecrets(),
        built_page=STAND_IN_PAGE,
        researcher_secret=RESEARCHER,
        limits=limits or Limits(sessions=Allowance(0), counts=Allowance(0), guesses=Allowance(0)),
    )
    with listen("127.0.0.1", 0) as sock:
        port = sock.getsockname()[1]
        server = uvicorn.Server(configured(app))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [sock]})
        thread.start()
        try:
            until = time.monotonic() + 10
            while not server.started and time.monotonic() < until:
                time.sleep(0.005)
            with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=20) as client:
                served = Served(study=study, store=store, client=client)
                client.event_hooks["response"] = [lambda answer: _keep(served, answer)]
                yield served
        finally:
            server.should_exit = True
            thread.join(10)


def _keep(served: Served, answer: httpx.Response) -> None:
    answer.read()
    served.heard.append(answer)
