"""A database that hangs without a word: nobody waits for ever, who comes later is told at once, and it goes on."""

import os
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from commands import begin
from faults.nursery import Nursery, Nursling
from limen.core.sessions import Mode
from limen.storage.store import read_store
from postgres import OwnServer, a_database, free_port, own_server
from studies import an_answer

PATIENCE_S = 12.0


@pytest.fixture
def database() -> Iterator[OwnServer]:
    with own_server() as server:
        try:
            yield server
        finally:
            server.thaw()  # what is frozen cannot be stopped


def serving(nursery: Nursery, study: Path, address: str) -> Nursling:
    server = nursery.start(study, "--database", address, port=free_port())
    server.wait_until_up()
    return server


def timed(client: httpx.Client, method: str, path: str, body: object = None) -> tuple[int, float]:
    began = time.monotonic()
    answer = client.request(method, path, json=body)
    if answer.status_code == 503 and path.startswith("/api"):
        assert int(answer.headers["retry-after"]) >= 1
    return answer.status_code, time.monotonic() - began


def test_a_database_that_hangs_holds_nobody_and_loses_nothing(
    study: Path, nursery: Nursery, database: OwnServer
) -> None:
    address = a_database(database.address, "limen")
    server = serving(nursery, study, address)
    with httpx.Client(base_url=f"http://127.0.0.1:{server.port}", timeout=30) as client:
        token = begin(client)
        for what in ("practice/1", "practice/2", "trials/1"):
            assert client.put(f"/api/sessions/{token}/{what}", json=an_answer()).status_code == 201
        database.freeze()
        with ThreadPoolExecutor(20) as people:
            path = f"/api/sessions/{token}/trials"
            writes = [people.submit(timed, client, "PUT", f"{path}/2", an_answer()) for _ in range(4)]
            reads = [people.submit(timed, client, "GET", f"{path}/3") for _ in range(12)]  # more than are asked at once
            for asked in (*writes, *reads):
                status, seconds = asked.result()
                assert (status, seconds < PATIENCE_S) == (503, True), seconds
        for method, where in (("PUT", f"{path}/2"), ("GET", f"{path}/3")):
            status, seconds = timed(client, method, where, an_answer() if method == "PUT" else None)
            assert (status, seconds < 1) == (503, True), "who comes later is told at once"
        assert timed(client, "GET", "/healthz")[0] == timed(client, "GET", "/readyz")[0] == 503
        assert timed(client, "GET", "/")[0] == 200
        database.thaw()
        until = time.monotonic() + 10
        while (answer := client.put(f"{path}/2", json=an_answer())).status_code == 503:
            assert time.monotonic() < until
            time.sleep(0.05)
        assert answer.status_code == 200, "it was written when the database came back, once"
        assert client.put(f"{path}/3", json=an_answer()).status_code == 201
        while timed(client, "GET", "/readyz")[0] != 200:
            assert time.monotonic() < until
        assert client.get(f"{path}/4").status_code == 200
        assert server.end(signal.SIGTERM) < 10
    found = read_store(address, lambda reading: reading.sessions(Mode.LIVE))
    assert found is not None
    assert [session.answered for session in found] == [3]
    assert "the store has not answered for more than" in server.said()
    assert "the store answers again" in server.said()


def test_a_stop_does_not_wait_for_a_database_that_hangs(study: Path, nursery: Nursery, database: OwnServer) -> None:
    server = serving(nursery, study, a_database(database.address, "limen"))
    with (
        httpx.Client(base_url=f"http://127.0.0.1:{server.port}", timeout=30) as client,
        ThreadPoolExecutor(2) as people,
    ):
        token = begin(client)
        database.freeze()
        path = f"/api/sessions/{token}/practice/1"
        asked = [
            people.submit(client.put, path, json=an_answer()),
            people.submit(client.get, f"/api/sessions/{token}?tab=tab-1"),
        ]
        time.sleep(0.5)
        assert server.end(signal.SIGTERM) < 10
        for one in asked:
            with pytest.raises(httpx.HTTPError):
                one.result().raise_for_status()
    assert "could not write what was queued" in server.said()


def test_processes_end_when_the_one_that_started_them_is_killed(
    study: Path, nursery: Nursery, new_postgres_database: object
) -> None:
    assert callable(new_postgres_database)
    address, port = new_postgres_database(), free_port()
    options = ("--database", address, "--workers", "2")
    server = nursery.start(study, *options, port=port)
    server.wait_until_up()
    until = time.monotonic() + 20
    while server.said().count('"event": "serving"') < 2:
        assert time.monotonic() < until
        time.sleep(0.02)
    own = [int(child) for child in Path(f"/proc/{server.pid}/task/{server.pid}/children").read_text().split()]
    assert len(own) == 2
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=20) as client:
        token = begin(client)
    os.kill(server.pid, signal.SIGKILL)
    until = time.monotonic() + 10
    while any(Path(f"/proc/{process}").exists() for process in own):
        assert time.monotonic() < until, "who is left would hold the port, and nobody could stop them"
        time.sleep(0.02)
    again = nursery.start(study, *options, port=port)
    again.wait_until_up()
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=20) as client:
        assert client.put(f"/api/sessions/{token}/practice/1", json=an_answer()).status_code == 201
    assert again.end(signal.SIGTERM) < 10
