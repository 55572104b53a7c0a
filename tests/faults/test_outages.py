"""Disk full, read-only, locked, damaged, clock set back: told at once, nothing acknowledged is lost, and it goes on."""

import shutil
import signal
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import httpx
import pytest

from commands import begin, limen
from faults.nursery import Nursery, Nursling
from limen.core.sessions import Mode, Part
from limen.storage.store import open_store, read_store
from postgres import free_port
from serving import serving
from studies import START, an_answer


def mounted(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.skip(f"mounting needs rights that are not here: {done.stderr}")


@pytest.fixture
def small_disk(example_study: Path, tmp_path: Path) -> Iterator[Path]:
    """Give a study on a file system of 3 MB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted("mount", "-t", "tmpfs", "-o", "size=3m", "none", str(disk))
    try:
        yield Path(shutil.copytree(example_study, disk / "study"))
    finally:
        mounted("umount", "-l", str(disk))


@contextmanager
def a_client(nursery: Nursery, study: Path, *options: object) -> Iterator[tuple[Nursling, httpx.Client]]:
    server = nursery.start(study, *options, port=free_port())
    server.wait_until_up()
    with httpx.Client(base_url=f"http://127.0.0.1:{server.port}", timeout=20) as client:
        yield server, client


def answered(client: httpx.Client, token: str, number: int) -> httpx.Response:
    return client.put(f"/api/sessions/{token}/trials/{number}", json=an_answer())


def begun(client: httpx.Client) -> str:
    token = begin(client)
    for n in (1, 2):
        assert client.put(f"/api/sessions/{token}/practice/{n}", json=an_answer()).status_code == 201
    return token


def is_refused_and_known(client: httpx.Client, answer: httpx.Response) -> None:
    assert answer.status_code == 503, answer.text
    assert int(answer.headers["retry-after"]) >= 1
    assert client.get("/healthz").status_code == 503
    assert client.get("/readyz").status_code == 503


def goes_on(client: httpx.Client, token: str, number: int) -> None:
    until = time.monotonic() + 20
    while (answer := answered(client, token, number)).status_code == 503:
        assert time.monotonic() < until
        time.sleep(0.1)
    assert answer.status_code == 201
    assert client.get("/healthz").status_code == 200


def stored(study: Path) -> list[int]:
    found = read_store(f"sqlite:///{study / 'answers.sqlite'}", lambda reading: reading.sessions(Mode.LIVE))
    assert found is not None
    return [session.answered for session in found]


def test_a_full_disk_is_told_and_when_there_is_space_it_goes_on(small_disk: Path, nursery: Nursery) -> None:
    ballast = small_disk / "ballast"
    with a_client(nursery, small_disk) as (server, client):
        token = begun(client)
        with ballast.open("wb", buffering=0) as file:
            try:
                while file.write(b"\0" * 4096):
                    pass
            except OSError:
                pass
        kept = 0
        while (answer := answered(client, token, kept + 1)).status_code == 201:  # what the file has room for already
            kept += 1
            assert kept < 23, "the disk never was full"
        is_refused_and_known(client, answer)
        time.sleep(0.7)  # longer than the writer waits before it looks again
        is_refused_and_known(client, answered(client, token, kept + 1))
        assert client.get("/").status_code == 200
        ballast.unlink()
        goes_on(client, token, kept + 1)
        assert server.end(signal.SIGTERM) < 10
    assert stored(small_disk) == [kept + 1]


def test_a_read_only_folder_is_told_at_the_start(small_disk: Path, nursery: Nursery) -> None:
    disk = str(small_disk.parent)
    with a_client(nursery, small_disk) as (server, client):
        token = begun(client)
        assert answered(client, token, 1).status_code == 201
        assert server.end(signal.SIGTERM) < 10
    mounted("mount", "-o", "remount,ro", disk)
    refused = limen("serve", small_disk, "--port", 0, "--page-file", small_disk / "page.html")
    assert (refused.code, refused.err.count("\n")) == (2, 1), refused.err
    assert "check" in refused.err
    mounted("mount", "-o", "remount,rw", disk)
    with a_client(nursery, small_disk) as (_, client):
        goes_on(client, token, 2)


def test_a_database_that_another_program_locks_is_told_within_seconds(study: Path, nursery: Nursery) -> None:
    with a_client(nursery, study) as (server, client):
        token = begun(client)
        with closing(sqlite3.connect(study / "answers.sqlite", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            began = time.monotonic()
            is_refused_and_known(client, answered(client, token, 1))
            assert time.monotonic() - began < 10
            began = time.monotonic()
            is_refused_and_known(client, answered(client, token, 1))
            assert time.monotonic() - began < 1, "later ones are told at once"
            started = limen("serve", study, "--port", 0, "--page-file", study / "page.html")
            assert (started.code, "another server has it open" in started.err) == (2, True)
            other.execute("ROLLBACK")
        goes_on(client, token, 1)
        assert server.end(signal.SIGTERM) < 10
    with closing(sqlite3.connect(study / "answers.sqlite", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        refused = limen("serve", study, "--port", 0, "--page-file", study / "page.html")
        assert (refused.code, refused.err.count("\n")) == (2, 1), refused.err
        assert "locked" in refused.err
    assert stored(study) == [1]


@pytest.mark.parametrize("harm", ["overwritten", "cut off", "garbage"])
def test_a_damaged_database_is_found_at_the_start_and_a_copy_brings_it_back(
    study: Path, nursery: Nursery, harm: str
) -> None:
    file = study / "answers.sqlite"
    with a_client(nursery, study) as (server, client):
        token = begun(client)
        assert answered(client, token, 1).status_code == 201
        copy = study / "copy.sqlite"
        assert limen("backup", study, "--out", copy).code == 0
        assert server.end(signal.SIGTERM) < 10
    size = file.stat().st_size
    with file.open("r+b") as content:
        if harm == "overwritten":
            content.seek(4096)
            content.write(b"\xa5" * (size - 8192))
        elif harm == "cut off":
            content.truncate(size // 2)
        else:
            content.truncate(0)
            content.write(b"no database at all " * 500)
    refused = limen("serve", study, "--port", 0, "--page-file", study / "page.html")
    assert (refused.code, refused.err.count("\n")) == (2, 1), refused.err
    assert "limen backup" in refused.err
    for old in (file, *study.glob("answers.sqlite-*")):
        old.unlink()
    shutil.copy(copy, file)
    with a_client(nursery, study) as (_, client):
        goes_on(client, token, 2)
    assert stored(study) == [2]


@dataclass
class ClockSetBack:
    """A clock that goes on by a second when asked, and was once put back by an hour."""

    time: datetime = START
    back_after: int = 12
    asked: int = 0

    def now(self) -> datetime:
        self.asked += 1
        self.time += timedelta(seconds=1)
        if self.asked == self.back_after:
            self.time -= timedelta(hours=1)
        return self.time


def test_a_clock_that_is_set_back_loses_nothing(tmp_path: Path) -> None:
    with (
        open_store(f"sqlite:///{tmp_path / 'answers.sqlite'}") as store,
        serving(store=store, clock=ClockSetBack()) as served,
    ):
        token = served.finish()
        assert served.client.get(f"/api/sessions/{token}?tab=tab-1").json()["stage"] == "done"
        other = served.finish()
        (first, second) = store.read(lambda reading: reading.sessions(Mode.LIVE))
        records = store.read(lambda reading: reading.records(first, Part.TRIALS))
        assert token != other
        assert [record.number for record in records] == list(range(1, 24))
        assert records[-1].received < first.created, "the clock was set back in the middle of it"
        assert second.answered == 23
