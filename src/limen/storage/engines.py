"""Connections to SQLite and PostgreSQL, with the settings that the store's promises rest on.

What a statement was given is hidden from error messages, and so from logs: it is what participants wrote.
"""

import os
import sqlite3
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.exc import ArgumentError, NoSuchModuleError

from limen.errors import StoreDamagedError, StoreError

_BUSY_TIMEOUT_MS = 5000
_SQLITE = (3, 35, 0)  # the first that gives rows back from an INSERT
_READERS = 9  # one more than a server has threads that ask, so that it can always see whether the database answers
# a machine that vanished without a word is noticed within ten seconds or so, not after the system's quarter of an hour
_POSTGRES_LINE = {
    "connect_timeout": 5,
    "keepalives_idle": 4,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 10_000,
}
_READ_TIMEOUT_S = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Engines:
    """One engine to write by and one to read by."""

    write: sa.Engine
    read: sa.Engine
    file: Path | None  # of SQLite

    def make_file(self) -> None:
        """Make an empty SQLite file where there is none; nothing else ever makes one."""
        if self.file is not None:
            self.file.touch()

    def dispose(self) -> None:
        """Close all connections."""
        self.write.dispose()
        self.read.dispose()


def make_engines(address: str, *, serving: bool = False) -> Engines:
    """Give the engines for a database address; nothing is connected yet. A server waits for no question very long."""
    try:
        url = sa.make_url(address)
        if url.drivername in ("sqlite", "sqlite+pysqlite"):
            return _sqlite(url)
        if url.drivername in ("postgres", "postgresql", "postgresql+psycopg"):
            return _postgres(url.set(drivername="postgresql+psycopg"), serving=serving)
    except (ArgumentError, NoSuchModuleError) as problem:
        raise StoreError(
            f"{_plain(address)}: is no database address; write sqlite:///FILE or postgresql://…"
        ) from problem
    except ModuleNotFoundError as problem:
        raise StoreError("PostgreSQL needs its driver: pip install 'limen[postgres]'") from problem
    raise StoreError(f"{_plain(address)}: only SQLite and PostgreSQL are known; write sqlite:///FILE or postgresql://…")


def damaged(engine: sa.Engine, found: object) -> StoreDamagedError:
    """Say that a database is damaged and how to restore it; `found` is what its driver said."""
    said = " ".join(str(found).split())
    if engine.dialect.name != "sqlite":
        return StoreDamagedError(f"the database: is damaged ({said}); restore it from a copy, as its manual says")
    return StoreDamagedError(
        f"{engine.url.database}: is damaged or no database of Limen's ({said}); move it away together with its -wal "
        "and -shm files and put a copy made by `limen backup` in its place"
    )


def clock_ahead_s(engine: sa.Engine) -> float:
    """Tell how far this machine's clock is ahead of that of a PostgreSQL server, to within the time of a question."""
    with engine.connect() as connection:
        before = time.time()
        theirs = float(connection.scalar(sa.text("SELECT extract(epoch FROM clock_timestamp())")))
        return (before + time.time()) / 2 - theirs


def _sqlite(url: sa.URL) -> Engines:
    if not url.database or url.database == ":memory:":
        raise StoreError("sqlite: a file is needed; write sqlite:///FILE")
    if sqlite3.sqlite_version_info < _SQLITE:
        raise StoreError(f"SQLite {sqlite3.sqlite_version} is too old; a Python with SQLite 3.35 or newer is needed")
    file = Path(os.path.realpath(url.database))  # SQLite keeps its log beside the file itself, not beside a link to it

    def connect() -> sqlite3.Connection:
        # never made by the way: an empty file in the place of one that was deleted would be taken for the answers
        return sqlite3.connect(f"{file.as_uri()}?mode=rw", uri=True, check_same_thread=False)

    # committed means synced: WAL with synchronous=FULL syncs the log at every commit; macOS needs fullfsync for that
    durable = ("journal_mode=WAL", "synchronous=FULL", "fullfsync=ON", "foreign_keys=ON", "secure_delete=ON")
    write = sa.create_engine(url, creator=connect, poolclass=sa.pool.NullPool, hide_parameters=True)
    _sqlite_settings(write, begin="BEGIN IMMEDIATE", pragmas=durable)
    read = sa.create_engine(
        url,
        creator=connect,
        pool_size=_READERS,
        max_overflow=0,
        pool_timeout=_READ_TIMEOUT_S,
        hide_parameters=True,
    )
    _sqlite_settings(read, begin="BEGIN", pragmas=("query_only=ON",))
    return Engines(write=write, read=read, file=file)


def _sqlite_settings(engine: sa.Engine, *, begin: str, pragmas: tuple[str, ...]) -> None:
    @event.listens_for(engine, "connect")
    def on_connect(connection: Any, _record: object) -> None:
        connection.isolation_level = None  # we say BEGIN ourselves
        for pragma in (f"busy_timeout={_BUSY_TIMEOUT_MS}", *pragmas):
            connection.execute(f"PRAGMA {pragma}").close()

    @event.listens_for(engine, "begin")
    def on_begin(connection: sa.Connection) -> None:
        connection.exec_driver_sql(begin)


def _postgres(url: sa.URL, *, serving: bool) -> Engines:
    options = "-c synchronous_commit=on -c lock_timeout=3000 -c statement_timeout=10000 -c TimeZone=UTC"
    asking = "-c default_transaction_read_only=on -c TimeZone=UTC"
    if serving:
        asking += " -c lock_timeout=3000 -c statement_timeout=10000"
    arguments = {**_POSTGRES_LINE, "options": options}
    write = sa.create_engine(url, poolclass=sa.pool.NullPool, connect_args=arguments, hide_parameters=True)
    read = sa.create_engine(
        url,
        pool_size=_READERS,
        max_overflow=0,
        pool_timeout=_READ_TIMEOUT_S,
        pool_pre_ping=True,
        isolation_level="REPEATABLE READ",
        hide_parameters=True,
        connect_args={**_POSTGRES_LINE, "options": asking},
    )
    return Engines(write=write, read=read, file=None)


def _plain(address: str) -> str:
    """Give an address without its password."""
    scheme, separator, rest = address.partition("://")
    return f"{scheme}{separator}{rest.rpartition('@')[2]}"
