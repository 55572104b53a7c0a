"""From the event loop to the store's writer and back, many at a time.

What requests want written is gathered while the loop goes once through what it has to do, and handed over together:
one lock and one wake-up of the writer. What was written comes back the same way. Neither waits for anything.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Any, TypeVar

from limen.errors import StoreUnavailableError
from limen.workflow.ports import Store, Task, Writing

T = TypeVar("T")

WRITE_TIMEOUT_S = 10.0


class Acknowledgements:
    """Hands work over and results back. Belongs to the loop in which it is first used."""

    def __init__(self, store: Store, timeout_s: float = WRITE_TIMEOUT_S) -> None:
        self._store = store
        self._timeout_s = timeout_s
        self._gathered: list[Task] = []
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
        if not self._gathered:
            loop.call_soon(self._hand_in)
        self._gathered.append(_Awaited(work, key, waiter, self, loop))
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
            loop.call_soon_threadsafe(self._hand_over)

    def _hand_in(self) -> None:
        tasks, self._gathered = self._gathered, []
        self._store.hand_in(tasks)

    def _hand_over(self) -> None:
        self._called = False  # first, so that what arrives from here on calls again
        while self._arrived:
            waiter, result, problem = self._arrived.popleft()
            if waiter.done():  # given up
                continue
            if problem is None:
                waiter.set_result(result)
            else:
                waiter.set_exception(problem)
        while self._due and self._due[0][1].done():
            self._due.popleft()

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
