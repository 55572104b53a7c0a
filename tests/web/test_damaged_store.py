"""A database that is damaged while it is served: participants are asked to wait, and nothing is an accident."""

from pathlib import Path

import pytest

from damage import damage
from limen.storage.store import open_store
from serving import RESEARCHER, serving
from studies import CountedSecrets, an_answer, an_application


@pytest.mark.parametrize("table", ["trials", "sessions", "counts"])
def test_whatever_is_damaged_the_page_is_asked_to_try_again(tmp_path: Path, table: str) -> None:
    file, secrets = tmp_path / "answers.sqlite", CountedSecrets()
    with open_store(f"sqlite:///{file}") as store, serving(store=store, secrets=secrets) as served:
        token = served.begin()
        served.practice(token)
        served.answer(token, 1, 3)
    damage(file, table)
    with open_store(f"sqlite:///{file}") as store, serving(store=store, secrets=secrets) as served:
        client = served.client
        told = {
            "sessions": client.post("/api/sessions", json=an_application(served.study)),
            "trials": served.put(token, "trials/4", an_answer()),
            "counts": client.post("/api/counts", json={"what": "landed"}),
        }
        assert told[table].status_code == 503
        assert told[table].headers["Retry-After"] == "1"
        everything = [
            *told.values(),
            client.get(f"/api/sessions/{token}?tab=tab-1"),
            client.get(f"/api/sessions/{token}/trials/5"),
            client.get(f"/status/{RESEARCHER}"),
            served.put(token, "painted", {"client_time": "2026-01-05T09:59:00Z", "tab": "tab-1"}),
        ]
        assert {answer.status_code for answer in everything} - {200, 201, 404} == {503}
        if table == "sessions":
            assert client.get(f"/api/sessions/{token}?tab=tab-1").status_code == 503
