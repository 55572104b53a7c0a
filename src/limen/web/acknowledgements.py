"""From the event loop to the store's writer and back, many at a time.

What requests want written is gathered while the loop brings more of it, and while a batch is under way, and then handed
over together: one lock, one wake-up of the writer, one commit. What was written comes back the same way. Nothing waits
for a clock. Large batches, while which the loop rests, cost less than small ones beside its own work, since Python runs
one thread at a time: see docs/adr/0026-batches-that-take-turns.md.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

from limen.errors import StoreUnavailableError
from limen.workflow.ports import Store, Task, Writing

T = TypeVar("T")

WRITE_TIMEOUT_S = 10.0
_MOST_GATHERED = 256  # handed over whatever is under way, so that the writer's queue, which is bounded, bounds this too
_QUIET_TURNS = 3  # of the loop, without more: what was read in one is wanted in the next, or the one after


class Acknowledgements:
    """Hands work over and results back. Belongs to the loop in which it is first used."""

    def __init__(self, store: Store, timeout_s: float = WRITE_TIMEOUT_S) -> None:
        self._store = store
        self._timeout_s = timeout_s
        self._gathered: list[Task] = []
        self._gathering = False  # whether a call of `_gather` is due
        self._under_way = 0  # handed over, and not heard of yet
        self._arrived: deque[tuple[asyncio.Future[Any], Any, BaseException | None]] = deque()
        self._called = False
        # all wait equally long, so that the first is due first
        self._due: deque[tuple[float, asyncio.Future[Any]]] = deque()
        self._watching = False

    async def of(self, work: Callable[[Writing], T], key: str = "") -> T:
        """Have something written; come back when it is on disk. Who stops waiting does not stop the work.

        Raises StoreUnavailableError when it cannot be taken in, and when nothing was heard of it for too long.
        """
        loop = asyncio.get_running_loop()
        waiter: asyncio.Future[T] = loop.create_future()
        self._gathered.append(_Awaited(work, key, waiter, self, loop))
        if not self._gathering and self._may_hand_over():
            self._begin_gathering(loop)
        self._due.append((loop.time() + self._timeout_s, waiter))
        if not self._watching:
            self._watching = True
            loop.call_later(self._timeout_s, self._watch, loop)
        return await waiter

    def arrive(
        self, loop: asyncio.AbstractEventLoop, waiter: asyncio.Future[Any], result: Any, problem: BaseException | None
    ) -> None:
        """Take what came of work, from any thread; the first of many wakes the loop."""
        self._arrived.append((waiter, result, problem))
        if not self._called:
            self._called = True
            with suppress(RuntimeError):  # the loop has ended, and nobody waits any more
                loop.call_soon_threadsafe(self._hand_over, loop)

    def _may_hand_over(self) -> bool:
        """Tell whether no batch is under way. A writer that hangs is asked all the same: it refuses at once."""
        return self._under_way == 0 or len(self._gathered) >= _MOST_GATHERED or not self._store.healthy()

    def _begin_gathering(self, loop: asyncio.AbstractEventLoop) -> None:
        self._gathering = True
        loop.call_soon(self._gather, loop, 0, 0)

    def _gather(self, loop: asyncio.AbstractEventLoop, before: int, quiet: int) -> None:
        """Look once a turn whether more is wanted; hand it over when there was none for some turns."""
        wanted = len(self._gathered)
        quiet = quiet + 1 if wanted == before else 0
        if quiet < _QUIET_TURNS and wanted < _MOST_GATHERED:
            loop.call_soon(self._gather, loop, wanted, quiet)
            return
        self._gathering = False
        tasks, self._gathered = self._gathered, []
        self._under_way += wanted
        self._store.hand_in(tasks)

    def _hand_over(self, loop: asyncio.AbstractEventLoop) -> None:
        self._called = False  # first, so that what arrives from here on calls again
        while self._arrived:
            waiter, result, problem = self._arrived.popleft()
            self._under_way -= 1
            if waiter.done():  # given up
                continue
            if problem is None:
                waiter.set_result(result)
            else:
                waiter.set_exception(problem)
        while self._due and self._due[0][1].done():
            self._due.popleft()
        if self._gathered and not self._gathering and self._may_hand_over():
            self._begin_gathering(loop)

    def _watch(self, loop: asyncio.AbstractEventLoop) -> None:
        """Tell those who waited too long; look again when the next one will have."""
        now = loop.time()
        while self._due and (self._due[0][1].done() or self._due[0][0] <= now):
            _, waiter = self._due.popleft()
            if not waiter.done():
                waiter.set_exception(StoreUnavailableError(f"nothing was written within {self._timeout_s:g} s"))
        self._watching = bool(self._due)
        if self._due:
            loop.call_at(self._due[0][0], self._watch, loop)


class _Awaited:
    """Work that a request waits for."""

    __slots__ = ("_home", "_loop", "_waiter", "key", "work")

    def __init__(
        self,
        work: Callable[[Writing], Any],
        key: str,
        waiter: asyncio.Future[Any],
        home: Acknowledgements,
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        self.work = work
        self.key = key
        self._waiter = waiter
        self._home = home
        self._loop = loop

    def begin(self) -> bool:
        return True

    def settle(self, result: Any) -> None:
        self._home.arrive(self._loop, self._waiter, result, None)

    def fail(self, problem: BaseException) -> None:
        self._home.arrive(self._loop, self._waiter, None, problem)
