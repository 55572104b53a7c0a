"""A glance at a study answers what the store answers."""

import sqlite3
from datetime import timedelta
from pathlib import Path

import pytest

from limen.core.sessions import Mode
from limen.errors import StoreError
from limen.storage.glance import glance
from limen.storage.store import open_store
from limen.workflow.oversee import Overview, oversee
from limen.workflow.ports import Overseeing
from serving import serving
from studies import START, a_protocol, an_answer


def overview(reading: Overseeing) -> Overview:
    return oversee(reading, a_protocol(), START + timedelta(minutes=30))


def test_it_sees_what_the_store_sees_while_the_server_goes_on(tmp_path: Path) -> None:
    address = f"sqlite:///{tmp_path / 'answers.sqlite'}"
    assert glance(address, overview) is None
    with open_store(address) as store, serving(store=store) as served:
        assert glance(address, overview) == store.read(overview)
        served.finish()
        token = served.begin()
        served.practice(token)
        served.answer(token, 1, 3)
        pilot = served.begin(mode="pilot")
        served.put(pilot, "comment", {"text": "unclear", "tab": "tab-1"})
        stopped = served.begin()
        served.put(stopped, "stop", {"keep": True, "tab": "tab-1"})
        served.put(served.begin(), "stop", {"keep": False, "tab": "tab-1"})
        served.client.post("/api/counts", json={"what": "declined"})
        assert served.put(token, "trials/4", an_answer()).status_code == 201
        seen = glance(address, overview)
        assert seen == store.read(overview)
    assert seen is not None
    live = seen.of(Mode.LIVE)
    assert (live.finished, live.stopped, live.withdrawn, live.declined, len(live.under_way)) == (1, 1, 1, 1, 1)
    assert seen.of(Mode.PILOT).comments == (("P001", "unclear"),)


def test_a_file_that_is_none_of_ours_is_told_as_always(tmp_path: Path) -> None:
    file = tmp_path / "answers.sqlite"
    file.write_bytes(b"no database at all " * 500)
    with pytest.raises(StoreError):
        glance(f"sqlite:///{file}", overview)
    sqlite3.connect(tmp_path / "empty.sqlite").close()
    assert glance(f"sqlite:///{tmp_path / 'empty.sqlite'}", overview) is None
