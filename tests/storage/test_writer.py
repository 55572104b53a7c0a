"""The writer: batches, full sync before acknowledging, failures that stay apart, and never a caller left hanging."""

import asyncio
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
import sqlalchemy as sa

from limen.core.sessions import DailyCount, Mode
from limen.errors import StoreBusyError, StoreUnavailableError
from limen.storage.desk import SqlDesk
from limen.storage.engines import make_engines
from limen.storage.place import Place
from limen.storage.store import SqlStore, open_store
from limen.web.acknowledgements import Acknowledgements
from limen.workflow.ports import Writing
from studies import START


def one_more(desk: Writing) -> None:
    desk.count(Mode.LIVE, START.date(), DailyCount.LANDED)


def counted(store: SqlStore) -> int:
    return store.read(lambda reading: reading.counts(Mode.LIVE)).get(DailyCount.LANDED, 0)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "answers.sqlite"


@pytest.fixture
def store(file: Path) -> Iterator[SqlStore]:
    with open_store(f"sqlite:///{file}", queue_limit=100) as opened:
        yield opened


class Gate:
    """Work that keeps the writer busy until it is let go."""

    def __init__(self) -> None:
        self.entered = threading.Event()
        self.open = threading.Event()

    def __call__(self, _desk: Writing) -> None:
        self.entered.set()
        self.open.wait(10)


def test_what_gathers_while_one_batch_is_written_is_committed_together(store: SqlStore) -> None:
    commits: list[str] = []

    def note(statement: str) -> None:
        if statement == "COMMIT":
            commits.append(statement)

    def look(desk: Any) -> None:
        desk._driver.set_trace_callback(note)

    store.submit(look).result(10)
    commits.clear()
    gate = Gate()
    first = store.submit(gate)
    assert gate.entered.wait(10)
    rest = [store.submit(one_more) for _ in range(50)]
    gate.open.set()
    for future in [first, *rest]:
        future.result(10)
    assert len(commits) == 2
    assert counted(store) == 50


def test_nothing_is_acknowledged_before_it_is_committed(store: SqlStore, file: Path) -> None:
    seen_at_acknowledgement: list[int] = []

    def look(_future: object) -> None:
        with sqlite3.connect(file) as other:
            seen_at_acknowledgement.append(other.execute("SELECT coalesce(sum(n), 0) FROM counts").fetchone()[0])
        other.close()

    for n in range(1, 6):
        future = store.submit(one_more)
        future.add_done_callback(look)
        future.result(10)
        while len(seen_at_acknowledgement) < n:
            time.sleep(0.001)
    assert all(seen >= n for n, seen in enumerate(seen_at_acknowledgement, 1))


def test_sqlite_writes_ahead_and_syncs_every_commit(file: Path) -> None:
    engines = make_engines(f"sqlite:///{file}")
    engines.make_file()
    with engines.write.connect() as connection:
        settings = {
            name: connection.exec_driver_sql(f"PRAGMA {name}").scalar()
            for name in ("journal_mode", "synchronous", "foreign_keys", "secure_delete")
        }
    engines.dispose()
    assert settings == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "secure_delete": 1}


def test_postgresql_syncs_every_commit(new_postgres_database: object) -> None:
    assert callable(new_postgres_database)
    engines = make_engines(new_postgres_database())
    engines.make_file()
    with engines.write.connect() as connection:
        assert connection.exec_driver_sql("SHOW synchronous_commit").scalar() == "on"
    engines.dispose()


def test_a_full_queue_refuses_at_once_and_goes_on_afterwards(store: SqlStore) -> None:
    gate = Gate()
    store.submit(gate)
    assert gate.entered.wait(10)
    waiting = [store.submit(one_more) for _ in range(100)]
    began = time.monotonic()
    with pytest.raises(StoreBusyError):
        store.submit(one_more)
    assert time.monotonic() - began < 0.5
    gate.open.set()
    for future in waiting:
        future.result(10)
    store.submit(one_more).result(10)
    assert counted(store) == 101


def test_work_that_was_given_up_before_its_turn_is_not_done(store: SqlStore) -> None:
    gate = Gate()
    store.submit(gate)
    assert gate.entered.wait(10)
    given_up, kept = store.submit(one_more), store.submit(one_more)
    assert given_up.cancel()
    gate.open.set()
    kept.result(10)
    assert counted(store) == 1


def test_closing_writes_what_is_queued(file: Path) -> None:
    with open_store(f"sqlite:///{file}") as store:
        futures = [store.submit(one_more) for _ in range(200)]
    assert all(future.done() for future in futures)
    with open_store(f"sqlite:///{file}") as store:
        assert counted(store) == 200
    with pytest.raises(StoreUnavailableError):
        store.submit(one_more)


def test_while_another_program_locks_the_file_everyone_is_told_and_later_it_goes_on(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("limen.storage.engines._BUSY_TIMEOUT_MS", 50)
    with open_store(f"sqlite:///{file}") as store:
        store.submit(one_more).result(10)
        other = sqlite3.connect(file, isolation_level=None)
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StoreUnavailableError, match="locked"):
            store.submit(one_more).result(10)
        assert not store.healthy()
        began = time.monotonic()
        with pytest.raises(StoreUnavailableError):
            store.submit(one_more)
        assert time.monotonic() - began < 0.5
        other.execute("ROLLBACK")
        other.close()
        until = time.monotonic() + 10
        while not store.healthy() and time.monotonic() < until:
            time.sleep(0.05)
        store.submit(one_more).result(10)
        assert counted(store) == 2


def test_when_postgresql_cuts_the_line_the_writer_finds_its_way_back(new_postgres_database: object) -> None:
    import psycopg

    assert callable(new_postgres_database)
    address = new_postgres_database()
    with open_store(address) as store:
        store.submit(one_more).result(10)
        with psycopg.connect(address, autocommit=True) as admin:
            admin.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
        with pytest.raises(StoreUnavailableError):
            store.submit(one_more).result(10)
        until = time.monotonic() + 10
        while not store.healthy() and time.monotonic() < until:
            time.sleep(0.05)
        store.submit(one_more).result(10)
        assert counted(store) == 2


def test_two_writers_on_one_postgresql_give_every_number_once(new_postgres_database: object) -> None:
    assert callable(new_postgres_database)
    address = new_postgres_database()
    with open_store(address) as one, open_store(address) as other:
        futures = [store.submit(lambda desk: desk.next_number(Mode.LIVE)) for _ in range(100) for store in (one, other)]
        assert sorted(future.result(20) for future in futures) == list(range(1, 201))


def test_a_writer_that_ends_leaves_nobody_waiting_and_says_why(file: Path) -> None:
    def fatal(_desk: Writing) -> None:
        raise SystemExit("out of order")

    with open_store(f"sqlite:///{file}") as store:
        gate = Gate()
        store.submit(gate)
        assert gate.entered.wait(10)
        together = [store.submit(one_more, "a"), store.submit(fatal, "b"), store.submit(one_more, "c")]
        gate.open.set()
        for future in together:
            with pytest.raises(StoreUnavailableError, match="out of order"):
                future.result(5)
        with pytest.raises(StoreUnavailableError):
            store.submit(one_more)
        assert not store.healthy()
        assert "out of order" in str(store.ended())
    with open_store(f"sqlite:///{file}") as store:
        assert counted(store) == 0


def test_the_load_is_told(store: SqlStore) -> None:
    for _ in range(3):
        store.submit(one_more).result(5)
    load = store.load()
    assert (load.written, load.batches, load.waiting, load.outages) == (3, 3, 0, 0)
    assert load.busy_s > 0


def test_what_participants_wrote_is_in_no_error_message(store: SqlStore) -> None:
    statement = sa.text("INSERT INTO counts VALUES (:said, :said, :said, NULL)")

    def broken(desk: Writing) -> None:
        assert isinstance(desk, SqlDesk)
        desk._connection.execute(statement, {"said": "my private words"})

    with pytest.raises(sa.exc.IntegrityError) as failed:
        store.submit(broken).result(5)
    assert "my private words" not in str(failed.value)


def test_a_connection_lost_by_work_that_failed_is_made_anew(new_postgres_database: Callable[[], str]) -> None:
    address = new_postgres_database()

    def lose_the_line_and_fail(desk: Any) -> None:
        (own,) = desk._driver.execute("SELECT pg_backend_pid()").fetchone()
        with psycopg.connect(address, autocommit=True) as other:
            other.execute("SELECT pg_terminate_backend(%s)", (own,))
        time.sleep(0.2)
        raise ValueError("a mistake of its own")

    with open_store(address) as store:
        store.submit(one_more).result(10)
        with pytest.raises(StoreUnavailableError):
            store.submit(lose_the_line_and_fail).result(10)
        until = time.monotonic() + 10
        while True:
            try:
                store.submit(one_more).result(10)
                break
            except StoreUnavailableError:
                assert time.monotonic() < until
                time.sleep(0.05)
        assert store.healthy()
        assert counted(store) == 2


def test_what_others_hold_is_not_waited_for_again_and_again(new_postgres_database: Callable[[], str]) -> None:
    address = new_postgres_database()
    with open_store(address) as store, psycopg.connect(address) as other:
        store.submit(lambda desk: desk.next_number(Mode.LIVE)).result(10)
        other.execute("SELECT * FROM numbers FOR UPDATE")
        began = time.monotonic()
        held = [store.submit(lambda desk: desk.next_number(Mode.LIVE)) for _ in range(200)]
        free = store.submit(one_more, "token")
        assert free.result(15) is None
        for future in held:
            with pytest.raises(StoreUnavailableError):
                future.result(15)
        assert time.monotonic() - began < 12, "each by itself would take 3 s"
        other.rollback()
        assert store.submit(lambda desk: desk.next_number(Mode.LIVE)).result(10) == 2


def test_who_cannot_be_told_any_more_does_not_end_the_writer(store: SqlStore) -> None:
    gate = Gate()

    async def leave() -> None:
        acknowledgements = Acknowledgements(store)
        begun = [asyncio.ensure_future(acknowledgements.of(gate))]
        await asyncio.to_thread(gate.entered.wait, 10)
        begun += [asyncio.ensure_future(acknowledgements.of(one_more)) for _ in range(20)]
        await asyncio.sleep(0.05)

    asyncio.run(leave())
    after = store.submit(one_more)
    gate.open.set()
    after.result(10)
    assert store.ended() is None
    assert store.healthy()


def test_what_was_queued_while_the_writer_looked_about_is_written_before_it_closes(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looking, go_on = threading.Event(), threading.Event()
    look = Place.kept

    def slow(place: Place) -> bool:
        if threading.current_thread().name == "limen-writer" and not looking.is_set():
            looking.set()
            go_on.wait(10)
        return look(place)

    with open_store(f"sqlite:///{file}") as store:
        store.submit(one_more).result(10)
        monkeypatch.setattr(Place, "kept", slow)
        assert looking.wait(10)
        late = store.submit(one_more)
        threading.Timer(0.2, go_on.set).start()
    assert late.result(1) is None
