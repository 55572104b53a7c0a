"""Work reaches the writer together, and results reach those who wait in the event loop, whatever the order."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from threading import Thread
from typing import Any

import pytest

from limen.errors import StoreUnavailableError
from limen.web.acknowledgements import Acknowledgements
from limen.workflow.ports import Task, Writing
from memory_store import MemoryStore


class Counter(MemoryStore):
    """A store that keeps what it is handed until it is told to do it, in a thread of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.handed_in: list[list[Task]] = []
        self.well = True

    def healthy(self) -> bool:
        return self.well

    def hand_in(self, tasks: Sequence[Task]) -> None:
        self.handed_in.append(list(tasks))

    def do(self, order: Callable[[list[Task]], list[Task]] = list) -> Thread:
        batches, self.handed_in = self.handed_in, []
        tasks = order([task for batch in batches for task in batch])
        thread = Thread(target=super().hand_in, args=(tasks,))
        thread.start()
        return thread


def gives(value: int) -> Callable[[Writing], int]:
    return lambda _desk: value


def fails(_desk: Writing) -> int:
    raise ZeroDivisionError


def begun(*waits: Coroutine[Any, Any, int]) -> list[asyncio.Future[int]]:
    return [asyncio.ensure_future(wait) for wait in waits]


async def turns(count: int = 10) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


def test_what_is_wanted_in_one_turn_of_the_loop_is_handed_in_together_and_each_gets_its_own_result() -> None:
    async def main() -> None:
        store = Counter()
        acknowledgements = Acknowledgements(store)
        waiting = begun(*(acknowledgements.of(gives(n)) for n in range(500)))
        await turns()
        assert [len(batch) for batch in store.handed_in] == [500]
        thread = store.do(order=lambda tasks: tasks[::-1])
        assert await asyncio.gather(*waiting) == list(range(500))
        thread.join()

    asyncio.run(main())


def test_what_is_wanted_while_a_batch_is_under_way_waits_for_its_end_and_goes_together() -> None:
    async def main() -> None:
        store = Counter()
        acknowledgements = Acknowledgements(store)
        first = begun(acknowledgements.of(gives(1)))
        await turns()
        later = []
        for n in range(20):  # one by one, over many turns
            later += begun(acknowledgements.of(gives(n)))
            await turns()
        assert [len(batch) for batch in store.handed_in] == [1]
        store.do().join()
        assert await asyncio.gather(*first) == [1]
        await turns()
        assert [len(batch) for batch in store.handed_in] == [20]
        store.do().join()
        assert await asyncio.gather(*later) == list(range(20))

    asyncio.run(main())


def test_what_waits_for_a_batch_is_bounded_by_the_writers_queue() -> None:
    async def main() -> None:
        store = Counter()
        acknowledgements = Acknowledgements(store)
        waiting = begun(acknowledgements.of(gives(0)))
        await turns()
        waiting += begun(*(acknowledgements.of(gives(n)) for n in range(1, 301)))
        await turns()
        assert sum(len(batch) for batch in store.handed_in) == 301, "so many are handed in whatever is under way"
        store.do().join()
        assert await asyncio.gather(*waiting) == list(range(301))

    asyncio.run(main())


def test_nothing_waits_for_a_writer_that_hangs() -> None:
    async def main() -> None:
        store = Counter()
        acknowledgements = Acknowledgements(store)
        waiting = begun(acknowledgements.of(gives(1)))
        await turns()
        store.well = False
        waiting += begun(acknowledgements.of(gives(2)))
        await turns()
        assert [len(batch) for batch in store.handed_in] == [1, 1], "it can refuse at once what it is handed"
        store.do().join()
        assert await asyncio.gather(*waiting) == [1, 2]

    asyncio.run(main())


def test_problems_arrive_too_and_who_gives_up_disturbs_nobody() -> None:
    async def main() -> None:
        store = Counter()
        acknowledgements = Acknowledgements(store)
        given_up, bad, good = begun(*(acknowledgements.of(work) for work in (gives(1), fails, gives(2))))
        await turns()
        given_up.cancel()
        store.do().join()
        with pytest.raises(ZeroDivisionError):
            await bad
        assert await good == 2
        assert given_up.cancelled()

    asyncio.run(main())


def test_who_waits_too_long_is_told_and_those_after_them_are_not() -> None:
    async def main() -> None:
        store = Counter()
        acknowledgements = Acknowledgements(store, timeout_s=0.2)
        (early,) = begun(acknowledgements.of(gives(1)))
        await asyncio.sleep(0.12)
        (later,) = begun(acknowledgements.of(gives(2)))
        with pytest.raises(StoreUnavailableError, match=r"within 0\.2 s"):
            await early
        store.do().join()  # what nobody waits for any more is written all the same
        await turns()
        store.do().join()
        assert await later == 2
        (again,) = begun(acknowledgements.of(gives(3)))
        with pytest.raises(StoreUnavailableError):
            await again

    asyncio.run(main())
