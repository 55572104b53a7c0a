"""The file of answers deleted, moved or replaced while a server has it open: what was acknowledged is there later."""

import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import httpx
import pytest

from commands import begin, limen
from faults.nursery import Nursery, Nursling
from limen.core.sessions import DailyCount, Mode
from limen.errors import StoreDamagedError, StoreUnavailableError
from limen.storage.backup import back_up
from limen.storage.copying import check_copy
from limen.storage.store import SqlStore, open_store, read_store
from limen.workflow.participate import begin as begin_session
from postgres import free_port
from studies import START, a_study, a_visit, an_answer, applies

NAMES = ("answers.sqlite", "answers.sqlite-wal", "answers.sqlite-shm")


@contextmanager
def a_session(nursery: Nursery, study: Path) -> Iterator[tuple[Nursling, httpx.Client, str]]:
    server = nursery.start(study, port=free_port())
    server.wait_until_up()
    with httpx.Client(base_url=f"http://127.0.0.1:{server.port}", timeout=20) as client:
        token = begin(client)
        for what in ("practice/1", "practice/2", "trials/1"):
            assert client.put(f"/api/sessions/{token}/{what}", json=an_answer()).status_code == 201
        yield server, client, token


def stored(file: Path) -> list[int]:
    with closing(sqlite3.connect(file)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    found = read_store(f"sqlite:///{file}", lambda reading: reading.sessions(Mode.LIVE))
    assert found is not None
    return [session.answered for session in found]


def delete(*names: str) -> Callable[[Path], None]:
    def harm(study: Path) -> None:
        for name in names:
            (study / name).unlink()

    return harm


def move_all(study: Path) -> None:
    away = study / "away"
    away.mkdir()
    for name in NAMES:
        (study / name).rename(away / name)


def delete_the_folder(study: Path) -> None:
    shutil.rmtree(study)


HARMS = {
    "deleted": delete(*NAMES),
    "its log deleted": delete("answers.sqlite-wal", "answers.sqlite-shm"),
    "only itself deleted": delete("answers.sqlite"),
    "moved": move_all,
    "with the whole folder": delete_the_folder,
}


@pytest.mark.parametrize("busy", [True, False], ids=["while answers come", "while nobody comes"])
@pytest.mark.parametrize("harm", HARMS)
def test_what_is_deleted_or_moved_under_the_server_comes_back_with_every_answer(
    study: Path, nursery: Nursery, harm: str, busy: bool
) -> None:
    with a_session(nursery, study) as (server, client, token):
        HARMS[harm](study)
        if busy:
            assert client.put(f"/api/sessions/{token}/trials/2", json=an_answer()).status_code == 201
        else:
            until = time.monotonic() + 10
            while "while the server had it open" not in server.said():
                assert time.monotonic() < until, server.said()
                time.sleep(0.05)
        server.end(signal.SIGKILL)
    assert stored(study / "answers.sqlite") == [1 + busy]


def test_it_goes_on_after_its_file_came_back(study: Path, nursery: Nursery) -> None:
    with a_session(nursery, study) as (server, client, token):
        for n in range(2, 24):
            if n % 5 == 0:
                delete(*NAMES)(study)
            assert client.get(f"/api/sessions/{token}/trials/{n}").status_code == 200
            assert client.put(f"/api/sessions/{token}/trials/{n}", json=an_answer()).status_code == 201
        assert client.get("/readyz").status_code == 200
        assert client.put(f"/api/sessions/{token}/completion", json={}).status_code == 200
        assert limen("status", study, "--json").code == 0
        assert server.end(signal.SIGTERM) < 10
    assert stored(study / "answers.sqlite") == [23]
    assert server.said().count("it is there again, with every answer") == 4


def test_a_file_that_another_one_replaced_is_saved_beside_it_and_the_server_ends(study: Path, nursery: Nursery) -> None:
    file = study / "answers.sqlite"
    with a_session(nursery, study) as (server, client, token):
        assert limen("backup", study, "--out", study / "old.sqlite").code == 0
        assert client.put(f"/api/sessions/{token}/trials/2", json=an_answer()).status_code == 201
        shutil.copy(study / "old.sqlite", study / "new.sqlite")
        (study / "new.sqlite").replace(file)
        answer = client.put(f"/api/sessions/{token}/trials/3", json=an_answer())
        assert answer.status_code == 503, "it was told that it is not stored where answers belong"
        until = time.monotonic() + 10
        while server.alive():
            assert time.monotonic() < until
            time.sleep(0.02)
    said = " ".join(server.said().split())
    assert "was replaced by another file while the server had it open" in said
    assert "answers.saved-1.sqlite" in said
    assert stored(file) == [1]
    assert stored(study / "answers.saved-1.sqlite") == [3]


def test_a_place_that_cannot_be_written_is_tried_again(study: Path, nursery: Nursery) -> None:
    with a_session(nursery, study) as (server, client, token):
        shutil.rmtree(study)
        study.write_text("no folder")  # nothing can be put there
        until = time.monotonic() + 10
        while client.get("/healthz").status_code != 503:
            assert time.monotonic() < until
            time.sleep(0.05)
        assert client.put(f"/api/sessions/{token}/trials/2", json=an_answer()).status_code == 503
        assert "cannot be put back" in server.said()
        study.unlink()
        while (answer := client.put(f"/api/sessions/{token}/trials/2", json=an_answer())).status_code == 503:
            assert time.monotonic() < until
            time.sleep(0.05)
        assert answer.status_code == 201
        assert server.end(signal.SIGTERM) < 10
    assert stored(study / "answers.sqlite") == [2]


def test_who_only_asks_makes_no_file_in_the_place_of_one_that_was_deleted(study: Path, nursery: Nursery) -> None:
    with a_session(nursery, study) as (server, client, token):
        delete(*NAMES)(study)
        for _ in range(5):
            assert client.get("/readyz").status_code in (200, 503)
            assert client.get(f"/api/sessions/{token}/trials/2").status_code in (200, 503)
        until = time.monotonic() + 10
        while (answer := client.put(f"/api/sessions/{token}/trials/2", json=an_answer())).status_code == 503:
            assert time.monotonic() < until
            time.sleep(0.05)
        assert answer.status_code == 201
        assert server.end(signal.SIGTERM) < 10
    assert stored(study / "answers.sqlite") == [2]


def test_the_log_of_another_file_is_left_to_it(study: Path, nursery: Nursery) -> None:
    script = (
        "import os, sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute('PRAGMA journal_mode=WAL')\n"
        "c.execute('CREATE TABLE x (a)'); c.execute('INSERT INTO x VALUES (7)'); c.commit(); os._exit(0)"
    )
    with a_session(nursery, study) as (server, _, _):
        delete(*NAMES)(study)
        subprocess.run([sys.executable, "-c", script, str(study / "answers.sqlite")], check=True)
        until = time.monotonic() + 10
        while server.alive():
            assert time.monotonic() < until
            time.sleep(0.02)
    with closing(sqlite3.connect(study / "answers.sqlite")) as other:
        assert other.execute("SELECT a FROM x").fetchall() == [(7,)]
    assert stored(study / "answers.saved-1.sqlite") == [1]


def test_a_link_to_the_file_is_followed_for_its_log_too(study: Path, nursery: Nursery, tmp_path: Path) -> None:
    real = tmp_path / "disk"
    real.mkdir()
    (study / "answers.sqlite").symlink_to(real / "a.sqlite")
    with a_session(nursery, study) as (server, client, token):
        (real / "a.sqlite-wal").unlink()
        assert client.put(f"/api/sessions/{token}/trials/2", json=an_answer()).status_code == 201
        refused = limen("serve", real.parent / "study", "--port", 0, "--page-file", study / "page.html")
        assert "another server has it open" in refused.err
        server.end(signal.SIGKILL)
    assert (study / "answers.sqlite").is_symlink()
    assert stored(real / "a.sqlite") == [2]


def test_a_damaged_file_that_a_copy_replaced_ends_the_server_with_a_true_word(tmp_path: Path) -> None:
    file, copy = tmp_path / "answers.sqlite", tmp_path / "copy.sqlite"
    study = a_study()
    with pytest.raises(StoreUnavailableError) as ended, open_store(f"sqlite:///{file}", serving=True) as store:  # noqa: PT012
        for n in range(60):
            store.submit(lambda desk, n=n: begin_session(desk, study, a_visit(f"t{n}"), applies(study))).result(10)  # type: ignore[misc]
        back_up(f"sqlite:///{file}", copy)
        with closing(sqlite3.connect(file)) as other:
            other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            (page,) = other.execute("SELECT rootpage FROM sqlite_master WHERE name = 'events'").fetchone()
            (size,) = other.execute("PRAGMA page_size").fetchone()
        with file.open("r+b") as content:
            content.seek((page - 1) * size)
            content.write(b"\xff" * size)
        with pytest.raises(StoreDamagedError, match="limen backup"):
            store.submit(lambda desk: begin_session(desk, study, a_visit("one more"), applies(study))).result(10)
        until = time.monotonic() + 10
        while not store.healthy():  # what is damaged is only a page of it
            assert time.monotonic() < until
            time.sleep(0.05)
        for path in tmp_path.glob("answers.sqlite*"):
            if path.suffix != ".lock":
                path.rename(tmp_path / f"away-{path.name}")
        shutil.copy(copy, file)
        until = time.monotonic() + 10
        while store.ended() is None:
            assert time.monotonic() < until
            time.sleep(0.05)
        raise StoreUnavailableError(store.ended())
    assert "was replaced by another file" in str(ended.value)
    assert "damaged and was not saved" in str(ended.value)
    assert len(stored(file)) == 60


def comes_back(file: Path, seconds: float = 10) -> None:
    until = time.monotonic() + seconds
    while not file.exists():
        assert time.monotonic() < until
        time.sleep(0.02)


def test_it_comes_back_as_often_as_it_is_deleted_while_nobody_comes(study: Path, nursery: Nursery) -> None:
    with a_session(nursery, study) as (server, _, _):
        for _ in range(3):
            delete(*(name for name in NAMES if (study / name).exists()))(study)
            comes_back(study / "answers.sqlite")
        server.end(signal.SIGKILL)
    assert stored(study / "answers.sqlite") == [1]


def test_a_database_that_is_restored_during_an_outage_is_taken(tmp_path: Path) -> None:
    file, away, study = tmp_path / "answers.sqlite", tmp_path / "away.sqlite", a_study()

    def outage(_desk: object) -> None:
        raise StoreUnavailableError("the disk is gone")

    with open_store(f"sqlite:///{file}", serving=True) as store:
        store.submit(lambda desk: begin_session(desk, study, a_visit("one"), applies(study))).result(10)
        back_up(f"sqlite:///{file}", away)
        with pytest.raises(StoreUnavailableError):
            store.submit(outage).result(10)
        for path in tmp_path.glob("answers.sqlite*"):
            if path.suffix != ".lock":
                path.unlink()
        time.sleep(1.2)  # it has looked, and found nothing
        assert not store.healthy()
        shutil.copy(away, file)
        until = time.monotonic() + 10
        while not store.healthy():
            assert time.monotonic() < until
            time.sleep(0.05)
        store.submit(lambda desk: begin_session(desk, study, a_visit("two"), applies(study))).result(10)
        assert store.ended() is None
    assert stored(file) == [0, 0]


def count(store: SqlStore, what: DailyCount = DailyCount.LANDED) -> None:
    store.submit(lambda desk: desk.count(Mode.LIVE, START.date(), what)).result(10)


def counted(file: Path) -> object:
    return read_store(f"sqlite:///{file}", lambda reading: reading.counts(Mode.LIVE))


def test_what_is_put_back_is_for_the_same_eyes_and_no_log_of_others_is_taken_for_its_own(tmp_path: Path) -> None:
    file = tmp_path / "answers.sqlite"
    with open_store(f"sqlite:///{file}") as made:
        count(made)
    file.chmod(0o600)
    with open_store(f"sqlite:///{file}", serving=True) as store:
        count(store)
        for name in NAMES:
            (tmp_path / name).unlink()
        (tmp_path / "answers.sqlite-wal").write_bytes(b"of somebody else")
        count(store)
        assert file.stat().st_mode & 0o777 == 0o600
        assert (tmp_path / "answers.sqlite-wal.aside").read_bytes() == b"of somebody else"
    assert counted(file) == {DailyCount.LANDED: 3}


def test_a_file_that_comes_while_ours_is_copied_is_not_overwritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, theirs = tmp_path / "answers.sqlite", tmp_path / "theirs.sqlite"

    def restored_meanwhile(copy: Path) -> None:
        check_copy(copy)
        if not file.exists():
            shutil.copy(theirs, file)

    with open_store(f"sqlite:///{theirs}") as made:
        count(made, DailyCount.CONSENTED)
    monkeypatch.setattr("limen.storage.copying.check_copy", restored_meanwhile)
    with pytest.raises(StoreUnavailableError), open_store(f"sqlite:///{file}", serving=True) as store:  # noqa: PT012
        count(store)
        for name in NAMES:
            (tmp_path / name).unlink()
        count(store)
    assert counted(file) == {DailyCount.CONSENTED: 1}
    assert counted(tmp_path / "answers.saved-1.sqlite") == {DailyCount.LANDED: 2}
