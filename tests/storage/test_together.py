"""What many want at once is done together, and comes to the same as if each had been alone."""

import random
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from limen.core.judgment import Response
from limen.core.sessions import DailyCount, Mode, Part, TrialRecord
from limen.core.tokens import token_digest, withdrawal_code
from limen.storage.store import SqlStore, open_store
from limen.workflow.participate import begin, stop, take_lease
from limen.workflow.ports import Reading, Store, Writing
from limen.workflow.record import note_painted, record_practice, record_trial
from limen.workflow.withdraw import withdraw
from memory_store import MemoryStore
from studies import START, a_judgment, a_study, a_visit, applies

STUDY = a_study()
TOKENS = [f"token-{n:03d}" for n in range(90)]  # more than one question looks up

Wish = tuple[str, Callable[[Writing], Any]]


def begun(desk: Writing) -> None:
    for token in TOKENS:
        begin(desk, STUDY, a_visit(token), applies(STUDY))
        for n in (1, 2):
            record_practice(desk, a_visit(token), n, a_judgment())


def a_wish(chance: random.Random) -> Wish:
    token = chance.choice([*TOKENS, "nobody"])
    number, response = chance.choice([1, 1, 1, 2, 2, 3]), chance.choice(list(Response))
    visit = a_visit(token, after=timedelta(minutes=chance.randrange(60)), tab=chance.choice(["tab-1"] * 9 + ["tab-2"]))
    what = chance.randrange(20)
    if what == 0:
        return token, lambda desk: stop(desk, visit, keep=True)
    if what == 1:
        return token, lambda desk: stop(desk, visit, keep=False)
    if what == 2:
        return token, lambda desk: take_lease(desk, STUDY, visit, take_over=True)
    if what == 3:
        return token, lambda desk: note_painted(desk, visit, START)
    if what == 4:
        return token, lambda desk: record_practice(desk, visit, number, a_judgment(response))
    return token, lambda desk: record_trial(desk, visit, number, a_judgment(response))


def at_once(store: SqlStore, wishes: list[Wish]) -> list[Any]:
    """Have the writer find all wishes in its queue when it comes back to it."""
    entered, go_on = threading.Event(), threading.Event()

    def hold(_desk: Writing) -> None:
        entered.set()
        go_on.wait(10)

    store.submit(hold)
    assert entered.wait(10)
    futures = [store.submit(work, token) for token, work in wishes]
    go_on.set()
    return [future.result(20) for future in futures]


def everything(reading: Reading) -> list[tuple[object, ...]]:
    found: list[tuple[object, ...]] = []
    for token in TOKENS:
        session = reading.session(token_digest(token))
        if session is not None:
            found.append((session.number, session.tab, session.painted, session.stopped, *_answers(reading, token)))
    return found


def _answers(reading: Reading, token: str) -> tuple[tuple[TrialRecord, ...], ...]:
    session = reading.session(token_digest(token))
    assert session is not None
    return tuple(reading.records(session, part) for part in Part)


@pytest.mark.parametrize("seed", range(4))
def test_a_batch_comes_to_what_its_parts_would_have_come_to_alone(database: str, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - a test's
    wishes = [a_wish(chance) for _ in range(600)]
    alone: Store = MemoryStore()
    alone.submit(begun).result()
    in_order = sorted(range(len(wishes)), key=lambda place: wishes[place][0])  # as the writer takes them
    expected = {place: alone.submit(wishes[place][1]).result() for place in in_order}
    with open_store(database) as store:
        store.submit(begun).result(20)
        batches = store.load().batches
        assert at_once(store, wishes) == [expected[place] for place in range(len(wishes))]
        assert store.load().batches - batches == 2, "it was one batch, besides the one that held it up"
        assert store.read(everything) == alone.read(everything)
        assert len(store.read(everything)) > 40


def test_an_answer_that_is_there_already_sends_the_batch_back_to_be_done_one_by_one(database: str) -> None:
    with open_store(database) as store:
        store.submit(begun).result(20)
        session = store.read(lambda reading: reading.session(token_digest(TOKENS[0])))
        assert session is not None
        record = TrialRecord(number=1, stimulus_id="BASE_01", judgment=a_judgment(), received=START)

        def twice(desk: Writing) -> tuple[bool, bool]:
            return desk.add_record(session, Part.TRIALS, record), desk.add_record(session, Part.TRIALS, record)

        def next_one(desk: Writing) -> Any:
            return record_trial(desk, a_visit(TOKENS[1]), 1, a_judgment())

        first, second = at_once(store, [(TOKENS[0], twice), (TOKENS[1], next_one)])
        assert first == (True, False)
        assert second.new
        assert [s.answered for s in store.read(lambda reading: reading.sessions(Mode.LIVE))][:2] == [1, 1]


def test_who_is_withdrawn_twice_at_once_is_counted_once(database: str) -> None:
    now = START + timedelta(hours=1)
    with open_store(database) as store:
        store.submit(begun).result(20)
        by_code: Wish = ("", lambda desk: withdraw(desk, withdrawal_code(TOKENS[0]), now))
        by_token: Wish = (TOKENS[0], lambda desk: stop(desk, a_visit(TOKENS[0]), keep=False))
        other: Wish = (TOKENS[1], lambda desk: record_trial(desk, a_visit(TOKENS[1]), 1, a_judgment()))
        at_once(store, [by_code, by_token, other])
        assert store.read(lambda reading: reading.counts(Mode.LIVE)) == {DailyCount.WITHDRAWN: 1}


def test_two_servers_that_count_in_other_orders_never_wait_crosswise(
    new_postgres_database: Callable[[], str],
) -> None:
    address = new_postgres_database()
    what = (DailyCount.LANDED, DailyCount.CONSENTED)

    def count(store: SqlStore, order: Sequence[DailyCount]) -> None:
        for _ in range(150):
            wanted = [store.submit(lambda desk, w=w: desk.count(Mode.LIVE, START.date(), w)) for w in order]  # type: ignore[misc]
            for one in wanted:
                one.result(10)

    with open_store(address) as here, open_store(address) as there, ThreadPoolExecutor(4) as pool:
        for task in [pool.submit(count, store, order) for store, order in ((here, what), (there, what[::-1])) * 2]:
            task.result(60)
        assert here.read(lambda reading: reading.counts(Mode.LIVE)) == dict.fromkeys(what, 600)
        with here._engines.read.connect() as connection:
            asked = sa.text("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()")
            assert connection.scalar(asked) == 0
