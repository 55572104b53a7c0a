"""The store of a study: opened, brought up to date, written by one and read by many."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager
from typing import TypeVar

import sqlalchemy as sa
from sqlalchemy.exc import DatabaseError, InterfaceError, InternalError, OperationalError

from limen.errors import NotReadyError, StoreError, StoreUnavailableError
from limen.storage.desk import SqlReading
from limen.storage.engines import Engines, clock_ahead_s, damaged, make_engines
from limen.storage.lock import ServerLock
from limen.storage.upgrade import bring_up_to_date, schema_version
from limen.storage.writer import QUEUE_LIMIT, Writer
from limen.workflow.ports import Reading, Store, Task, WriterLoad, Writing

T = TypeVar("T")

_DRAIN_S = 2.5  # what is queued when requests have ended; with their own time it is less than ten seconds


class SqlStore(Store):
    """A store on SQLite or PostgreSQL. Made by `open_store`."""

    def __init__(self, engines: Engines, queue_limit: int = QUEUE_LIMIT) -> None:
        self._engines = engines
        self._writer = Writer(engines, limit=queue_limit)

    def read(self, ask: Callable[[Reading], T]) -> T:
        return _read(self._engines, ask)

    def submit(self, work: Callable[[Writing], T], key: str = "") -> Future[T]:
        return self._writer.submit(work, key)

    def hand_in(self, tasks: Sequence[Task]) -> None:
        self._writer.hand_in(tasks)

    def healthy(self) -> bool:
        return self._writer.healthy()

    def clock_ahead_s(self) -> float:
        """Tell how far this machine's clock is ahead of the database's; 0 for SQLite, which has none of its own."""
        return 0.0 if self._engines.file is not None else clock_ahead_s(self._engines.read)

    def ended(self) -> str | None:
        return self._writer.ended

    def load(self) -> WriterLoad:
        return self._writer.load()

    def close(self) -> None:
        """Write what is queued and close; raise NotReadyError when that takes too long or went wrong."""
        ended = self._writer.ended
        if not self._writer.close(
            _DRAIN_S
        ):  # the connection is in the middle of something; the process's end closes it
            raise NotReadyError(f"the store could not write what was queued within {_DRAIN_S:g} s; look at its disk")
        self._engines.dispose()
        if self._writer.ended is not None and ended is None:
            raise StoreUnavailableError(self._writer.ended)


@contextmanager
def open_store(address: str, *, serving: bool = False, queue_limit: int = QUEUE_LIMIT) -> Iterator[SqlStore]:
    """Open a store, make or update its tables, and close it at the end.

    `serving` takes the lock that only one server can have on an SQLite file, and looks for damage first.
    """
    engines = make_engines(address, serving=serving)
    with ExitStack() as stack:
        stack.callback(engines.dispose)
        with _openable(engines):
            if engines.file is not None and not engines.file.parent.is_dir():
                raise StoreError(f"{engines.file.parent}: no such folder")
            if engines.file is not None and serving:
                stack.enter_context(ServerLock(engines.file))
            engines.make_file()
            with engines.write.begin() as connection:
                if engines.file is not None and serving:
                    _refuse_damage(connection, engines)
                bring_up_to_date(connection)
        store = SqlStore(engines, queue_limit)
        stack.callback(store.close)
        yield store


def read_store(address: str, ask: Callable[[Reading], T]) -> T | None:
    """Look into a store without making or changing anything; None when there is none yet."""
    engines = make_engines(address)
    if engines.file is not None and not engines.file.exists():
        return None
    try:
        with _openable(engines), engines.read.connect() as connection:
            if schema_version(connection) is None:
                return None
        return _read(engines, ask)
    finally:
        engines.dispose()


def _read(engines: Engines, ask: Callable[[Reading], T]) -> T:
    try:
        with engines.read.begin() as connection:
            return ask(SqlReading(connection))
    except (OperationalError, InterfaceError, InternalError, sa.exc.TimeoutError) as problem:
        cause = getattr(problem, "orig", None) or problem
        raise StoreUnavailableError(f"the store cannot be read: {' '.join(str(cause).split())}") from problem
    except DatabaseError as problem:
        if type(problem) is not DatabaseError:  # the kinds that are left are our own mistakes
            raise
        raise damaged(engines.read, problem.orig) from problem


@contextmanager
def _openable(engines: Engines) -> Iterator[None]:
    try:
        yield
    except (OperationalError, InterfaceError) as problem:
        what = str(engines.file) if engines.file else "the database"
        cause = " ".join(str(problem.orig).split())
        raise StoreError(f"{what}: cannot be opened ({cause}); check that it is there and may be written") from problem
    except DatabaseError as problem:
        raise damaged(engines.write, problem.orig) from problem
    except OSError as problem:
        raise StoreError(f"{problem.filename}: cannot be opened ({problem.strerror}); check its rights") from problem


def _refuse_damage(connection: sa.Connection, engines: Engines) -> None:
    found = connection.exec_driver_sql("PRAGMA quick_check(1)").scalar()
    if found != "ok":
        raise damaged(engines.write, found)
