"""One writer: a thread that owns the write connection and commits whatever is queued in one transaction.

While one batch is being synced to disk the next one gathers, so the sync itself is the window of batching and
there is no timer. Work is acknowledged after the commit, never before. See docs/adr/0008-single-writer.md.
"""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from operator import attrgetter
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.exc import DatabaseError, DBAPIError, InterfaceError, InternalError, OperationalError

from limen.errors import StoreBusyError, StoreUnavailableError
from limen.storage.desk import SqlDesk
from limen.storage.engines import damaged
from limen.workflow.ports import Task, WriterLoad, Writing

T = TypeVar("T")

QUEUE_LIMIT = 4096
_PROBE_EVERY_S = 0.5
_CROSSWISE = ("40001", "40P01", "55P03")  # PostgreSQL: serialization failure, deadlock, lock not available

log = logging.getLogger(__name__)
_key = attrgetter("key")


class _Promise:
    """Work whose result is a future."""

    __slots__ = ("future", "key", "work")

    def __init__(self, work: Callable[[Writing], Any], key: str) -> None:
        self.work = work
        self.key = key
        self.future: Future[Any] = Future()

    def begin(self) -> bool:
        return self.future.set_running_or_notify_cancel()

    def settle(self, result: Any) -> None:
        self.future.set_result(result)

    def fail(self, problem: BaseException) -> None:
        self.future.set_exception(problem)


class Writer:
    """Takes work from any thread and does it in its own."""

    def __init__(self, engine: sa.Engine, *, limit: int = QUEUE_LIMIT) -> None:
        self._engine = engine
        self._limit = limit
        self._connection: sa.Connection | None = None
        self._waiting: list[Task] = []
        self._wakeup = threading.Condition()
        self._closed = False
        self._failure: str | None = None
        self._under_way: list[Task] = []
        self._written = self._batches = self._outages = 0
        self._busy_s = 0.0
        self.ended: str | None = None
        """Why the thread ended although nobody closed it; None while it goes on."""
        self._thread = threading.Thread(target=self._run, name="limen-writer", daemon=True)
        self._thread.start()

    def submit(self, work: Callable[[Writing], T], key: str) -> Future[T]:
        """Queue work, or raise at once when it cannot be taken in."""
        promise = _Promise(work, key)
        taken, refusal = self._take_in([promise])
        if not taken:
            raise refusal
        return promise.future

    def hand_in(self, tasks: Sequence[Task]) -> None:
        """Queue tasks; those that cannot be taken in fail at once."""
        taken, refusal = self._take_in(tasks)
        for task in tasks[taken:]:
            task.fail(type(refusal)(*refusal.args))

    def healthy(self) -> bool:
        """Tell whether the last write succeeded and the thread lives."""
        return self._failure is None and self._thread.is_alive()

    def load(self) -> WriterLoad:
        """Say what was done so far and what waits."""
        return WriterLoad(
            waiting=len(self._waiting),
            written=self._written,
            batches=self._batches,
            busy_s=self._busy_s,
            outages=self._outages,
        )

    def close(self, timeout_s: float) -> bool:
        """Take nothing more in, write what is queued, and tell whether all of it was written in time."""
        with self._wakeup:
            self._closed = True
            self._wakeup.notify()
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def _take_in(self, tasks: Sequence[Task]) -> tuple[int, StoreUnavailableError]:
        """Queue what there is room for; give how many that were, and what to tell the others."""
        with self._wakeup:
            if self._closed or self._failure is not None:
                return 0, StoreUnavailableError(self._failure or "the store is being closed")
            idle = not self._waiting
            taken = tasks[: self._limit - len(self._waiting)]
            self._waiting.extend(taken)
            if idle:
                self._wakeup.notify()
        return len(taken), StoreBusyError(f"{self._limit} writes are waiting already")

    def _run(self) -> None:
        try:
            while True:
                batch = self._take()
                if batch:
                    self._write(batch)
                elif self._failure is not None and not self._closed:
                    self._probe()
                elif self._closed:
                    return
        except BaseException as problem:
            log.exception("the writer ended")
            self._give_up(StoreUnavailableError(f"the writer ended: {problem!r}"), self._under_way)
            self.ended = self._failure
        finally:
            self._disconnect()

    def _take(self) -> list[Task]:
        with self._wakeup:
            if not self._waiting and not self._closed:
                self._wakeup.wait(_PROBE_EVERY_S if self._failure is not None else None)
            batch, self._waiting = self._waiting, []
        return batch

    def _write(self, batch: list[Task]) -> None:
        # in the order of keys, so that two servers on one PostgreSQL never wait for each other crosswise
        tasks = sorted((task for task in batch if task.begin()), key=_key)
        self._under_way = tasks
        try:
            results = self._in_one_transaction([task.work for task in tasks])
        except Exception as problem:
            if _is_outage(problem):
                self._give_up(self._outage(problem), tasks)
            else:
                self._one_by_one(tasks)
        else:
            for task, result in zip(tasks, results, strict=True):
                task.settle(result)
        self._under_way = []

    def _in_one_transaction(self, works: list[Callable[[SqlDesk], Any]]) -> list[Any]:
        began = time.perf_counter()
        if self._connection is None:
            self._connection = self._engine.connect()
        with self._connection.begin():
            desk = SqlDesk(self._connection)
            results = [work(desk) for work in works]
        self._busy_s += time.perf_counter() - began
        self._batches += 1
        self._written += len(works)
        return results

    def _one_by_one(self, tasks: list[Task]) -> None:
        """Do again, apart, what failed together: one bad piece of work must not take the others with it."""
        for place, task in enumerate(tasks):
            self._under_way = tasks[place:]
            try:
                (result,) = self._in_one_transaction([task.work])
            except Exception as problem:
                if _is_outage(problem):
                    self._give_up(self._outage(problem), self._under_way)
                    return
                crosswise = isinstance(problem, OperationalError)
                task.fail(StoreBusyError(_said_plainly(problem)) if crosswise else problem)
            else:
                task.settle(result)

    def _outage(self, problem: Exception) -> StoreUnavailableError:
        said = _said_plainly(problem)
        return damaged(self._engine, said) if type(problem) is DatabaseError else StoreUnavailableError(said)

    def _give_up(self, outage: StoreUnavailableError, begun: list[Task]) -> None:
        """Tell everyone who waits that nothing can be written; the next success ends it."""
        reason = str(outage)
        self._disconnect()
        with self._wakeup:
            self._outages += self._failure is None
            self._failure = reason
            waiting, self._waiting = self._waiting, []
        log.error("the store cannot be written: %s", reason)
        for task in [*begun, *(task for task in waiting if task.begin())]:
            task.fail(type(outage)(reason))

    def _probe(self) -> None:
        try:
            self._in_one_transaction([SqlDesk.touch])  # a full disk still takes nothing
        except Exception as problem:
            log.debug("the store still cannot be written: %s", problem)
            self._disconnect()
        else:
            log.warning("the store can be written again")
            self._failure = None

    def _disconnect(self) -> None:
        connection, self._connection = self._connection, None
        if connection is None:
            return
        try:
            connection.close()
        except DBAPIError:
            connection.invalidate()


def _is_outage(problem: Exception) -> bool:
    """Tell a database that is gone, full, locked, damaged or read-only from work that went wrong by itself."""
    if type(problem) is not DatabaseError and not isinstance(
        problem, OperationalError | InterfaceError | InternalError
    ):
        return False
    return getattr(problem.orig, "sqlstate", None) not in _CROSSWISE


def _said_plainly(problem: Exception) -> str:
    cause = problem.orig if isinstance(problem, DBAPIError) else problem
    return " ".join(str(cause).split()) or type(cause).__name__
