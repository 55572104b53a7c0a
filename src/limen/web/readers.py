"""Questions to the store, asked by a few threads of their own, and never waited for without end.

The threads are daemons: one that a database holds which no longer answers cannot keep the process from ending.
"""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread
from typing import Any, TypeVar

from limen.errors import StoreBusyError, StoreUnavailableError
from limen.workflow.ports import Reading, Store

T = TypeVar("T")

log = logging.getLogger(__name__)

READ_TIMEOUT_S = 10.0
_PROBE_EVERY_S = 0.5
_PROBE_TIMEOUT_S = 2.0
THREADS = 8
_MOST_WAITING = 1024


class Readers:
    """Asks the store. Belongs to the loop in which it is first used."""

    def __init__(self, store: Store, timeout_s: float = READ_TIMEOUT_S) -> None:
        self._store = store
        self._timeout_s = timeout_s
        self._questions: SimpleQueue[_Question] = SimpleQueue()
        self._threads = 0
        self._open = 0  # asked and not answered yet, those given up too
        self._failure: str | None = None
        self._doubt: asyncio.Task[None] | None = None
        self._probing = False

    async def of(self, ask: Callable[[Reading], T]) -> T:
        """Give what the store answers; raise StoreUnavailableError when it does not within the time.

        Once it does not answer even what any store can, everyone is told so at once, until it does.
        """
        if self._failure is not None:
            raise StoreUnavailableError(self._failure)
        if self._open >= _MOST_WAITING:
            raise StoreBusyError(f"{_MOST_WAITING} questions are waiting already")
        try:
            return await self._answer_to(ask)
        except StoreUnavailableError as problem:
            if type(problem) is StoreUnavailableError and self._doubt is None:  # what is damaged is so in a place
                self._doubt = asyncio.create_task(self._ask_until_it_answers(str(problem)))
            raise

    async def _ask_until_it_answers(self, doubt: str) -> None:
        """See whether it was the question or the store; while the store answers nothing, nobody is to wait for it."""
        try:
            while not await self._answers_at_all():
                if self._failure is None:
                    log.error("the store cannot be read: %s", doubt)
                    self._failure = doubt
                await asyncio.sleep(_PROBE_EVERY_S)
            if self._failure is not None:
                log.warning("the store can be read again")
        finally:
            self._failure = self._doubt = None

    async def _answers_at_all(self) -> bool:
        """Ask what any store can answer, on a thread of its own: the others may all be held by the store."""
        if self._probing:  # the last one is
            return False
        question = _Question(lambda reading: reading.withdrawn(""), asyncio.get_running_loop())
        try:
            Thread(target=self._ask_once, args=(question, self._probed), name="limen-probe", daemon=True).start()
        except RuntimeError:  # the system gives no thread just now
            return False
        self._probing = True
        try:
            async with asyncio.timeout(_PROBE_TIMEOUT_S):
                await question.answer
        except Exception as problem:
            return not isinstance(problem, TimeoutError) and type(problem) is not StoreUnavailableError
        return True

    async def _answer_to(self, ask: Callable[[Reading], T]) -> T:
        question = _Question(ask, asyncio.get_running_loop())
        if self._threads < min(self._open + 1, THREADS):
            try:
                Thread(target=self._ask_on_and_on, name="limen-reader", daemon=True).start()
                self._threads += 1
            except RuntimeError as problem:  # the system gives no thread just now
                if self._threads == 0:
                    raise StoreBusyError("no thread could be started") from problem
        self._open += 1
        self._questions.put(question)
        try:
            async with asyncio.timeout(self._timeout_s):
                answer: T = await question.answer
        except TimeoutError as waited:
            raise StoreUnavailableError(f"nothing was read within {self._timeout_s:g} s") from waited
        return answer

    def _ask_on_and_on(self) -> None:
        while True:
            self._ask_once(self._questions.get(), self._settled)

    def _ask_once(self, question: "_Question", over: Callable[[], None]) -> None:
        problem = result = None
        if not question.answer.done():
            try:
                result = self._store.read(question.ask)
            except BaseException as found:
                problem = found
        with suppress(RuntimeError):  # the loop has ended meanwhile
            question.loop.call_soon_threadsafe(_tell, question, result, problem, over)

    def _settled(self) -> None:
        self._open -= 1

    def _probed(self) -> None:
        self._probing = False


def _tell(question: "_Question", result: Any, problem: BaseException | None, over: Callable[[], None]) -> None:
    over()
    if question.answer.done():  # given up
        return
    if problem is None:
        question.answer.set_result(result)
    else:
        question.answer.set_exception(problem)


class _Question:
    """What is asked, and who waits for the answer."""

    __slots__ = ("answer", "ask", "loop")

    def __init__(self, ask: Callable[[Reading], Any], loop: asyncio.AbstractEventLoop) -> None:
        self.ask = ask
        self.loop = loop
        self.answer: asyncio.Future[Any] = loop.create_future()
