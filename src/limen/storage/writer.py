"""One writer: a thread that owns the write connection and commits whatever is queued in one transaction.

While one batch is being synced to disk the next one gathers, so the sync itself is the window of batching and
there is no timer. Work is acknowledged after the commit, never before. See docs/adr/0008-single-writer.md.
"""

import logging
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, TypeVar

from sqlalchemy.exc import DBAPIError, OperationalError

from limen.errors import StoreBusyError, StoreReplacedError, StoreUnavailableError
from limen.storage.desk import SqlDesk
from limen.storage.engines import Engines
from limen.storage.line import Line
from limen.storage.outages import is_outage, outage_from, said_plainly
from limen.workflow.ports import Task, WriterLoad, Writing

T = TypeVar("T")

QUEUE_LIMIT = 4096
STALLED_AFTER_S = 8.0  # those who wait are told by then; who comes later is told at once
_PROBE_EVERY_S = 0.5
_LOOK_EVERY_S = 2.0

log = logging.getLogger(__name__)


class _Promise:
    """Work whose result is a future."""

    __slots__ = ("future", "key", "work")

    def __init__(self, work: Callable[[Any], Any], key: str) -> None:
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

    def __init__(self, engines: Engines, *, limit: int = QUEUE_LIMIT) -> None:
        self._engine = engines.write
        self._line = Line(engines)
        self._limit = limit
        self._waiting: list[Task] = []
        self._wakeup = threading.Condition()
        self._closed = False
        self._failure: str | None = None
        self._under_way: list[Task] = []
        self._began: float | None = None  # when the transaction under way did
        self._stall_told = False
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
        """Tell whether the last write succeeded, no write hangs, and the thread lives."""
        return self._failure is None and not self._stalled() and self._thread.is_alive()

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
            if self._stalled():
                return 0, self._say_that_it_stalls()
            idle = not self._waiting
            taken = tasks[: self._limit - len(self._waiting)]
            self._waiting.extend(taken)
            if idle:
                self._wakeup.notify()
        return len(taken), StoreBusyError(f"{self._limit} writes are waiting already")

    def _stalled(self) -> bool:
        """Tell whether the database has not answered for so long that nobody should begin to wait for it."""
        began = self._began
        return began is not None and time.monotonic() - began > STALLED_AFTER_S

    def _say_that_it_stalls(self) -> StoreUnavailableError:
        said = f"the store has not answered for more than {STALLED_AFTER_S:g} s"
        if not self._stall_told:
            self._stall_told = True
            self._outages += 1
            log.error("%s; what waits is told so, and done when it answers again", said)
        return StoreUnavailableError(said)

    def _run(self) -> None:
        try:
            with suppress(DBAPIError, sqlite3.Error):  # otherwise the first write says what is wrong
                self._line.open()
            while True:
                batch = self._take()
                if batch:
                    self._write(batch)
                elif self._failure is not None and not self._closed:
                    self._probe()
                else:
                    self._look_while_idle()
                    if self._is_done():
                        return
        except BaseException as problem:
            if isinstance(problem, StoreUnavailableError):
                said = str(problem)
            else:
                log.exception("the writer ended")
                said = f"the writer ended: {problem!r}"
            self.ended = said
            self._give_up(StoreUnavailableError(said), self._under_way)
        finally:
            self._line.close()

    def _is_done(self) -> bool:
        with self._wakeup:
            return self._closed and not self._waiting

    def _take(self) -> list[Task]:
        with self._wakeup:
            if not self._waiting and not self._closed:
                self._wakeup.wait(_PROBE_EVERY_S if self._failure is not None else _LOOK_EVERY_S)
            batch, self._waiting = self._waiting, []
        return batch

    def _write(self, batch: list[Task]) -> None:
        # in one order (sessions, numbers, counts), so that two servers on one PostgreSQL never wait crosswise
        tasks = sorted((task for task in batch if task.begin()), key=_last_without_key)
        self._under_way = tasks
        self._began = time.monotonic()
        try:
            results = self._in_one_transaction(tasks)
        except StoreReplacedError:
            raise
        except Exception as problem:
            if is_outage(problem):
                self._give_up(outage_from(problem, self._engine), tasks)
            else:
                self._one_by_one(tasks, until=self._began + STALLED_AFTER_S)
        else:
            self._under_way = []
            for task, result in zip(tasks, results, strict=True):
                _settle(task, result)
        finally:
            self._answered()
        self._under_way = []

    def _answered(self) -> None:
        """Note that the database has answered, in whatever way."""
        self._began = None
        if self._stall_told:
            self._stall_told = False
            if self._failure is None:
                log.warning("the store answers again")

    def _in_one_transaction(self, tasks: Sequence[Task], *, alone: bool = False) -> list[Any]:
        began = time.perf_counter()
        results = self._line.write(lambda desk: _done(tasks, desk, alone=alone), together=not alone)
        self._busy_s += time.perf_counter() - began
        self._batches += 1
        self._written += len(tasks)
        return results

    def _look_while_idle(self) -> None:
        self._began = time.monotonic()
        try:
            self._line.look()
        except StoreReplacedError:
            raise
        except StoreUnavailableError as problem:
            if self._closed:
                raise
            self._give_up(problem, [])
        finally:
            self._answered()

    def _one_by_one(self, tasks: list[Task], until: float) -> None:
        """Do again, apart, what failed together: one bad piece of work must not take the others with it.

        What is locked by somebody else is not waited for again and again: beyond its time the rest is refused.
        """
        for place, task in enumerate(tasks):
            self._under_way = tasks[place:]
            if time.monotonic() > until:
                _fail(task, StoreBusyError("what was to be written is locked by others"))
                continue
            try:
                (result,) = self._in_one_transaction([task], alone=True)
            except StoreReplacedError:
                raise
            except Exception as problem:
                if is_outage(problem):
                    self._give_up(outage_from(problem, self._engine), self._under_way)
                    return
                crosswise = isinstance(problem, OperationalError)
                _fail(task, StoreBusyError(said_plainly(problem)) if crosswise else problem)
            else:
                _settle(task, result)

    def _give_up(self, outage: StoreUnavailableError, begun: list[Task]) -> None:
        """Tell everyone who waits that nothing can be written; the next success ends it."""
        reason = str(outage)
        self._line.close()
        with self._wakeup:
            self._outages += self._failure is None and not self._stall_told
            self._failure = reason
            waiting, self._waiting = self._waiting, []
        log.error("the store cannot be written: %s", reason)
        for task in [*begun, *(task for task in waiting if task.begin())]:
            _fail(task, type(outage)(reason))

    def _probe(self) -> None:
        try:
            self._began = time.monotonic()
            self._in_one_transaction([_Promise(lambda desk: desk.touch(), "")])  # a full disk still takes nothing
        except StoreReplacedError:
            raise
        except Exception as problem:
            log.debug("the store still cannot be written: %s", problem)
            self._line.close()
        else:
            log.warning("the store can be written again")
            self._failure = None
        finally:
            self._began = None


def _last_without_key(task: Task) -> tuple[bool, str]:
    return not task.key, task.key


def _done(tasks: Sequence[Task], desk: SqlDesk, *, alone: bool) -> list[Any]:
    if alone:
        desk.wait_less()
    else:
        desk.look_up({task.key for task in tasks if task.key})
    results = [task.work(desk) for task in tasks]
    desk.flush()
    return results


def _settle(task: Task, result: Any) -> None:
    """Tell that it is written. Who cannot be told, because it has gone, is no reason to stop writing."""
    try:
        task.settle(result)
    except Exception:
        log.exception("nobody could be told that something was written")


def _fail(task: Task, problem: BaseException) -> None:
    try:
        task.fail(problem)
    except Exception:
        log.exception("nobody could be told that something was not written")
