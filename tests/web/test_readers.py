"""Questions to the store are answered, refused, or given up; none is waited for without end."""

import asyncio
import threading
import time
from collections.abc import Callable
from typing import Any, TypeVar

import pytest

from limen.errors import StoreBusyError, StoreDamagedError, StoreUnavailableError
from limen.web import readers
from limen.web.readers import THREADS, Readers
from limen.workflow.ports import Reading
from memory_store import MemoryDesk, MemoryStore

T = TypeVar("T")


class Slow(MemoryStore):
    """A store that can be told to hang, or to fail."""

    def __init__(self) -> None:
        super().__init__()
        self.answers = threading.Event()
        self.answers.set()
        self.problem: Exception | None = None
        self.asked = 0

    def read(self, ask: Callable[[Reading], T]) -> T:
        self.asked += 1
        self.answers.wait(20)
        if self.problem is not None:
            raise self.problem
        return super().read(ask)


class Unlocked(MemoryStore):
    """A store whose questions do not wait for each other."""

    def read(self, ask: Callable[[Reading], T]) -> T:
        return ask(MemoryDesk(self._contents))


def gives(value: int) -> Callable[[Reading], int]:
    return lambda _reading: value


def test_many_questions_are_answered_each_with_its_own() -> None:
    async def main() -> list[int]:
        reading = Readers(Slow())
        return await asyncio.gather(*(reading.of(gives(n)) for n in range(200)))

    assert asyncio.run(main()) == list(range(200))


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readers, "_PROBE_TIMEOUT_S", 0.1)
    monkeypatch.setattr(readers, "_PROBE_EVERY_S", 0.1)


def test_a_store_that_hangs_is_waited_for_once_and_asked_until_it_answers() -> None:
    async def main() -> None:
        store = Slow()
        reading = Readers(store, timeout_s=0.2)
        store.answers.clear()
        began = time.monotonic()
        found = await asyncio.gather(*(reading.of(gives(n)) for n in range(20)), return_exceptions=True)
        assert all(type(one) is StoreUnavailableError for one in found)
        assert time.monotonic() - began < 2
        await asyncio.sleep(0.5)
        began = time.monotonic()
        for _ in range(50):
            with pytest.raises(StoreUnavailableError):
                await reading.of(gives(1))
        assert time.monotonic() - began < 0.1, "told at once"
        assert store.asked == THREADS + 1, "no more threads wait than there are, and one that looks"
        store.answers.set()
        assert await _answered(reading, 7) == 7

    asyncio.run(main())


def test_slow_questions_keep_nobody_from_asking_others() -> None:
    async def main() -> None:
        reading = Readers(Unlocked(), timeout_s=0.3)
        slow = [asyncio.ensure_future(reading.of(lambda _: time.sleep(1.0))) for _ in range(THREADS - 1)]
        until = time.monotonic() + 1.5
        while time.monotonic() < until:
            assert await reading.of(gives(3)) == 3
            await asyncio.sleep(0.01)
        given_up = await asyncio.gather(*slow, return_exceptions=True)
        assert {type(one) for one in given_up} == {StoreUnavailableError}

    asyncio.run(main())


def test_a_store_that_fails_is_told_until_it_answers() -> None:
    async def main() -> None:
        store = Slow()
        reading = Readers(store)
        store.problem = StoreUnavailableError("gone")
        with pytest.raises(StoreUnavailableError, match="gone"):
            await reading.of(gives(1))
        await asyncio.sleep(0.3)
        asked = store.asked
        for _ in range(100):
            with pytest.raises(StoreUnavailableError, match="gone"):
                await reading.of(gives(1))
        assert store.asked <= asked + 1, "told at once, without asking"
        store.problem = ValueError("something else")  # it answers, if badly
        await asyncio.sleep(0.5)
        with pytest.raises(ValueError, match="something else"):
            await reading.of(gives(1))
        store.problem = None
        assert await reading.of(gives(2)) == 2

    asyncio.run(main())


def test_a_system_that_gives_no_thread_is_no_end(monkeypatch: pytest.MonkeyPatch) -> None:
    none_left = True

    class Scarce(threading.Thread):
        def start(self) -> None:
            if none_left:
                raise RuntimeError("can't start new thread")
            super().start()

    monkeypatch.setattr(readers, "Thread", Scarce)

    async def main() -> None:
        nonlocal none_left
        store = Slow()
        reading = Readers(store)
        for _ in range(20):
            with pytest.raises(StoreBusyError):
                await reading.of(gives(1))
        none_left = False
        assert await reading.of(gives(2)) == 2
        store.problem, none_left = StoreUnavailableError("gone"), True
        with pytest.raises(StoreUnavailableError):
            await reading.of(gives(1))
        await asyncio.sleep(0.3)
        store.problem, none_left = None, False
        assert await _answered(reading, 7) == 7

    asyncio.run(main())


def test_damage_in_one_place_keeps_nobody_from_the_others() -> None:
    async def main() -> None:
        store = Slow()
        reading = Readers(store)
        store.problem = StoreDamagedError("page 7")
        with pytest.raises(StoreDamagedError):
            await reading.of(gives(1))
        store.problem = None
        assert await reading.of(gives(2)) == 2

    asyncio.run(main())


def test_questions_that_wait_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readers, "_MOST_WAITING", 10)

    async def main() -> None:
        store = Slow()
        store.answers.clear()
        reading = Readers(store)
        waiting = [asyncio.ensure_future(reading.of(gives(n))) for n in range(10)]
        await asyncio.sleep(0)
        with pytest.raises(StoreBusyError):
            await reading.of(gives(11))
        store.answers.set()
        assert await asyncio.gather(*waiting) == list(range(10))

    asyncio.run(main())


async def _answered(reading: Readers, value: int) -> Any:
    async with asyncio.timeout(10):
        while True:
            try:
                return await reading.of(gives(value))
            except StoreUnavailableError:
                await asyncio.sleep(0.05)
